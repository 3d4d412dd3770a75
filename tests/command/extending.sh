#!/bin/sh
# SPDX-License-Identifier: MIT
# extending.sh SOURCE FOLDER: what the documents say of adding something is true. A lock of one's own is one header and one line
# in the registry (docs/adding-a-lock.md), and is then listed, measured, explored and tested. By docs/extending.md, a bench kind is one
# file and one line, a client of the checker is one line, and a mutant is one file.
set -eu
source=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/tree"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$folder/tree"
cd "$folder/tree"
# The files and the lines are those of the documents.
sed -n '/^`zoo\/my-own.h`:$/,/^The line in/s/^    //p' docs/adding-a-lock.md >zoo/my-own.h
grep -q '"my-own"' zoo/registry.def || # unless a reader of it has done so
    sed -n '/^The line in/,$s/^    LOCK/LOCK/p' docs/adding-a-lock.md >>zoo/registry.def
kinds=tools/bench/command/kinds
sed -n '/^`tools\/bench\/command\/kinds\/held.c`:$/,/^The line in/s/^    //p' docs/extending.md >$kinds/held.c
grep -q 'KIND(held)' $kinds.def || sed -n 's/^    KIND/KIND/p' docs/extending.md >>$kinds.def
sed -n 's/^    PLAIN/    PLAIN/p' docs/extending.md >"$folder/client"
grep -q '"2x3"' tools/check/clients/standard.c ||
    sed -i "/^static const struct lock_client clients/r $folder/client" tools/check/clients/standard.c
mkdir -p tools/check/mutants/my-own
sed -n '/`tools\/check\/mutants\/my-own\/only-looks.patch`:$/,/^The first line/s/^    //p' docs/extending.md \
    >tools/check/mutants/my-own/only-looks.patch
grep -q '^my-own ' tools/check/mutants/equivalent || # unless it is there already
    sed -n 's/^    Harmless: any value/Harmless: any value/p; s/^    my-own zoo/my-own zoo/p' docs/extending.md \
        >>tools/check/mutants/equivalent
# Not optimised: it is compiled for this alone.
cmake -S . -B build -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build build --parallel 2 --target recip recip-check locks-exclusion locks-try >/dev/null
build/recip list | grep '^my-own '
build/recip check my-own --quick | grep "all passed"
build/recip check --client 2x3 mcs | grep "all passed"
build/recip check --list-clients | grep '2x3 .*two threads, three acquisitions each'
build/recip check --mutants my-own | tee "$folder/mutants"
grep -q 'try-acquire that only looks *killed' "$folder/mutants"
grep -q ' 0 not as they should be' "$folder/mutants"
build/recip bench --lock my-own --threads 1,2 --duration 0.01 | grep '^my-own '
build/tests/locks/locks-exclusion my-own 2>&1 | grep -q '1 test(s)'
build/tests/locks/locks-try my-own >/dev/null 2>&1
build/recip bench --help | grep '^held: '
build/recip bench held --lock pthread --threads 1 --duration 0.01 | grep '^pthread '
if build/recip bench held --keys 1 2>"$folder/refused"; then
    echo "an option of another kind is not refused"
    exit 1
fi
grep -q "'held'" "$folder/refused"
rm -rf "$folder"
