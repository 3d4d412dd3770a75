# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # set by common.sh
# For the web servers: documents in $work, and a client for them.
make_documents() {
    mkdir "$work/documents"
    head -c 8192 /dev/zero | tr '\0' x >"$work/documents/8k"
}

load_http() {
    await ab -q -n 1 "http://127.0.0.1:$port/8k"
    native timeout $((seconds + 30)) ab -q -k -c "$clients" -t "$seconds" -n 100000000 -e "$work/percentiles" "http://127.0.0.1:$port/8k" >"$work/report"
    load ab cat "$work/report" "$work/percentiles"
}
