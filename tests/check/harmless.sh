#!/bin/sh
# SPDX-License-Identifier: MIT
# harmless.sh RECIP SOURCE-TREE: the weakened orders that are listed as harmless, with the clients that mutants do not meet because they
# take seconds. None of these may find one.
set -u
recip=$1
listed=$2/tools/check/harmless-weakenings.c
slow=$2/tools/check/clients/slow.def
failures=0
tried=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# The mutex's meet such clients anyway.
for lock in $(sed -n 's/^ *{"\([a-z0-9-]*\)", .*/\1/p' "$listed" | sort -u | grep -vx mutex); do
    for client in $(sed -n "s/^SLOW(\"$lock\", SECONDS, \"\(.*\)\").*/\1/p" "$slow"); do
        # Others survive where this client does not do what they are about.
        output=$("$recip" check "$lock" --client "$client" --mutants --generated 0 2>&1)
        ! printf '%s\n' "$output" | grep 'KILLED, though' || complain "$lock, $client: see above"
        case $output in
        *' harmless: '*) tried=$((tried + 1)) ;;
        *) complain "$lock, $client: nothing that is harmless: $output" ;;
        esac
    done
done
[ "$tried" -gt 5 ] || complain "only $tried pairs of lock and client were found"
exit $failures
