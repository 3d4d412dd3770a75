#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy.sh SOURCE BUILD REGEX: clang-tidy finds nothing in the files whose path below SOURCE matches, compiled as in BUILD.
set -eu
source=$1
build=$2
command -v clang-tidy >/dev/null || { echo "clang-tidy is missing"; exit 77; }
# clang does not know these flags of gcc's.
database=$build/clang-tidy
mkdir -p "$database"
sed 's/-fno-crossjumping//; s/-fno-tree-tail-merge//; s/-Wno-tsan//' "$build/compile_commands.json" >"$database/compile_commands.json"
cd "$source"
sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$build/compile_commands.json" | sort -u | sed -n "s|^$source/||p" |
    grep -v '^build' | grep -E "$3" | tr '\n' '\0' | xargs -0 -n 4 -P 2 clang-tidy -p "$database" --quiet 2>/dev/null
