#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh SOURCE: every C and C++ file is laid out as .clang-format has it.
set -eu
cd "$1"
command -v clang-format >/dev/null || { echo "clang-format is missing"; exit 77; }
git ls-files '*.c' '*.h' '*.cpp' '*.hpp' >/dev/null 2>&1 || { echo "not a git tree"; exit 77; }
if ! git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror; then
    echo "to repair it: git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format -i"
    exit 1
fi
