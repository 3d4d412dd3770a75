#!/bin/sh
# SPDX-License-Identifier: MIT
# faults.sh RECIP PROGRAMS OBJECT BROKEN SCRATCH [FAULT...]: pthread programs (faults/) where they have it hard: stopped and continued,
# killed, cancelled and interrupted all the time, with 20,000 threads, with little memory, little stack, a quota, or one CPU. They come to
# the right end on the mutex, also with statistics and while it is watched, and on two locks of the zoo. Each program is run on BROKEN as
# well, a library that leaves out calls; then it has to fail. PROGRAMS is how their files' names begin. LOCKS chooses the locks.
set -u
recip=$1
programs=$2
object=$3
broken=$4
scratch=$5
shift 5
locks=${LOCKS:-mutex mutex+stats mutex+watch mutex+trace reciprocating-park mcs-park}
failures=0
group=
rm -rf "$scratch"
mkdir -p "$scratch"
# A long wait is no fault here.
export RECIP_WATCH_LONG=100000

fail() {
    echo "$fault on $lock: $*"
    tail -n 5 "$scratch/out"
    failures=$((failures + 1))
}

# on COMMAND...: on the lock of this round, for five minutes at most; into $scratch/out.
on() {
    case $lock in
    none) timeout -k 10 300 "$@" >"$scratch/out" 2>&1 ;;
    broken) LD_PRELOAD=$broken BROKEN=$breaks timeout -k 10 20 "$@" >"$scratch/out" 2>&1 ;;
    *+stats) timeout -k 10 300 "$recip" run --lock "${lock%+*}" --stats="$scratch/stats" -- "$@" >"$scratch/out" 2>&1 ;;
    *+trace) timeout -k 10 300 "$recip" run --lock "${lock%+*}" --trace="$scratch/trace" -- "$@" >"$scratch/out" 2>&1 ;;
    *+watch) timeout -k 10 300 "$recip" run --lock "${lock%+*}" --watch -- "$@" >"$scratch/out" 2>&1 ;;
    *) timeout -k 10 300 "$recip" run --lock "$lock" -- "$@" >"$scratch/out" 2>&1 ;;
    esac
}

# So many rounds of crowd.c; locks that hand over are slow where threads are interrupted.
rounds() {
    case $lock in
    none | broken | mutex*) echo "$1" ;;
    *) echo $(($1 / 10)) ;;
    esac
}

# The number behind the word in what the program has said.
said() {
    sed -n "s/^.*$1 \([0-9]*\).*$/\1/p" "$scratch/out" | tail -n 1
}

run_stops() { on "$programs"stops "$programs"crowd 16 "$(rounds 20000)"; }
run_kills() { on "$programs"kills; }
run_cancels() { on "$programs"cancels; }
run_loads() { on "$programs"loads "$object" "$scratch"; }
run_timers() { on "$programs"crowd 16 "$(rounds 20000)" 0 100; }
run_stacks() { on "$programs"crowd 16 "$(rounds 20000)" 16384 100; }

run_threads() { on "$programs"many-threads 20000; }

run_cpu() {
    on taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$programs"crowd 16 "$(rounds 20000)" || return
    [ "$(said CPUs)" = 1 ]
}

# As much address space as it takes without us, and 8 MiB for the library, or 16 with its tables, whatever it would like to have.
run_memory() {
    small=65536
    if [ "$lock" = none ]; then
        on "$programs"crowd 64 2000 $small || return
        least=$(said kB)
    fi
    case $lock in
    *+*) more=16384 ;;
    *) more=8192 ;;
    esac
    # shellcheck disable=SC3045 # dash has it
    (ulimit -v $((least + more)) && on "$programs"crowd 64 2000 $small)
}

# A tenth of a CPU, two milliseconds at a time.
run_quota() {
    (sh -c 'echo $PPID' >"$group/cgroup.procs" && on "$programs"crowd 16 "$(rounds 4000)") || return
    [ "$(awk '$1 == "nr_throttled" { print $2 }' "$group/cpu.stat")" -gt 0 ]
}

make_group() {
    for folder in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
        group=$folder/recip-faults-$$
        if mkdir "$group" 2>/dev/null; then
            if { echo 20000 >"$group/cpu.cfs_period_us" && echo 2000 >"$group/cpu.cfs_quota_us"; } 2>/dev/null ||
                echo '2000 20000' 2>/dev/null >"$group/cpu.max"; then
                return
            fi
            rmdir "$group"
        fi
    done
    group=
    return 1
}

end_group() {
    [ -z "$group" ] || rmdir "$group"
}
trap end_group EXIT
trap 'exit 130' INT TERM HUP

# Which call is left out for the program to fail; of the others crowd.c fails in the same way.
breaks_stops=lock
breaks_kills=lock
breaks_cancels=signal
breaks_loads=lock
breaks_timers=lock
breaks_threads=lock

faults='stops kills cancels threads loads timers stacks cpu memory quota'
[ $# -eq 0 ] || faults=$*
for fault in $faults; do
    lock=none
    case $fault in
    quota) make_group || { echo 'quota: no control group can be made here'; continue; } ;;
    esac
    run_$fault || { fail "status $?"; continue; }
    eval "breaks=\${breaks_$fault:-}"
    if [ -n "$breaks" ]; then
        lock=broken
        ! run_$fault || fail 'it does not notice that calls are left out'
    fi
    for lock in $locks; do
        run_$fault || fail "status $?"
        ! grep '^recip: deadlock' "$scratch/out" || fail 'there is none'
    done
    echo "$fault: done"
done
exit "$failures"
