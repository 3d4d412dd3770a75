#!/bin/sh
# SPDX-License-Identifier: MIT
# count-ir.sh CLANG OUTPUT SOURCE-FOLDER UNIT...: for every unit of the zoo, the number of LLVM IR instructions in its
# acquire and release, as initialisers {"id", acquire, release}. An empty CLANG, or a unit that it cannot compile, gives
# no line.
clang=$1 output=$2 folder=$3
shift 3
: >"$output.new"
[ -n "$clang" ] && for unit in "$@"; do
    id=$(basename "$unit" .c)
    # All inlined, so that nothing is hidden in a call.
    "$clang" -O3 -mllvm -inline-threshold=100000 -D_GNU_SOURCE -I"$folder" -I"$folder/include" -S -emit-llvm -o - "$unit" 2>/dev/null |
        awk -v id="$id" '
        /^define .*@(acquire|release)\(/ { match($0, /@[a-z]+/); within = substr($0, RSTART + 1, RLENGTH - 1); next }
        /^}/ { within = "" }
        # An instruction is indented by two; labels are not indented, the cases of a switch by four.
        within && /^  [^ ;]/ && !/@llvm\.(dbg|lifetime|assume)/ && !/^  \]/ { count[within]++ }
        END { if (count["acquire"]) printf "{\"%s\", %d, %d},\n", id, count["acquire"], count["release"] }
    ' >>"$output.new"
done
mv "$output.new" "$output"
