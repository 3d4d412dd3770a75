#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh SOURCE FOLDER CC: the library as part of another CMake project, by add_subdirectory and by FetchContent, from a folder
# and from git, on a system that has a C compiler and CMake and nothing else. The other project gets two targets; its cache and
# the flags of its own targets stay as they were. Whatever it has set for its own sources, the library builds and links.
set -eu
source=$1
folder=$2
cc=$(command -v "$3")
rm -rf "$folder"
mkdir -p "$folder"
# Where no space is in the path of make, which calls itself without quotes.
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

fail() {
    echo "embed.sh: $*"
    exit 1
}

# Nothing but these (git needs the last): no pkg-config, npm, clang, ...
for command in "$cc" cmake make ld as ar ranlib nm objcopy objdump strip readelf uname git sh sed basename; do
    path=$(command -v "$command") && ln -s "$path" "$bin/${path##*/}"
done
bare() {
    env -u CFLAGS -u LDFLAGS PATH="$bin" CC="$cc" "$@" >"$project/log" 2>&1 && return
    cat "$project/log"
    fail "in $project: $*"
}

# project NAME LINE...: a project that has these lines, a program of its own, and one for each target of the library.
project() {
    project=$folder/$1
    shift
    mkdir -p "$project"
    cat >"$project/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.16)
project(other VERSION 1.2.3 LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
$(printf '%s\n' "$@")
add_executable(own own.c)
foreach(kind recip recip-static)
  if(TARGET recip::\${kind})
    add_executable(with-\${kind} with.c)
    target_link_libraries(with-\${kind} PRIVATE recip::\${kind})
  endif()
endforeach()
PROJECT
    echo 'int main(void) { return 0; }' >"$project/own.c"
    cat >"$project/with.c" <<'PROGRAM'
#include <recip.h>

int main(void)
{
    static recip_mutex_t mutex = RECIP_MUTEX_INIT;
    recip_mutex_lock(&mutex);
    recip_mutex_unlock(&mutex);
    return recip_mutex_destroy(&mutex);
}
PROGRAM
    bare cmake -S "$project" -B "$project/build"
}

# Builds what there is, and runs both programs.
build_and_run() {
    bare cmake --build "$project/build"
    "$project/build/own"
    for kind in recip recip-static; do
        "$project/build/with-$kind" || fail "$project: with-$kind"
    done
}

# What is in the cache, but for names that begin like this, and the number of CMake's own files.
cache_but_for() {
    sed "s|$project|.|g" "$project/build/CMakeCache.txt" | grep '^[A-Za-z_]' | grep -v "$1\|^CMAKE_NUMBER_OF_MAKEFILES" | sort
}
# How the compiler is called for own.c.
flags() {
    sed -n 's/^ *"command": "\(.* -c .*own\.c.*\)",*$/\1/p' "$project/build/compile_commands.json" | sed "s|$project|.|g"
}

# The same project without the library.
project alone
flags >"$folder/flags"
[ -s "$folder/flags" ] || fail "no flags are seen"
cache_but_for '^$' >"$folder/cache"

# check ALLOWED: project() of the library has written what begins with recip_; ALLOWED is what else may be new in the cache.
check() {
    flags | diff "$folder/flags" - || fail "$project: the flags of its own program have changed"
    cache_but_for "^recip_\(SOURCE_DIR\|BINARY_DIR\|IS_TOP_LEVEL\):\|$1" | diff "$folder/cache" - ||
        fail "$project: the cache has changed"
    build_and_run
}

project by-folder "add_subdirectory(\"$source\" recip)"
check '^$'

project by-fetch 'include(FetchContent)' "FetchContent_Declare(recip SOURCE_DIR \"$source\")" 'FetchContent_MakeAvailable(recip)'
check '^FETCHCONTENT_'

# A repository of the files as they are.
mkdir "$folder/repository"
(cd "$source" && tar -cf - CMakeLists.txt include src port zoo) | tar -xf - -C "$folder/repository"
git -C "$folder/repository" init -q
git -C "$folder/repository" add .
git -C "$folder/repository" -c user.name=test -c user.email=test@localhost commit -q -m all
project by-git 'include(FetchContent)' \
    "FetchContent_Declare(recip GIT_REPOSITORY \"file://$folder/repository\" GIT_TAG HEAD)" 'FetchContent_MakeAvailable(recip)'
check '^FETCHCONTENT_\|^GIT_EXECUTABLE'

# What projects set for themselves: warnings as errors, hidden symbols, an old standard, unity builds, link-time optimisation.
project strict 'set(CMAKE_C_VISIBILITY_PRESET hidden)' 'set(CMAKE_C_STANDARD 99)' 'set(CMAKE_C_EXTENSIONS OFF)' \
    'set(CMAKE_UNITY_BUILD ON)' 'set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)' \
    'add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Werror -fvisibility=hidden)' "add_subdirectory(\"$source\" recip)"
build_and_run
rm -rf "$folder"
