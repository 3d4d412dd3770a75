#!/bin/sh
# SPDX-License-Identifier: MIT
# examples.sh SOURCE BUILD FOLDER CC CXX: every file of examples/ is in its README, compiles without a warning, and does what it says it
# does. Those for `recip check` pass, and fail when an order in them is too weak. Those in other languages are library-python and -rust.
set -eu
source=$1
build=$2
folder=$3
cc=$4
cxx=$5
recip=$build/recip
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

fail() {
    [ ! -e said ] || cat said
    echo "examples.sh: $*"
    exit 1
}

# prints EXPECTED COMMAND...
prints() {
    expected=$1
    shift
    "$@" >said 2>&1 || fail "$*: status $?"
    grep -qxF -e "$expected" said || fail "$*: not '$expected'"
}

# c NAME EXPECTED; cpp NAME EXPECTED.
c() {
    "$cc" -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Werror -I"$source/include" "$source/examples/$1.c" -o "$1" "$build/librecip.a" -pthread
    prints "$2" "./$1"
    done="$done $1.c"
}
cpp() {
    done="$done $1.cpp"
    [ -n "$cxx" ] || return 0
    "$cxx" -std=c++17 -O2 -Wall -Wextra -Wpedantic -Werror -I"$source/include" "$source/examples/$1.cpp" -o "$1" "$build/librecip.a" -pthread
    prints "$2" "./$1"
}

done='README.md mutex.py mutex.rs own-lock.h'
c counter '4 threads counted to 400000'
c queue 'the items add up to 900030000'
c semaphore 'never more than 3 inside: yes; 3 permits are left'
c own-lock '3 threads counted to 6000'
c kitchen '400 sandwiches'
cpp account '2000 in both'
cpp context '80000, 40000, 40000'

# explored NAME FILE SED: the client passes; with that change of FILE it does not.
explored() {
    done="$done $1.c"
    [ -x "$build/recip-check" ] || return 0
    "$recip" check --source "$source/examples/$1.c" >said 2>&1 || fail "recip check --source $1.c"
    mkdir -p changed
    cp "$source"/examples/*.[ch] changed/
    sed -i "$3" "changed/$2"
    ! cmp -s "changed/$2" "$source/examples/$2" || fail "nothing to change in $2"
    status=0
    "$recip" check --source "changed/$1.c" >said 2>&1 || status=$?
    [ $status -eq 1 ] || fail "$1.c with $3 in $2: status $status"
    grep -q FAILED said || fail "$1.c with $3 in $2: it is not said what failed"
}
explored own-lock-client own-lock.h 's/served + 1, memory_order_release/served + 1, memory_order_relaxed/'
explored once-client once-client.c 's/MADE, memory_order_release/MADE, memory_order_relaxed/'

"$recip" sim --machine "$source/examples/two-clusters.machine" --lock reciprocating,ticket --threads 2,8 --episodes 200 >said || fail 'recip sim'
[ "$(grep -c '^reciprocating \|^ticket ' said)" -eq 4 ] || fail 'recip sim: not four lines'
done="$done two-clusters.machine"

# What the documents have: a first program; a rewriting of one for pthread, which then has no call of pthread's mutexes.
sed -n '/^`hello.c`:$/,/^From the build folder/s/^    //p' "$source/docs/getting-started.md" >hello.c
"$cc" -Wall -Wextra -Werror -I"$source/include" hello.c -o hello "$build/librecip.a" -pthread
./hello >said
[ "$(grep -c '^[12]: hello from \(main\|a thread\)$' said)" -eq 2 ] || fail "docs/getting-started.md: hello.c"
for language in c cpp; do
    case $language in
    c) first='#include <recip.h>' compile="$cc -std=gnu11" argument='&counter' ;;
    cpp) first='#include <mutex>' compile="$cxx -std=c++17" argument=counter ;;
    esac
    sed -n "/^    $first/,/^    }/s/^    //p" "$source/README.md" >readme.$language
    echo "int main() { long counter = 0; increment($argument); return counter != 1; }" >>readme.$language
    [ "$language$cxx" != cpp ] || continue
    # shellcheck disable=SC2086 # words, as they are meant
    $compile -Wall -Wextra -Werror -I"$source/include" readme.$language -o readme "$build/librecip.a" -pthread
    ./readme || fail "README.md: the program in $language"
done
{
    sed -n '/^    #include <pthread/,/^    }/s/^    //p' "$source/docs/migrating.md"
    echo 'int main(void) { item = 7; ready = 1; return take() != 7; }'
} >program.c
"$cc" -Wall -Wextra -Werror program.c -o program -pthread
./program || fail "docs/migrating.md: the program for pthread"
eval "$(sed -n 's/^    \(sed -i .*\)/\1/p' "$source/docs/migrating.md")"
sed -i 's/<pthread.h>/<recip.h>/' program.c
! grep pthread program.c || fail "docs/migrating.md: that is left"
"$cc" -Wall -Wextra -Werror -I"$source/include" program.c -o program "$build/librecip.a" -pthread
./program || fail "docs/migrating.md: the program"

for file in "$source"/examples/*; do
    name=$(basename "$file")
    case " $done " in
    *" $name "*) ;;
    *) fail "examples/$name is not tried" ;;
    esac
    [ "$name" = README.md ] || grep -qF "($name)" "$source/examples/README.md" || fail "examples/$name is not in examples/README.md"
done
rm -rf "$folder"
