#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh RECIP TOOLS/CHECK: the locks and clients that tables of `recip check` name exist.
set -u
recip=$1
sources=$2
failures=0
locks=$("$recip" list | tail -n +2 | cut -d ' ' -f 1)
clients=$("$recip" check --list-clients | sed -n 's/^  \([^ ]*\) .*/\1/p')

# exists WORD WORDS WHERE
exists() {
    printf '%s\n' "$2" | grep -qxF -e "$1" && return
    echo "$3: there is no '$1'"
    failures=$((failures + 1))
}

slow=$(sed -n 's/^SLOW("\([^"]*\)", [A-Z]*, "\([^"]*\)")$/\1 \2/p' "$sources/clients/slow.def")
[ "$(printf '%s\n' "$slow" | wc -l)" -eq "$(grep -c '^SLOW' "$sources/clients/slow.def")" ] || exists "a readable line" "" slow.def
for lock in $(printf '%s\n' "$slow" | cut -d ' ' -f 1); do
    exists "$lock" "$locks" slow.def
done
for client in $(printf '%s\n' "$slow" | cut -d ' ' -f 2-); do
    exists "$client" "$clients" slow.def
done
for lock in $(sed -n 's/^    {"\([^"]*\)", .*/\1/p' "$sources/harmless-weakenings.c"); do
    exists "$lock" "$locks" harmless-weakenings.c
done
for folder in "$sources"/mutants/*/; do
    exists "$(basename "$folder")" "$locks" mutants
done
exit $failures
