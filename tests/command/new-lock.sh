#!/bin/sh
# new-lock.sh SOURCE FOLDER: a lock of one's own is one header and one line in the registry, as docs/adding-a-lock.md
# shows, and is then listed, measured and tested without touching anything else.
set -eu
source=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/tree"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$folder/tree"
cd "$folder/tree"
# The header and the line are those of the document.
sed -n '/^`zoo\/my-own.h`:$/,/^The line in/s/^    //p' docs/adding-a-lock.md >zoo/my-own.h
grep -q '"my-own"' zoo/registry.def || # unless a reader of it has done so
    sed -n '/^The line in/,$s/^    LOCK/LOCK/p' docs/adding-a-lock.md >>zoo/registry.def
# Not optimised: it is compiled for this alone.
cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build build --parallel 2 --target recip locks-exclusion locks-try >/dev/null
build/recip list | grep '^my-own '
build/recip bench --lock my-own --threads 1,2 --duration 0.01 | grep '^my-own '
build/tests/locks/locks-exclusion my-own 2>&1 | grep -q '1 test(s)'
build/tests/locks/locks-try my-own >/dev/null 2>&1
rm -rf "$folder"
