#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh SOURCE: <recip.h>, <recip.hpp> and <recip-check.h> give no warning, with every compiler that is here, in every
# standard that they support, as the header of a user's own and not of the system, and with their options.
set -eu
source=$1
here=$source/tests/library
failures=0
tried=0

# quiet COMPILER... : it compiles, and without a word.
quiet() {
    tried=$((tried + 1))
    said=$("$@" -I"$source/include" -o /dev/null 2>&1) && [ -z "$said" ] && return
    echo "$*: $said"
    failures=$((failures + 1))
}

warnings='-pedantic -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-qual -Wcast-align -Wredundant-decls -Werror'
c="$warnings -Wstrict-prototypes -Wmissing-prototypes -Wbad-function-cast"
cxx="$warnings -Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi"

valgrind=
[ ! -e /usr/include/valgrind/helgrind.h ] || valgrind=-DRECIP_VALGRIND

# versions NAME: this compiler, and other versions of it that are here, each once.
versions() {
    for version in '' -11 -12 -13 -14 -15 -16 -17 -18 -19; do
        ! command -v "$1$version" >/dev/null || echo "$("$1$version" -dumpversion) $1$version"
    done | sort -u -k 1,1 | sed 's/.* //'
}

# tsan COMPILER: the option, if the compiler has that sanitizer's header beside it.
tsan() {
    ! echo '#include <sanitizer/tsan_interface.h>' | "$1" -x c -fsyntax-only - 2>/dev/null || echo -fsanitize=thread
}

# What stands for an option is words.
# shellcheck disable=SC2086
for name in $(versions gcc) $(versions clang); do
    for standard in c99 c11 c17 gnu11 gnu17; do
        quiet $name $c -std=$standard -O2 -c "$here/every-name.c"
    done
    quiet $name $c -std=c11 -c "$source/docs/examples/spinlock-client.c"
    for option in -O0 -fPIC -DRECIP_NO_RSEQ $valgrind $(tsan $name) "$(tsan $name) -DRECIP_UNANNOTATED"; do
        quiet $name $c -std=c11 $option -c "$here/every-name.c"
    done
done
# shellcheck disable=SC2086
for name in $(versions g++) $(versions clang++); do
    quiet $name $cxx -std=c++11 -x c++ -c "$source/include/recip-check.h"
    for standard in c++11 c++14 c++17 c++20 gnu++17; do
        quiet $name $cxx -std=$standard -O2 -x c++ -c "$here/every-name.c"
    done
    for option in -O0 -fPIC -DRECIP_NO_RSEQ $valgrind $(tsan $name); do
        quiet $name $cxx -std=c++11 $option -x c++ -c "$here/every-name.c"
    done
    for option in -std=c++17 -std=c++20 "-std=c++17 -fno-exceptions -fno-rtti"; do
        quiet $name $cxx $option -O2 -c "$here/every-type.cpp"
    done
done
[ $tried -gt 0 ] || failures=1
exit $failures
