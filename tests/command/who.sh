#!/bin/sh
# SPDX-License-Identifier: MIT
# who.sh RECIP WATCH WATCH-STATIC WAITS WAITS-STATIC HANDED-OVER-PTHREAD HANDED-OVER HANDED-OVER-STATIC PRELOAD LIBRECIP [WAITS-GLIBC]: `recip who` says of
# threads in a deadlock, and of those that wait for a signal, what they wait for and who owns it: on glibc's mutexes, on ours, and in librecip;
# of processes and of core files. The programs are those of WATCH (tests/preload/watch.c), of WAITS (waits.c), which uses librecip, of
# HANDED-OVER (handed-over.c), and of WAITS-GLIBC (waits-glibc.cpp).
set -u
recip=$1
watch=$2
watch_static=$3
waits=$4
waits_static=$5
handed_over_pthread=$6
handed_over=$7
handed_over_static=$8
preload=$9
librecip=${10}
waits_glibc=${11:-}
failures=0
folder=$(mktemp -d)
said=$folder/said
program=
trap '[ -z "$program" ] || kill -KILL "$program"; rm -rf "$folder"' EXIT

complain() {
    echo "$*"
    cat "$said"
    failures=$((failures + 1))
}

# has LINE...: what who has said.
has() {
    for line in "$@"; do
        grep -q -e "$line" "$said" || complain "no line '$line':"
    done
    ! grep -q '.\{100\}' "$said" || complain "a line that is too long:"
}

# says LINE...: whether who has said all of them.
says() {
    for line in "$@"; do
        grep -q -e "$line" "$said" || return 1
    done
}

# waits_for LINE...: who of the program that has been started, until it has said all of them at once, for a minute: a thread
# looks for a while before it sleeps.
waits_for() {
    for _ in $(seq 300); do
        "$recip" who "$program" >"$said" 2>&1 && says "$@" && break
        kill -0 "$program" || break
        sleep 0.2
    done
    has "$@"
}

ends() {
    kill -KILL "$program"
    wait "$program" 2>/dev/null
    program=
}

# asks LINE...: waits for them.
asks() {
    waits_for "$@"
    ends
}

# asks_core PROGRAM LINE...: the same of a core file, which gdb writes of the program that has been started; without the names of threads.
asks_core() {
    of=$1
    shift
    command -v gdb >/dev/null || return 0
    for _ in $(seq 20); do
        gdb -nx -batch -iex 'set debuginfod enabled off' -p "$program" -ex "generate-core-file $folder/core" >/dev/null 2>&1
        "$recip" who "$folder/core" "$of" >"$said" 2>&1
        says "$@" && break
        sleep 0.2
    done
    has "^recip: core file of process $program, " "$@"
    "$recip" who "$folder/core" >"$said" 2>&1
    has "^recip: core file of process $program, " "$@"
    # gdb writes the threads last.
    head -c 100000 "$folder/core" >"$folder/cut"
    "$recip" who "$folder/cut" "$of" >"$said" 2>&1
    says 'is neither a process nor a core file that can be read: it is cut off, and its threads are missing$' || complain "of a core file that is cut off:"
    rm -f "$folder/core"
}

"$watch" deadlock-of-two 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^recip: process $program, 3 threads, on glibc's mutexes$" \
    "^  thread baker [0-9]* waits for the mutex 'butter'$" '^    its owner is thread dairyman [0-9]*, which sleeps$' \
    "^  thread dairyman [0-9]* waits for the mutex 'bread'$" '^    its owner is thread baker [0-9]*, which sleeps$' \
    ' take_second (watch.c:[0-9]*)$'
"$recip" run -- "$watch" deadlock-of-three 2>/dev/null &
program=$!
asks '^recip: deadlock of 3 threads: ' "^recip: process $program, 4 threads, on recip's mutex$" \
    "^  thread one [0-9]* waits for the mutex 'butter'$" '^    its owner is thread two [0-9]*, which sleeps$' \
    "^  thread three [0-9]* waits for the mutex 'bread'$" '^    its owner is thread one [0-9]*, which sleeps$'
"$recip" run -- "$watch" owner-ended 2>/dev/null &
program=$!
asks "^  thread preload-watch $program waits for the mutex 'bread'$" '^    its owner is a thread that has ended$'
"$watch" deadlock-of-others 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^  thread preload-watch $program has ended$" "^  thread baker [0-9]* waits for the mutex 'butter'$"
# The signal has moved the guest from the condition variable to the mutex.
"$recip" run --watch=off -- "$watch" deadlock-by-signal 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^  thread guest [0-9]* waits for the mutex 'bread'$" \
    "^  thread waiter [0-9]* waits for the mutex 'butter'$"
