#!/bin/sh
# SPDX-License-Identifier: MIT
# export.sh RECIP FOLDER quick|all|cbmc: what `recip check --export` writes is C11 that needs nothing of this tree, and runs. With
# cbmc, another checker, a lock passes and a damaged one fails; status 77 where that is not installed.
set -u
recip=$1
folder=$2
failures=0
rm -rf "$folder"

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# compiles FILE
compiles() {
    grep -q -E '#include "|RECIP_SYSTEM_HEADER|__tsan' "$1" && complain "$1 is not self-contained"
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Wno-unused-function -pthread "$1" -o "$folder/program" ||
        complain "$1 does not compile"
}

# fails WORD...: refused, with status 2 and this text.
refused() {
    text=$1
    shift
    output=$("$recip" check --export "$folder" "$@" 2>&1)
    [ $? -eq 2 ] || complain "'$*' is not refused: $output"
    printf '%s\n' "$output" | grep -q -e "$text" || complain "'$*': no '$text' in: $output"
}

case $3 in
quick)
    output=$("$recip" check --export "$folder" mcs 3x1) || complain "mcs 3x1: $output"
    [ "$output" = "$folder/mcs-3x1.c" ] || complain "the file is not told: $output"
    "$recip" check --export "$folder" mcs 3x1 | cmp -s - /dev/null && complain "a second time nothing is told"
    "$recip" check --export "$folder" reciprocating reciprocating-park mutex retrograde-random >/dev/null || complain "four locks"
    for client in mcs-3x1 reciprocating-3x2 reciprocating-park-3x1 mutex-2+1 mutex-try retrograde-random-try-after; do
        compiles "$folder/$client.c"
        "$folder/program" || complain "$client: status $?"
    done
    # An assertion that does not hold is noticed: what is counted is what the threads do.
    sed 's/assert(first == 3 /assert(first == 4 /' "$folder/mcs-3x1.c" >"$folder/wrong.c"
    compiles "$folder/wrong.c"
    (ulimit -c 0; exec "$folder/program") 2>/dev/null && complain "an assertion was not made"
    "$recip" check --export "$folder" mcs --threads 2 --acquisitions 3 >/dev/null || complain "--threads"
    grep -q 'first == 6' "$folder/mcs-2x3,3.c" || complain "--threads: another client"
    refused "cannot be exported for 'mcs'" mcs --client destroy
    refused "cannot be exported for 'mcs'" mcs --client two
    refused 'one of the four' mcs --coverage
    ;;
all)
    "$recip" check --export "$folder" --all >/dev/null || complain "--all"
    for file in "$folder"/*.c; do
        compiles "$file"
        timeout 60 "$folder/program" || complain "$file: status $?"
    done
    ;;
cbmc)
    command -v cbmc >/dev/null || exit 77
    # From version 6 on it also checks pointers, which it cannot do where there are threads.
    others=$(cbmc --help | grep -o -e '--no-standard-checks' | head -1)
    explore() {
        cbmc --unwind 3 --no-unwinding-assertions $others "$1" 2>&1 | tail -1
    }
    "$recip" check --export "$folder" tas ticket --threads 2 >/dev/null || complain "two locks"
    for lock in tas ticket; do
        result=$(explore "$folder/$lock-2x1,1.c")
        [ "$result" = 'VERIFICATION SUCCESSFUL' ] || complain "$lock: $result"
    done
    sed 's/atomic_exchange_explicit(&lock->held, 1, memory_order_acquire)/atomic_load_explicit(\&lock->held, memory_order_acquire)/' \
        "$folder/tas-2x1,1.c" >"$folder/wrong.c"
    result=$(explore "$folder/wrong.c")
    [ "$result" = 'VERIFICATION FAILED' ] || complain "a lock that only looks: $result"
    ;;
esac
rm -rf "$folder"
exit $((failures > 0))
