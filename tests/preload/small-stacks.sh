#!/bin/sh
# SPDX-License-Identifier: MIT
# small-stacks.sh RECIP PROGRAM SCRATCH: threads with the smallest stack that there may be (faults/small-stacks.c) have what is said of
# them said on it: while watched, with statistics on a signal and at exit, and with a trace. The library takes little of that stack for
# itself.
set -u
recip=$1
program=$2
scratch=$3
failures=0
mkdir -p "$scratch"
export RECIP_WATCH_LONG=0.1

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        cat "$scratch/said"
        failures=$((failures + 1))
    fi
}

reports() {
    "$recip" run "$@" -- "$program" 2>"$scratch/said"
    is "status with $*" $? 0
}

reports --watch
is 'inversions' "$(grep -c '^recip: inversion of the order of 2 locks' "$scratch/said")" 1
is 'long waits' "$(grep -c '^recip: a thread of small-stacks, process .* waits for' "$scratch/said")" 1
is 'the owner' "$(grep -c '^  the owner, thread small-stacks ' "$scratch/said")" 1
reports --stats
is 'the report' "$(grep -c '^    bread$' "$scratch/said")" 1
reports --stats --trace="$scratch/trace"
is 'the trace' "$(grep -c traceEvents "$scratch/trace")" 1
exit "$failures"
