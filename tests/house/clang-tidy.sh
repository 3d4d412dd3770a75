#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy.sh SOURCE BUILD once|each REGEX: clang-tidy finds nothing in the files whose path below SOURCE matches, compiled as in
# BUILD. Many files are compiled several times there, for other worlds and with other options: clang-tidy sees them as they are
# compiled first, which for the library is as it ships, or each time.
set -eu
source=$1
build=$2
often=$3
command -v clang-tidy >/dev/null || { echo "clang-tidy is missing"; exit 77; }
database=$build/clang-tidy-$often
mkdir -p "$database"
# clang does not know these flags of gcc's.
sed 's/-fno-crossjumping//; s/-fno-tree-tail-merge//; s/-Wno-tsan//; s/-Wno-dangling-pointer//' "$build/compile_commands.json" |
    awk -v often="$often" '
        /^{/ { entry = "" }
        { entry = entry $0 "\n" }
        /^ *"file":/ { file = $0 }
        /^}/ && (often == "each" || !seen[file]++) {
            sub(/},?\n$/, "}", entry)
            printf "%s%s", (count++ ? ",\n" : "[\n"), entry
        }
        END { print "\n]" }' >"$database/compile_commands.json"
cd "$source"
sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$database/compile_commands.json" | sort -u | sed -n "s|^$source/||p" |
    grep -v '^build' | grep -E "$4" | tr '\n' '\0' | xargs -0 -n 4 -P 2 clang-tidy -p "$database" --quiet 2>/dev/null
