#!/bin/sh
# programs.sh RECIP FOLDER [RUNS]: real programs on the system's mutex and on ours, taking turns; a table for each. FOLDER is
# where the tests of the preload library have put their LevelDB program (build/tests/preload/programs), or any folder.
set -u
recip=$1
folder=$2
runs=${3:-5}
locks=${LOCKS:-pthread,mutex,reciprocating-park,mcs-park}
here=$(cd "$(dirname "$0")/../tests/preload" && pwd)
mkdir -p "$folder"
cd "$folder" || exit 1

# compare TITLE PATTERN COMMAND...: an empty pattern measures time.
compare() {
    title=$1
    pattern=$2
    shift 2
    echo
    echo "== $title"
    if [ -n "$pattern" ]; then
        "$recip" run --compare "$locks" --runs "$runs" --pattern "$pattern" -- "$@"
    else
        "$recip" run --compare "$locks" --runs "$runs" -- "$@"
    fi
}

has() {
    command -v "$1" >/dev/null
}

[ -e data ] || { seq 1 1500000; head -c 4000000 "$recip"; } >data

if [ -x leveldb ]; then
    for threads in 2 8 32; do
        compare "LevelDB, reads at random by $threads threads, per second" 'readrandom: ([0-9]+)' \
            ./leveldb leveldb.data "$threads" 2
    done
fi
! has zstd || compare 'zstd -T4, seconds' '' zstd -q -T4 -c data
! has xz || compare 'xz -T4, seconds' '' xz -1 -T4 --block-size=1MiB -c data
! has pigz || compare 'pigz -p 4, seconds' '' pigz -p 4 -c data
! has python3 || compare 'Python threads, seconds' '' python3 "$here/threads.py"
! has java || compare 'JVM threads, seconds' '' java "$here/Threads.java"
! has ffmpeg || compare 'ffmpeg, seconds' '' \
    ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=3:size=640x480 -c:v mpeg4 -threads 4 -f null -
! has stress-ng || compare 'stress-ng --mutex, operations per second' 'mutex +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9.]+)' \
    stress-ng --mutex 4 -t 2 --metrics --temp-path "$folder"
# The client is on the lock too, but has one thread.
# shellcheck disable=SC2016
! has redis-server || compare 'redis with 4 io-threads, GET per second' 'GET: ([0-9.]+)' sh -c '
    redis-server --port 0 --unixsocket "$0/redis.sock" --save "" --io-threads 4 --io-threads-do-reads yes >/dev/null 2>&1 &
    until redis-cli -s "$0/redis.sock" ping >/dev/null 2>&1; do sleep 0.1; done
    redis-benchmark -s "$0/redis.sock" -n 100000 -c 50 -P 8 -t get -q
    redis-cli -s "$0/redis.sock" shutdown nosave
    wait' "$folder"
