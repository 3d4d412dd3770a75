#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh LIBRARY PROGRAM: the library has the probes that glibc has, with as many arguments, under both of the names that
# glibc has given their provider; and a tracer that attaches to them, gdb, sees what PROGRAM (probes.c) does.
set -u
library=$1
program=$2
failures=0

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# The name, its arguments, and how often it fires for `mutex` or `cond`, and for `recursive`.
table='
mutex_init                1  1 1
mutex_destroy             1  1 1
mutex_entry               1 11 2
mutex_acquired            1 11 1
mutex_release             1 13 1
mutex_timedlock_entry     2  1 0
mutex_clocklock_entry     3  1 0
mutex_timedlock_acquired  1  2 0
cond_init                 2  1 0
cond_destroy              1  1 0
cond_wait                 2  1 0
cond_signal               1  3 0
cond_broadcast            1  2 0'

# "provider name arguments" of each probe, once.
notes=$(readelf -n "$library" | awk '/Provider:/ { provider = $2 } /Name:/ { name = $2 } /Arguments:/ { print provider, name, NF - 1 }' |
    sort -u)
for provider in libpthread libc; do
    is "probes of $provider" "$(echo "$notes" | grep "^$provider " | cut -d ' ' -f 2-)" \
        "$(echo "$table" | awk 'NF { print $1, $2 }' | sort)"
done

if ! command -v gdb >/dev/null; then
    echo 'gdb is not here: no tracer has been attached'
    exit "$failures"
fi

names=$(echo "$table" | awk 'NF { print $1 }')
script=$(mktemp)
trap 'rm -f "$script"' EXIT

# count PROVIDER OBJECT: for each name how often gdb saw that probe with the object as its first argument.
count() {
    number=1
    {
        echo 'set startup-with-shell off'
        echo "set environment LD_PRELOAD=${library##*/}"
        echo "set environment LD_LIBRARY_PATH=${library%/*}"
        echo 'break main'
        echo 'run'
        for name in $names; do
            number=$((number + 1))
            case $name,$2 in cond_*,mutex) object=cond ;; *) object=$2 ;; esac
            echo "break -probe-stap $1:$name"
            echo "condition $number \$_probe_arg0 == (unsigned long)&traced_$object"
            echo "ignore $number 1000000" # goes on, and counts
        done
        echo 'continue'
        echo 'info breakpoints'
    } >"$script"
    gdb -nx -batch -x "$script" "$program" 2>&1 </dev/null |
        awk -v names="$names" '
            /^[0-9]+ +breakpoint/ { number = $1 }
            /breakpoint already hit/ { hits[number] = $4 }
            END { count = split(names, name, "\n"); for (i = 1; i <= count; i++) print name[i], hits[i + 1] + 0 }'
}

for provider in libpthread libc; do
    is "$provider: what gdb saw of the mutex" "$(count $provider mutex)" "$(echo "$table" | awk 'NF { print $1, $3 }')"
    is "$provider: what gdb saw of the recursive one" "$(count $provider recursive)" "$(echo "$table" | awk 'NF { print $1, $4 }')"
done
exit "$failures"
