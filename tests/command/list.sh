#!/bin/sh
# SPDX-License-Identifier: MIT
# list.sh RECIP REGISTRY: every line of the registry is listed, as it is there, a lock that waits at its own element (OWN, FIRST) twice, one that
# is MONITORED once more, and bench takes all: the families numa and few when they are asked for, the others by itself.
set -eu
recip=$1
registry=$2
lines=$(grep -c '^LOCK(' "$registry")
own=$(grep '^LOCK([^,]*, "[^"]*", [A-Z]*, \(OWN\|FIRST\),' "$registry" | grep -vc NON_TEMPORAL)
listed=$("$recip" list | tail -n +2 | wc -l)
made=$((lines + own + $(grep -c '^LOCK(.*MONITORED' "$registry")))
[ "$listed" -eq $made ] || { echo "$listed locks are listed; the registry makes $made"; exit 1; }
# family, waits and admits, as the registry has them
wrong=$(sed -n 's/^LOCK([^,]*, "\([^"]*\)", \([A-Z]*\), \([A-Z]*\), \([A-Z]*\),.*/\1 \2 \3 \4/p' "$registry" |
    tr '[:upper:]' '[:lower:]' |
    while read -r id family waits admits; do
        "$recip" list | grep -q "^$id  *$waits[+a-z]*  *$admits " || echo "$id: not $waits, $admits"
        "$recip" list "$id" | grep -q "family: $family; waits: $waits.*; admits: $admits$" ||
            echo "list $id: not $family, $waits, $admits"
    done)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
# docs/locks.md says of each when one would want it.
sed -n 's/^LOCK([^,]*, "\([^"]*\)".*/\1/p' "$registry" | while read -r id; do
    grep -q "^- \(\`[a-z0-9-]*\`, \)*\`$id\`[,:]" "$(dirname "$registry")/../docs/locks.md" || { echo "docs/locks.md has no paragraph for $id"; exit 1; }
done
# What it is for: the mutex and the system's own are for programs, and no lock of the zoo is.
programs=$("$recip" list | awk 'NR > 1 && $4 == "programs" { print $1 }' | sort | tr '\n' ' ')
[ "$programs" = 'futex futex-adaptive mutex pthread pthread-adaptive ' ] || { echo "for programs: $programs"; exit 1; }
[ "$("$recip" list | awk 'NR > 1 && $4 != "programs" && $4 != "experiments"')" = '' ]
"$recip" list mcs-park mutex | grep -c '^  for \(experiments\|programs\)$' | grep -q '^2$'
# The same as JSON.
"$recip" list --json | python3 -c '
import json, subprocess, sys
document = json.load(sys.stdin)
assert document["schema"] == "recip-list" and document["version"] == 1
for lock, line in zip(document["locks"], subprocess.check_output([sys.argv[1], "list"], text=True).splitlines()[1:], strict=True):
    row = [lock["id"], lock["waits"] + "+park" * lock["parks"] + "+monitor" * lock["monitors"], lock["admits"], lock["for"]]
    row += [str(lock[size]) for size in ("lock_bytes", "context_bytes", "mutex_bytes")]
    letters = {"stack": "s", "oblivious": "o", "fair": "f", "needs_init": "i", "needs_destroy": "d", "nodes": "n", "cpu": "c"}
    row += ["".join(letters[trait] for trait in lock["traits"])] * bool(lock["traits"]) + lock["summary"].split()
    assert line.split() == row, (line, row)
    assert lock["alignment"] > 0 and lock["source"] and lock["family"]
' "$recip"
[ "$("$recip" list --json mutex mcs | grep -c '"id"')" = 2 ]
by_itself=$("$recip" bench --threads 1 --duration 0.01 --runs 1)
asked=$("$recip" bench --lock numa,few --threads 1 --duration 0.01 --runs 1)
table=$by_itself$(printf '\n%s' "$asked")
! printf '%s\n' "$by_itself" | grep -q '^cna ' || { echo "bench measures cna without being asked"; exit 1; }
for id in $("$recip" list | tail -n +2 | cut -d ' ' -f 1); do
    missing=$("$recip" list "$id" | sed -n 's/^  this CPU does not have //p')
    if [ -n "$missing" ]; then
        ! printf '%s\n' "$table" | grep -q "^$id " || { echo "bench measures $id without $missing"; exit 1; }
        line=$("$recip" bench --lock "$id" --threads 1 2>&1) && { echo "bench takes $id without $missing"; exit 1; }
        [ "$line" = "recip: --lock: '$id' needs $missing, which this CPU does not have" ] || { echo "$line"; exit 1; }
        continue
    fi
    printf '%s\n' "$table" | grep -q "^$id " || { echo "bench has no line for $id"; exit 1; }
done
# A CPU says itself what it has.
case $(uname -m) in
x86_64)
    has=$(grep -qw cldemote /proc/cpuinfo && echo has || echo 'does not have')
    "$recip" list reciprocating-demote | grep -qx "  this CPU $has CLDEMOTE"
    "$recip" list reciprocating-streaming | grep -qx '  this CPU has MOVNTI'
    has=$(grep -qw waitpkg /proc/cpuinfo && echo 'has UMWAIT' || { grep -qw mwaitx /proc/cpuinfo && echo 'has MWAITX'; } ||
        echo 'does not have UMWAIT, MWAITX or WFE')
    "$recip" list reciprocating-ctr-monitor | grep -qx "  this CPU $has"
    ;;
aarch64) "$recip" list reciprocating-ctr-monitor | grep -qx '  this CPU has WFE' ;;
esac
