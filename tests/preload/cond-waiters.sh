#!/bin/sh
# SPDX-License-Identifier: MIT
# cond-waiters.sh RECIP SOURCE-TREE SCRATCH: cond-waiters.c passes, and with each of these faults in preload/cond-waiters.h it
# does not.
set -u
recip=$1
client=$2/tests/preload/cond-waiters.c
header=$2/preload/cond-waiters.h
scratch=$3
mkdir -p "$scratch/preload"
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

output=$("$recip" check --source "$client" 2>&1) || complain "$output"
echo "$output"

cp "$client" "$scratch"
# fault NAME SED-SCRIPT PATTERN: the output has to match it.
fault() {
    sed "$2" "$header" >"$scratch/preload/cond-waiters.h"
    cmp -s "$scratch/preload/cond-waiters.h" "$header" && complain "$1: nothing was replaced"
    output=$("$recip" check --source "$scratch/cond-waiters.c" 2>&1)
    [ $? -eq 1 ] || complain "$1: the status is not 1: $output"
    printf '%s\n' "$output" | grep -q -e "$3" || complain "$1: no '$3' in: $output"
}

fault 'nobody owes' 's/bool owes = each->next/bool owes = false/' 'waiting for ever'
fault 'a signal is not passed on' '/^static.*pass_signal_on/,/^}/s/= choose(.*)/= NULL/' 'waiting for ever'
fault 'those that leave are signalled' '/^static.*\*choose/,/^}/s/if (!change_from_waiting(.*))/if (!change_from_waiting(each, OWING) \&\& 0)/' \
    'waiting for ever\|memory that is gone\|data race'
# Also, what was on its stack is written to when its function has returned, which ends the program in a later client.
fault 'destroy does not wait' 's/    if (left)$/    if (0)/' 'data race: thread 4 frees what thread 3 accesses'
fault 'destroy waits for half' 's/ && !cond->owing;/;/' 'memory that is gone\|data race'
fault 'destroy waits for the other half' 's/(!cond_is_idle(cond) || cond->owing)/!cond_is_idle(cond)/' 'memory that is gone\|data race'
fault 'destroy is not told' 's/    if (destroyed)$/    if (0)/' 'waiting for ever'
fault 'destroy looks too late' 's/if (waive(each))/if (waive(each) \&\& ((next = each->next), true))/' \
    'memory that is gone\|data race'
fault 'nothing is waived' '/^static void waive_all/,/^}/s/= cond->owing;/= NULL;/' 'waiting for ever'
fault 'waive may fail' '/^static bool waive(/,/^}/s/exchange_strong/exchange_weak/' 'waiting for ever'
fault 'waive: relaxed' 's/SIGNALLED, memory_order_release/SIGNALLED, memory_order_relaxed/' 'data race'
fault 'stop_owing: relaxed load' 's/memory_order_acquire) == OWING/memory_order_relaxed) == OWING/' 'data race'
fault 'stop_owing: relaxed failure' '/LEAVING, memory_order_acquire,$/{n;s/acquire/relaxed/}' 'data race'
fault 'a signal is kept without a word' '/^static void use_signal/,/^}/s/if (!stop_owing(self))/if (1)/' \
    'memory that is gone\|data race'

[ $failures -eq 0 ]
