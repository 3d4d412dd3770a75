#!/bin/sh
# SPDX-License-Identifier: MIT
# interrupt.sh RECIP FOLDER: a command that is interrupted ends by the signal and leaves nothing half-done: no file
# that was begun, no folder, no program that it has started.
set -u
recip=$1
folder=$2
failures=0
rm -rf "$folder"
mkdir -p "$folder/scratch"
cd "$folder" || exit 1

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# comes COMMAND...: waits until the command says yes, a minute at most.
comes() {
    for _ in $(seq 600); do
        "$@" 2>/dev/null && return 0
        sleep 0.1
    done
    complain "waited in vain: $*"
    return 1
}

# A shell starts what is in its background with SIGINT ignored.
start() {
    env --default-signal=INT TMPDIR="$folder/scratch" "$recip" "$@" >output 2>&1 &
    child=$!
}

# interrupt SIGNAL STATUS
interrupt() {
    kill -s "$1" "$child"
    wait "$child"
    status=$?
    [ "$status" -eq "$2" ] || complain "SIG$1: status $status, not $2: $(cat output)"
    rm -f output
}

has_begun() {
    [ "$(find . -name 'plot.svg.*' -o -name 'trace.*' | wc -l)" -eq 2 ]
}

# What the two files hold, and what else is there.
state() {
    grep -s . plot.svg trace
    find . | sort
}

long_simulation() {
    start sim --lock ticket --threads 64 --episodes 100000000 --plot plot.svg --trace trace
    comes has_begun
}

for there in nothing something; do
    [ $there = nothing ] || echo 'what was there' | tee plot.svg >trace
    for signal in INT:130 TERM:143 HUP:129; do
        before=$(state)
        long_simulation
        interrupt ${signal%:*} ${signal#*:}
        [ "$(state)" = "$before" ] || complain "sim with $there there, SIG$signal: $(state)"
    done
done
# What is ignored stays so.
env --ignore-signal=HUP "$recip" sim --lock ticket --threads 64 --episodes 100000000 --plot plot.svg --trace trace >output 2>&1 &
child=$!
comes has_begun
kill -s HUP "$child"
interrupt TERM 143

# check --source: while the compiler runs, and while the client does; check --mutants: while compilers run.
cat >slow-compiler <<'SCRIPT'
#!/bin/sh
echo $$ >compiler-runs
exec sleep 1000
SCRIPT
chmod +x slow-compiler
cat >client.c <<'CLIENT'
#include <stdatomic.h>
#include <recip-check.h>

static _Atomic(int) counter;

static void count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 9; i++)
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}

static void setup(void)
{
    for (int i = 0; i < 7; i++)
        check_thread(count, NULL);
}

CHECK_CLIENT("more executions than anybody has time for", setup, NULL)
CLIENT
is_gone() {
    [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}
left() {
    [ "$(ls -A scratch)" = "" ] || complain "check left $(ls -A scratch)"
    comes is_gone "$1"
}
client_runs() {
    client=$(tr -d ' ' <"/proc/$child/task/$child/children")
    [ -n "$client" ] && readlink "/proc/$client/exe" | grep -q '/client$'
}
for signal in INT:130 TERM:143; do
    rm -f compiler-runs
    CC=$folder/slow-compiler start check --source client.c
    comes [ -s compiler-runs ]
    interrupt ${signal%:*} ${signal#*:}
    left "$(cat compiler-runs)"

    start check --source client.c
    comes client_runs
    interrupt ${signal%:*} ${signal#*:}
    left "$client"

    rm -f compiler-runs
    CC=$folder/slow-compiler start check --mutants=call twa
    comes [ -s compiler-runs ]
    interrupt ${signal%:*} ${signal#*:}
    left "$(cat compiler-runs)"
done
cd / && rm -rf "$folder"
exit "$failures"
