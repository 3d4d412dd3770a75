#!/bin/sh
# SPDX-License-Identifier: MIT
# trace.sh RECIP TRACE SCRATCH: what `recip run --trace=FILE` writes of each program in TRACE (trace.c), and what it refuses.
set -u
recip=$1
program=$2
scratch=$3
failures=0
rm -rf "$scratch"
mkdir -p "$scratch"

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# checks FILE EXPRESSION...: Python expressions over the trace; see below for what it is made of.
checks() {
    python3 - "$@" <<'PYTHON' || failures=$((failures + 1))
import json, sys
all = json.load(open(sys.argv[1]))
events = all["traceEvents"]
other = all["otherData"]
process = other["process"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
mutexes, = [pid for pid in processes if pid != process]

class Slice:
    """Times are whole nanoseconds."""
    def __init__(self, event):
        self.start = round(event["ts"] * 1000)
        self.end = self.start + round(event["dur"] * 1000)
        self.name, self.args, self.kind = event["name"], event["args"], event["cat"]
        self.track = event["pid"], event["tid"]

slices = [Slice(e) for e in events if e["ph"] == "X"]

def of(name, kind=None):
    """The slices on the tracks of that name, in order."""
    return sorted((s for s in slices if names[s.track] == name and kind in (None, s.kind)), key=lambda s: s.start)

def nested():
    """On each track a slice lies within another, or beside it."""
    for track in names:
        open_ends = []
        for s in sorted((s for s in slices if s.track == track), key=lambda s: (s.start, -s.end)):
            while open_ends and open_ends[-1] <= s.start:
                open_ends.pop()
            if open_ends and s.end > open_ends[-1]:
                return False
            open_ends.append(s.end)
    return True

def beside():
    """On the track of a mutex no two slices overlap: it has one owner at a time."""
    for track in names:
        row = sorted((s for s in slices if s.track == track), key=lambda s: s.start) if track[0] == mutexes else []
        if any(a.end > b.start for a, b in zip(row, row[1:])):
            return False
    return True

def arrows():
    """From and to: the names of threads, and the slices that the arrow begins and ends in."""
    def within(e):
        time, track = round(e["ts"] * 1000), (e["pid"], e["tid"])
        found = [s for s in slices if s.track == track and s.kind == "hold" and s.start <= time <= s.end]
        return names[track], sorted(found, key=lambda s: s.end - s.start)[0]
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    return [(within(e), within(ends[e["id"]])) for e in events if e["ph"] == "s"]

failed = 0
for expression in ["nested()", "beside()", "set(s.track for s in slices) <= set(names)"] + sys.argv[2:]:
    try:
        true = eval(expression)
    except (AssertionError, KeyError, IndexError, ValueError) as error:
        true, expression = False, expression + " " + repr(error)
    if not true:
        print(sys.argv[1] + ": not so: " + expression)
        failed = 1
sys.exit(failed)
PYTHON
}

# traces LOCK WHAT: into $scratch/WHAT-LOCK.json.
traces() {
    trace=$scratch/$2-$1.json
    "$recip" run --lock "$1" --trace="$trace" -- "$program" "$2"
}

# What is to be seen when the baker has handed the oven to the customer.
handed_over() {
    checks "$trace" "processes[process] == 'preload-trace' and processes[mutexes] == 'mutexes of preload-trace'" \
        '[s.name for s in of("baker", "hold") if "oven" in s.name] == ["holds '"'oven'"'"]' \
        '[s.name for s in of("customer")] == ["waits for '"'oven'"'", "holds '"'oven'"'"]' \
        'of("customer")[0].end == of("customer")[1].start' \
        'of("baker", "hold")[0].start < of("customer")[0].start < of("baker", "hold")[0].end <= of("customer")[0].end' \
        'of("customer")[0].args["from"] == "baker %d" % of("baker")[0].track[1]' \
        'of("customer")[0].args["in"].startswith("buy (")' \
        '[s.name.split()[0] for s in of("'"'oven'"'")] == ["baker", "customer"]' \
        '[(a[0], a[1].name, b[0], b[1].name) for a, b in arrows()] == [("baker", "holds '"'oven'"'", "customer", "holds '"'oven'"'")]' \
        "$@"
}

for lock in mutex mcs-park; do
    traces "$lock" hand-over
    is "hand-over on $lock" $? 0
    handed_over 'other["acquisitions"] == 2 and other["left_out"] == other["left_out_shorter_than_ns"] == 0' \
        "other['lock'] == '$lock'"
    traces "$lock" overlap
    checks "$trace" '[s.name for s in of("preload-trace")] == ["holds '"'flour'"'", "holds '"'sugar'"'", "holds '"'sugar'"'"]' \
        'of("preload-trace")[1].end == of("preload-trace")[0].end == of("preload-trace")[2].start' \
        '[len(of(name)) for name in ("'"'flour'"'", "'"'sugar'"'")] == [1, 1]' 'not arrows()'
done
traces mutex keep
checks "$trace" '[s.name for s in of("preload-trace")] == ["still holds '"'flour'"'"]'

# Bounded: the long one is there, and the others that are not are counted.
traces mutex many
checks "$trace" '8192 <= other["acquisitions"] <= 32768 and other["acquisitions"] + other["left_out"] == 100002' \
    'other["left_out_shorter_than_ns"] > 0' 'len([s for s in slices if s.track[0] == mutexes]) == other["acquisitions"]' \
    '[s.name for s in of("customer", "wait")] == ["waits for '"'oven'"'"]'
is 'size of a trace of many' "$(($(wc -c <"$trace") < 33000000))" 1

# On the signal; the program does not live to write another.
traces mutex by-signal 2>/dev/null
is 'by-signal' $? 137
handed_over

# With statistics as well. Processes that the program starts write files of their own.
"$recip" run --trace="$scratch/both.json" --stats="$scratch/stats.json" -- sh -c '"$0" overlap; "$0" overlap' "$program"
checks "$scratch/both.json" 'other["acquisitions"] == 0'
is 'traces of the processes that it has started' "$(ls "$scratch" | grep -c '^both.json.[0-9]*$')" 2
for file in "$scratch"/both.json.*; do
    checks "$file" 'len(of("preload-trace")) == 3'
done
is 'statistics beside it' "$(grep -c '"schema": "recip-stats"' "$scratch/stats.json")" 1
is 'what nobody asked for' "$("$recip" run --trace="$scratch/quiet.json" -- "$program" overlap 2>&1)" ''

# By the library: a link is not followed.
echo 'what was there' >"$scratch/precious"
ln -s precious "$scratch/link"
is 'a symbolic link' "$(env LD_LIBRARY_PATH="${recip%/*}" LD_PRELOAD=librecip-preload.so RECIP_TRACE="$scratch/link" "$program" overlap 2>&1 |
    grep -c '^recip: cannot write the trace to .*: it is a symbolic link$')" 1
is 'what it names' "$(cat "$scratch/precious")" 'what was there'

for words in '--trace -- true' '--trace= -- true' '--trace=/nonexistent/t -- true' '--trace=/ -- true' "--trace=$scratch/link -- true" \
    "--trace=$scratch/t --lock pthread -- true" "--trace=$scratch/t --compare mutex -- true" "--trace=$scratch/t --stats=$scratch/t -- true"; do
    # shellcheck disable=SC2086 # words
    "$recip" run $words >/dev/null 2>"$scratch/said"
    is "status and lines of run $words" "$? $(wc -l <"$scratch/said") $(grep -c -e --trace "$scratch/said")" '2 1 1'
done
is 'files of what was refused' "$(ls "$scratch/t" 2>/dev/null)" ''
exit "$failures"
