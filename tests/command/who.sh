#!/bin/sh
# SPDX-License-Identifier: MIT
# who.sh RECIP WATCH: `recip who` says of threads in a deadlock, and of those that wait for a signal, what they wait for and who owns it: on
# glibc's mutexes, and on ours. The programs are those of WATCH (tests/preload/watch.c).
set -u
recip=$1
watch=$2
failures=0
said=$(mktemp)
program=
trap '[ -z "$program" ] || kill -KILL "$program"; rm -f "$said"' EXIT

complain() {
    echo "$*"
    cat "$said"
    failures=$((failures + 1))
}

# asks WORDS LINE...: who of the program that has been started, until it says WORDS, for a minute; then it has to have each line.
asks() {
    words=$1
    shift
    for _ in $(seq 300); do
        "$recip" who "$program" >"$said" 2>&1 && grep -q -e "$words" "$said" && break
        sleep 0.2
    done
    for line in "$words" "$@"; do
        grep -q -e "$line" "$said" || complain "no line '$line':"
    done
    ! grep -q '.\{100\}' "$said" || complain "a line that is too long:"
    kill -KILL "$program"
    wait "$program" 2>/dev/null
    program=
}

"$watch" deadlock-of-two 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^recip: process $program, 3 threads, on glibc's mutexes$" \
    "^  thread baker [0-9]* waits for the mutex 'butter'$" '^    its owner is thread dairyman [0-9]*, which sleeps$' \
    "^  thread dairyman [0-9]* waits for the mutex 'bread'$" '^    its owner is thread baker [0-9]*, which sleeps$' \
    ' take_second (watch.c:[0-9]*)$'
"$recip" run --watch=off -- "$watch" deadlock-of-three 2>/dev/null &
program=$!
asks '^recip: deadlock of 3 threads: ' "^recip: process $program, 4 threads, on recip's mutex$" \
    "^  thread one [0-9]* waits for the mutex 'butter'$" '^    its owner is thread two [0-9]*, which sleeps$' \
    "^  thread three [0-9]* waits for the mutex 'bread'$" '^    its owner is thread one [0-9]*, which sleeps$'
# The signal has moved the guest from the condition variable to the mutex.
"$recip" run --watch=off -- "$watch" deadlock-by-signal 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^  thread guest [0-9]* waits for the mutex 'bread'$" \
    "^  thread waiter [0-9]* waits for the mutex 'butter'$"
# Without owners: what can be said, and no more.
"$recip" run -- "$watch" deadlock-of-two 2>/dev/null &
program=$!
asks "^  thread baker [0-9]* waits for the mutex 'butter'$" '^    its owner is not known$'
"$recip" run -- "$watch" no-signal 2>/dev/null &
program=$!
asks "waits for the condition variable 'served'$" '^      in wait_for_ever (watch.c:[0-9]*)$'
"$watch" no-signal 2>/dev/null &
program=$!
asks 'waits for a condition variable$' '^      in wait_for_ever (watch.c:[0-9]*)$'
"$recip" run --lock mcs-park -- "$watch" no-signal 2>/dev/null &
program=$!
asks ', on a lock of the zoo, which is not understood$'

for words in '' 'x' '0' '1 2' '--all 1'; do
    # shellcheck disable=SC2086 # words
    "$recip" who $words >"$said" 2>&1
    [ "$? $(wc -l <"$said")" = '2 1' ] || complain "recip who $words:"
done
sleep 0 &
gone=$!
wait "$gone"
"$recip" who "$gone" >"$said" 2>&1
[ "$? $(grep -c "^recip: process $gone cannot be read: " "$said")" = '1 1' ] || complain "recip who of a process that has ended:"
exit "$failures"
