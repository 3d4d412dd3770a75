#!/bin/sh
# SPDX-License-Identifier: MIT
# two-face.sh RECIP SOURCE-TREE SCRATCH: zoo/hl1.h is right as long as each thread has a pair of faces for each lock; with one pair for all
# locks, and when a thread ends, it fails, each time as its header says. Weaker orders and a face that is not changed are found.
set -u
recip=$1
clients=$2/tests/check/two-face.c
header=$2/zoo/hl1.h
scratch=$3
mkdir -p "$scratch"
failures=0

# verdicts SOURCE: a line "CLIENT: ok" or "CLIENT: WHAT FAILED" for each client.
verdicts() {
    "$recip" check --source "$1" 2>&1 | awk '
        / executions / { name = $0; sub(/ +[0-9]+ executions.*/, "", name); sub(/^ +/, "", name); if ($NF == "ok") print name ": ok" }
        / FAILED$/ { getline; sub(/^ +/, ""); sub(/:.*/, ""); print name ": " $0 }'
}

expected='one lock: ok
two locks in turn, a pair for each: ok
two locks in turn, one pair: waiting for ever
three locks held, a pair for each: ok
three locks held, one pair: two owners
a thread ends: thread 2 accesses memory that is gone'
found=$(verdicts "$clients")
[ "$found" = "$expected" ] || { echo "found: $found"; failures=1; }

# broken NAME SED-SCRIPT: a copy of the lock that fails with one lock.
broken() {
    sed "$2" "$header" >"$scratch/$1.h"
    cmp -s "$scratch/$1.h" "$header" && { echo "$1: nothing was replaced"; failures=1; }
    sed "s|\"zoo/hl1.h\"|\"$scratch/$1.h\"|" "$clients" >"$scratch/$1.c"
    case $(verdicts "$scratch/$1.c" | head -n 1) in
    'one lock: ok' | '') echo "$1: not found"; failures=1 ;;
    'one lock: '*) ;;
    esac
}

broken no-release 's/memory_order_acq_rel/memory_order_acquire/'
broken no-acquire 's/memory_order_acq_rel/memory_order_release/'
broken same-face '/faces->next ^= 1;/d'
broken left-open '/gate_close(context->shown);/d'
exit "$failures"
