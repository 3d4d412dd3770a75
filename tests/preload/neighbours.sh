#!/bin/sh
# SPDX-License-Identifier: MIT
# neighbours.sh RECIP SOURCES PROGRAMS SCRATCH [NEIGHBOUR...]: `recip run` beside allocators and libraries that stand in front of the
# same calls, and beside tools that look into a program or shut it in. Each time pairs.c locks a hundred times, by the statistics, so the
# preload library was there; stress.c and cond.c, or Python's threads, come to their end with the right answers. PROGRAMS is the folder
# of these programs. What is not installed is passed over; 77 if nothing is.
set -u
recip=$1
sources=$2
programs=$3
scratch=$4
shift 4
failures=0
ran=0
rm -rf "$scratch"
mkdir -p "$scratch"

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# has NAME COMMAND: whether it is installed.
has() {
    if [ -z "$2" ] || ! command -v "$2" >/dev/null && [ ! -e "$2" ]; then
        echo "$1: is not here"
        return 1
    fi
    ran=1
}

# The acquisitions of the two mutexes of pairs.c in the reports of that name.
acquisitions() {
    python3 - "$scratch/$1".json* <<'PYTHON'
import json, sys
reports = [json.load(open(path)) for path in sys.argv[1:]]
places = [place for report in reports if report["program"] == "preload-pairs" for place in report["places"]]
print(sum(place["acquisitions"] for place in places if place.get("name") in ("outer", "inner")))
PYTHON
}

# beside NAME COMMAND...: the programs by the command, within `recip run`.
beside() {
    name=$1
    shift
    timeout 600 "$recip" run --stats="$scratch/$name.json" -- "$@" "$programs/preload-pairs" 50 >"$scratch/$name.out" 2>&1
    is "$name: status of pairs" $? 0
    is "$name: acquisitions of pairs" "$(acquisitions "$name")" 100
    for program in stress cond; do
        timeout 600 "$recip" run -- "$@" "$programs/preload-$program" >"$scratch/$name.$program" 2>&1
        is "$name: status of $program" $? 0
    done
}

# An allocator that locks, or starts threads, before anything else has begun.
allocator() {
    library=$(ls /usr/lib/*/"$2" 2>/dev/null | head -n 1)
    has "$1" "$library" || return 0
    beside "$1" env LD_PRELOAD="$library:$(cd "${recip%/*}" && pwd)/librecip-preload.so"
    both=$(LD_PRELOAD=$library "$recip" run -- grep -cE "^[^ ]* r-x.*(librecip-preload|$2)" /proc/self/maps)
    is "$1: both libraries are in the process" "$both" 2
    LD_PRELOAD=$library timeout 600 "$recip" run -- python3 "$sources/threads.py" >"$scratch/$1.python" 2>&1
    is "$1: what Python's threads say" "$(cat "$scratch/$1.python")" "$(python3 "$sources/threads.py")"
}

run_jemalloc() { allocator jemalloc libjemalloc.so.2; }
run_tcmalloc() { allocator tcmalloc libtcmalloc_minimal.so.4; }
run_mimalloc() { allocator mimalloc libmimalloc.so.2; }

# The year is another, and it runs; libfaketime stands in front of this library.
run_faketime() {
    has faketime faketime || return 0
    said=$(timeout 600 faketime -f '@2020-06-01 12:00:00' "$recip" run --stats="$scratch/faketime.json" -- python3 -c '
import time
print(time.gmtime().tm_year)')
    is 'faketime: the year' "$said" 2020
    is 'faketime: the library was there' "$(grep -c '"schema": "recip-stats"' "$scratch/faketime.json")" 1
    timeout 600 faketime -f '@2020-06-01 12:00:00' "$recip" run -- "$programs/preload-stress" >"$scratch/faketime.stress" 2>&1
    is 'faketime: status of stress' $? 0
}

run_valgrind() {
    has valgrind valgrind || return 0
    beside valgrind valgrind -q --error-exitcode=99 --fair-sched=yes
}

run_strace() {
    has strace strace || return 0
    beside strace strace -f -o "$scratch/strace.log"
    is 'strace: it has seen the program wait and end' "$(grep -q 'futex(' "$scratch/strace.log" && grep -c 'exited with 0 +++$' "$scratch/strace.log" |
        awk '{ print ($1 > 0) }')" 1
}

run_perf() {
    has perf perf || return 0
    if ! perf record -q -e cpu-clock -o "$scratch/perf.data" true >/dev/null 2>&1; then
        echo 'perf: is not allowed here'
        return 0
    fi
    beside perf perf record -q -F 999 -g -e cpu-clock -o "$scratch/perf.data"
}

# Another number of the process, and other folders.
run_bwrap() {
    has bwrap bwrap || return 0
    if ! bwrap --ro-bind / / --unshare-pid true 2>/dev/null; then
        echo 'bwrap: is not allowed here'
        return 0
    fi
    beside bwrap bwrap --ro-bind / / --dev /dev --bind "$scratch" "$scratch" --unshare-pid --proc /proc
}

# Instruction by instruction through lock and unlock, which a restartable sequence has to survive; then on to the end.
run_gdb() {
    has gdb gdb || return 0
    timeout 600 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'set startup-with-shell off' \
        -ex "set environment LD_LIBRARY_PATH ${recip%/*}" -ex 'set environment LD_PRELOAD librecip-preload.so' \
        -ex 'break main' -ex run -ex 'break pthread_mutex_lock' -ex continue \
        -ex 'info symbol $pc' -ex 'delete' -ex 'stepi 2000' -ex continue --args "$programs/preload-pairs" 50 >"$scratch/gdb.out" 2>&1
    is 'gdb: it stopped in our function' "$(grep -c '^pthread_mutex_lock.* of .*librecip-preload.so$' "$scratch/gdb.out")" 1
    is 'gdb: the end' "$(grep -c 'exited normally' "$scratch/gdb.out")" 1
}

neighbours='jemalloc tcmalloc mimalloc faketime valgrind strace gdb perf bwrap'
[ $# -eq 0 ] || neighbours=$*
for neighbour in $neighbours; do
    before=$failures
    "run_$neighbour"
    [ "$failures" -ne "$before" ] || echo "$neighbour: done"
done
[ "$ran" -eq 1 ] || exit 77
exit "$failures"
