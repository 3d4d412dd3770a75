#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# rocksdb.sh FOLDER SECONDS THREADS: RocksDB, readers beside a writer, by its own db_bench: client and store are one process.
. "$(dirname "$0")/common.sh"
timeout $((seconds + 60)) db_bench --db="$work/database" --benchmarks=fillseq,readwhilewriting --num=100000 --value_size=100 \
    --threads="$clients" --duration="$seconds" --histogram >"$work/report" 2>&1 || { tail -n 5 "$work/report" >&2; exit 1; }
load db_bench cat "$work/report"
