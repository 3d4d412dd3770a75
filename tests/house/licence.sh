#!/bin/sh
# SPDX-License-Identifier: MIT
# licence.sh SOURCE: every source file names its licence in its first line, or in the second after what has to be first.
set -eu
cd "$1"
git ls-files >/dev/null 2>&1 || { echo "not a git tree"; exit 77; }
missing=$(git ls-files '*.[ch]' '*.[ch]pp' '*.def' '*.in' '*.map' '*.sh' 'scripts/*' '*.cmake' '*CMakeLists.txt' Makefile '*.js' '*.mjs' \
    '*.css' '*.html' '*.py' '*.rs' '*.java' 'man/*' '*.supp' '*.yml' packages.txt | while read -r file; do
    # What comes before and after the words is the comment of the file's language; what ends it, if anything does, ends the line.
    head -n 2 "$file" | grep -q -x -E '(/\*|//|#|<!--|\.\\") SPDX-License-Identifier: MIT( \*/| -->)?' || echo "$file"
done)
if [ -n "$missing" ]; then
    printf 'no line with SPDX-License-Identifier: MIT at the top of:\n%s\n' "$missing"
    exit 1
fi
