#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh LIBRARY PROGRAM preload|linked OBJECT...: the library has the probes of the table on standard input, by the name
# that glibc gives their provider and no other; and a tracer that attaches to them, gdb, sees what PROGRAM does.
#
# A line of the table: the name, how many arguments it has, and how often it fires for each OBJECT, where mutex means the variable
# traced_mutex. The probes of condition variables are counted for traced_cond.
set -u
library=$1
program=$2
brings=$3
shift 3
table=$(cat)
failures=0

is() {
    if [ "$2" != "$3" ]; then
        echo "$1: '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

# column NUMBER: of the table, beside the names.
column() {
    echo "$table" | awk -v number="$1" 'NF { print $1, $number }'
}

# "provider name arguments" of each probe, once.
notes=$(readelf -n "$library" | awk '/Provider:/ { provider = $2 } /Name:/ { name = $2 } /Arguments:/ { print provider, name, NF - 1 }' |
    sort -u)
is 'probes' "$notes" "$(column 2 | sed 's/^/libc /' | sort)"

if ! command -v gdb >/dev/null; then
    echo 'gdb is not here: no tracer has been attached'
    exit "$failures"
fi

names=$(column 1 | cut -d ' ' -f 1)
script=$(mktemp)
trap 'rm -f "$script"' EXIT

# count OBJECT: for each name how often gdb saw that probe with the object as its first argument.
count() {
    number=1
    {
        echo 'set startup-with-shell off'
        if [ "$brings" = preload ]; then
            echo "set environment LD_PRELOAD=${library##*/}"
            echo "set environment LD_LIBRARY_PATH=${library%/*}"
        fi
        echo 'break main'
        echo 'run'
        for name in $names; do
            number=$((number + 1))
            case $name,$1 in cond_*,mutex) object=cond ;; *) object=$1 ;; esac
            echo "break -probe-stap libc:$name"
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

column=2
for object in "$@"; do
    column=$((column + 1))
    is "what gdb saw of traced_$object" "$(count "$object")" "$(column $column)"
done
exit "$failures"
