#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh RECIP FOLDER [PROGRAM...]: how fast real programs, and single calls of <pthread.h>, are on our locks, as a ratio to
# the system's own: above 1 is faster. Each command is run RUNS times (default 7) on each lock of LOCKS (default mutex,
# reciprocating-park,mcs-park), all taking turns; a ratio is the median of the rounds' ratios, with its 95 % interval. FOLDER is
# where the tests of the preload library put their programs (build/gcc/tests/preload/programs); a program that is not
# installed is passed over. The details, of each run, go to FOLDER/programs.log.
set -u
recip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
runs=${RUNS:-7}
locks=${LOCKS:-mutex,reciprocating-park,mcs-park}
here=$(cd "$(dirname "$0")/../../tests/preload" && pwd)
calls=$(dirname "$recip")/tools/bench/pthread-calls
cd "$folder" || exit 1
log=$folder/programs.log
: >"$log"

# compare TITLE rate|time PATTERN COMMAND...: a line. Of times, and of costs that the pattern finds, the ratio is turned over.
compare() {
    title=$1
    kind=$2
    pattern=$3
    shift 3
    if [ -n "$pattern" ]; then set -- --pattern "$pattern" -- "$@"; else set -- -- "$@"; fi
    if ! text=$("$recip" run --compare "pthread,$locks" --runs "$runs" "$@" 2>&1); then
        printf '%-28s failed: %s\n' "$title" "$(echo "$text" | head -n 1)"
        return
    fi
    printf '== %s\n%s\n\n' "$title" "$text" >>"$log"
    echo "$text" | awk -v title="$title" -v kind="$kind" '
        $1 == "pthread" { line = sprintf("%-28s %12s", title, $2) }
        NF == 6 && $6 ~ /\.\./ {
            split($6, end, /\.\./)
            if (kind == "time") { low = 1 / end[2]; high = 1 / end[1]; ratio = 1 / $5 } else { low = end[1]; high = end[2]; ratio = $5 }
            line = line sprintf("   %5.2f (%.2f..%.2f)", ratio, low, high)
        }
        END { print line }'
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

# Servers: the client is on the lock too.
# shellcheck disable=SC2016
bench_redis() {
    has redis-server && compare 'redis io-threads, GET/s' rate 'GET: ([0-9.]+)' sh -c '
        rm -f redis.sock
        redis-server --port 0 --unixsocket "$0/redis.sock" --save "" --io-threads 4 --io-threads-do-reads yes >/dev/null 2>&1 &
        until redis-cli -s redis.sock ping >/dev/null 2>&1; do sleep 0.05; done
        redis-benchmark -s redis.sock -n 100000 -c 50 -P 8 -t get -q
        redis-cli -s redis.sock shutdown nosave
        wait' "$folder"
}
# The client makes 12,800 requests.
# shellcheck disable=SC2016
bench_memcached() {
    has memcached && compare 'memcached -t 4, requests/s' rate 'rate: ([0-9]+)' sh -c '
        rm -f memcached.sock
        memcached -u "$(id -un)" -s "$0/memcached.sock" -t 4 &
        server=$!
        until [ -S memcached.sock ]; do sleep 0.05; done
        start=$(date +%s%N)
        for i in 1 2 3; do python3 "$1/memcached-client.py" memcached.sock; done
        echo "rate: $((3 * 12800 * 1000000000 / ($(date +%s%N) - start)))"
        kill $server
        wait $server' "$folder" "$here"
}
# shellcheck disable=SC2016
bench_mariadb() {
    { has mariadb-install-db && has sysbench; } || return 0
    [ -d bench.mariadb ] || mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$folder/bench.mariadb" \
        --auth-root-authentication-method=normal >install.log 2>&1 || return
    compare 'mariadb, transactions/s' rate 'transactions: +[0-9]+ +\(([0-9.]+)' sh -c '
        server=$(command -v mariadbd || echo /usr/sbin/mariadbd)
        $server --no-defaults --user="$(id -un)" --datadir="$0/bench.mariadb" --skip-networking --socket="$0/mariadb.sock" \
            --pid-file="$0/mariadb.pid" --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=0 >server.log 2>&1 &
        client="mariadb --no-defaults -u root -S $0/mariadb.sock"
        until $client -e "select 1" >/dev/null 2>&1; do sleep 0.1; done
        bench="sysbench oltp_read_only --db-driver=mysql --mysql-socket=$0/mariadb.sock --mysql-user=root --tables=2 --table-size=2000 --threads=8 --time=2"
        $client -e "create database if not exists sbtest"
        $client -e "select 1 from sbtest1 limit 1" sbtest >/dev/null 2>&1 || LD_PRELOAD= $bench prepare >/dev/null
        LD_PRELOAD= $bench run
        $client -e shutdown
        wait' "$folder"
}

programs='calls leveldb rocksdb zstd xz pigz python java ffmpeg x264 git stress_ng redis memcached mariadb'
[ $# -eq 0 ] || programs=$*
printf '%-28s %12s' '' pthread
echo "$locks" | tr ',' '\n' | while read -r lock; do printf '   %-18s' "$lock"; done
echo
for program in $programs; do
    "bench_$program" || true
done
