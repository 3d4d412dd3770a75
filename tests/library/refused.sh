#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh SOURCE FOLDER: where the headers cannot work, the compiler gives one error, and it says why.
set -eu
source=$1
folder=$2
failures=0
tried=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# says ERRORS TEXT COMPILER...: so many errors, one of which contains TEXT.
says() {
    tried=$((tried + 1))
    wanted=$1
    text=$2
    shift 2
    said=$("$@" -I"$source/include" -fsyntax-only 2>&1) && status=0 || status=$?
    errors=$(printf '%s\n' "$said" | grep -c 'error: ' || true)
    [ "$errors" -eq "$wanted" ] || complain "$*: $errors errors, not $wanted: $said"
    [ "$wanted" -gt 0 ] || [ "$status" -eq 0 ] || complain "$*: status $status: $said"
    printf '%s\n' "$said" | grep -q -F "$text" || complain "$*: not a word of '$text': $said"
}

rm -rf "$folder"
mkdir -p "$folder/system/sys"
echo '#include <recip.h>' >"$folder/c.c"
printf '#include <recip.hpp>\nint main() { return 0; }\n' >"$folder/cxx.cpp"

# Standards that are too old.
for name in gcc clang; do
    command -v $name >/dev/null || continue
    says 1 'recip.h: needs C99 or later' $name -std=gnu89 "$folder/c.c"
    says 0 '' $name -std=c99 "$folder/c.c"
done
for name in g++ clang++; do
    command -v $name >/dev/null || continue
    for standard in c++11 c++14 gnu++14; do
        says 1 'recip.hpp: needs C++17 or later' $name -std=$standard "$folder/cxx.cpp"
    done
    says 1 'recip.h: needs C++11 or later' $name -std=gnu++98 -x c++ "$folder/c.c"
    says 0 '' $name -std=c++17 "$folder/cxx.cpp"
done

# Machines, by clang's targets. There is no C library for them here: some words of one do.
: >"$folder/system/errno.h"
echo 'typedef int clockid_t;' >"$folder/system/sys/types.h"
echo 'struct timespec { long tv_sec, tv_nsec; };' >"$folder/system/time.h"
machine() {
    says "$1" "$2" clang --target="$3" -ffreestanding -nostdlibinc -isystem "$folder/system" "$folder/c.c"
}
if command -v clang >/dev/null; then
    machine 0 '' x86_64-linux-gnu
    machine 0 '' aarch64-linux-gnu
    for target in i386-linux-gnu arm-linux-gnueabihf x86_64-linux-gnux32 mips-linux-gnu; do
        machine 1 'recip.h: needs a 64-bit machine' $target
    done
    for target in s390x-linux-gnu powerpc64-linux-gnu aarch64_be-linux-gnu; do
        machine 1 'recip.h: needs a little-endian machine' $target
    done
    machine 1 'recip.h: needs Linux' x86_64-unknown-freebsd
fi
# And by what gcc would say of them.
if command -v gcc >/dev/null; then
    says 1 'recip.h: needs a 64-bit machine' gcc -U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=4 "$folder/c.c"
    says 1 'recip.h: needs a little-endian machine' gcc -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ "$folder/c.c"
fi
[ $tried -gt 0 ] || complain "no compiler was found"
rm -rf "$folder"
exit $failures
