#!/bin/sh
# SPDX-License-Identifier: MIT
# limits.sh RECIP: a limit ends with "not complete" and status 1, never with a pass; a request not understood with one line
# and status 2.
set -u
recip=$1
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

incomplete() {
    output=$("$recip" check reciprocating --client 3x2 "$@")
    status=$?
    case $status:$output in
    1:*"not complete: the limit of"*"not all passed"*) ;;
    *) complain "recip check $*: status $status: $output" ;;
    esac
}

incomplete --time 0.001
incomplete --memory 1

refused() {
    word=$1
    shift
    lines=$("$recip" check "$@" 2>&1 >/dev/null)
    status=$?
    [ "$status" -eq 2 ] || complain "recip check $*: status $status"
    [ "$(printf '%s\n' "$lines" | wc -l)" -eq 1 ] || complain "recip check $*: more than a line: $lines"
    case $lines in
    *"$word"*) ;;
    *) complain "recip check $*: '$lines' does not name '$word'" ;;
    esac
}

refused missing
refused frobnicate frobnicate
refused pthread pthread
refused "'0'" reciprocating --threads 0
refused "'8'" reciprocating --threads 8
refused "'1,1,1,1,1,1,1,1'" reciprocating --acquisitions 1,1,1,1,1,1,1,1
refused "'nothing'" reciprocating --client nothing
refused "'x'" reciprocating --memory x
refused "'-1'" reciprocating --time -1
refused nowhere.c --source nowhere.c
for words in --all '--client 3x1' '--threads 3' '--acquisitions 2' --quick --mutants --coverage --json ticket; do
    # shellcheck disable=SC2086 # an option and its value
    refused "'${words%% *}' does not go" --source /dev/null $words
done
refused --coverage reciprocating --mutants --coverage
refused "'nothing'" tas --mutants=nothing
refused --frobnicate reciprocating --frobnicate

applies_not() {
    "$recip" check "$1" --client "$2" | grep -q "does not apply: $3" || complain "recip check $1 --client $2: not '$3'"
}

applies_not mutex reuse "an element is made for one wait"
applies_not mutex reuse-held "an element is made for one wait"
applies_not tas reuse-held "no thread has an element"
applies_not mcs reuse-held "its elements are reserved"

"$recip" check --list-clients | grep -q '^  3x2 ' || complain "--list-clients does not list 3x2"
"$recip" check reciprocating --client 3x1 --json | grep -q '"executions": 36' || complain "--json does not count 36"
exit $failures
