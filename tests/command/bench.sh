#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh RECIP FOLDER DOCUMENT: the kinds of `recip bench` from end to end, what is saved and read again, what is refused.
set -eu
recip=$1
folder=$2
document=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
short='--runs 2 --duration 0.01'

fail() {
    echo "$*"
    exit 1
}

# lines FILE COUNT: the CSV has a heading and so many measurements.
lines() {
    [ "$(wc -l <"$1")" -eq $(($2 + 1)) ] || fail "$1 has $(wc -l <"$1") lines, not $(($2 + 1))"
}

# kind NAME MEASUREMENTS ARGUMENT...: as JSON, read again as CSV and as tables; with what says that it is whole.
kind() {
    name=$1
    count=$2
    shift 2
    # shellcheck disable=SC2086
    "$recip" bench "$name" $short --json "$@" >"$name.json" || fail "recip bench $name $*: status $?"
    "$recip" bench --from "$name.json" --csv >"$name.csv"
    lines "$name.csv" "$count"
    [ "$(grep -c "^$name," "$name.csv")" -eq "$count" ] || fail "$name.csv is of another kind"
    "$recip" bench --from "$name.json" --details >"$name.txt"
    ! grep -q Interrupted "$name.txt" || fail "$name is not complete"
    # Every field is in the document, and what is read and written again prints the same.
    for field in $(grep -o '^ *"[a-z0-9_]*":' "$name.json" | sort -u | tr -d '": '); do
        grep -q "[\`\"]${field}[\`\"]\|\`_${field##*_}\`" "$document" || fail "$name.json: $document does not tell what '$field' is"
    done
    "$recip" bench --from "$name.json" --json >again.json
    "$recip" bench --from again.json --details | cmp - "$name.txt" || fail "$name: read again, it prints something else"
    for word in '"schema": "recip-bench"' '"version": 2' "\"kind\": \"$name\"" '"load_at_end"' '"summaries"' '"comparisons"'; do
        grep -q "$word" "$name.json" || fail "$name.json has no $word"
    done
}

# What a busy machine measured is marked, and a median that is lost in its interval: in tables, and in the document.
busy_json() {
    sed "s/\"busy\": [a-z]*/\"busy\": $1/; s/\"others_cpus\": [a-z0-9.]*/\"others_cpus\": 1.5/" mutexbench.json
}

kind mutexbench 24 --lock mutex,pthread --threads 1,2,4
grep -q '"others_cpus": ' mutexbench.json && grep -q '"busy": ' mutexbench.json || fail "it is not said what others did meanwhile"
for busy in true false null; do
    busy_json $busy >busy.json
    "$recip" bench --from busy.json >busy.txt
    marked=$(grep -c 'The machine was busy: other programs had 1.5 of its' busy.txt || true)
    [ "$marked" -eq "$([ $busy = true ] && echo 1 || echo 0)" ] || fail "busy: $busy, marked: $marked"
done
python3 - mutexbench.json >noisy.json <<'NOISY'
import json, sys
results = json.load(open(sys.argv[1]))
cell = [row for row in results["measurements"] if (row["lock"], row["workload"], row["threads"]) == ("mutex", "max", 1)]
cell[0]["value"] = 1000 * cell[1]["value"]
json.dump(results, sys.stdout)
NOISY
"$recip" bench --from noisy.json | awk '/^mutex / { print $3; exit }' | grep -qx noisy || fail "an interval like that is no interval"
! "$recip" bench --from noisy.json --details | grep '±[0-9]\{3\}' || fail "a spread of 100 % or more"
kind latency 4 --lock pthread --lock mutex,pthread --runs 1
kind fairness 4 --lock mutex,pthread --threads 4 --slice 0.001
grep -q '"slices"' fairness.json
# The first is plain `recip bench`.
# shellcheck disable=SC2086
"$recip" bench $short --lock mutex --threads 1 --json | grep -q '"kind": "mutexbench"'
# shellcheck disable=SC2086
"$recip" bench $short --lock mutex --threads 1 --outside 0,10 --inside 2 --pinned --warm-up 0 --csv >given.csv
lines given.csv 4
grep -q '^mutexbench,mutex,2/10,1,' given.csv

