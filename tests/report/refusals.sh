#!/bin/sh
# SPDX-License-Identifier: MIT
# refusals.sh RECIP RESULTS: files that cannot be used and pages that cannot be made get one line and status 2, and leave
# nothing behind.
set -u
recip=$1
results=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
cd "$folder" || exit 1
echo 'what was there' >page.html

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# refused WORD ARGUMENT...: the line has to contain WORD; the folder is as before.
refused() {
    word=$1
    shift
    before=$(ls -A)
    lines=$("$recip" report "$@" 2>&1)
    status=$?
    [ "$status" -eq 2 ] || complain "report $*: status $status"
    [ "$(printf '%s\n' "$lines" | wc -l)" -eq 1 ] || complain "report $*: more than a line: $lines"
    case $lines in
    "recip: "*"$word"*) ;;
    *) complain "report $*: '$lines' does not say '$word'" ;;
    esac
    [ "$(ls -A)" = "$before" ] || complain "report $*: left something behind: $(ls -A)"
    [ "$(cat page.html)" = 'what was there' ] || complain "report $*: the page has changed"
}

refused 'a file is missing' -o page.html
refused 'nosuch.json' nosuch.json -o page.html
refused '--frobnicate' "$results/table.json" --frobnicate

head -c 3000 "$results/bench.json" >cut.json
refused 'cut off' cut.json -o page.html
: >empty.json
refused 'empty.json' empty.json -o page.html
echo 'not JSON' >text.json
refused 'text.json' text.json -o page.html
for file in bench table check altra-max; do
    sed 's/"version": *[0-9]*/"version": 99/' "$results/$file.json" >other.json
    refused 'version 99' other.json -o page.html
done
echo '{"schema": "recip-trace", "version": 1}' >kind.json
refused "'recip-trace'" kind.json -o page.html
echo '[{"id": "mcs"}]' >list.json
refused 'no schema' list.json -o page.html
echo '{"schema": "recip-sim", "version": 1, "machine": "m", "workload": "max", "seed": 1, "episodes": 1, "runs": []}' >none.json
refused 'no runs' none.json -o page.html
sed 's/"throughput"/"speed"/' "$results/altra-max.json" >field.json
refused "'throughput' of number 1" field.json -o page.html
calibration='{"schema": "recip-calibration", "version": 1, "machine_file": "", "cells": [{"lock": "mcs", "workload": "max", "threads": 1,
    "modelled_ns": 1}], "columns": [{"workload": "max", "threads": 1, "locks": 1, "within_25_percent": 1, "within_10_percent": 1,
    "rank_correlation": -1.5}]}'
printf '%s' "$calibration" >correlation.json
refused "'rank_correlation' of number 1 of its columns" correlation.json -o page.html
refused 'Is a directory' / -o page.html

# A pipe that nobody writes to is refused; one that has a writer is read, also when the writer comes late.
mkfifo silent
refused 'no process writes to it' silent -o page.html
mkfifo spoken
cat "$results/table.json" >spoken &
timeout 60 "$recip" report spoken -o piped.html >/dev/null || complain "report of a pipe: status $?"
wait
rm -f silent spoken piped.html

# wrong FILE FIELD VALUE WORDS: with that value in the first place that has the field, it is refused with these words.
wrong() {
    sed "0,/\"$2\": *[0-9][^,}]*/s//\"$2\": $3/" "$results/$1.json" >wrong.json
    cmp -s wrong.json "$results/$1.json" && complain "$1.json has no number $2"
    refused "$4" wrong.json -o page.html
}
for threads in -4 0 2.5 '"2"' null; do
    wrong altra-max threads "$threads" "'threads' of number 1 of its runs"
    wrong bench threads "$threads" "'threads' of number 1 of its measurements"
    wrong table threads "$threads" "'threads'"
