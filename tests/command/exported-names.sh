#!/bin/sh
# SPDX-License-Identifier: MIT
# exported-names.sh BUILD FOLDER CC: what is installed takes no name but recip_... and RECIP_..., in <recip-check.h> check_... and
# CHECK_...: not in its headers, not in its library; and the shared library exports what the header declares, no more.
set -eu
build=$1
folder=$2
cc=$3
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

rm -rf "$folder"
cmake --install "$build" --prefix "$folder/usr" >/dev/null
include=$folder/usr/include

# Everything in the folder that all programs search.
others=$(cd "$include" && find . -type f | sort | grep -v -x -e ./recip.h -e ./recip-inline.h -e ./recip.hpp \
    -e ./recip-check.h || true)
[ -z "$others" ] || complain "headers for everybody to find: $others"

# Functions, by the compiler's own list; then tags and macros.
echo '#include <recip.h>' >"$folder/all.c"
"$cc" -std=gnu11 -I"$include" -fsyntax-only -aux-info "$folder/functions" "$folder/all.c"
functions=$(sed -n "s|^/\* $include/recip[^ ]* \*/ ||p" "$folder/functions")
[ -n "$functions" ] || complain "no function was found"
leaked=$(printf '%s\n' "$functions" | grep -v -e '[ *]recip_[a-z_]* (' || true)
[ -z "$leaked" ] || complain "functions: $leaked"
leaked=$(grep -h -o -E '^(typedef )?(struct|union|enum) +(RECIP_CAPABILITY_ )?[A-Za-z_]+' "$include/recip.h" "$include/recip-inline.h" |
    grep -v -e ' recip_' -e '^struct timespec$' || true)
[ -z "$leaked" ] || complain "tags: $leaked"
leaked=$(grep -h -o -E '^ *# *define +[A-Za-z_]+' "$include/recip.h" "$include/recip-inline.h" | grep -v ' RECIP_' || true)
[ -z "$leaked" ] || complain "macros: $leaked"

leaked=$(sed -n -E 's/^ *# *define +([A-Za-z_]+).*/\1/p; s/^(struct [a-z_]+) \{/\1/p; s/^[a-z].*[ *]([a-z_]+)\(.*/\1/p' \
    "$include/recip-check.h" | grep -v -E '^(struct )?check_|^CHECK_|^RECIP_' || true)
[ -z "$leaked" ] || complain "recip-check.h: $leaked"

# A program that has taken the short names already.
cat >"$folder/taken.c" <<'PROGRAM'
struct thread { int thread; };
struct node { int node; };
struct element { int element; };
struct deadline { int deadline; };
struct lock { int lock; };
struct mutex { int mutex; };
typedef int waiter, state, guard, cond, sem, context;
enum { LOCKED, LED, BARRED, GATE_OPEN, SEGMENT_EMPTY, PERMIT };
void port_park(void);
int lock(void), unlock(void), settle(void), queue(void), enter(void);
#include <recip.h>
static recip_mutex_t the_mutex = RECIP_MUTEX_INIT;
int main(void)
{
    RECIP_MUTEX_GUARD(&the_mutex);
    return LOCKED;
}
PROGRAM
lib=$(dirname "$(find "$folder/usr" -name librecip.a)")
"$cc" -std=gnu11 -Wall -Wextra -Werror -I"$include" "$folder/taken.c" -o "$folder/taken" "$lib/librecip.a" -pthread ||
    complain "it does not compile beside other names"

for library in "$lib/librecip.a" "-D $lib/librecip.so"; do
    # shellcheck disable=SC2086 # an option and a file
    leaked=$(nm -g --defined-only $library | awk 'NF == 3 && $3 !~ /^(recip_|RECIP_|_init$|_fini$|_\.stapsdt\.base$)/ { print $3 }')
    [ -z "$leaked" ] || complain "symbols of $library: $leaked"
done

# The shared library has what <recip.h> declares, its inline calls too, and nothing else. What is inline and ends in an
# underscore is the header's own.
{
    printf '%s\n' "$functions" | sed -n 's/^extern .*[ *]\(recip_[a-z_]*\) (.*/\1/p'
    printf '%s\n' "$functions" | sed -n 's/^static .*[ *]\(recip_[a-z_]*[a-z]\) (.*/\1/p'
    sed -n 's/^extern [^(]*[ *]\(recip_[a-z_]*\)\( __attribute__.*\)\{0,1\};$/\1/p' "$include/recip.h"
} | sort -u >"$folder/declared"
nm -D --defined-only "$lib/librecip.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$folder/exported"
[ "$(wc -l <"$folder/declared")" -gt 40 ] || complain "hardly anything is declared: $(cat "$folder/declared")"
diff "$folder/declared" "$folder/exported" >"$folder/difference" ||
    complain "declared (<) and exported (>) are not the same: $(cat "$folder/difference")"
rm -rf "$folder"
exit $failures
