#!/bin/sh
# SPDX-License-Identifier: MIT
# cppcheck.sh SOURCE BUILD: cppcheck finds nothing in any file of the project, compiled as in BUILD.
set -eu
source=$1
build=$2
command -v cppcheck >/dev/null || { echo "cppcheck is missing"; exit 77; }
cd "$source"
cppcheck --project="$build/compile_commands.json" --library="$source/.cppcheck.cfg" --enable=warning,performance,portability \
    --inline-suppr --suppressions-list="$source/.cppcheck-suppressions" --suppress="*:$build/*" \
    -D__x86_64__ -D__linux__ -D__GNUC__=12 -D__BYTE_ORDER__=1234 -D__ORDER_LITTLE_ENDIAN__=1234 -D__SIZEOF_POINTER__=8 \
    --quiet --error-exitcode=1 -j2
