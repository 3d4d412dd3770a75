#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb.sh SOURCE BUILD PROGRAM HANDED-OVER FOLDER: gdb's command `recip` says who leads and who waits in PROGRAM (gdb.c), in order: with
# debug information of the library, from a library without any, and from a core file. Likewise who owns a mutex that is to be handed over,
# in HANDED-OVER (tests/command/handed-over.c).
set -u
source=$1
build=$2
program=$3
handed_over=$4
folder=$5
failures=0
command -v gdb >/dev/null || exit 77
gdb -nx -batch -ex 'python print(1)' 2>&1 | grep -qx 1 || exit 77
rm -rf "$folder"
mkdir -p "$folder/stripped"

fails() {
    echo "$*"
    failures=$((failures + 1))
}

# asks SAID ARGUMENT...: gdb with these arguments, without what differs from run to run.
asks() {
    said=$1
    shift
    timeout 200 gdb -nx -batch -iex 'set debuginfod enabled off' "$@" >"$said.raw" 2>&1
    sed -nE '/^recip: /p; /^(mutex|condition variable|semaphore) 0x|^  [a-z]/{s/0x[0-9a-f]+/ADDRESS/g; s/, [0-9]+\)/)/; p}' "$said.raw" >"$said"
}

# agrees SAID EXPECTED
agrees() {
    diff "$2" "$1" || fails "$1 is not as it should be; the whole is $1.raw"
}

cat >"$folder/live.expected" <<'TEXT'
mutex ADDRESS <till>: locked
  marks: LEADER_SLEEPS
  leader: thread 2 (first), asleep until release
  then: thread 3 (second), asleep
  then: thread 4 (third), asleep
mutex ADDRESS <strict>: locked
  marks: BARRED LEADER_SLEEPS
  bound: 0
  leader: thread 5 (one), asleep until release
  then: thread 7 (three), asleep
  then: thread 6 (two), asleep
mutex ADDRESS <till>: locked
  marks: WAKE_DUE
  leader: thread 3 (second), which release wakes
  then: thread 4 (third), asleep
  then: thread 8 (fourth), asleep
condition variable ADDRESS <served>
  waits: thread 9 (guest), asleep; its mutex is ADDRESS <kitchen>
  waits: thread 10 (friend), asleep; its mutex is ADDRESS <kitchen>
mutex ADDRESS <kitchen>: free
semaphore ADDRESS <tables>: 0 permits
  waits: thread 12 (late), asleep
  waits: thread 11 (early), asleep
TEXT
set -- -ex 'break mutex_is_waited_for' -ex 'break segment_is_waited_for' -ex 'break others_are_waited_for' -ex run \
    -ex 'recip till' -ex 'recip &strict' -ex continue -ex 'recip till' -ex continue \
    -ex 'recip served' -ex 'recip kitchen' -ex 'recip tables' -ex "generate-core-file $folder/core" -ex kill

# As installed: gdb loads it together with the library.
RECIP_NO_MANIFEST=1 cmake --install "$build" --prefix "$folder/usr" >/dev/null
installed=$(dirname "$(find "$folder/usr" -name 'librecip.so')")
scripts=$folder/usr/share/gdb/auto-load
asks "$folder/live" -iex "add-auto-load-scripts-directory $scripts" -iex "add-auto-load-safe-path $scripts" \
    -ex "set environment LD_LIBRARY_PATH $installed" "$@" "$program"
agrees "$folder/live" "$folder/live.expected"

# A core file has no names of threads.
sed -n '/^condition/,$s/ ([a-z]*)/ (?)/; /^condition/,$p' "$folder/live.expected" >"$folder/core.expected"
asks "$folder/cored" -iex "source $source/src/recip-gdb.py" "$program" "$folder/core" -ex 'recip served' -ex 'recip kitchen' -ex 'recip tables'
# gdb numbers the threads of a core file anew.
for text in core.expected cored; do
    sed -E 's/thread [0-9]+/thread N/' "$folder/$text" >"$folder/$text.same"
done
agrees "$folder/cored.same" "$folder/core.expected.same"

# Without debug information of the library.
strip -o "$folder/stripped/librecip.so.0.1" "$installed/librecip.so"
asks "$folder/bare" -iex "source $source/src/recip-gdb.py" -ex "set environment LD_LIBRARY_PATH $folder/stripped" "$@" "$program"
agrees "$folder/bare" "$folder/live.expected"

# The owner is to hand it over.
cat >"$folder/handed-over.expected" <<'TEXT'
mutex ADDRESS <till>: locked
  marks: HANDS_OVER
  owner: thread 2 (first), which hands it over
  then: thread 4 (third), asleep
  then: thread 3 (second), asleep
  then: thread 5 (fourth), asleep
  then: thread 6 (fifth), asleep
TEXT
asks_handed_over() {
    said=$1
    libraries=$2
    asks "$said" -iex "source $source/src/recip-gdb.py" -ex "set environment LD_LIBRARY_PATH $libraries" -ex 'set environment RECIP_OWN_CPU 0' \
        -ex 'set environment RECIP_AWAKE 900000000' -ex 'set environment RECIP_CREDIT 0' -ex 'break is_handed_over' -ex run -ex 'recip till' \
        -ex "generate-core-file $folder/core" -ex kill "$handed_over"
}
for libraries in "$installed" "$folder/stripped"; do
    asks_handed_over "$folder/handed-over" "$libraries"
    agrees "$folder/handed-over" "$folder/handed-over.expected"
done
asks "$folder/handed-over-core" -iex "source $source/src/recip-gdb.py" "$handed_over" "$folder/core" -ex 'recip till'
for text in handed-over.expected handed-over-core; do
    sed -E 's/thread [0-9]+ \([a-z?]*\)/thread N/' "$folder/$text" >"$folder/$text.same"
done
agrees "$folder/handed-over-core.same" "$folder/handed-over.expected.same"

# What is no object of ours.
for words in '' 3 nosuch main; do
    asks "$folder/refused" -iex "source $source/src/recip-gdb.py" "$program" -ex "recip $words"
    [ "$(grep -c "^recip: .*$words" "$folder/refused") $(wc -l <"$folder/refused")" = '1 1' ] || fails "recip $words: $(cat "$folder/refused.raw")"
done
exit "$failures"
