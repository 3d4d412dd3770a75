#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh RECIP FOLDER [PROGRAM...]: real programs give the same answers on each of our locks as on the system's own. They are
# in programs/, in groups.
#
# Each program prints its answers, with what it expects among them. Servers are driven by their own clients, on loopback or a socket, and
# ended by their own process number. LOCKS="mutex ..." chooses the locks; mutex+stats is the mutex with statistics, of which there has to
# be a report, and mutex+watch the mutex while it is watched, which must not report a deadlock. A program that is not installed is passed
# over; if none is there, the status is 77.
set -u
recip=$1
folder=$2
shift 2
locks=${LOCKS:-mutex mutex+stats mutex+watch reciprocating-park mcs-park}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin
mkdir -p "$folder"
cd "$folder" || exit 1
# Servers that give up root may not be able to read in FOLDER, so there is another place for them, which is empty for each run.
work=
server=
port=$((20000 + $$ % 20000))

empty_work() {
    [ -z "$work" ] || rm -rf "$work"
    work=$(mktemp -d "${TMPDIR:-/tmp}/recip-programs-XXXXXX")
    printf 'inversion *\nwait *\n' >"$work/suppressions"
    mkdir -m 1777 "$work/stats"
    chmod 755 "$work"
}

end() {
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null
    [ -z "$work" ] || rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM HUP

# Runs it on the lock of this round, with a limit on its time.
on() {
    timeout -k 10 300 "$recip" run $options -- "$@"
}

# serve COMMAND...: starts a server on the lock, with a limit on its time; sets `server` and `limit`, which is its parent.
serve() {
    timeout -k 10 300 "$recip" run $options -- "$@" >server.log 2>&1 </dev/null &
    limit=$!
    server=
    for _ in $(seq 100); do
        server=$(ps -o pid= --ppid "$limit" | tr -d ' ')
        [ -z "$server" ] || break
        sleep 0.1
    done
}

# await COMMAND...: until it succeeds, half a minute at most. Then the server has to be on our lock, unless it is to be as it is.
await() {
    for _ in $(seq 150); do
        if "$@" >/dev/null 2>&1; then
            [ "$lock" = pthread ] || grep -q librecip-preload.so "/proc/$server/maps" || echo 'the server has not our library'
            return 0
        fi
        sleep 0.2
    done
    echo "the server does not answer"
    tail -n 5 server.log
    return 1
}

# end_server [SIGNAL]
end_server() {
    kill -s "${1:-TERM}" "$server"
    await_end
}

await_end() {
    wait "$limit"
    echo "the server ended with status $?"
    server=
}

for group in files languages stores web others; do
    # shellcheck source=/dev/null
    . "$here/programs/$group.sh"
done

# The options of a round: LOCK, LOCK+stats or LOCK+watch.
options_for() {
    options="--lock ${1%+*}"
    case $1 in
    *+stats) options="$options --stats=$work/stats/report" ;;
    *+watch) options="$options --watch --suppressions=$work/suppressions" ;;
    esac
}

# How many mutexes there are in the reports; nothing if none can be read.
counted_mutexes() {
    python3 - "$work"/stats/* <<'PYTHON'
import json, sys
reports = [json.load(open(path)) for path in sys.argv[1:]]
print(sum(report["mutexes_used"] for report in reports))
PYTHON
}

# What the round shows beside the answers.
check_observed() {
    case $1 in
    *+stats)
        eval "missing=\${no_statistics_$program:-}"
        if [ -n "$missing" ]; then
            echo "$program: $missing"
        elif mutexes=$(counted_mutexes 2>&1); then
            echo "$program: the statistics have $mutexes mutexes"
        else
            echo "$program: there are no statistics: $mutexes"
            failures=$((failures + 1))
        fi
        ;;
    *+watch)
        if cat "$program.$1" "$program.errors" server.log 2>/dev/null | grep '^recip: '; then
            echo "$program: it was not to be reported"
            failures=$((failures + 1))
        fi
        ;;
    esac
}

programs='zstd xz pigz git mold lld ffmpeg x264 python jemalloc java node ruby erlang leveldb rocksdb redis memcached mariadb postgresql
    slapd nginx apache haproxy varnish bind stressng libreoffice chromium qemu_user qemu_system'
[ $# -eq 0 ] || programs=$*
failures=0
ran=0
for program in $programs; do
    eval "needs=\$needs_$program"
    if ! command -v "$needs" >/dev/null; then
        echo "$program: $needs is not here"
        continue
    fi
    ran=1
    lock=pthread
    empty_work
    options_for $lock
    "run_$program" >"$program.pthread" 2>"$program.errors"
    eval "expects=\$expects_$program"
    if ! grep -q -e "$expects" "$program.pthread"; then
        failures=$((failures + 1))
        echo "$program: as it is, its answers have no '$expects':"
        cat "$program.pthread" "$program.errors"
    fi
    verdict=
    for lock in $locks; do
        rm -f server.log
        empty_work
        options_for "$lock"
        "run_$program" >"$program.$lock" 2>"$program.errors"
        if cmp -s "$program.pthread" "$program.$lock"; then
            verdict="$verdict $lock"
        else
            failures=$((failures + 1))
            echo "$program: on $lock the answers differ:"
            diff "$program.pthread" "$program.$lock"
            cat "$program.errors"
        fi
        check_observed "$lock"
    done
    echo "$program: $(wc -l <"$program.pthread") lines of answers, the same on:$verdict"
done
[ "$ran" -eq 1 ] || exit 77
exit "$failures"
