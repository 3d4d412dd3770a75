#!/bin/sh
# SPDX-License-Identifier: MIT
# waiting-patience.sh RECIP FOLDER: `recip bench waiting` finds out a mutex whose leader sleeps ten times as often before it bars
# newcomers. In rounds that take turns, the median wait of a thread that locks seldom is more than one and a half times as long;
# 3.6 times on two cores. It is not ten times, because the bound on bypasses is reached first.
set -eu
recip=$1
folder=$2
rounds=11
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# wait_of SLEEPS: p50 of the waits, in nanoseconds.
wait_of() {
    RECIP_CREDIT=0 RECIP_SLEEPS_HOT=$1 "$recip" bench waiting --lock mutex --times 40/0 --hogs 1 --period 4ms --runs 1 --duration 1 --csv |
        awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "wait_ns_p50") at = i } NR == 2 { print $at }'
}
for _ in $(seq $rounds); do
    usual=$(wait_of 4)
    tenfold=$(wait_of 40)
    echo "$usual $tenfold" | tee -a waits
done
ratio=$(awk '{ print $2 / $1 }' waits | sort -g | sed -n "$(((rounds + 1) / 2))p")
echo "ratio $ratio"
awk "BEGIN { exit !($ratio > 1.5) }" || { echo "ten times the patience is not seen"; exit 1; }
rm -rf "$folder"
