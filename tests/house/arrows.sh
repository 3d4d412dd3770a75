#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh SOURCE SCRATCH: a file includes only what docs/architecture.md allows its folder. The table there is the rule.
set -u
source=$1
scratch=$2

# violations TABLE FOLDER: each include of the tree FOLDER that goes against the arrows, and each CMakeLists.txt of a tool that
# takes sources from another.
violations() {
    (cd "$2" && find include port zoo src preload tools tests -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.[ch].in' \
        -o -name '*.def' -o -path 'tools/*/CMakeLists.txt' 2>/dev/null) | sort | (cd "$2" && xargs grep -HnE \
        '^ *# *include *("[^"]+"|<recip[^>]*>)|[.][.]/[a-z]+/[a-z-]+[.]c' /dev/null) |
        awk -v table="$1" '
    function folder_of(path, parts) {
        split(path, parts, "/")
        return parts[1] == "tools" ? parts[1] "/" parts[2] : parts[1]
    }
    # Of what is included; empty for what is beside the file, or made by the build.
    function folder_of_include(name, parts) {
        if (name ~ /^<recip/ || name == "recip-inline.h")
            return "include"
        if (split(name, parts, "/") == 1)
            return ""
        return parts[1] ~ /^(include|port|zoo|src|preload|tests)$/ ? parts[1] : "tools/" parts[1]
    }
    BEGIN {
        while ((getline line < table) > 0)
            if (line ~ /^    [a-z\/*]+ +->/) {
                split(line, sides, "->")
                gsub(/ /, "", sides[1])
                allowed[sides[1]] = " " sides[2] " "
                rules++
            }
        if (rules < 5)
            print table ": the table of arrows is missing"
    }
    {
        file = $0
        sub(/:.*/, "", file)
        from = folder_of(file)
        text = $0
        if (file ~ /CMakeLists/) {
            match(text, /[.][.]\/[a-z]+\//)
            to = "tools/" substr(text, RSTART + 3, RLENGTH - 4)
        } else {
            match(text, /"[^"]+"|<recip[^>]*>/)
            name = substr(text, RSTART, RLENGTH)
            gsub(/"/, "", name)
            to = folder_of_include(name)
        }
        rule = from in allowed ? from : from ~ /^tools\// ? "tools/*" : from
        if (to != "" && to != from && index(allowed[rule], " " to " ") == 0 && index(allowed[rule], " everything ") == 0)
            print file ": " from " may not use " to ":" substr(text, length(file) + 2)
    }'
}

table=$source/docs/architecture.md
found=$(violations "$table" "$source")
if [ -n "$found" ]; then
    printf '%s\n' "$found" "docs/architecture.md says which folder may include which."
    exit 1
fi

# And what goes against them is found.
rm -rf "$scratch"
mkdir -p "$scratch/include" "$scratch/port" "$scratch/zoo" "$scratch/src" "$scratch/preload" "$scratch/tests" \
    "$scratch/tools/sim" "$scratch/tools/cli" || exit 1
printf '#include "port/port.h"\n#include <recip.h>\n' >"$scratch/src/good.c"
printf '#include "sim/world.h"\n#include "check/clients.h"\n' >"$scratch/tests/good.c"
printf '#include "cli/command.h"\n#include "zoo/mcs.h"\n#include "beside.h"\n' >"$scratch/tools/sim/good.c"
printf '#include "port/port.h"\n' >"$scratch/include/bad.h"
printf '#include "zoo/mcs.h"\n' >"$scratch/port/bad.h"
printf '# include "src/waiter.h"\n' >"$scratch/zoo/bad.h"
printf '#include "cli/command.h"\n' >"$scratch/preload/bad.c"
printf '#include "check/clients.h"\n' >"$scratch/tools/sim/bad.c"
printf '#include "sim/world.h"\n' >"$scratch/tools/cli/bad.c"
printf 'add_executable(sim ../check/client.c)\n' >"$scratch/tools/sim/CMakeLists.txt"
found=$(violations "$table" "$scratch" | sed 's/:.*//' | tr '\n' ' ')
expected='include/bad.h port/bad.h preload/bad.c tools/cli/bad.c tools/sim/CMakeLists.txt tools/sim/bad.c zoo/bad.h '
if [ "$found" != "$expected" ]; then
    printf 'of files that go against the arrows:\n    %s\nthese were found:\n    %s\n' "$expected" "$found"
    exit 1
fi
