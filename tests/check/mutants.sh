#!/bin/sh
# SPDX-License-Identifier: MIT
# mutants.sh RECIP SOURCE-TREE SCRATCH: what becomes of a mutant is told, also if it does not apply, does not compile, crashes or never
# ends; and nothing is left behind.
set -u
recip=$1
lock=$2/zoo/tas.h
scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch/temporary"
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# patch NAME TEXT STATEMENT: in place of the store of tas_release.
store='atomic_store_explicit(&lock->held, 0, memory_order_release);'
[ "$(grep -c "$store" "$lock")" -eq 1 ] || complain "$lock has no '$store'"
patch() {
    awk -v store="$store" -v statement="$3" '{ at = index($0, store) } at { $0 = "    " statement } 1' "$lock" >"$scratch/tas.h"
    {
        printf '%s\n\n' "$2"
        diff -u --label a/zoo/tas.h --label b/zoo/tas.h "$lock" "$scratch/tas.h"
    } >"$scratch/$1.patch"
}

# told NAME STATUS PATTERN
told() {
    output=$(TMPDIR=$scratch/temporary "$recip" check tas --patch "$scratch/$1.patch" --time 1 2>&1)
    status=$?
    [ "$status" -eq "$2" ] || complain "$1: status $status, not $2: $output"
    printf '%s\n' "$output" | grep -q -e "$3" || complain "$1: no '$3' in: $output"
    [ -z "$(ls -A "$scratch/temporary")" ] || complain "$1: left $(ls -A "$scratch/temporary")"
}

patch kept 'release keeps the lock' ''
told kept 0 'release keeps the lock  *killed: waits for ever (3x1)'
patch same 'nothing is damaged' 'atomic_store_explicit(&lock->held, 0L, memory_order_release);'
told same 1 'nothing is damaged  *SURVIVED'
sed 's/^nothing is damaged$/&\nHarmless: it is the same/' "$scratch/same.patch" >"$scratch/harmless.patch"
told harmless 0 'nothing is damaged  *harmless: it is the same'
sed 's/^release keeps the lock$/&\nHarmless: it is not/' "$scratch/kept.patch" >"$scratch/harmful.patch"
told harmful 1 'KILLED, though listed as harmless'
patch crash 'release crashes' '__builtin_trap();'
told crash 0 'release crashes  *killed: crash (3x1)'
patch loop 'release never returns' 'for (;;) __asm__ volatile("");'
told loop 0 'release never returns  *killed: endless loop (3x1)'
patch words 'release is no C' 'let go;'
told words 1 "the patch '$scratch/words.patch' does not compile"
sed 's/lock->held, 0,/lock->gone, 0,/' "$scratch/kept.patch" >"$scratch/elsewhere.patch"
told elsewhere 1 "the patch '$scratch/elsewhere.patch' does not apply"

# refused NAME WORD: with one line, and status 2.
refused() {
    output=$("$recip" check tas --patch "$scratch/$1" 2>&1)
    status=$?
    [ "$status" -eq 2 ] && [ "$(printf '%s\n' "$output" | wc -l)" -eq 1 ] || complain "$1: status $status: $output"
    printf '%s\n' "$output" | grep -q -e "'$scratch/$1'.*$2" || complain "$1: not '$2': $output"
}

refused nowhere.patch 'No such file'
echo 'Some words.' >"$scratch/no.patch"
refused no.patch 'what is damaged'
{
    cat "$scratch/kept.patch"
    sed -n '3,$s/tas/ttas/p' "$scratch/kept.patch"
} >"$scratch/two.patch"
refused two.patch "a second file, 'zoo/ttas.h'"
rm -rf "$scratch"
exit $failures
