#!/bin/sh
# SPDX-License-Identifier: MIT
# complete.sh RUNTIME.o EVERY-ACCESS.c FOLDER: whatever the compilers of this machine call for an access of any kind, the
# front of the instrumentation defines.
set -u
runtime=$1
source=$2
folder=$3
mkdir -p "$folder" || exit 1
nm --defined-only "$runtime" | awk '{print $3}' | grep '^__tsan_' | sort >"$folder/defined"
failures=0
compiled=0

# asks COMPILER OPTION...: the entry points that the compiler calls.
asks() {
    command -v "$1" >"$folder/path" || return
    if ! "$@" -w -fsanitize=thread -c "$source" -o "$folder/every-access.o" 2>"$folder/errors"; then
        echo "$*:" && cat "$folder/errors"
        failures=$((failures + 1))
        return
    fi
    compiled=$((compiled + 1))
    nm --undefined-only "$folder/every-access.o" | awk '{print $2}' | grep '^__tsan_' | sort >"$folder/called"
    missing=$(comm -23 "$folder/called" "$folder/defined")
    if [ -n "$missing" ] || ! [ -s "$folder/called" ]; then
        echo "$*: not defined: ${missing:-nothing is called}"
        failures=$((failures + 1))
    fi
}

for version in '' -11 -12 -13; do
    asks "gcc$version" -x c -DHUGE_ATOMICS
    asks "g++$version" -x c++ -DHUGE_ATOMICS --param tsan-distinguish-volatile=1
done
for version in '' -14 -15 -16; do
    asks "clang$version" -x c -DHUGE_ATOMICS
    asks "clang++$version" -x c++ -mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-compound-read-before-write=1
done
echo "compiled in $compiled ways"
[ "$compiled" -gt 0 ] || failures=1
exit "$failures"
