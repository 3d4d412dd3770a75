#!/bin/sh
# SPDX-License-Identifier: MIT
# own-code.sh RECIP SOURCE-TREE SCRATCH: the example passes; each way to break it is found, and told so that one can see where.
set -u
recip=$1
example=$2/docs/examples/spinlock-client.c
scratch=$3
mkdir -p "$scratch"
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

output=$("$recip" check --source "$example") || complain "the example does not pass: $output"

# So does the one in the header, and a file may have several clients.
{
    sed -n 's|^ \*     \(.*\)|\1|p' "$2/include/recip-check.h"
    echo 'CHECK_CLIENT("once more", setup, NULL)'
} >"$scratch/header.c"
output=$("$recip" check --source "$scratch/header.c" 2>&1) || complain "the header's example does not pass: $output"
[ "$(printf '%s\n' "$output" | grep -c -E '(message passing|once more) .* executions .* ok$')" -eq 2 ] ||
    complain "two clients of one file: $output"

# A name that the compiler would take for an option, or for a file of options, is a file's name all the same.
for name in -o.c @options.c; do
    cp "$example" "$scratch/$name"
    output=$(cd "$scratch" && "$recip" check --source="$name" 2>&1) || complain "a source of the name $name: $output"
done

# broken NAME SED-SCRIPT PATTERN...: the output has to match each pattern, the status to be 1.
broken() {
    name=$1
    sed "$2" "$example" >"$scratch/$name.c"
    shift 2
    cmp -s "$scratch/$name.c" "$example" && complain "$name: nothing was replaced"
    output=$("$recip" check --source "$scratch/$name.c" 2>&1)
    [ $? -eq 1 ] || complain "$name: the status is not 1: $output"
    for pattern; do
        printf '%s\n' "$output" | grep -q -e "$pattern" || complain "$name: no '$pattern' in: $output"
    done
}

broken race 's/0, memory_order_release/0, memory_order_relaxed/' 'data race: thread' ' at .*race.c:[0-9]' \
    ' and .*race.c:[0-9]' 'thread 1.*race.c:[0-9]* .*store.*= 0, relaxed' 'read from #'
broken owners 's/(atomic_exchange_explicit(&held, 1, memory_order_acquire))/(atomic_load_explicit(\&held, memory_order_acquire))/' \
    'two owners: threads'
broken stuck 's/    atomic_store_explicit(&held, 0, memory_order_release);//' 'waiting for ever: thread' 'waits: held is 1'
broken assertion 's/counter == 3/counter == 4/' 'assertion does not hold: counter == 4'
broken wide 's/_Atomic(int) held/_Atomic(__int128) held/' 'an atomic access of 16 bytes is not modelled'

# What threads have read before they wait is told too, and who sleeps does not seem to look.
cat >"$scratch/stale.c" <<'EOF'
#include <stdatomic.h>
#include <recip-check.h>
static _Atomic(int) x, y, go;
static void meet(_Atomic(int) *own, _Atomic(int) *other)
{
    atomic_store_explicit(own, 1, memory_order_relaxed);
    int seen = atomic_load_explicit(other, memory_order_relaxed);
    while (!seen && !atomic_load_explicit(&go, memory_order_relaxed))
        check_park(&go, sizeof go, 0);
}
static void first(void *unused)
{
    (void)unused;
    meet(&x, &y);
}
static void second(void *unused)
{
    (void)unused;
    meet(&y, &x);
}
static void setup(void)
{
    check_name(&x, sizeof x, "x");
    check_name(&y, sizeof y, "y");
    check_name(&go, sizeof go, "go");
    check_thread(first, NULL);
    check_thread(second, NULL);
}
CHECK_CLIENT("stale", setup, NULL)
EOF
output=$("$recip" check --source "$scratch/stale.c" 2>&1) && complain "stale: passed"
for pattern in 'waiting for ever: thread' 'load [xy]: 0, relaxed, read from the initial value' \
    'falls asleep at go, which is 0'; do
    printf '%s\n' "$output" | grep -q -e "$pattern" || complain "stale: no '$pattern' in: $output"
done
! printf '%s\n' "$output" | grep -q 'waits:' || complain "stale: $output"

# refused NAME WORDS...: what is no client gets a line that names it and says what is expected; what the compiler says may
# follow. Nothing is left behind.
refused() {
    name=$1
    shift
    mkdir -p "$scratch/temporary"
    output=$(TMPDIR=$scratch/temporary "$recip" check --source "$name" 2>&1 >/dev/null)
    status=$?
    [ "$status" -eq 2 ] || complain "$name: status $status: $output"
    first=$(printf '%s\n' "$output" | head -n 1)
    for word in "'$name'" CHECK_CLIENT docs/check.md "$@"; do
        case $first in
        "recip: --source: "*"$word"*) ;;
        *) complain "$name: '$first' does not say $word" ;;
        esac
    done
    rmdir "$scratch/temporary" || complain "$name: left $(ls -A "$scratch/temporary")"
}

echo 'Some words.' >"$scratch/words.txt"
refused "$scratch/words.txt" 'does not compile'
refused "$scratch" 'does not compile'
echo 'int main(void) { return 0; }' >"$scratch/program.c"
refused "$scratch/program.c" 'cannot be linked'
: >"$scratch/nothing.c"
refused "$scratch/nothing.c" 'has no CHECK_CLIENT'

# Warnings are shown, and no reason to stop; without a compiler it says so.
sed 's/^static void setup(void)$/#warning take care\n&/' "$example" >"$scratch/warning.c"
output=$("$recip" check --source "$scratch/warning.c" 2>&1) || complain "a warning: status $?: $output"
printf '%s\n' "$output" | grep -q 'take care' || complain "a warning is not shown: $output"
output=$(CC=/nonexistent "$recip" check --source "$example" 2>&1)
status=$?
[ "$status" -eq 1 ] && [ "$output" = "recip: cannot run '/nonexistent': No such file or directory" ] ||
    complain "without a compiler: status $status: $output"
exit $failures
