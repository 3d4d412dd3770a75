/* SPDX-License-Identifier: MIT */
/* What tracing tools (probes.h) and RECIP_DEBUG (debug.c) get to know. Called on the slow paths only: the fast ones are
 * inline in programs, and stay as they are. In librecip; in other worlds nothing happens, and the preload library has
 * probes of its own, on all paths. */
#ifndef RECIP_SRC_DIAGNOSIS_H
#define RECIP_SRC_DIAGNOSIS_H

#include <stdbool.h>

#include <recip.h>

#ifndef RECIP_DIAGNOSED
#define RECIP_NO_PROBES
#endif
#include "src/probes.h"

#ifdef RECIP_DIAGNOSED
#include "src/debug.h"
#define DIAGNOSE(call) (__builtin_expect(recip_debugs(), 0) ? call : (void)0)
#else
#define DIAGNOSE(call) ((void)0)
#endif

/* At the start and in each child, after the choice of how to release. */
static inline void diagnose_begin(void)
{
#ifdef RECIP_DIAGNOSED
    recip_debug_begin();
#endif
}

/* ---- The mutex ---- */

static inline void diagnose_initialised(recip_mutex_t *mutex)
{
    PROBE1(mutex_init, mutex);
    DIAGNOSE(recip_debug_initialised(mutex));
}

static inline void diagnose_destroying(recip_mutex_t *mutex, bool used)
{
    PROBE1(mutex_destroy, mutex);
    (void)used;
    DIAGNOSE(recip_debug_mutex_destroying(mutex, used));
}

static inline void diagnose_locking(recip_mutex_t *mutex)
{
    PROBE1(mutex_entry, mutex);
    DIAGNOSE(recip_debug_locking(mutex, "recip_mutex_lock"));
}

static inline void diagnose_locked(recip_mutex_t *mutex)
{
    PROBE1(mutex_acquired, mutex);
    DIAGNOSE(recip_debug_locked(mutex));
}

/* glibc has two calls with two probes; a lock until a real time is either. */
static inline void diagnose_locking_until(recip_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    if (clock == CLOCK_REALTIME)
        PROBE2(mutex_timedlock_entry, mutex, time);
    else
        PROBE3(mutex_clocklock_entry, mutex, clock, time);
    DIAGNOSE(recip_debug_locking(mutex, "recip_mutex_clocklock"));
}

static inline void diagnose_locked_in_time(recip_mutex_t *mutex)
{
    PROBE1(mutex_timedlock_acquired, mutex);
    DIAGNOSE(recip_debug_locked(mutex));
}

static inline void diagnose_trying(recip_mutex_t *mutex)
{
    (void)mutex;
    DIAGNOSE(recip_debug_trying(mutex));
}

/* Before anything of the release. */
static inline void diagnose_unlocking(recip_mutex_t *mutex)
{
    (void)mutex;
    DIAGNOSE(recip_debug_unlocking(mutex));
}

/* Its memory may be gone: the address is all that counts. */
static inline void diagnose_unlocked(const recip_mutex_t *mutex)
{
    PROBE1(mutex_release, mutex);
}

/* The count of passes has come to its end. True: that is for RECIP_DEBUG's sake, and the bound is not reached. */
static inline bool diagnose_passed(recip_mutex_t *mutex)
{
    (void)mutex;
#ifdef RECIP_DIAGNOSED
    return __builtin_expect(recip_debugs(), 0) && recip_debug_passed(mutex);
#else
    return false;
#endif
}

/* ---- The condition variable and the semaphore ---- */

static inline void diagnose_cond_initialised(const recip_cond_t *cond)
{
    PROBE2(cond_init, cond, NULL);
}

static inline void diagnose_cond_signalling(const recip_cond_t *cond)
{
    PROBE1(cond_signal, cond);
}

static inline void diagnose_cond_broadcasting(const recip_cond_t *cond)
{
    PROBE1(cond_broadcast, cond);
}

static inline void diagnose_cond_waiting(recip_cond_t *cond, recip_mutex_t *mutex)
{
    PROBE2(cond_wait, cond, mutex);
    DIAGNOSE(recip_debug_cond_waiting(mutex));
}

static inline void diagnose_cond_destroying(recip_cond_t *cond, bool waited_for)
{
    PROBE1(cond_destroy, cond);
    (void)waited_for;
    DIAGNOSE(recip_debug_cond_destroying(cond, waited_for));
}

/* The number of forks in it is another process's, or none at all. */
static inline void diagnose_cond_repair(const recip_cond_t *cond)
{
    (void)cond;
    DIAGNOSE(recip_debug_cond(cond, "recip_cond"));
}

/* The same, or its value is too large. */
static inline void diagnose_sem_repair(const recip_sem_t *sem)
{
    (void)sem;
    DIAGNOSE(recip_debug_sem(sem, "recip_sem"));
}

static inline void diagnose_sem_destroying(recip_sem_t *sem, bool waited_for)
{
    (void)sem, (void)waited_for;
    DIAGNOSE(recip_debug_sem_destroying(sem, waited_for));
}

#endif
