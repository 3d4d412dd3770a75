#!/bin/sh
# SPDX-License-Identifier: MIT
# open-posix.sh PRELOAD FOLDER [LOCK...]: the tests of threads and semaphores of the Open POSIX Test Suite, from Debian's source package
# posixtestsuite, on the bare system and then on each lock (by default the mutex, and the mutex with statistics and
# watched). LTP's open_posix tests descend from this suite; Debian has no other package of them. Every test that passes bare has to pass on every lock.
#
# Everything is unpacked and built in FOLDER and kept there for the next run; nothing of it is part of this project. 77: the source
# package cannot be had.
set -eu
preload=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- mutex mutex-watched
cc=${CC:-gcc}
# They sleep most of the time.
jobs=8
mkdir -p "$folder"
cd "$folder"
folder=$PWD

# ---- The source package, by an apt of its own, which knows source packages ----

own_apt() {
    apt-get -q -o APT::Sandbox::User=root -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::sourcelist="$folder/apt/sources.list" "$@" >>fetch.log 2>&1
}
fetch() {
    rm -rf apt posixtestsuite*
    mkdir -p apt/lists/partial apt/cache/archives/partial
    mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
        2>/dev/null | head -n 1)
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bookworm main" >apt/sources.list
    own_apt update && own_apt source posixtestsuite && touch fetched
}
: >fetch.log
if [ ! -e fetched ] && ! fetch; then
    tail -n 5 fetch.log
    echo "the source package posixtestsuite cannot be had here"
    exit 77
fi
set -- "$@" -- posixtestsuite-*/
while [ "$1" != -- ]; do
    locks="${locks:-} $1"
    shift
done
suite=$folder/$2

# ---- Build: PROGRAM is INTERFACE-NUMBER, of conformance/interfaces/INTERFACE/NUMBER.c ----

mkdir -p programs results
cat >build-one <<BUILD
#!/bin/sh
name=\$(echo "\$1" | sed 's|^.*/interfaces/||; s|/|-|g; s|\.c\$||')
[ -e "programs/\$name" ] || [ -e "programs/\$name.unbuilt" ] ||
    $cc -std=gnu99 -O2 -w -I"$suite/include" "\$1" -o "programs/\$name" -pthread -lrt -lm 2>>build.log || touch "programs/\$name.unbuilt"
BUILD
# run-one COLUMN TEST VARIABLE=VALUE...: results/COLUMN/TEST holds the exit status, .log the output. Each in a folder of its own.
cat >run-one <<'RUN'
#!/bin/sh
home=$PWD
results=$home/results/$1
name=$2
shift 2
mkdir -p "$results/$name.folder"
cd "$results/$name.folder"
env "$@" setsid timeout 240 "$home/programs/$name" >"$results/$name.log" 2>&1 </dev/null &
group=$!
wait "$group"
echo $? >"$results/$name"
kill -KILL -- "-$group" 2>/dev/null # some leave children behind
cd "$home"
rm -rf "$results/$name.folder"
RUN
chmod +x build-one run-one
# shellcheck disable=SC2038 # their names are plain
find "$suite/conformance/interfaces" -path '*/pthread_*/[0-9]*.c' -o -path '*/sem_*/[0-9]*.c' -o -path '*/fork/[0-9]*.c' |
    xargs -P "$jobs" -I SOURCE ./build-one SOURCE
tests=$(cd programs && find . -type f ! -name '*.unbuilt' -printf '%f\n' | sort)
[ "$(echo "$tests" | wc -l)" -gt 300 ] || { tail build.log; echo "hardly any test was built"; exit 1; }

# ---- Run ----

# run_all COLUMN VARIABLE=VALUE...
run_all() {
    column=$1
    shift
    rm -rf "results/$column"
    mkdir -p "results/$column"
    echo "$tests" | xargs -P "$jobs" -I NAME ./run-one "$column" NAME "$@" || true
}

passed() {
    grep -lx 0 "results/$1"/* 2>/dev/null | grep -v '\.log$' | xargs -r -n 1 basename | sort
}

# Some measure time, and fail now and then on a busy machine. One that failed is run again by itself; if it fails again, the bare system
# has to pass it three times for that to count.
settle() {
    column=$1
    name=$2
    shift 2
    ./run-one "$column" "$name" "$@"
    [ "$(cat "results/$column/$name")" != 0 ] || return 0
    for _ in 1 2 3; do
        ./run-one bare "$name" RECIP_BARE=1
        if [ "$(cat "results/bare/$name")" != 0 ]; then
            echo "$name is unsteady on the bare system"
            return 0
        fi
    done
    return 1
}

run_all bare RECIP_BARE=1
passed bare >results/bare.passed
echo "bare: $(wc -l <results/bare.passed) of $(echo "$tests" | wc -l) tests pass"
status=0
for column in $locks; do
    lock=${column%-watched}
    set -- LD_PRELOAD="${preload##*/}" LD_LIBRARY_PATH="${preload%/*}" RECIP_LOCK="$lock"
    [ "$lock" = "$column" ] || set -- "$@" RECIP_WATCH=on RECIP_STATS=/dev/null
    run_all "$column" "$@"
    if grep -l 'cannot be preloaded' "results/$column"/*.log; then
        echo "$column: these ran without the library"
        exit 1
    fi
    passed "$column" >"results/$column.passed"
    failed=0
    for name in $(comm -23 results/bare.passed "results/$column.passed"); do
        settle "$column" "$name" "$@" && continue
        echo "$column: $name: status $(cat "results/$column/$name"): $(tail -n 1 "results/$column/$name.log")"
        failed=$((failed + 1))
        status=1
    done
    echo "$column: $(($(wc -l <results/bare.passed) - failed)) of these"
done
exit $status
