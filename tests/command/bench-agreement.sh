#!/bin/sh
# SPDX-License-Identifier: MIT
# bench-agreement.sh RECIP FOLDER: measurements of 1 and of 10 seconds, taking turns, agree: the 95 % intervals of their
# medians overlap.
set -eu
recip=$1
folder=$2
rounds=11
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for round in $(seq $rounds); do
    for seconds in 1 10; do
        "$recip" bench --lock mutex,pthread --threads 1,2 --inside 1 --runs 1 --duration $seconds --csv |
            tail -n +2 >>"$seconds.csv"
    done
done
# interval SECONDS LOCK THREADS: of 11 values in order, from the second to the tenth.
interval() {
    grep "^mutexbench,$2,1/0,$3," "$1.csv" | cut -d , -f 6 | sort -g | sed -n '2p;10p' | tr '\n' ' '
}
for lock in mutex pthread; do
    for threads in 1 2; do
        one=$(interval 1 $lock $threads)
        ten=$(interval 10 $lock $threads)
        echo "$lock, $threads threads: $one in 1 s, $ten in 10 s"
        # shellcheck disable=SC2086
        echo $one $ten | awk 'NF != 4 || $1 > $4 || $3 > $2 { exit 1 }' || { echo "they do not agree"; exit 1; }
    done
done
rm -rf "$folder"
