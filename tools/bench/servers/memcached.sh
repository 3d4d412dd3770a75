#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# memcached.sh FOLDER SECONDS CLIENTS: memcached with 4 threads, nine reads for each write, under memaslap, which Debian calls memcaslap.
. "$(dirname "$0")/common.sh"
serve memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -t 4
await memcping --servers="127.0.0.1:$port"
load memaslap memcaslap -s "127.0.0.1:$port" -T 1 -c "$clients" -t "${seconds}s" -X 100 -w 1k -S 1s
