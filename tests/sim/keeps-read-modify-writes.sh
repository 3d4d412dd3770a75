#!/bin/sh
# SPDX-License-Identifier: MIT
# keeps-read-modify-writes.sh CLANG SOURCE-TREE UNIT: HemLock CTR waits by read-modify-writes, and the compiler must not
# make loads of them, as clang does of a fetch-add of nothing.
code=$("$1" -O2 -D_GNU_SOURCE -I"$2" -I"$2/include" -S -emit-llvm -o - "$3") || exit 2
printf '%s\n' "$code" | grep -aq 'cmpxchg' || { echo "$3: no compare-and-swap at all"; exit 1; }
! printf '%s\n' "$code" | grep -a 'load atomic'
