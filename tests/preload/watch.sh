#!/bin/sh
# SPDX-License-Identifier: MIT
# watch.sh RECIP WATCH SCRATCH: what `recip run --watch` reports of each program in WATCH (watch.c), and what it does not.
set -u
recip=$1
watch=$2
scratch=$3
failures=0
# On a machine that is busy, any wait may be a long one: but for the report of one, it is not reported.
export RECIP_WATCH_LONG=100000
rm -rf "$scratch"
mkdir -p "$scratch"

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# reports LOCK WHAT [OPTION...]: its report into $scratch/said, without numbers of threads and processes.
reports() {
    lock=$1
    what=$2
    shift 2
    [ $# -gt 0 ] || set -- --watch
    timeout 100 "$recip" run --lock "$lock" "$@" -- "$watch" "$what" 2>"$scratch/raw"
    is "$what on $lock: status" $? 0
    sed -E 's/process [0-9]+/process N/; s/^(.*thread [a-z-]+) [0-9]+/\1/; s/(it was [a-z-]+) [0-9]+/\1/' "$scratch/raw" >"$scratch/said"
    is "$what on $lock: lines of more than 80 columns" "$(grep -c '.\{81\}' "$scratch/raw")" 0
}

# has TEXT COUNT: so many lines have the text.
has() {
    is "$what on $lock: lines with '$1'" "$(grep -c -e "$1" "$scratch/said")" "$2"
}

for lock in mutex mcs-park; do
    reports "$lock" deadlock-of-two
    has '^recip: deadlock of 2 threads in ' 1
    has '^recip: ' 1
    has '^  thread baker$' 1
    has "^    waits for 'butter'$" 1
    has "^    it holds 'bread'$" 1
    has '^  thread dairyman$' 1
    has "^    waits for 'bread'$" 1
    has "^    it holds 'butter'$" 1
    has '^ *< take_second (watch.c:[0-9]*)$' 2
    has '^ *< take_both (watch.c:[0-9]*)$' 2
    reports "$lock" deadlock-of-three
    has '^recip: deadlock of 3 threads in ' 1
    has '^recip: ' 1
    reports "$lock" inversion
    has '^recip: inversion of the order of 2 locks in ' 1
    has "^  while holding 'butter'$" 1
    has "^    a thread took 'bread'$" 1
    has '^ *< cook (watch.c:[0-9]*)$' 1
    has "^  while holding 'bread'$" 1
    has "^    a thread took 'butter'$" 1
    has '^ *< spread (watch.c:[0-9]*)$' 1
    for what in trylocks released work; do
        reports "$lock" "$what"
        is "$what on $lock" "$(cat "$scratch/said")" ''
    done
    reports "$lock" switching --watch=off
    is "switching on $lock" "$(cat "$scratch/said")" ''
done
reports mutex deadlock-of-one
has '^recip: deadlock of 1 thread in ' 1
reports mutex deadlock-by-signal
has '^recip: deadlock of 2 threads in ' 1
has '^  thread guest$' 1
has '^ *in wait_for_signal (watch.c:[0-9]*)$' 1
reports mutex inversion-of-three
has '^recip: inversion of the order of 3 locks in ' 1
has "^    a thread took '" 3
reports mutex inversion-within-class
has '^recip: inversion of the order of 2 locks in ' 1
has "^  while holding 'tables' + 80$" 1
reports mutex inversion-by-trylock
has '^recip: inversion of the order of 2 locks in ' 1
reports mutex switched --watch=off
has '^recip: inversion' 1
has "'cheese'" 0
reports mutex inversion --watch=off
is 'not switched on' "$(cat "$scratch/said")" ''
RECIP_WATCH_LONG=1
reports mutex long-wait
RECIP_WATCH_LONG=100000
has '^recip: a thread of .* waits for [0-9.]* seconds by now$' 1
has "^    waits for 'bread'$" 1
has '^  the owner, thread holder, ' 1
has "^    it holds 'bread'$" 1

# What is in the file of suppressions is not reported, by the name of a mutex or of a function.
for word in 'inversion butter' 'inversion co*' 'inversion nothing
inversion spread'; do
    echo "$word" >"$scratch/suppressions"
    reports mutex inversion --watch "--suppressions=$scratch/suppressions"
    is "suppressed by '$word'" "$(cat "$scratch/said")" ''
done
# It may be a pipe, may have the line ends of other systems, and more lines than there is room for.
mkfifo "$scratch/pipe"
echo 'inversion butter' >"$scratch/pipe" &
reports mutex inversion --watch "--suppressions=$scratch/pipe"
is 'suppressed through a pipe' "$(cat "$scratch/said")" ''
printf 'wait x\r\ninversion butter\r\n' >"$scratch/suppressions"
reports mutex inversion --watch "--suppressions=$scratch/suppressions"
is 'suppressed with carriage returns' "$(cat "$scratch/said")" ''
yes 'wait nothing' | head -n 2000 >"$scratch/suppressions"
timeout 100 "$recip" run --watch "--suppressions=$scratch/suppressions" -- "$watch" inversion 2>"$scratch/said"
has "^recip: RECIP_SUPPRESSIONS: '$scratch/suppressions' has more than [0-9]* bytes; the rest is left out$" 1
has '^recip: inversion' 1
is 'a pipe that nobody writes to' "$(timeout 60 "$recip" run --watch "--suppressions=$scratch/pipe" -- true 2>&1; echo $?)" 0
echo 'wait butter' >"$scratch/suppressions"
reports mutex inversion --watch "--suppressions=$scratch/suppressions"
has '^recip: inversion' 1

# With statistics as well, which then have their own report.
reports mutex inversion --watch "--stats=$scratch/s.json"
has '^recip: inversion' 1
is 'statistics beside it' "$(grep -c '"schema": "recip-stats"' "$scratch/s.json")" 1
is 'no statistics that nobody asked for' "$("$recip" run --watch -- "$watch" work 2>&1)" ''

for words in '--watch=maybe -- true' '--watch --lock pthread -- true' '--watch --compare mutex -- true' '--suppressions=/dev/null -- true' \
    '--watch --suppressions=/nonexistent -- true' '--watch --suppressions=/ -- true' '--watch --suppressions= -- true'; do
    # shellcheck disable=SC2086 # words
    "$recip" run $words >/dev/null 2>"$scratch/said"
    is "status of run $words" "$? $(wc -l <"$scratch/said")" '2 1'
done
exit "$failures"
