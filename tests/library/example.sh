#!/bin/sh
# SPDX-License-Identifier: MIT
# example.sh python|rust SOURCE BUILD FOLDER: the example in that language runs with the shared library. 77: the language is not here.
set -eu
language=$1
source=$2
build=$3
folder=$4

# needs COMMAND
needs() {
    command -v "$1" >/dev/null && return
    echo "there is no $1 here"
    exit 77
}

rm -rf "$folder"
mkdir -p "$folder"
export LD_LIBRARY_PATH="$build"
case $language in
python)
    needs python3
    python3 "$source/examples/mutex.py" >"$folder/said"
    expected='4 threads counted to 4000'
    ;;
rust)
    needs rustc
    rustc -O --edition 2021 "$source/examples/mutex.rs" -L "$build" -l recip -o "$folder/mutex"
    "$folder/mutex" >"$folder/said"
    expected='4 threads counted to 400000'
    ;;
esac
version=$("$build/recip" --version)
if [ "$(cat "$folder/said")" != "lib$version: $expected" ]; then
    cat "$folder/said"
    exit 1
fi
rm -rf "$folder"