# Those in programs of their own: measured, or refused with the name of what is missing.
helper() {
    if [ -x "$(dirname "$recip")/recip-bench-$1" ]; then
        kind "$@"
    elif "$recip" bench "$1" 2>refusal; then
        fail "recip bench $1 without its helper"
    else
        [ $? -eq 2 ] && [ "$(wc -l <refusal)" -eq 1 ] && grep -q 'install it' refusal || fail "$(cat refusal)"
    fi
}
helper atomic 24 --lock pthread,mutex,mcs-park --threads 1,4
helper leveldb 8 --lock pthread,mutex --threads 1,4 --keys 2000
helper mutex 24 --lock mutex,pthread,std --threads 1,4 --section step,nothing --outside 250

# The zoo beside the peers; locks that only spin are left out where threads are too many, and no line is refused.
if [ -x "$(dirname "$recip")/recip-bench-mutex" ]; then
    "$recip" bench mutex --lock zoo --threads 1 --section step --outside 0 --runs 1 --duration 0.01 --csv >zoo.csv
    "$recip" list | tail -n +2 | cut -d ' ' -f 1 >ids
    # Some are about an instruction that not every CPU has.
    lacking=$(while read -r id; do "$recip" list "$id"; done <ids | grep -c '^ *this CPU does not have' || true)
    lines zoo.csv $(($(wc -l <ids) - lacking))
    # Every peer that is there; those that are not are named.
    "$recip" bench mutex --threads 2 --section step,lines --outside 0 --runs 1 --duration 0.01 --csv >peers.csv 2>missing
    lines peers.csv $((24 - 2 * $(wc -l <missing)))
fi

# The pair: inline, of those that have it, by one thread, with no time to acquire; held against the baseline, the best of
# the others, and the bare one.
if [ -x "$(dirname "$recip")/recip-bench-mutex" ]; then
    "$recip" bench mutex --threads 1,2 --section pair --runs 1 --duration 0.01 --csv >pair.csv 2>missing
    lines pair.csv $((13 - $(wc -l <missing)))
    for lock in mutex pthread pthread-adaptive std bare; do
        grep -q "^mutex,$lock,pair/0,1,0,[0-9.e+]*,[0-9.e-]*,[0-9]*,[0-9.e-]*,[0-9]*,,*\$" pair.csv ||
            fail "pair of $lock: $(cat pair.csv)"
    done
    "$recip" bench mutex --lock mutex,pthread,mcs,bare --threads 1 --section pair,step --outside 0 --runs 6 --duration 0.01 \
        --json >pair.json
    "$recip" bench --from pair.json --csv >pair.csv
    lines pair.csv 36
    ! grep -q '^mutex,mcs,pair/0,\|^mutex,bare,step/0,' pair.csv || fail "a lock out of its section"
    awk -F , '$3 == "pair/0" { made[$2] += $8 } END { exit !(made["mutex"] && made["pthread"] && made["bare"]) }' pair.csv ||
        fail "no pairs: $(cat pair.csv)"
    # With speeds that are known: the bare one is faster than all, and not taken for a peer.
    sed 's/^   "value": [0-9][^,]*/   "value": 1000000/' pair.json | awk '/"lock"/ { bare = /bare/ } bare { sub(/1000000/, "2000000") } 1' >even.json
    "$recip" bench --from even.json >even.txt
    grep -q '^mutex  *= *1.00  ' even.txt || fail "$(cat even.txt)"
    grep -q '^pair/0 *1 threads *1.00 .* pthread *no difference seen' even.txt || fail "$(cat even.txt)"
    grep -q '^pair/0 *1 threads *0.50 .* bare *slower' even.txt || fail "$(cat even.txt)"
    [ "$("$recip" bench --from even.json --json | grep -c '"bare": true')" -eq 1 ] || fail "comparisons with bare"
fi

# Waiting: hogs and those that come by the clock, also without the helper, and with condition variables.
kind waiting 16 --lock mutex,mutex:0,pthread,ticket --times 20/0,1000/100 --hogs 3 --seldom-threads 2 --period 200us
grep -q '^waiting,mutex:0,1000/100,3,1,' waiting.csv || fail "mutex:0: $(cat waiting.csv)"
awk -F , 'NR > 1 && $17 { arrivals += $17; if ($18 > $19 || $19 > $20 || $20 > $21 || $21 > $22) exit 1 } END { exit !arrivals }' waiting.csv ||
    fail "waits: $(cat waiting.csv)"
