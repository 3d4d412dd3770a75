#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh RECIP FOLDER [PROGRAM...]: how fast real programs, and single calls of <pthread.h>, are on our locks, as a ratio to
# the system's own: above 1 is better. Each command is run RUNS times (default 7) on each lock of LOCKS (default mutex,
# reciprocating-park,mcs-park), all taking turns; a ratio is the median of the rounds' ratios, with its 95 % interval. FOLDER is
# where the tests of the preload library put their programs (build/gcc/tests/preload/programs); a program that is not
# installed is passed over. The details, of each run, go to FOLDER/programs.log.
#
# Servers are loaded for LOAD_SECONDS (default 3) a run by their usual clients (servers/). Beside throughput there are p99 and the
# longest, as the client reports them; their ratios are turned over, so that above 1 is shorter.
set -u
PATH=$PATH:/usr/sbin
recip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
runs=${RUNS:-7}
locks=${LOCKS:-mutex,reciprocating-park,mcs-park}
seconds=${LOAD_SECONDS:-3}
here=$(cd "$(dirname "$0")/../../tests/preload" && pwd)
servers=$(cd "$(dirname "$0")/servers" && pwd)
calls=$(dirname "$recip")/tools/bench/pthread-calls
cd "$folder" || exit 1
log=$folder/programs.log
: >"$log"

# run_in_turns TITLE KINDS OPTION... -- COMMAND...: a line for each figure. TITLE has a line for each, KINDS a word: of a time, and of a
# cost, the ratio is turned over.
run_in_turns() {
    title=$1
    kinds=$2
    shift 2
    if ! text=$("$recip" run --compare "pthread,$locks" --runs "$runs" "$@" 2>&1); then
        printf '%-33s failed: %s\n' "$(echo "$title" | head -n 1)" "$(echo "$text" | grep . | head -n 2 | paste -sd ' ')"
        return
    fi
    printf '== %s\n%s\n\n' "$title" "$text" >>"$log"
    echo "$text" | titles=$title awk -v kinds="$kinds" '
        BEGIN { split(ENVIRON["titles"], title, /\n/); split(kinds, kind, / /) }
        / taking turns$/ { if (figure++) print line }
        $1 == "pthread" { line = sprintf("%-33s %12s", title[figure], $2) }
        NF == 6 && $6 ~ /\.\./ {
            split($6, end, /\.\./)
            if (kind[figure] != "time") line = line sprintf("   %5.2f (%.2f..%.2f)", $5, end[1], end[2])
            else line = line sprintf("   %5.2f (%.2f..%.2f)", inverse($5), inverse(end[2]), inverse(end[1]))
        }
        END { print line }
        function inverse(number) { return number > 0 ? 1 / number : 0 }'
}

# compare TITLE rate|time PATTERN COMMAND...: the figure that the pattern finds, or the time if there is none.
compare() {
    title=$1
    kind=$2
    pattern=$3
    shift 3
    if [ -n "$pattern" ]; then set -- --pattern "$pattern" -- "$@"; else set -- -- "$@"; fi
    run_in_turns "$title" "$kind" "$@"
}

# compare_server TITLE NAME CLIENTS: the server of servers/NAME.sh.
compare_server() {
    run_in_turns "$1, 1/s
  p99, us
  longest, us" 'rate time time' --pattern 'throughput: ([0-9.e+]+)' --pattern 'p99: ([0-9.e+]+)' --pattern 'longest: ([0-9.e+]+)' \
        -- "$servers/$2.sh" "$folder" "$seconds" "$3"
}

has() {
    command -v "$1" >/dev/null
}

make_data() {
    [ -e data ] || { seq 1 1500000; head -c 4000000 "$recip"; } >data
}

bench_calls() {
    [ -x "$calls" ] || { echo "calls: build the target pthread-calls"; return; }
    for name in $("$calls"); do compare "$name, ns" time 'ns: ([0-9.]+)' "$calls" "$name"; done
}

bench_leveldb() {
    [ -x ./leveldb ] || return
    # In memory, where the store's one mutex is what counts, and in files, where its work is.
    for threads in 2 8 16 32; do
        compare "LevelDB memory, $threads threads" rate 'readrandom: ([0-9]+)' ./leveldb leveldb.data "$threads" 1 5000
        compare "LevelDB files, $threads threads" rate 'readrandom: ([0-9]+)' ./leveldb leveldb.data "$threads" 1
    done
}

bench_rocksdb() {
    [ -x ./rocksdb ] || return
    for threads in 2 8; do
        compare "RocksDB reads, $threads threads" rate 'readrandom: ([0-9]+)' ./rocksdb rocksdb.data "$threads" 1
    done
}

bench_zstd() { has zstd && make_data && compare 'zstd -9 -T4, s' time '' zstd -q -9 -T4 -c data; }
bench_xz() { has xz && make_data && compare 'xz -T4, s' time '' xz -1 -T4 --block-size=1MiB -c data; }
bench_pigz() { has pigz && make_data && compare 'pigz -p 4, s' time '' pigz -p 4 -c data; }
bench_python() { has python3 && compare 'Python threads, s' time '' python3 "$here/threads.py"; }
bench_java() { has java && compare 'JVM threads, s' time '' java "$here/Threads.java"; }
bench_ffmpeg() {
    has ffmpeg && compare 'ffmpeg -threads 4, s' time '' \
        ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=3:size=640x480 -c:v mpeg4 -threads 4 -f null -
}
bench_x264() {
    has x264 && make_data && head -c 11404800 data >raw.yuv && compare 'x264 --threads 4, s' time '' \
        x264 --quiet --threads 4 --demuxer raw --input-res 352x288 --preset veryfast --muxer raw -o /dev/null raw.yuv
}
bench_git() {
    has git || return 0
    [ -d bench.git ] || (
        git init -q bench.git && cd bench.git || exit
        for i in $(seq 400); do seq "$i" 9000 >"file$i"; done
        git add . && git -c user.name=a -c user.email=a@b commit -q -m files
    )
    compare 'git repack, s' time '' git -C bench.git -c pack.threads=4 repack -q -adf --window=250
}
bench_stress_ng() {
    has stress-ng && compare 'stress-ng --mutex, 1/s' rate 'mutex +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9.]+)' \
        stress-ng --mutex 4 -t 1 --metrics --temp-path "$folder"
}

bench_apache() { has apache2 && has ab && compare_server 'Apache event, 64 clients' apache 64; }
bench_nginx() { has nginx && has ab && compare_server 'nginx, thread pool, 64' nginx 64; }
bench_mariadb() {
    { has mariadbd && has sysbench; } || return 0
    for clients in 8 32; do compare_server "MariaDB read-write, $clients" mariadb "$clients"; done
}
bench_redis() { has redis-server && has redis-benchmark && compare_server 'redis io-threads, 50' redis 50; }
bench_memcached() { has memcached && has memcaslap && compare_server 'memcached -t 4, 64' memcached 64; }
bench_bind() { has named && has dnsperf && compare_server 'BIND, 64 clients' bind 64; }
bench_db_bench() { has db_bench && compare_server 'RocksDB readwhilewriting, 8' rocksdb 8; }

programs='calls leveldb rocksdb zstd xz pigz python java ffmpeg x264 git stress_ng apache nginx mariadb redis memcached bind db_bench'
[ $# -eq 0 ] || programs=$*
printf '%-33s %12s' '' pthread
echo "$locks" | tr ',' '\n' | while read -r lock; do printf '   %-18s' "$lock"; done
echo
for program in $programs; do
    "bench_$program" || true
done
