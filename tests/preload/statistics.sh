#!/bin/sh
# SPDX-License-Identifier: MIT
# statistics.sh RECIP SOURCES CXX CC SCRATCH: the statistics name mutexes and places as the program's author would, without
# optimisation, where std::mutex::lock is a call, and with it, where it is inlined; and in a program that is loaded where it was
# linked to.
set -u
recip=$1
sources=$2
cxx=$3
cc=$4
scratch=$5
rm -rf "$scratch"
mkdir -p "$scratch"
failures=0

# checks FILE EXPRESSION...: Python expressions over `place`, a function that finds the place of a name or function, and `all`.
checks() {
    python3 - "$@" <<'PYTHON' || failures=$((failures + 1))
import json, sys
all = json.load(open(sys.argv[1]))
def place(word):
    found = [p for p in all["places"] if p.get("name") == word or p["first_locked"].startswith(word)]
    assert len(found) == 1, (word, [(p.get("name"), p["first_locked"]) for p in all["places"]])
    return found[0]
failed = 0
for expression in sys.argv[2:]:
    try:
        true = eval(expression)
    except (AssertionError, KeyError, IndexError) as error:
        true, expression = False, expression + " " + repr(error)
    if not true:
        print(sys.argv[1] + ": not so: " + expression)
        failed = 1
sys.exit(failed)
PYTHON
}

for flags in '-O0 -pie -fPIE' '-O2 -pie -fPIE' '-O2 -no-pie -fno-pie'; do
    name=$scratch/$(echo "$flags" | tr -d ' ')
    # shellcheck disable=SC2086 # words
    "$cxx" -std=c++17 -g $flags "$sources/statistics.cpp" -o "$name" -pthread || exit 1
    "$recip" run --stats="$name.json" -- "$name" || failures=$((failures + 1))
    checks "$name.json" 'place("shop::till")["contended"] == 1' \
        'place("shop::till")["first_locked"].startswith("wait_for_till")' \
        '"(statistics.cpp:" in place("shop::till")["first_locked"]' \
        'place("shop::till")["waiters"][0]["stack"][0].startswith("pay")' \
        'place("shop::till")["wait_max_ns"] <= sum(place("shop::till")["waited_ns"]) == sum(all["waited_ns"]) - place("queue_mutex")["wait_total_ns"]' \
        'place("shop::till")["waits"][0]["count"] == 1' \
        'place("rows")["mutexes"] == 64 and place("rows")["acquisitions"] == 64' \
        'place("rows")["acquisitions_least"] == place("rows")["acquisitions_most"] == 1' \
        'place("queue_mutex")["contended"] == 1' 'place("Shelf<...>::lock")["acquisitions"] == 1' \
        'place("Account::")["mutexes"] == 8 and place("Account::")["acquisitions"] == 16' \
        '[t["contended"] for t in all["threads"] if t["name"] == "customer"] == [1]' \
        'len(all["threads"]) == all["threads_seen"] == 3' \
        'not [p for p in all["places"] if "std_mutex.h" in str(p) or "gthr" in str(p)]'
    "$recip" run --stats -- "$name" 2>"$name.text"
    for line in '^    shop::till$' '^    first locked in wait_for_till.* (statistics.cpp:[0-9]*)$' \
        '^    64 mutexes; each waited for 0 ns to 0 ns, locked 1 to 1 times$' '^    100% waited in pay.* (statistics.cpp' \
        ' customer [0-9]*$'; do
        grep -q "$line" "$name.text" || {
            echo "$name.text has no line '$line'"
            failures=$((failures + 1))
        }
    done
    if grep '.\{81\}' "$name.text"; then
        echo "$name.text: these lines are too long"
        failures=$((failures + 1))
    fi
done
"$cc" -g -O1 "$sources/statistics-c11.c" -o "$scratch/c11" -pthread || exit 1
"$recip" run --stats="$scratch/c11.json" -- "$scratch/c11"
checks "$scratch/c11.json" 'place("use (")["created"].startswith("make (statistics-c11.c:")'

# A library that is unloaded before the end.
"$cc" -g -O1 -shared -fPIC -DLIBRARY "$sources/statistics-unloads.c" -o "$scratch/shelf.so" -pthread || exit 1
"$cc" -g -O1 "$sources/statistics-unloads.c" -o "$scratch/unloads" -pthread -ldl || exit 1
"$recip" run --stats="$scratch/unloads.json" -- "$scratch/unloads" "$scratch/shelf.so" || failures=$((failures + 1))
checks "$scratch/unloads.json" 'place("shelf")["acquisitions"] == 2' 'place("shelf")["first_locked"].startswith("take_shelf (statistics-unloads.c:")'

# A child of fork has figures of its own, in a file of its own if it has locked anything. As text there is the parent alone.
"$cc" -g -O1 -D_GNU_SOURCE "$sources/statistics-forks.c" -o "$scratch/forks" -pthread || exit 1
for way in exit _Exit quick_exit; do
    rm -f "$scratch"/forks.json*
    "$recip" run --stats="$scratch/forks.json" -- "$scratch/forks" $way || failures=$((failures + 1))
    checks "$scratch/forks.json" 'place("of_parent")["acquisitions"] == 17' 'len(all["places"]) == 1'
    for file in "$scratch"/forks.json.*; do
        checks "$file" 'place("of_child")["acquisitions"] == 5' 'len(all["places"]) == len(all["threads"]) == 1' \
            'all["process"] == all["threads"][0]["thread"] == int(sys.argv[1].rpartition(".")[2])'
    done
    if [ "$(ls "$scratch"/forks.json* | wc -l) $("$recip" run --stats -- "$scratch/forks" $way 2>&1 | grep -c '^recip: forks, process')" != '2 1' ]; then
        echo "$way: not one report of each process, and one as text"
        failures=$((failures + 1))
    fi
done

# Without symbols there are modules and offsets, and addr2line is not asked.
objcopy --only-keep-debug "$scratch/c11" "$scratch/c11.debug"
strip "$scratch/c11" && "$recip" run --stats="$scratch/c11.json" -- "$scratch/c11"
checks "$scratch/c11.json" 'place("c11+0x")["created"].startswith("c11+0x")'
# asks_addr2line: how often.
asks_addr2line() {
    strace -f -e trace=execve -o "$scratch/calls" "$recip" run --stats="$scratch/c11.json" -- "$scratch/c11"
    grep -c '/usr/bin/addr2line.* = 0$' "$scratch/calls"
}
if strace true 2>/dev/null && [ "$(asks_addr2line)" != 0 ]; then
    echo "addr2line was asked about a program without debug information"
    failures=$((failures + 1))
fi
# The debug information may be in a file of its own, beside the program or in a folder for that.
objcopy --add-gnu-debuglink="$scratch/c11.debug" "$scratch/c11"
mkdir "$scratch/.debug"
for place in . .debug; do
    [ "$place" = . ] || mv "$scratch/c11.debug" "$scratch/$place"
    "$recip" run --stats="$scratch/c11.json" -- "$scratch/c11"
    checks "$scratch/c11.json" 'place("use (")["created"].startswith("make (statistics-c11.c:")'
done
exit "$failures"
