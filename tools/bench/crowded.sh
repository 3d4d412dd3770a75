#!/bin/sh
# SPDX-License-Identifier: MIT
# crowded.sh RECIP [OPTION...]: the mutex where the CPU is short: beside programs that compute, as many as there are CPUs, and under a
# CPU quota of 20 % and of 150 % of one CPU, as containers have it. `recip bench waiting` measures (docs/bench.md), with these options,
# in turns with the system's mutex: the CPU time of an operation of the threads that lock all the time, p99.9 of the one that locks
# seldom, of all its arrivals, and what the others get done. Ratios are the mutex's figure over the system's. SURROUNDINGS (default
# "computing 20 150") says what is measured. A quota needs root. 77: a cgroup with a quota cannot be had.
set -eu
recip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
[ $# -gt 0 ] || set -- --times 20/0,1000/100,1000/1000 --hogs 1,3,7 --duration 0.5 --runs 7
surroundings=${SURROUNDINGS:-computing 20 150}
period=100000 # microseconds, the kernel's usual one
scratch=$(mktemp -d "${TMPDIR:-/tmp}/recip-crowded-XXXXXX")
group=
computing=

end_surroundings() {
    for process in $computing; do kill "$process" && wait "$process" || true; done 2>/dev/null
    computing=
    [ ! -d "$group" ] || rmdir "$group" || true
    group=
}
leave() {
    end_surroundings
    rm -rf "$scratch"
}
trap leave EXIT
trap 'exit 130' INT TERM HUP

compute_beside() {
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' &
        computing="$computing $!"
    done
}

# limit_to PERCENT: this group of processes has so much of one CPU. By version 1 of the kernel's interface, or by version 2.
limit_to() {
    quota=$(($1 * period / 100))
    if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then
        group=/sys/fs/cgroup/cpu/recip-crowded-$$
        mkdir "$group" && echo $period >"$group/cpu.cfs_period_us" && echo $quota >"$group/cpu.cfs_quota_us"
    else
        group=/sys/fs/cgroup/recip-crowded-$$
        echo +cpu >/sys/fs/cgroup/cgroup.subtree_control && mkdir "$group" && echo "$quota $period" >"$group/cpu.max"
    fi
}

# The command, in the group if there is one.
within() {
    # shellcheck disable=SC2016 # the inner shell's
    if [ -n "$group" ]; then set -- sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"; fi
    "$@"
}

# A quota that is never reached shows nothing.
was_reached() {
    [ "$(sed -n 's/^nr_throttled //p' "$group/cpu.stat")" -gt 0 ]
}

# print TITLE: a line for each cell of the results.
print() {
    echo "$1"
    python3 - "$scratch/results" <<'PYTHON'
import json, sys
cells = {}
for summary in json.load(open(sys.argv[1]))["summaries"]:
    cells.setdefault((summary["workload"], summary["threads"]), {})[summary["lock"]] = summary
for (times, hogs), locks in cells.items():
    print("  %-12s %4d" % (times, hogs), end="")
    for glibc, ours, form in (
        *((locks["pthread"][name] * unit, locks["mutex"][name] * unit, "10.0f")
          for name, unit in (("cpu_ns_per_operation", 1), ("wait_ns_p999", 1e-3))),
        (locks["pthread"]["value"]["median"] * 1e-6, locks["mutex"]["value"]["median"] * 1e-6, "10.3f")):
        print(f"  {glibc:{form}} {ours:{form}} {ours / glibc if glibc else float('nan'):6.2f}", end="")
    print()
PYTHON
}

printf '  %-12s %4s  %28s  %28s  %28s\n' '' '' 'CPU ns an operation' 'p99.9 of a wait, us' 'operations, M/s'
printf '  %-12s %4s' in/out hogs
printf '  %10s %10s %6s' pthread mutex ratio pthread mutex ratio pthread mutex ratio
echo
for one in $surroundings; do
    if [ "$one" = computing ]; then
        title="beside $(nproc) programs that compute"
        compute_beside
    else
        title="quota of $one % of a CPU"
        limit_to "$one" 2>"$scratch/why" || { cat "$scratch/why"; echo 'no CPU quota can be had here'; exit 77; }
    fi
    within "$recip" bench waiting --lock pthread,mutex "$@" --json >"$scratch/results" 2>"$scratch/why" || { cat "$scratch/why"; exit 1; }
    [ "$one" = computing ] || was_reached || title="$title, which was never reached"
    end_surroundings
    print "$title"
done
