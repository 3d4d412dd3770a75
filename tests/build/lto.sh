#!/bin/sh
# SPDX-License-Identifier: MIT
# lto.sh SOURCE FOLDER UPLOT: with -flto, by gcc and by clang, with any C++ compiler that CMake finds: the library, the preload
# library, the command and a helper that is C++ link, and run a program. The build folder has a space in its path. Building a
# second time compiles nothing.
set -eu
source=$1
folder=$2
uplot=$3
rm -rf "$folder"
mkdir -p "$folder"
unset CC CXX CFLAGS CXXFLAGS LDFLAGS

fail() {
    cat "$folder/log"
    echo "lto.sh: $*"
    exit 1
}

echo 'int main(void) { return 0; }' >"$folder/trial.c"
for cc in gcc clang; do
    if ! "$cc" -flto "$folder/trial.c" -o "$folder/trial" 2>"$folder/log"; then
        echo "$cc -flto does not work here"
        continue
    fi
    build="$folder/by $cc"
    cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS=-flto ${uplot:+"-DRECIP_UPLOT=$uplot"} \
        >"$folder/log" 2>&1 || fail "$cc: cmake"
    targets='recip-shared recip-preload recip'
    grep -q '^CMAKE_CXX_COMPILER:.*NOTFOUND' "$build/CMakeCache.txt" || targets="$targets recip-bench-atomic"
    # shellcheck disable=SC2086 # words, as they are meant
    cmake --build "$build" --parallel 2 --target $targets >"$folder/log" 2>&1 || fail "$cc: the build"
    # shellcheck disable=SC2086
    cmake --build "$build" --parallel 2 --target $targets >"$folder/log" 2>&1 || fail "$cc: the second build"
    ! grep -E 'Building|Linking|Generating' "$folder/log" || fail "$cc: the second build makes these again"
    "$build/recip" run -- sh -c 'grep -q librecip-preload.so /proc/self/maps' || fail "$cc: recip run"
    case $targets in
    *atomic*) "$build/recip" bench atomic --lock mutex --threads 2 --duration 0.01 --runs 1 >"$folder/log" 2>&1 ||
        fail "$cc: recip bench atomic" ;;
    esac
done
rm -rf "$folder"
