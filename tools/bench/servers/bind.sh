#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR
# bind.sh FOLDER SECONDS CLIENTS: BIND, a zone of a thousand names under dnsperf.
. "$(dirname "$0")/common.sh"
cat >"$work/named.conf" <<END
options {
    directory "$work";
    listen-on port $port { 127.0.0.1; };
    listen-on-v6 { none; };
    pid-file none;
    recursion no;
    dnssec-validation no;
};
controls {};
zone "example" { type primary; file "example.zone"; };
END
{
    # shellcheck disable=SC2016 # $TTL is BIND's
    printf '$TTL 3600\n@ IN SOA localhost. root.localhost. 1 3600 3600 3600 3600\n@ IN NS localhost.\n'
    seq -f 'name%.0f IN A 127.0.0.1' 1000
} >"$work/example.zone"
seq -f 'name%.0f.example A' 1000 >"$work/queries"
answers() {
    dnsperf -s 127.0.0.1 -p "$port" -d "$work/queries" -n 1 -t 1 | grep -q 'Queries completed: *1000 '
}
serve named -f -c "$work/named.conf" -n 2
await answers
load dnsperf dnsperf -v -s 127.0.0.1 -p "$port" -d "$work/queries" -c "$clients" -q "$clients" -l "$seconds"