"$recip" run --watch=off -- "$watch" deadlock-of-two 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^  thread baker [0-9]* waits for the mutex 'butter'$"
# The library as packages have it.
strip -o "$folder/librecip-preload.so" "$preload"
LD_PRELOAD=$folder/librecip-preload.so "$watch" deadlock-of-two 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^recip: process $program, 3 threads, on recip's mutex$"
RECIP_STATS=/dev/null LD_PRELOAD=$folder/librecip-preload.so "$watch" deadlock-by-signal 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "^  thread guest [0-9]* waits for the mutex 'bread'$"
LD_PRELOAD=$folder/librecip-preload.so "$watch" no-signal 2>/dev/null &
program=$!
asks "waits for the condition variable 'served'$" '^      in wait_for_ever (watch.c:[0-9]*)$'
"$recip" run -- "$watch" no-signal 2>/dev/null &
program=$!
asks "waits for the condition variable 'served'$" '^      in wait_for_ever (watch.c:[0-9]*)$'
"$watch" no-signal 2>/dev/null &
program=$!
asks "waits for the condition variable 'served'$" '^      in wait_for_ever (watch.c:[0-9]*)$'
"$recip" run --lock mcs-park -- "$watch" no-signal 2>/dev/null &
program=$!
asks ', on a lock of the zoo, which is not understood$'

# A C++ program: its names, read-write locks, and threads that wait for the end of others.
if [ -n "$waits_glibc" ]; then
    "$waits_glibc" &
    program=$!
    waits_for "^  thread customer [0-9]* waits for the mutex 'till'$" "^recip: deadlock of 2 threads: [a-z-]* $program -> customer " \
        '^recip: deadlock of 2 threads: goes-right [0-9]* -> goes-left ' '^      in transfer(Account&, Account&) (waits-glibc.cpp:[0-9]*)$' \
        "^  thread [a-z-]* $program waits for the end of thread customer " "^  thread second [0-9]* waits for the read-write lock 'table'$" \
        "^  thread reader [0-9]* waits for the read-write lock 'table'$" '^    its owner is thread writer [0-9]*, which sleeps$' \
        "^  thread guest [0-9]* waits for the condition variable 'served'$"
    ends
    "$recip" run -- "$waits_glibc" &
    program=$!
    waits_for "^  thread goes-left [0-9]* waits for the mutex 'left'$" '^recip: deadlock of 2 threads: goes-right [0-9]* -> goes-left ' \
        '^    its owner is thread goes-right [0-9]*, which sleeps$'
    ends
fi

# Core files: glibc's mutexes, ours, a lock of the zoo.
"$watch" deadlock-of-two 2>/dev/null &
program=$!
waits_for '^recip: deadlock of 2 threads: '
asks_core "$watch" ", 3 threads, on glibc's mutexes$" "^  thread [0-9]* waits for the mutex 'butter'$" \
    '^    its owner is thread [0-9]*, which sleeps$' '^recip: deadlock of 2 threads: [0-9]* -> [0-9]* -> [0-9]*$' ' take_second (watch.c:[0-9]*)$'
ends
"$recip" run -- "$watch" deadlock-by-signal 2>/dev/null &
program=$!
waits_for '^recip: deadlock of 2 threads: '
asks_core "$watch" ", 3 threads, on recip's mutex$" "^  thread [0-9]* waits for the mutex 'bread'$" '^recip: deadlock of 2 threads: '
ends
"$recip" run --lock mcs-park -- "$watch" no-signal 2>/dev/null &
program=$!
waits_for ', on a lock of the zoo, which is not understood$'
asks_core "$watch" ', 1 thread, on a lock of the zoo, which is not understood$'
ends

# librecip, shared and static. It knows owners with RECIP_DEBUG.
in_librecip() {
    set -- "^  thread baker [0-9]* waits for the mutex 'butter'$" "^  thread dairyman [0-9]* waits for the mutex 'bread'$" \
        "^  thread guest [0-9]* waits for a condition variable with the mutex 'kitchen'$" '^  thread early [0-9]* waits for a semaphore$'
    waits_for "$@"
    has "$@" '^      in take_second (waits.c:[0-9]*)$' '^      in wait_served (waits.c:[0-9]*)$' '^      in wait_table (waits.c:[0-9]*)$'
}
for kind in "$waits" "$waits_static"; do
    "$kind" &
    program=$!
    in_librecip
    has ", 5 threads, on glibc's mutexes and librecip$" '^    its owner is not known; it would be with -DRECIP_DEBUG$'
    ends
    RECIP_DEBUG=1 "$kind" &
    program=$!
    in_librecip
    has '^recip: deadlock of 2 threads: ' '^    its owner is thread dairyman [0-9]*, which sleeps$'
    asks_core "$kind" '^recip: deadlock of 2 threads: ' '^      in take_second (waits.c:[0-9]*)$'
    ends
done
strip -o "$folder/librecip.so.0.1" "$librecip"
RECIP_DEBUG=1 LD_LIBRARY_PATH=$folder "$waits" &
program=$!
in_librecip
has '^recip: deadlock of 2 threads: '
ends
"$recip" run --watch=off -- "$waits" &
program=$!
in_librecip
has ", 5 threads, on recip's mutex and librecip$"
ends

