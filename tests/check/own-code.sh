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

# What nobody has freed is a leak, if it cannot be reached; told with the place where it was allocated.
cat >"$scratch/leak.c" <<'EOF'
#include <stdatomic.h>
#include <stdlib.h>
#include <recip-check.h>
struct node {
    struct node *below;
    int value;
};
static _Atomic(struct node *) top;
static void replace(void *unused)
{
    (void)unused;
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    node->below = NULL;
    node->below = atomic_exchange_explicit(&top, node, memory_order_acq_rel);
}
static void setup(void)
{
    check_thread(replace, NULL);
    check_thread(replace, NULL);
}
CHECK_CLIENT("leak", setup, NULL)
EOF
output=$("$recip" check --source "$scratch/leak.c" 2>&1) || complain "nodes that can be reached: $output"
broken_leak() {
    sed "$1" "$scratch/leak.c" >"$scratch/leaks.c"
    output=$("$recip" check --source "$scratch/leaks.c" 2>&1) && complain "leak $1: passed"
    for pattern in "$2" ' at .*leaks.c:12'; do
        printf '%s\n' "$output" | grep -q -e "$pattern" || complain "leak $1: no '$pattern' in: $output"
    done
}
broken_leak 's/node->below = atomic/atomic/' 'a block of 16 bytes has leaked'
broken_leak 's/^CHECK_CLIENT.*/static void finish(void) { top = NULL; }\nCHECK_CLIENT("leaks", setup, finish)/' '2 blocks have leaked'

# Nor is memory accessed beside what was allocated.
sed 's/    node->value = 1;/    *(\&node->value + 2) = 1;/' "$scratch/leak.c" >"$scratch/beside.c"
output=$("$recip" check --source "$scratch/beside.c" 2>&1) && complain "beside a block: passed"
printf '%s\n' "$output" | grep -q 'thread 1 accesses memory outside of what was allocated' || complain "beside a block: $output"

# What never ends is told with what is repeated: nobody gets anywhere, or one does not.
cat >"$scratch/polite.c" <<'EOF'
#include <stdatomic.h>
#include <recip-check.h>
static _Atomic(int) wants[2];
static int owners;
static void enter(void *argument)
{
    int self = (int)(size_t)argument;
    atomic_store_explicit(&wants[self], 1, memory_order_seq_cst);
    while (atomic_load_explicit(&wants[!self], memory_order_seq_cst)) {
        atomic_store_explicit(&wants[self], 0, memory_order_relaxed);
        check_relax();
        atomic_store_explicit(&wants[self], 1, memory_order_seq_cst);
    }
    owners++;
    atomic_store_explicit(&wants[self], 0, memory_order_release);
}
static void setup(void)
{
    check_thread(enter, (void *)0);
    check_thread(enter, (void *)1);
}
CHECK_CLIENT("polite", setup, NULL)
EOF
cat >"$scratch/starve.c" <<'EOF'
#include <stdatomic.h>
#include <recip-check.h>
static _Atomic(int) held, done;
static void touch(void)
{
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        check_relax();
    check_owned(&held);
    check_leaving(&held);
    atomic_store_explicit(&held, 0, memory_order_release);
}
static void once(void *unused)
{
    (void)unused;
    touch();
    atomic_store_explicit(&done, 1, memory_order_relaxed);
}
static void again(void *unused)
{
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        touch();
    (void)unused;
}
static void setup(void)
{
    check_name(&held, sizeof held, "held");
    check_endless();
    check_thread(once, NULL);
    check_thread(again, NULL);
}
CHECK_CLIENT("starve", setup, NULL)
EOF
# never_ends NAME SED-SCRIPT PATTERN...
never_ends() {
    sed "$2" "$scratch/$1.c" >"$scratch/ever.c"
    name=$1
    shift 2
    output=$("$recip" check --source "$scratch/ever.c" --time 60 2>&1) && complain "$name: passed"
    for pattern; do
        printf '%s\n' "$output" | grep -q -e "$pattern" || complain "$name: no '$pattern' in: $output"
    done
}
for script in '' '/check_relax/d'; do
    never_ends polite "$script" 'livelock: threads 1 and 2 can go on' 'what follows is repeated for ever'
done
never_ends starve '' 'starvation: thread 1 can wait for ever while the lock goes to thread 2' 'what follows is repeated' 'waits: held is 1'
# One of them gives way: the other goes round only for as long as it does not see that, which is not for ever.
sed 's/check_relax();/if (self) return;/' "$scratch/polite.c" >"$scratch/ends.c"
output=$("$recip" check --source "$scratch/ends.c" --time 60 2>&1) || complain "an end: $output"

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
