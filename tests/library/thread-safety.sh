#!/bin/sh
# SPDX-License-Identifier: MIT
# thread-safety.sh SOURCE FOLDER: clang's -Wthread-safety finds the headers without fault, accepts right programs, and refuses wrong
# ones, each call and type in turn.
set -eu
source=$1
folder=$2
command -v clang >/dev/null || { echo "clang is missing"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
failures=0

cat >"$folder/c" <<'PROGRAM'
#include <recip.h>
static recip_mutex_t mutex = RECIP_MUTEX_INIT;
static recip_cond_t cond = RECIP_COND_INIT;
static recip_lock_t lock = RECIP_LOCK_INIT;
static int count RECIP_GUARDED_BY(mutex), other RECIP_GUARDED_BY(lock);
static int *place RECIP_PT_GUARDED_BY(mutex);
static inline void add(void) RECIP_REQUIRES(mutex);
static inline void add(void) { count++; }
static inline void lock_and_add(void) RECIP_EXCLUDES(mutex);
static inline void lock_and_add(void) { recip_mutex_lock(&mutex); add(); recip_mutex_unlock(&mutex); }
static inline void use(void) { (void)place; (void)cond; (void)lock; (void)&lock_and_add; }
PROGRAM
cat >"$folder/cpp" <<'PROGRAM'
#include <recip.hpp>
static recip::mutex mutex;
static recip::timed_mutex timed;
static recip::reciprocating_lock lock;
static int count RECIP_GUARDED_BY(mutex), late RECIP_GUARDED_BY(timed), other RECIP_GUARDED_BY(lock);
static inline void use() { (void)&mutex; (void)&timed; (void)&lock; }
PROGRAM

# compiles LANGUAGE BODY: a function of that body.
compiles() {
    {
        cat "$folder/$1"
        printf 'void function(const struct timespec *when);\nvoid function(const struct timespec *when) { (void)when; use(); %s }\n' "$2"
    } >"$folder/program.$1"
    case $1 in
    c) clang -std=gnu11 -Wall -Wextra -Wno-unused-function -Wno-unused-variable -Wthread-safety -Werror -I"$source/include" -fsyntax-only "$folder/program.c" ;;
    cpp) clang++ -std=c++17 -Wall -Wextra -Wno-unused-function -Wno-unused-variable -Wthread-safety -Werror -I"$source/include" -fsyntax-only "$folder/program.cpp" ;;
    esac >"$folder/said" 2>&1
}

right() {
    compiles "$1" "$2" || {
        echo "right, and refused: $2"
        cat "$folder/said"
        failures=$((failures + 1))
    }
}

wrong() {
    if compiles "$1" "$2"; then
        echo "wrong, and not refused: $2"
        failures=$((failures + 1))
    elif ! grep -q -e '-Wthread-safety' "$folder/said"; then
        echo "refused for another reason: $2"
        cat "$folder/said"
        failures=$((failures + 1))
    fi
}

right c 'recip_mutex_lock(&mutex); add(); *place = 1; recip_mutex_unlock(&mutex); lock_and_add();'
right c 'if (recip_mutex_trylock(&mutex) == 0) { add(); recip_mutex_unlock(&mutex); }'
right c 'if (!recip_mutex_timedlock(&mutex, when)) { add(); recip_mutex_unlock(&mutex); }'
right c 'if (recip_mutex_clocklock(&mutex, 0, when) == 0) { add(); recip_mutex_unlock(&mutex); }'
right c 'recip_mutex_lock(&mutex); while (!count) recip_cond_wait(&cond, &mutex); recip_cond_timedwait(&cond, &mutex, when);
    recip_cond_clockwait(&cond, &mutex, 0, when); add(); recip_mutex_unlock(&mutex);'
right c 'RECIP_MUTEX_GUARD(&mutex); add();'
right c 'if (when) { RECIP_MUTEX_GUARD(&mutex); add(); return; }'
right c 'recip_mutex_assert_held(&mutex); add();'
right c 'recip_lock_context_t context; recip_lock_acquire(&lock, &context); other = 1; recip_lock_release(&lock, &context);'
right c 'recip_lock_context_t context; if (recip_lock_try_acquire(&lock, &context) == 0) { other = 1; recip_lock_release(&lock, &context); }'
wrong c 'count = 1;'
wrong c 'add();'
wrong c '*place = 1;'
wrong c 'recip_mutex_lock(&mutex); lock_and_add(); recip_mutex_unlock(&mutex);'
wrong c 'recip_mutex_lock(&mutex);'
wrong c 'recip_mutex_unlock(&mutex);'
wrong c 'recip_mutex_lock(&mutex); recip_mutex_lock(&mutex); recip_mutex_unlock(&mutex);'
wrong c 'recip_mutex_trylock(&mutex); add(); recip_mutex_unlock(&mutex);'
wrong c 'if (recip_mutex_trylock(&mutex)) { add(); recip_mutex_unlock(&mutex); }'
wrong c 'if (recip_mutex_timedlock(&mutex, when)) add();'
wrong c 'if (recip_mutex_clocklock(&mutex, 0, when)) add();'
wrong c 'recip_cond_wait(&cond, &mutex);'
wrong c 'recip_cond_timedwait(&cond, &mutex, when);'
wrong c 'recip_cond_clockwait(&cond, &mutex, 0, when);'
wrong c 'recip_lock_context_t context; recip_lock_acquire(&lock, &context);'
wrong c 'recip_lock_context_t context; recip_lock_release(&lock, &context);'
wrong c 'recip_lock_context_t context; if (recip_lock_try_acquire(&lock, &context)) other = 1;'

right cpp 'mutex.lock(); count = 1; mutex.unlock();'
right cpp 'if (mutex.try_lock()) { count = 1; mutex.unlock(); }'
right cpp 'if (timed.try_lock_for(std::chrono::seconds(1))) { late = 1; timed.unlock(); }'
right cpp 'if (timed.try_lock_until(std::chrono::steady_clock::now())) { late = 1; timed.unlock(); }'
right cpp 'timed.lock(); late = 1; timed.unlock();'
right cpp 'recip::lock_guard guard(mutex); count = 1;'
right cpp '{ recip::lock_guard guard(timed); late = 1; } recip::lock_guard again(timed); late = 2;'
right cpp 'mutex.assert_held(); count = 1;'
right cpp 'recip::reciprocating_lock::guard guard(lock); other = 1;'
right cpp 'recip::reciprocating_lock::guard guard(lock, std::try_to_lock); if (guard.owns_lock()) other = 1;'
right cpp 'recip::condition_variable cond; std::unique_lock<recip::mutex> held(mutex); cond.wait(held); cond.wait(held, [] { return true; });
    cond.wait_for(held, std::chrono::seconds(1)); cond.wait_until(held, std::chrono::system_clock::now());'
wrong cpp 'count = 1;'
wrong cpp 'mutex.lock();'
wrong cpp 'mutex.unlock();'
wrong cpp 'if (!mutex.try_lock()) count = 1;'
wrong cpp 'if (!timed.try_lock_for(std::chrono::seconds(1))) late = 1;'
wrong cpp 'if (!timed.try_lock_until(std::chrono::steady_clock::now())) late = 1;'
wrong cpp 'recip::lock_guard guard(mutex); late = 1;'
wrong cpp '{ recip::lock_guard guard(mutex); } count = 1;'
wrong cpp 'recip::lock_guard guard(mutex); mutex.lock();'
wrong cpp '{ recip::reciprocating_lock::guard guard(lock); } other = 1;'
exit "$failures"