done
for amount in -1 '"many"'; do
    wrong altra-max throughput "$amount" "'throughput' of number 1 of its runs"
    wrong altra-max events "$amount" "'events' of number 1 of its runs"
    wrong altra-max episodes "$amount" "'episodes'"
    wrong bench median "$amount" "'value' of number 1 of its summaries"
    wrong bench jain "$amount" "'jain' of number"
    wrong bench load_at_start "$amount" "'load_at_start'"
    wrong check executions "$amount" "'executions' of number 1 of its clients"
done

for change in 's/"wait_p99_ns": /"wait_p99_ns": -/' 's/"waited_ns": \[\([0-9]\)/"waited_ns": ["x", \1/' 's/"from_ns": /"until_ns": /' \
    's/"places": \[/"places": 1, "were": [/' 's/"name": "/"title": "/'; do
    sed "$change" "$results/stats.json" >wrong.json
    cmp -s wrong.json "$results/stats.json" && complain "stats.json is not changed by $change"
    refused 'is ' wrong.json -o page.html
done

# Of the summaries: the measurements have fields of these names, too.
wrong waiting period_seconds -1 "'period_seconds'"
for change in 's/"wait_ns_max": /"wait_ns_max": -/' 's/"from_due_ns_max": /"from_due_ns_max": -/' 's/"late_ns_p99": {/"late_ns_p99": {"low": 1}, "was": {/' 's/"wait_ns_p90": {/"wait_ns_p90": {"low": 1}, "was": {/'; do
    sed "/\"summaries\"/,\$$change" "$results/waiting.json" >wrong.json
    cmp -s wrong.json "$results/waiting.json" && complain "waiting.json is not changed by $change"
    refused "of number 1 of its summaries" wrong.json -o page.html
done

# A good file beside a bad one changes nothing.
refused 'cut.json' "$results/table.json" cut.json -o page.html

refused 'page.html' "$results/table.json" -o nosuch/page.html
mkdir taken.html
refused 'taken.html' "$results/table.json" -o taken.html
mkfifo pipe.html
refused 'pipe.html' "$results/table.json" -o pipe.html
[ -p pipe.html ] || complain "report -o pipe.html: the pipe has been replaced"
cp "$results/table.json" own.json
refused 'one of the files to read' own.json -o own.json
ln -s own.json name.json
refused 'one of the files to read' own.json -o name.json
cmp -s "$results/table.json" own.json || complain "report -o own.json: what it read has changed"

# A link stays one, and what it names is written.
echo old >linked.html
ln -s linked.html link.html
"$recip" report "$results/table.json" -o link.html >/dev/null || complain "report -o link.html: status $?"
[ -h link.html ] && grep -q '<html' linked.html || complain "report -o link.html: the link has been replaced"
ln -s fresh.html dangling.html
"$recip" report "$results/table.json" -o dangling.html >/dev/null || complain "report -o dangling.html: status $?"
[ -h dangling.html ] && grep -q '<html' fresh.html || complain "report -o dangling.html: the link has been replaced"

# A disk that is full while the page is written.
if [ -w /dev/full ]; then
    ( ulimit -f 1; trap '' XFSZ; "$recip" report "$results/table.json" -o page.html >/dev/null 2>&1 )
    status=$?
    [ "$status" -eq 1 ] || complain "a page that does not fit: status $status"
    [ "$(cat page.html)" = 'what was there' ] || complain "a page that does not fit: the old one is gone"
    [ "$(ls page.html.* 2>/dev/null)" = "" ] || complain "a page that does not fit: $(ls page.html.*)"
fi

# Without the program behind it, because npm was missing: it says what to install.
cp "$recip" alone
lines=$(./alone report "$results/table.json" 2>&1)
[ $? -eq 1 ] || complain "without its program: status is not 1"
case $lines in
*npm*) ;;
*) complain "without its program: '$lines' does not say what to install" ;;
esac
rm alone

"$recip" report --help | grep -q -e --output || complain "--help does not help"
"$recip" report "$results"/*.json -o page.html >said || complain "good files are refused"
[ "$(cat said)" = page.html ] || complain "it does not say where the page is"
grep -q '</html>' page.html || complain "the page has no end"
exit "$failures"
