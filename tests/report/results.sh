#!/bin/sh
# SPDX-License-Identifier: MIT
# results.sh RECIP FOLDER WAITS: short results of every kind, from the commands, for the tests of the report.
set -eu
recip=$1
folder=$2
waits=$3 # a program whose threads wait for mutexes for sure
rm -rf "$folder"
mkdir -p "$folder"
"$recip" bench mutexbench --lock reciprocating,mcs,mcs-park,pthread,mutex --threads 1,2,3 --duration 0.01 --runs 2 --json \
    >"$folder/bench.json"
"$recip" bench waiting --lock mutex,mutex:0,pthread --times 20/0,1000/100 --hogs 1,3 --period 100us --duration 0.02 --runs 6 --json \
    >"$folder/waiting.json"
# On a busy machine a run may be over before anybody was signalled.
for attempt in $(seq 50); do
    "$recip" bench waiting --cond --lock mutex,pthread --times 50/50 --hogs 3 --period 200us --duration 0.05 --runs 2 --json \
        >"$folder/waiting-cond.json"
    [ "$(grep -c '"wait_ns_p99": {' "$folder/waiting-cond.json")" -ne 2 ] || break
    echo "attempt $attempt: nobody was signalled"
done
for workload in max moderate; do
    "$recip" sim --machine x5-2 --workload $workload --threads 1,2,20 --episodes 200 --json >"$folder/x5-2-$workload.json"
done
"$recip" sim --machine altra-max --lock reciprocating,mcs --threads 2,4 --episodes 200 --json >"$folder/altra-max.json"
# Two CPUs are needed. On a machine that is very busy, times are measured that no machine file takes; there is no calibration then.
if [ "$(nproc)" -ge 2 ]; then
    "$recip" sim --calibrate --lock ticket --json >"$folder/calibration.json" || rm "$folder/calibration.json"
fi
"$recip" table --lock reciprocating,mcs,k42 --json >"$folder/table.json"
"$recip" check reciprocating --client 3x1 --json >"$folder/check.json"
"$recip" run --stats="$folder/stats.json" -- "$waits" >"$folder/waits.log"
