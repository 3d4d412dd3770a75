#!/bin/sh
# SPDX-License-Identifier: MIT
# tracers.sh SOURCES PRELOAD PAIRS PROBES SCRATCH: bpftrace's and bcc's usual ways to look at mutexes, by the names of glibc's probes, see
# each lock and unlock of PAIRS (pairs.c), and the arguments in glibc's order in PROBES (probes.c). 77 where the kernel does not let them.
set -u
sources=$1
library=$2
pairs=$3
probes=$4
scratch=$5
failures=0
tracer=
rm -rf "$scratch"
mkdir -p "$scratch"
trap '[ -z "$tracer" ] || kill -KILL "$tracer"' EXIT
if [ "$(id -u)" -ne 0 ] || ! command -v bpftrace >/dev/null; then
    echo 'only root may trace, by bpftrace'
    exit 77
fi
mounted=/sys/kernel/tracing
[ -e $mounted/uprobe_events ] || mount -t tracefs tracefs $mounted 2>/dev/null || [ -e /sys/kernel/debug/tracing/uprobe_events ] || exit 77

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# waits_for WORDS FILE: until the tracer has said that; false if it has ended, or has not said it for a minute.
waits_for() {
    for _ in $(seq 300); do
        ! grep -qF "$1" "$2" || return 0
        kill -0 "$tracer" 2>/dev/null || return 1
        sleep 0.2
    done
    return 1
}

# The kernel may take a minute to take the probes out again: nobody waits for that.
ends() {
    kill -KILL "$tracer" 2>/dev/null
    tracer=
}

preloaded() {
    env LD_LIBRARY_PATH="${library%/*}" LD_PRELOAD="${library##*/}" "$@"
}

sed "s#LIBRARY#$library#" "$sources/mutex-times.bt" >"$scratch/script.bt"
bpftrace "$scratch/script.bt" >"$scratch/bpftrace" 2>&1 &
tracer=$!
if ! waits_for ready "$scratch/bpftrace"; then
    cat "$scratch/bpftrace"
    tracer=
    exit 77
fi
preloaded "$pairs" 1000
preloaded "$probes"
for line in '@acquired[preload-pairs]: 2000' '@released[preload-pairs]: 2000' '@clocklock_monotonic[preload-probes]: 1' \
    '@cond_wait[preload-probes]: 1' '@wait_ns: ' '@hold_ns: '; do
    waits_for "$line" "$scratch/bpftrace"
    is "bpftrace has said '$line'" $? 0
done
ends

if ! command -v argdist-bpfcc >/dev/null || [ ! -e "/lib/modules/$(uname -r)/build" ]; then
    echo 'bcc is not here, or the headers of this kernel are not: it was left out'
    exit "$failures"
fi
# argdist says nothing when it begins, so the program runs until it is seen.
argdist-bpfcc -i 2 -d 100 -C "u:$library:mutex_acquired():u64:arg1" >"$scratch/argdist" 2>&1 &
tracer=$!
for _ in $(seq 100); do
    preloaded "$pairs" 1000
    [ "$(grep -c 'arg1 = ' "$scratch/argdist")" -lt 2 ] || break
    sleep 0.5
done
ends
is 'bcc: the two mutexes of a program, or more' \
    "$(awk '$2 == "arg1" { print $4 }' "$scratch/argdist" | sort -u | wc -l | awk '{ print ($1 >= 2) }')" 1
exit "$failures"
