/* SPDX-License-Identifier: MIT */
/* The word of struct mutex that holds two things: data of the lock, and the number of users. Written by the owner of
 * the mutex only; what others read is a hint. So all accesses are relaxed. */
#ifndef RECIP_PRELOAD_MUTEX_DATA_H
#define RECIP_PRELOAD_MUTEX_DATA_H

#include "preload/mutex.h"

#define USERS_SHIFT 48
#define ONE_USER (UINT64_C(1) << USERS_SHIFT)
#define LOCK_DATA (ONE_USER - 1)

static inline uint64_t mutex_lock_data(struct mutex *mutex)
{
    return atomic_load_explicit(&mutex->lock_data_and_users, memory_order_relaxed) & LOCK_DATA;
}

static inline void mutex_set_lock_data(struct mutex *mutex, uint64_t data)
{
    uint64_t users = atomic_load_explicit(&mutex->lock_data_and_users, memory_order_relaxed) & ~LOCK_DATA;
    atomic_store_explicit(&mutex->lock_data_and_users, users | data, memory_order_relaxed);
}

static inline bool mutex_has_users(struct mutex *mutex)
{
    return atomic_load_explicit(&mutex->lock_data_and_users, memory_order_relaxed) >= ONE_USER;
}

/* More than 65534 users are too many to count: the number stays at 65535, and the mutex can never be destroyed. */
static inline void mutex_count_user(struct mutex *mutex, bool begins)
{
    uint64_t word = atomic_load_explicit(&mutex->lock_data_and_users, memory_order_relaxed);
    if (word >> USERS_SHIFT == UINT16_MAX)
        return;
    atomic_store_explicit(&mutex->lock_data_and_users, begins ? word + ONE_USER : word - ONE_USER,
                          memory_order_relaxed);
}

#endif
