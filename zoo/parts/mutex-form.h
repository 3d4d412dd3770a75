/* SPDX-License-Identifier: MIT */
/* The context-free form of a lock: the context from acquire to release is kept in the lock's body, written and read by
 * the owner only. One line at the end of each lock's header makes it:
 *
 *     MUTEX_FORM(mcs)          struct mcs_mutex, mcs_mutex_lock, mcs_mutex_trylock, mcs_mutex_unlock
 *
 * before it, ZERO_IS_UNLOCKED(mcs) where an all-zero lock is unlocked and destroying it takes nothing.
 */
#ifndef RECIP_ZOO_PARTS_MUTEX_FORM_H
#define RECIP_ZOO_PARTS_MUTEX_FORM_H

#include <stdbool.h>
#include <string.h>

#define ZERO_IS_UNLOCKED(name)                                                                                         \
    static inline void name##_init(struct name##_lock *lock)                                                           \
    {                                                                                                                  \
        memset(lock, 0, sizeof *lock);                                                                                 \
    }                                                                                                                  \
    static inline void name##_destroy(struct name##_lock *lock)                                                        \
    {                                                                                                                  \
        (void)lock;                                                                                                    \
    }

#define MUTEX_FORM(name) MUTEX_FORM_KEEPING(name, struct name##_context, KEEP_WHOLE, KEEP_WHOLE)
#define KEEP_WHOLE(context) (context)

/* As MUTEX_FORM for a lock that keeps its context in a smaller type: pack(context) makes it, unpack(kept) undoes it. */
#define MUTEX_FORM_KEEPING(name, type, pack, unpack)                                                                   \
    struct name##_mutex {                                                                                              \
        struct name##_lock lock;                                                                                       \
        type context;                                                                                                  \
    };                                                                                                                 \
    MUTEX_FORM_FUNCTIONS(name, context, pack, unpack)

/* As MUTEX_FORM for a lock that has room for its context in itself, as `kept`. */
#define MUTEX_FORM_INSIDE(name)                                                                                        \
    struct name##_mutex {                                                                                              \
        struct name##_lock lock;                                                                                       \
    };                                                                                                                 \
    MUTEX_FORM_FUNCTIONS(name, lock.kept, KEEP_WHOLE, KEEP_WHOLE)

#define MUTEX_FORM_FUNCTIONS(name, place, pack, unpack)                                                                \
    static inline void name##_mutex_lock(struct name##_mutex *mutex)                                                   \
    {                                                                                                                  \
        struct name##_context context;                                                                                 \
        name##_acquire(&mutex->lock, &context);                                                                        \
        mutex->place = pack(context);                                                                                  \
    }                                                                                                                  \
    static inline bool name##_mutex_trylock(struct name##_mutex *mutex)                                                \
    {                                                                                                                  \
        struct name##_context context;                                                                                 \
        if (!name##_try_acquire(&mutex->lock, &context))                                                               \
            return false;                                                                                              \
        mutex->place = pack(context);                                                                                  \
        return true;                                                                                                   \
    }                                                                                                                  \
    static inline void name##_mutex_unlock(struct name##_mutex *mutex)                                                 \
    {                                                                                                                  \
        struct name##_context context = unpack(mutex->place);                                                          \
        name##_release(&mutex->lock, &context);                                                                        \
    }

#endif
