# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # used by those scripts
# For the scripts beside this one. Each is called as NAME.sh FOLDER SECONDS CLIENTS: it starts a server, lets the server's usual client
# load it for so long, and prints throughput, p99 and longest, as the client reports them (figures.awk). `recip run` puts the
# server on a lock by the environment; the client is native. Servers listen on loopback or on a socket in the folder, have a limit
# on their time, and are ended by their own process number.
set -eu
PATH=$PATH:/usr/sbin
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
seconds=$2
clients=$3
# What the server needs for this run. Not in FOLDER: a server that gives up root may not be able to read there.
work=$(mktemp -d "${TMPDIR:-/tmp}/recip-server-XXXXXX")
chmod 755 "$work"
port=$((20000 + $$ % 20000))
server=

# serve COMMAND...: in the foreground of a process of its own.
serve() {
    timeout -k 10 $((seconds + 60)) "$@" >"$work/server.log" 2>&1 </dev/null &
    server=$!
}

native() {
    LD_PRELOAD='' "$@"
}

# await COMMAND...: until it succeeds, 15 seconds at most, and the server is still there.
await() {
    for _ in $(seq 150); do
        kill -0 "$server" 2>/dev/null || break
        if native "$@" >/dev/null 2>&1 && kill -0 "$server"; then return 0; fi
        sleep 0.1
    done
    echo "the server does not answer:" >&2
    tail -n 5 "$work/server.log" >&2
    exit 1
}

# load CLIENT COMMAND...: its figures.
load() {
    client=$1
    shift
    if ! native timeout $((seconds + 30)) "$@" >"$work/client.log" 2>&1; then
        tail -n 5 "$work/client.log" >&2
        exit 1
    fi
    awk -v client="$client" -f "$here/figures.awk" "$work/client.log"
}

end() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" || true
    fi
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM HUP