# numbers NAME...: of the threads that who has told, "1, 2, 3": a core file has no names.
numbers() {
    for name in "$@"; do
        printf '%s, ' "$(sed -n "s/^  thread $name \([0-9]*\) .*/\1/p" "$said")"
    done | sed 's/, $//'
}
# An owner that is to hand the mutex over, and the queue: those who were there before it came to be, then those who have arrived since.
export RECIP_OWN_CPU=0 RECIP_AWAKE=900000000 RECIP_CREDIT=0
next="^  next at the mutex 'till', which its owner hands over:$"
queue='^    third [0-9]*, second [0-9]*, fourth [0-9]*, fifth [0-9]*'
"$recip" run -- "$handed_over_pthread" &
program=$!
waits_for "$next" "$queue," '^recip: deadlock of 2 threads: [a-z-]* [0-9]* -> first [0-9]* -> [0-9]*$' \
    "^  thread second [0-9]* waits for the mutex 'till'$" '^    its owner is thread first [0-9]*, which sleeps$'
asks_core "$handed_over_pthread" '^recip: deadlock of 2 threads: ' "$next" "^    $(numbers third second fourth fifth),"
ends
for kind in "$handed_over" "$handed_over_static"; do
    "$kind" &
    program=$!
    waits_for "$next" "$queue$" '^    its owner is thread first [0-9]*, which sleeps$'
    asks_core "$kind" "$next" "^    $(numbers third second fourth fifth)$"
    ends
done
unset RECIP_OWN_CPU RECIP_AWAKE RECIP_CREDIT

# A program whose file is gone, as after an update.
cp "$watch" "$folder/updated"
"$folder/updated" deadlock-of-two 2>/dev/null &
program=$!
waits_for '^recip: deadlock of 2 threads: '
rm "$folder/updated"
asks '^recip: deadlock of 2 threads: ' "^  thread baker [0-9]* waits for the mutex 'butter'$" ' take_second (watch.c:[0-9]*)$'
# One that sees other files and other numbers of threads, as in a container.
mkdir "$folder/inside"
# shellcheck disable=SC2016 # of the other shell
in_container='mount -t tmpfs none "$0/inside" && cp "$1" "$0/inside/program" && exec "$0/inside/program" deadlock-of-two'
if unshare -rmpf true 2>/dev/null; then
    unshare -rmpf --kill-child sh -c "$in_container" "$folder" "$watch" 2>/dev/null &
    container=$!
    for _ in $(seq 100); do
        program=$(cat /proc/$container/task/$container/children)
        [ -z "$program" ] || break
        sleep 0.1
    done
    program=${program% }
    waits_for '^recip: deadlock of 2 threads: ' "^  thread baker [0-9]* waits for the mutex 'butter'$" \
        '^    its owner is thread dairyman [0-9]*, which sleeps$' ' take_second (watch.c:[0-9]*)$'
    kill -KILL "$container"
    wait "$container" 2>/dev/null
    program=
fi

# Somebody else traces it.
if command -v gdb >/dev/null; then
    "$watch" deadlock-of-two 2>/dev/null &
    program=$!
    waits_for '^recip: deadlock of 2 threads: '
    gdb -nx -batch -iex 'set debuginfod enabled off' -p "$program" -ex "shell '$recip' who $program" >"$said" 2>&1
    says '^recip: no stack can be taken, so little is known: process [0-9]* traces it, as gdb and strace do$' || complain "of a program in gdb:"
    ends
fi

# glibc linked into the program; and without symbols, where nothing can be said.
"$watch_static" deadlock-of-two 2>/dev/null &
program=$!
asks '^recip: deadlock of 2 threads: ' "on glibc's mutexes$" "^  thread baker [0-9]* waits for the mutex 'butter'$"
strip -o "$folder/stripped" "$watch_static"
"$folder/stripped" deadlock-of-two 2>/dev/null &
program=$!
asks "on mutexes that are not understood: not glibc's, nor recip's$" '^  thread baker [0-9]* sleeps$'

echo text >"$folder/text"
mkfifo "$folder/pipe"
for words in '' 'x' '0' '1 2' '--all 1' "$folder/text" "$folder" "$watch" "$folder/text y" "$folder/pipe" "$watch $watch $watch"; do
    # shellcheck disable=SC2086 # words
    timeout 60 "$recip" who $words >"$said" 2>&1
    [ "$? $(wc -l <"$said")" = '2 1' ] || complain "recip who $words:"
done
sleep 0 &
gone=$!
wait "$gone"
"$recip" who "$gone" >"$said" 2>&1
[ "$? $(grep -c "^recip: process $gone cannot be read: " "$said")" = '1 1' ] || complain "recip who of a process that has ended:"
exit "$failures"
