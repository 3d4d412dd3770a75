#!/bin/sh
# newcomer.sh SOURCE FOLDER: a lock of one's own is one header and one line in the registry, and is then listed, measured
# and tested without touching anything else.
set -eu
source=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/tree"
(cd "$source" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$folder/tree"
cd "$folder/tree"
cat >locks/my-own.h <<'HEADER'
/* A newcomer's lock. */
#ifndef RECIP_LOCKS_MY_OWN_H
#define RECIP_LOCKS_MY_OWN_H

#include "mutex-form.h"
#include "port.h"

struct my_own_lock {
    atomic_flag held;
};

struct my_own_context {};

static inline bool my_own_try_acquire(struct my_own_lock *lock, struct my_own_context *context)
{
    (void)context;
    return !atomic_flag_test_and_set_explicit(&lock->held, memory_order_acquire);
}

static inline void my_own_acquire(struct my_own_lock *lock, struct my_own_context *context)
{
    while (!my_own_try_acquire(lock, context))
        port_relax();
}

static inline void my_own_release(struct my_own_lock *lock, struct my_own_context *context)
{
    (void)context;
    atomic_flag_clear_explicit(&lock->held, memory_order_release);
}

ZERO_IS_UNLOCKED(my_own)
MUTEX_FORM(my_own)

#endif
HEADER
echo 'LOCK(my_own, "my-own", GLOBAL, ANY, 0, 0, "this test", "a lock of my own")' >>locks/registry.def
cmake -S . -B build >/dev/null
cmake --build build --parallel 2 --target recip test-exclusion test-try >/dev/null
build/recip list | grep '^my-own '
build/recip bench --lock my-own --threads 1,2 --duration 0.01 | grep '^my-own '
build/test-exclusion my-own 2>&1 | grep -q '1 test(s)'
build/test-try my-own >/dev/null 2>&1
rm -rf "$folder"
