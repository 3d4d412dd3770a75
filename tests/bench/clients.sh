#!/bin/sh
# SPDX-License-Identifier: MIT
# clients.sh RECIP SOURCE FOLDER: tools/bench/programs.sh reads what the clients of servers print, here from samples in clients/, refuses
# what is not whole, and makes ratios of it. Servers are ended.
set -eu
recip=$1
source=$2
folder=$3
samples=$source/tests/bench/clients
rm -rf "$folder"
mkdir -p "$folder/bin"
cd "$folder"

fail() {
    echo "$*"
    exit 1
}

# read_by AWK CLIENT FILE: the three figures on a line.
read_by() {
    "$1" -v client="$2" -f "$source/tools/bench/servers/figures.awk" "$3" | sed 's/[a-z0-9]*: //' | paste -sd ' '
}

# figures CLIENT FIGURES: by every awk that there is.
figures() {
    for awk in awk gawk mawk; do
        command -v "$awk" >/dev/null || continue
        said=$(read_by "$awk" "$1" "$1.txt")
        [ "$said" = "$2" ] || fail "$1 by $awk: $said"
    done
}

# no_figures CLIENT SED-SCRIPT WORD: with the sample changed so, there is one line, which has WORD in it.
no_figures() {
    sed "$2" "$1.txt" >changed.txt
    if awk -v client="$1" -f "$source/tools/bench/servers/figures.awk" changed.txt >out 2>err; then
        fail "$1, $2: $(cat out)"
    fi
    [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "^$1: .*$3" err || fail "$1, $2: $(cat out err)"
}

cp "$samples"/*.txt .
# Two hundred answers, in 10 to 2000 us, the longest not last.
seq 200 -1 1 | awk '{ printf "> NOERROR name%d.example A %.6f\n", $1, $1 * 10 / 1e6 }' | cat - "$samples/dnsperf.txt" >dnsperf.txt

figures ab '1000.5 per second 30875 us 71000 us'
figures sysbench '333.25 per second 8250 us 12500 us'
figures redis-benchmark '25000 per second 1250 us 4750 us'
figures memaslap '995 per second 384 us 900 us' # 980 are below 256 us, 20 from there to 511: half of these below the 990th
figures dnsperf '2000 per second 1980 us 2000 us'
figures db_bench '162000 per second 12.63 us 45319 us' # of the second benchmark

no_figures ab 's/^Failed requests: *0/Failed requests: 3/' Failed
no_figures ab 's/^Complete requests.*/Non-2xx responses: 2000/' Non-2xx
no_figures ab '/^99,/d' p99
no_figures ab '/^ *100%/d' longest
no_figures sysbench '/transactions/d' throughput
no_figures sysbench 's/99th/95th/' p99
no_figures redis-benchmark 2d throughput
no_figures memaslap '/^Total Statistics (/,$d' throughput
no_figures memaslap '/Log2/,/^$/d' p99
no_figures dnsperf '/^>/d' p99
no_figures dnsperf 's/NOERROR name7\.example/SERVFAIL name7.example/' SERVFAIL
no_figures dnsperf 's/lost: *0/lost: 1/' lost
no_figures db_bench '/micros/d' throughput
no_figures db_bench '/^Min/d' longest

# The whole way, with programs that print the samples: of a store, and of a server, which would run on.
program() {
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}
program db_bench "mkdir -p \"\${1#--db=}\"; cat '$folder/db_bench.txt'" # the store is its first argument
program memcached "echo \$\$ >>'$folder/servers'; touch '$folder/started'; exec sleep 1000"
program memcping "rm '$folder/started'" # fails until the server has started
program memcaslap "cat '$folder/memaslap.txt'"
PATH=$folder/bin:$PATH LOCKS=mutex RUNS=6 LOAD_SECONDS=1 "$source/tools/bench/programs.sh" "$recip" "$folder/data" db_bench memcached >table
# line TITLE FIGURE: the same on both, in each of the rounds.
line() {
    [ "$(grep -c "^ *$1 *$2  *1.00 (1.00..1.00)\$" table)" -eq 1 ] || fail "$1: $(cat table)"
}
line 'RocksDB readwhilewriting, 8, 1/s' 162000
line 'p99, us' 12.63
line 'longest, us' 45319
line 'memcached -t 4, 64, 1/s' 995
line 'p99, us' 384
line 'longest, us' 900
[ "$(wc -l <servers)" -eq 12 ] || fail "servers: $(cat servers)"
while read -r server; do
    ! kill -0 "$server" 2>/dev/null || fail "the server $server runs on"
done <servers
# A client that fails: said, and the server ended.
program memcaslap 'echo no route; exit 3'
PATH=$folder/bin:$PATH LOCKS=mutex RUNS=1 LOAD_SECONDS=1 "$source/tools/bench/programs.sh" "$recip" "$folder/data" memcached >table
grep -q '^memcached.* failed: .* no route' table || fail "$(cat table)"
! kill -0 "$(tail -n 1 servers)" 2>/dev/null || fail "a server runs on"
rm -rf "$folder"
