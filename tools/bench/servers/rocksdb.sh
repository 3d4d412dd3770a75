#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# rocksdb.sh FOLDER SECONDS THREADS: RocksDB, readers beside a writer, by its own db_bench: client and store are one process. The store is
# filled once, natively, and stays in FOLDER for the next run; each run has a copy. Filled by each run, it would differ: its layout
# depends on how the threads that fill it take turns.
. "$(dirname "$0")/common.sh"
data=$folder/bench.rocksdb
db_bench_on() {
    echo db_bench --db="$1" --num=100000 --value_size=100 --threads="$clients"
}
report() {
    "$@" >"$work/report" 2>&1 || { tail -n 5 "$work/report" >&2; exit 1; }
}
# shellcheck disable=SC2046 # words, as they are meant
if [ ! -d "$data" ]; then
    report native timeout 60 $(db_bench_on "$work/new") --benchmarks=fillseq
    mv "$work/new" "$data"
fi
cp -r "$data" "$work/database"
# shellcheck disable=SC2046
report timeout $((seconds + 60)) $(db_bench_on "$work/database") --use_existing_db=1 --benchmarks=readwhilewriting --duration="$seconds" \
    --histogram
load db_bench cat "$work/report"
