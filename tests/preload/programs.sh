#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh RECIP FOLDER [PROGRAM...]: real programs give the same answers on each of our locks as on the system's own.
# Each program below prints its answers, with what it expects among them; servers are driven by their own clients, on loopback or a socket in FOLDER, and
# ended by their own process number. LOCKS="mutex ..." chooses the locks. A program that is not installed is passed over; if
# none is, the status is 77.
set -u
recip=$1
folder=$2
shift 2
locks=${LOCKS:-mutex reciprocating-park mcs-park}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder" || exit 1

# Runs it on the lock of this round, with a limit on its time.
on() {
    timeout 300 "$recip" run --lock "$lock" -- "$@"
}

# serve COMMAND...: starts a server on the lock; sets `server`.
serve() {
    "$recip" run --lock "$lock" -- "$@" >server.log 2>&1 </dev/null &
    server=$!
}

# await COMMAND...: until it succeeds, half a minute at most.
await() {
    for _ in $(seq 150); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    echo "the server does not answer"
    tail -n 5 server.log
    return 1
}

end_server() {
    kill "$server"
    wait "$server"
    echo "the server ended with status $?"
}

# Text and noise, the same each time.
make_data() {
    [ -e data ] || { seq 1 1500000; head -c 4000000 "$recip"; } >data
}

needs_zstd=zstd
expects_zstd=same
run_zstd() {
    make_data
    on zstd -q -T4 -c data | sha256sum
    on zstd -q -T4 -c data | on zstd -q -d -c | cmp - data && echo same
}

needs_xz=xz
expects_xz=same
run_xz() {
    make_data
    on xz -1 -T4 --block-size=1MiB -c data | sha256sum
    on xz -1 -T4 --block-size=1MiB -c data | on xz -T4 -d -c | cmp - data && echo same
}

needs_pigz=pigz
expects_pigz=same
run_pigz() {
    make_data
    on pigz -n -p 4 -c data | sha256sum
    on pigz -n -p 4 -c data | on pigz -d -c | cmp - data && echo same
}

needs_python=python3
expects_python=160000
run_python() {
    on python3 "$here/threads.py"
}

# jemalloc locks inside malloc, before anything else in the process has begun.
needs_jemalloc=python3
expects_jemalloc=160000
run_jemalloc() {
    library=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -n 1)
    [ -n "$library" ] || { echo "libjemalloc.so.2 is not here"; return; }
    LD_PRELOAD=$library on python3 "$here/threads.py"
}

needs_leveldb=$folder/leveldb
expects_leveldb=verified
run_leveldb() {
    rm -rf leveldb.data
    on ./leveldb leveldb.data 8 1 | head -n 1
}

needs_rocksdb=$folder/rocksdb
expects_rocksdb=verified
run_rocksdb() {
    rm -rf rocksdb.data
    on ./rocksdb rocksdb.data 8 1 | head -n 1
}

needs_redis=redis-server
expects_redis='status 0'
run_redis() {
    serve redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --io-threads 4 --io-threads-do-reads yes
    await redis-cli -s redis.sock ping || return
    redis-benchmark -s redis.sock -n 20000 -c 20 -P 4 -t set,get,incr,lpush -q >client.log 2>&1 || cat client.log
    redis-cli -s redis.sock get counter:__rand_int__
    for i in $(seq 20); do redis-cli -s redis.sock set "key:$i" "value $i"; done | sort | uniq -c
    redis-cli -s redis.sock eval 'local s = 0; for i = 1, 20 do s = s + #redis.call("get", "key:" .. i) end; return s' 0
    redis-cli -s redis.sock shutdown nosave
    wait "$server"
    echo "the server ended with status $?"
}

needs_memcached=memcached
expects_memcached='status 0'
run_memcached() {
    serve memcached -u "$(id -un)" -s "$folder/memcached.sock" -t 4
    await test -S memcached.sock && python3 "$here/memcached-client.py" memcached.sock
    end_server
}

