#!/bin/sh
# results.sh RECIP FOLDER: short results of every kind, from the commands, for the tests of the report.
set -eu
recip=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
"$recip" bench mutexbench --lock reciprocating,mcs,mcs-park,pthread,mutex --threads 1,2,3 --duration 0.01 --runs 2 --json \
    >"$folder/bench.json"
for workload in max moderate; do
    "$recip" sim --machine x5-2 --workload $workload --threads 1,2,20 --episodes 200 --json >"$folder/x5-2-$workload.json"
done
"$recip" sim --machine altra-max --lock reciprocating,mcs --threads 2,4 --episodes 200 --json >"$folder/altra-max.json"
"$recip" table --lock reciprocating,mcs,k42 --json >"$folder/table.json"
"$recip" check reciprocating --client 3x1 --json >"$folder/check.json"
