#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# mariadb.sh FOLDER SECONDS CLIENTS: MariaDB, sysbench's read-write transactions. The tables stay in FOLDER for the next run.
. "$(dirname "$0")/common.sh"
data=$folder/bench.mariadb
socket=$work/mariadb.sock
if [ ! -d "$data" ]; then
    native mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$data" --auth-root-authentication-method=normal \
        >"$work/install.log" 2>&1 || { rm -rf "$data"; cat "$work/install.log" >&2; exit 1; }
fi
sql() {
    native mariadb --no-defaults -u root -S "$socket" "$@"
}
sysbench_with() {
    echo sysbench oltp_read_write --db-driver=mysql --mysql-socket="$socket" --mysql-user=root --tables=2 --table-size=10000 \
        --threads="$clients" --time="$seconds" --percentile=99 "$1"
}
serve mariadbd --no-defaults --user="$(id -un)" --datadir="$data" --skip-networking --socket="$socket" --pid-file="$work/pid" \
    --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=0
await mariadb --no-defaults -u root -S "$socket" -e 'select 1'
sql -e 'create database if not exists sbtest'
# shellcheck disable=SC2046 # words, as they are meant
sql -e 'select 1 from sbtest2 limit 1' sbtest >/dev/null 2>&1 || native $(sysbench_with prepare) >/dev/null
# shellcheck disable=SC2046
load sysbench $(sysbench_with run)