needs_mariadb=sysbench
expects_mariadb='status 0'
run_mariadb() {
    rm -rf mariadb.data
    mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$folder/mariadb.data" --auth-root-authentication-method=normal \
        >install.log 2>&1 || { tail -n 3 install.log; return; }
    serve "$(command -v mariadbd || echo /usr/sbin/mariadbd)" --no-defaults --user="$(id -un)" --datadir="$folder/mariadb.data" \
        --skip-networking --socket="$folder/mariadb.sock" --pid-file="$folder/mariadb.pid" --innodb-buffer-pool-size=64M
    client="mariadb --no-defaults -u root -S $folder/mariadb.sock -N"
    await $client -e 'select 1' || { end_server; return; }
    $client -e 'create database sbtest'
    bench="sysbench oltp_read_write --db-driver=mysql --mysql-socket=$folder/mariadb.sock --mysql-user=root --tables=2 --table-size=2000 --threads=8 --time=5"
    { $bench prepare && $bench run; } >client.log 2>&1 || tail -n 5 client.log
    grep -c 'transactions:' client.log
    $client -e 'check table sbtest1, sbtest2; select count(*) from sbtest1' sbtest
    $client -e shutdown
    wait "$server"
    echo "the server ended with status $?"
}

needs_stressng=stress-ng
expects_stressng=1
run_stressng() {
    on stress-ng --mutex 2 --pthread 2 --verify -t 3 --temp-path "$folder" 2>&1 | grep -c 'successful run completed'
}

needs_git=git
expects_git=sound
run_git() {
    rm -rf repository
    git init -q repository
    (cd repository && for i in $(seq 40); do
        seq "$i" 5000 >"file$i"
        git add . && GIT_COMMITTER_DATE='2025-01-01T00:00:00' git -c user.name=a -c user.email=a@b commit -q --date 2025-01-01T00:00:00 -m "$i"
    done)
    (cd repository && on git -c pack.threads=4 repack -q -adf && on git -c index.threads=4 fsck --strict 2>&1 && echo sound && git log --format=%T | sha256sum)
    (cd repository && on git -c grep.threads=4 grep -c 4999 | sha256sum)
}

needs_ffmpeg=ffmpeg
expects_ffmpeg='MD5='
run_ffmpeg() {
    on ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=2:size=320x240 -c:v mpeg4 -threads 4 -f md5 - 2>&1
}

needs_x264=x264
expects_x264='encoded 75 frames'
run_x264() {
    make_data
    head -c 11404800 data >raw.yuv # 75 frames of noise and text
    on x264 --no-progress --threads 4 --demuxer raw --input-res 352x288 --preset veryfast --muxer raw -o - raw.yuv 2>x264.log | sha256sum
    grep -o 'encoded [0-9]* frames' x264.log
}

needs_java=java
expects_java=400000
run_java() {
    on java -Xshare:auto "$here/Threads.java"
}

programs='zstd xz pigz python jemalloc leveldb rocksdb redis memcached mariadb stressng git ffmpeg x264 java'
[ $# -eq 0 ] || programs=$*
failures=0
ran=0
for program in $programs; do
    eval "needs=\$needs_$program"
    if ! command -v "$needs" >/dev/null; then
        echo "$program: $needs is not here"
        continue
    fi
    ran=1
    lock=pthread
    "run_$program" >"$program.pthread" 2>&1
    eval "expects=\$expects_$program"
    if ! grep -q "$expects" "$program.pthread"; then
        failures=$((failures + 1))
        echo "$program: as it is, its answers have no '$expects':"
        cat "$program.pthread"
    fi
    verdict=
    for lock in $locks; do
        "run_$program" >"$program.$lock" 2>&1
        if cmp -s "$program.pthread" "$program.$lock"; then
            verdict="$verdict $lock"
        else
            failures=$((failures + 1))
            echo "$program: on $lock the answers differ:"
            diff "$program.pthread" "$program.$lock"
        fi
    done
    echo "$program: $(wc -l <"$program.pthread") lines of answers, the same on:$verdict"
done
[ "$ran" -eq 1 ] || exit 77
exit "$failures"
