/* SPDX-License-Identifier: MIT */
/* RECIP_DEBUG: what is checked when it is on. docs/debugging.md tells users, debug.c how. Each ends the program with a
 * line on standard error if what it is told is wrong. */
#ifndef RECIP_SRC_DEBUG_H
#define RECIP_SRC_DEBUG_H

#include <stdbool.h>

#include <recip.h>

/* On, from the start by the environment, or since code that was compiled with -DRECIP_DEBUG has called. */
extern bool recip_debugging __attribute__((visibility("hidden")));

static inline bool recip_debugs(void)
{
    /* relaxed: nothing depends on when a thread sees it. */
    return __atomic_load_n(&recip_debugging, __ATOMIC_RELAXED);
}

/* At the start, and in each child: on, if the environment asks for it. Then release is atomic, so that it notices a
 * mutex that is not locked. */
void recip_debug_begin(void);

void recip_debug_initialised(recip_mutex_t *mutex);
void recip_debug_mutex_destroying(recip_mutex_t *mutex, bool used);
void recip_debug_trying(recip_mutex_t *mutex);
void recip_debug_locking(recip_mutex_t *mutex, const char *call);
void recip_debug_locked(recip_mutex_t *mutex);
void recip_debug_unlocking(recip_mutex_t *mutex);
/* By the owner, whose lock has counted its pass to the end. False: the bound has been reached. */
bool recip_debug_passed(recip_mutex_t *mutex);
void recip_debug_held(const recip_mutex_t *mutex);

void recip_debug_cond(const recip_cond_t *cond, const char *call);
void recip_debug_cond_waiting(recip_mutex_t *mutex);
void recip_debug_cond_destroying(recip_cond_t *cond, bool waited_for);
void recip_debug_sem(const recip_sem_t *sem, const char *call);
void recip_debug_sem_destroying(recip_sem_t *sem, bool waited_for);

#endif