[ "$(grep -c '^20/0, 3 hogs$' waiting.txt)" -eq 1 ] || fail "$(cat waiting.txt)"
# From due until it has the lock is late and then waits, in each percentile no less than either; older results know only the last.
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && $17 { if ($at["from_due_ns_p90"] < $at["late_ns_p90"] || $at["from_due_ns_max"] < $at["wait_ns_max"]) exit 1; late += $at["late_ns_max"] }
    END { exit !late }' waiting.csv || fail "from due: $(cat waiting.csv)"
[ "$(grep -c '^seldom, from due' waiting.txt)" -eq 2 ] && [ "$(grep -c '^late, then waits' waiting.txt)" -eq 2 ] || fail "$(cat waiting.txt)"
grep -q '^alone .*[0-9]' waiting.txt && grep -q '^beside [0-9]* computing' waiting.txt || fail "no lateness without a lock: $(cat waiting.txt)"
sed 's/"from_due/"other_from_due/; s/"late/"other_late/; s/"timer_late/"other_late/' waiting.json >older.json
"$recip" bench --from older.json >older.txt
[ "$(grep -c '^seldom, us' older.txt)" -eq 2 ] && ! grep -q 'late\|from due' older.txt || fail "older results: $(cat older.txt)"
"$recip" bench --from waiting.json | tail -n +2 | grep -v "^The machine was busy" | awk 'length($0) > 80 { exit 1 }' || fail "waiting: more than 80 columns"
kind waiting 4 --cond --lock mutex,pthread --times 50/50 --hogs 2 --period 1ms
grep -q '"condition_variables": true' waiting.json || fail "--cond is not in the options"
cp "$recip" alone
# shellcheck disable=SC2086
./alone bench waiting $short --times 20/0 --hogs 1,2 --csv >alone.csv 2>missing
lines alone.csv 12
grep -q 'make peers' missing || fail "without the helper, nothing about it: $(cat missing)"
# shellcheck disable=SC2086
./alone bench waiting $short --cond --times 20/0 --hogs 1 --csv 2>/dev/null >alone.csv
lines alone.csv 4
if ./alone bench waiting --lock nsync 2>refusal; then
    fail "nsync without the helper"
fi
[ "$(wc -l <refusal)" -eq 1 ] && grep -q "'nsync'.*make peers" refusal || fail "$(cat refusal)"
if [ -x "$(dirname "$recip")/recip-bench-mutex" ]; then
    "$recip" bench waiting --times 20/0 --hogs 1 --runs 1 --duration 0.01 --csv >peers.csv 2>missing
    lines peers.csv $((7 - $(wc -l <missing)))
    "$recip" bench waiting --cond --times 20/0 --hogs 1 --runs 1 --duration 0.01 --csv >peers.csv 2>missing
    lines peers.csv $((4 - $(wc -l <missing)))
fi

# Another build of the mutex beside this one. Here it is this build's helper behind a script that keeps count of its runs.
if [ -x "$(dirname "$recip")/recip-bench-mutex" ]; then
    mkdir other
    printf '#!/bin/sh\necho "$1" >>"%s/asked"\nexec "%s/recip-bench-mutex" "$@"\n' "$folder" "$(dirname "$recip")" >other/recip-bench-mutex
    chmod +x other/recip-bench-mutex
    kind waiting 8 --lock mutex,mutex@other,mutex:0@other/recip-bench-mutex,pthread --times 20/0 --hogs 1
    for lock in mutex mutex@other mutex:0@other/recip-bench-mutex; do
        [ "$(grep -c "^waiting,$lock,20/0,1,[01]," waiting.csv)" -eq 2 ] || fail "$lock: $(cat waiting.csv)"
    done
    [ "$(grep -c '"waiting":"mutex",.*"bound":-1' asked)" -eq 2 ] || fail "mutex@other: $(cat asked)"
    [ "$(grep -c '"waiting":"mutex",.*"bound":0' asked)" -eq 2 ] || fail "mutex:0@other: $(cat asked)"
    kind waiting 4 --cond --lock mutex,mutex@other --times 50/50 --hogs 2
    : >asked
    "$recip" bench mutex --lock mutex,mutex@other,pthread --threads 1 --section pair,step --outside 0 --runs 6 --duration 0.01 \
        --json >other.json
    # Six runs of each section; and once the list of what is there.
    [ "$(grep -c '"subject":"mutex".*"count_calls":false' asked)" -eq 12 ] && [ "$(grep -cx list asked)" -eq 1 ] || fail "mutex@other: $(cat asked)"
    # With speeds that are known: the other build is faster than all, and compared with the best peer, but none itself.
    sed 's/^   "value": [0-9][^,]*/   "value": 1000000/' other.json | awk '/"lock"/ { other = /@/ } other { sub(/1000000/, "2000000") } 1' >even.json
    "$recip" bench --from even.json >even.txt
    grep -A 1 '^Speed of mutex over that of the best' even.txt | grep -q '^pair/0 .* 1.00 .* pthread *no difference' || fail "$(cat even.txt)"
    grep -A 1 '^Speed of mutex@other over' even.txt | grep -q '^pair/0 .* 2.00 .* pthread *faster' || fail "$(cat even.txt)"
    printf '#!/bin/sh\necho "{}"\n' >other/says-nothing
    chmod +x other/says-nothing
    for lock in mutex@nowhere mutex@other/says-nothing mutex@. mutex@ missing@other; do
        if "$recip" bench mutex --lock "$lock" 2>refusal; then
            fail "--lock $lock"
        fi
        [ "$(wc -l <refusal)" -eq 1 ] && grep -q -- '--lock: ' refusal || fail "--lock $lock: $(cat refusal)"
    done
