#!/bin/sh
# SPDX-License-Identifier: MIT
# installed.sh BUILD SOURCE FOLDER: from an installed tree, wherever it was put, code of one's own can be checked, with the
# installed headers alone.
set -eu
build=$1
source=$2
folder=$3
rm -rf "$folder"
mkdir -p "$folder/home"
DESTDIR="$folder/root" cmake --install "$build" --prefix /opt/recip >/dev/null
mv "$folder/root" "$folder/moved"
recip=$folder/moved/opt/recip/bin/recip

cp "$source/docs/examples/spinlock-client.c" "$folder/home/example.c"
cat >"$folder/home/with-a-lock.c" <<'CLIENT'
#include <recip-check.h>
#include "zoo/reciprocating.h"

static struct reciprocating_lock lock;
static int counter;

static void increment(void *unused)
{
    (void)unused;
    struct reciprocating_context context;
    reciprocating_acquire(&lock, &context);
    counter++;
    reciprocating_release(&lock, &context);
}

static void setup(void)
{
    for (int i = 0; i < 3; i++)
        check_thread(increment, NULL);
}

CHECK_CLIENT("counter", setup, NULL)
CLIENT
cd "$folder/home"
"$recip" check --source example.c | grep -q ' ok$'
"$recip" check --source with-a-lock.c | grep -q ' 36 executions .* ok$'

# Damaged copies are not for an installed tree, which is said in one line; weakened orders are.
"$recip" check --mutants twa >output 2>message
grep -q '^6 killed, 0 harmless, 0 not' output
grep -q 'damaged copies need the source tree' message
[ "$(wc -l <message)" -eq 1 ]
"$recip" check twa --patch x.patch 2>message && exit 1
grep -q "'x.patch' needs the source tree" message

# Nothing of the source tree is needed: without the installed headers it is used, so it would be found out here.
mv "$folder/moved/opt/recip/libexec/recip/include/port/gate.h" "$folder/home/taken-away.h"
if "$recip" check --source with-a-lock.c >output 2>&1; then
    echo "a header was taken from outside of the installed tree"
    exit 1
fi
grep -q 'gate.h' output
rm -rf "$folder"
