#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh compare|write SOURCE LIBRARY CC FOLDER: what compiled programs rely on, of the shared LIBRARY and of <recip.h>, is what
# SOURCE/src/abi/librecip-MAJOR.MINOR.abi says; or write that file. CC is a gcc.
set -eu
mode=$1
source=$2
library=$3
cc=$4
folder=$5
header=$source/include/recip.h

number() {
    sed -n "s/^#define RECIP_VERSION_$1 //p" "$header"
}
version=$(number MAJOR).$(number MINOR)
kept=$source/src/abi/librecip-$version.abi

rm -rf "$folder"
mkdir -p "$folder"
# Constants: all macros of the header that have a value and no parameters, but for versions, initialisers, and those that are code.
sed -n 's/^#define \(RECIP_[A-Z0-9_]*\) .*/CONSTANT(\1)/p' "$header" |
    grep -v -x -e 'CONSTANT(RECIP_VERSION_.*)' -e 'CONSTANT(RECIP_.*_INIT)' -e 'CONSTANT(RECIP_INLINE_)' \
        -e 'CONSTANT(RECIP_NULL_)' -e 'CONSTANT(RECIP_CAPABILITY_)' -e 'CONSTANT(RECIP_NOT_ANALYSED)' >"$folder/constants.h"
"$cc" -std=gnu11 -O1 -I"$source/include" -I"$folder" "$source/tests/library/abi.c" -o "$folder/abi"
echo '#include <recip.h>' >"$folder/header.c"
"$cc" -std=gnu11 -I"$source/include" -fsyntax-only -aux-info "$folder/functions" "$folder/header.c"

{
    echo "# The ABI of librecip $version: docs/abi.md. Written by the target update-abi."
    readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/soname \1/p'
    readelf --dyn-syms -W "$library" | awk '$7 != "UND" && $8 ~ /^recip_/ {
        kind = $4 == "OBJECT" ? "object" : $4 == "TLS" ? "thread-local" : "function"
        print kind, $8, kind == "function" ? "" : "size " $3 }' | sed 's/ $//' | LC_ALL=C sort
    # NC: declared. What is only defined is the header's own.
    sed -n 's,^/\* .*/recip[^ /]*:NC \*/ [a-z]* ,prototype ,p' "$folder/functions" | LC_ALL=C sort
    "$folder/abi"
} >"$folder/now"

if [ "$mode" = write ]; then
    mkdir -p "$(dirname "$kept")"
    mv "$folder/now" "$kept"
    echo "recip: wrote $kept"
    rm -rf "$folder"
    exit 0
fi
if [ ! -e "$kept" ]; then
    echo "recip: version $version is new: $kept is missing."
    echo "  cmake --build BUILD --target update-abi, and commit what it wrote."
    exit 1
fi
if diff -U 0 "$kept" "$folder/now" >"$folder/difference"; then
    rm -rf "$folder"
    exit 0
fi
sed '1,2d' "$folder/difference" | grep '^[-+]'
if sed '1,2d' "$folder/difference" | grep -q '^-'; then
    cat <<TEXT
recip: this breaks programs that were compiled with version $version: the lines that start with '-' no longer hold.
  If $version has been released, undo the change, or raise RECIP_VERSION_MINOR (include/recip.h) and the name of the node in
  src/librecip.map. If it has not, or after that: cmake --build BUILD --target update-abi, and commit what it wrote.
TEXT
else
    cat <<TEXT
recip: these are additions to the ABI of version $version, which old programs do not notice.
  cmake --build BUILD --target update-abi, and commit what it wrote.
TEXT
fi
rm -rf "$folder"
exit 1