fi

# No lock at all is caught, sooner or later.
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    "$recip" bench --lock none --threads 4 --duration 0.5 --runs 1 >/dev/null 2>complaint && continue
    [ $? -eq 1 ] && grep -q "'none' let two threads in at once" complaint || fail "none: $(cat complaint)"
    caught=$attempt
    break
done
[ -n "${caught-}" ] || fail "no lock at all was not caught"

# refused FILE: in one line, with status 2.
refused() {
    status=0
    "$recip" bench --from "$1" >out 2>err || status=$?
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "$1: status $status: $(cat out err)"
    grep -q "$2" err || fail "$1: $(cat err)"
}
head -c 2000 mutexbench.json >cut.json
refused cut.json cut.json
sed 's/"version": 2/"version": 1/' mutexbench.json >old.json
refused old.json 'version 1'
sed 's/"schema": "recip-bench"/"schema": "other"/' mutexbench.json >other.json
refused other.json schema
sed 's/"operations": /"operation": /' mutexbench.json >fields.json
refused fields.json "'operations'"
: >empty.json
refused empty.json empty.json
for threads in -2 0 1.5 '"2"'; do
    sed "s/\"threads\": 2,/\"threads\": $threads,/" mutexbench.json >threads.json
    refused threads.json "'threads'"
done
sed 's/^   "seconds": [0-9][^,]*/   "seconds": "long"/' mutexbench.json >words.json
refused words.json "'seconds'"
# instead FIELD VALUE: of the measurements of waiting.
instead() {
    sed "s/\"$1\":/\"other\":/; s/\"arrivals\":/\"$1\": $2, \"arrivals\":/" waiting.json >instead.json
    refused instead.json "'$1'"
}
instead wait_ns_p99 -1
instead wait_ns_max '"long"'
instead from_due_ns_p90 -1
instead late '[[1]]'
instead waits '[[1, 2, 3]]'
instead waits '[[1, -2]]'

# Nothing is run with --from, so nothing goes with it that says how.
for words in '--lock mutex' '--threads 2' '--duration 1' '--runs 3' '--warm-up 0' --pinned '--inside 1' '--keys 5' '--hogs 1' --cond; do
    # shellcheck disable=SC2086 # an option and its value
    if "$recip" bench --from mutexbench.json $words >out 2>err; then
        fail "--from with $words: taken"
    fi
    grep -q -e "${words%% *} does not go with --from" err || fail "--from with $words: $(cat err)"
done

# Ctrl-C keeps what is done, and is seen in the status. The first measurement may take its time on a busy machine.
for delay in 1 3 9 27; do
    env --default-signal=INT "$recip" bench --lock mutex --threads 2 --duration 0.02 --runs 1000 --json >cut-short.json 2>/dev/null &
    child=$!
    sleep "$delay"
    kill -INT "$child"
    status=0
    wait "$child" || status=$?
    [ "$status" -eq 130 ] || fail "Ctrl-C: status $status"
    [ ! -s cut-short.json ] || break
done
"$recip" bench --from cut-short.json | grep -q '^Interrupted' || fail "Ctrl-C: nothing about it in the results"
rm -rf "$folder"
