/* SPDX-License-Identifier: MIT */
/* The locks under a mutex: the flagship (mutex-flagship.c), or the lock of the zoo that was selected (mutex-zoo.c).
 * These functions know nothing of owners and types. */
#ifndef RECIP_PRELOAD_MUTEX_LOCKS_H
#define RECIP_PRELOAD_MUTEX_LOCKS_H

#include "preload/mutex.h"

void flagship_lock(struct mutex *mutex);
bool flagship_trylock(struct mutex *mutex);
/* After a try that failed. */
int flagship_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *time);
void flagship_unlock(struct mutex *mutex);
/* Somebody owns it or waits for it. */
bool flagship_is_busy(struct mutex *mutex);
/* By the owner, after the flagship has been acquired or a waiter admitted by other means than the functions here. */
void flagship_keep_for_release(struct mutex *mutex);
/* The calling thread ends; whether that will be noticed (memory.c). */
void flagship_thread_ends(void);
bool memory_notices_thread_end(void);

void zoo_lock(struct mutex *mutex);
bool zoo_trylock(struct mutex *mutex);
int zoo_lock_until(struct mutex *mutex, clockid_t clock, const struct timespec *end);
void zoo_unlock(struct mutex *mutex);
/* By the owner, after each of the above that has acquired the lock. */
void zoo_acquired(struct mutex *mutex);

#endif
