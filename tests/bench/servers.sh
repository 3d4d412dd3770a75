#!/bin/sh
# SPDX-License-Identifier: MIT
# servers.sh RECIP SOURCE FOLDER: tools/bench/programs.sh with every server and client that is installed: each has its three figures on
# glibc's mutex and on ours. How large they are is no test.
set -eu
recip=$1
source=$2
folder=$3
mkdir -p "$folder"
LOCKS=mutex RUNS=1 LOAD_SECONDS=1 "$source/tools/bench/programs.sh" "$recip" "$folder" apache nginx mariadb redis memcached bind db_bench \
    >"$folder/table"
cat "$folder/table"
! grep -q failed "$folder/table" || exit 1
servers=$(grep -c '1/s' "$folder/table") || exit 77
[ "$(grep -c '^[^0-9]*[0-9].* ([0-9.]*\.\.[0-9.]*)$' "$folder/table")" -eq $((3 * servers)) ]
