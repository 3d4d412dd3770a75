#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# redis.sh FOLDER SECONDS CLIENTS: redis with two io-threads, GET by redis-benchmark. It counts requests, not seconds.
. "$(dirname "$0")/common.sh"
socket=$work/redis.sock
serve redis-server --port 0 --unixsocket "$socket" --save '' --io-threads 2 --io-threads-do-reads yes
await redis-cli -s "$socket" ping
load redis-benchmark redis-benchmark -s "$socket" -n $((seconds * 50000)) -c "$clients" -t get --csv
