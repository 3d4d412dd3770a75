#!/bin/sh
# SPDX-License-Identifier: MIT
# cost.sh PRELOAD PAIRS SCRATCH: how many instructions locking and unlocking two mutexes, one within the other, takes without waiting
# (pairs.c): without statistics, with them, and while watching. Counted by valgrind, for 10,000 rounds. The limits are a quarter above
# what GCC 12 makes of it on x86-64.
set -u
preload=$1
program=$2
scratch=$3
failures=0
command -v valgrind >/dev/null || exit 77
mkdir -p "$scratch"

# instructions ROUNDS VARIABLE: of the whole program.
instructions() {
    env LD_LIBRARY_PATH="${preload%/*}" LD_PRELOAD="${preload##*/}" "$2" valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        "$program" "$1" 2>&1 | sed -n 's/.*Collected : //p'
}

# costs VARIABLE LIMIT
costs() {
    few=$(instructions 10000 "$1")
    many=$(instructions 20000 "$1")
    each=$(((many - few) / 10000))
    echo "$1: $each instructions"
    if [ -z "$few" ] || [ "$each" -lt 20 ] || [ "$each" -gt "$2" ]; then
        echo "$1: $each instructions, at most $2 wanted"
        failures=$((failures + 1))
    fi
}

costs RECIP_STATS= 120
costs RECIP_STATS=/dev/null 230
costs RECIP_WATCH=off 210
costs RECIP_WATCH=on 520
exit "$failures"
