/* SPDX-License-Identifier: MIT */
/* The fast path of a normal mutex on the flagship when statistics are kept, or what is held is watched: without
 * waiting. Where it does not apply, the general path (mutex.c) does the same. In pieces, so that pthread-mutex.c can
 * have those that most calls need without saving a register. */
#ifndef RECIP_PRELOAD_MUTEX_OBSERVED_H
#define RECIP_PRELOAD_MUTEX_OBSERVED_H

#include "preload/mutex.h"
#include "preload/statistics.h"
#include "preload/watch.h"

#define OBSERVED_MODES (MODE_STATISTICS | MODE_COUNTS | MODE_WATCH | MODE_WATCHABLE | MODE_TRACE)

/* The mode, if nothing else is special about the mutex; otherwise 0. Read once: a signal switches watching. */
static inline unsigned mutex_observed_mode(const struct mutex *mutex)
{
    unsigned mode = preload_mode;
    return ((unsigned)mutex->kind | mode) & ~OBSERVED_MODES ? 0 : mode;
}

/* False if it is not acquired: it is busy, or this thread has no number yet. */
static inline bool mutex_take_observed(struct mutex *mutex)
{
    uint32_t self = mutex_thread_number;
    if (__builtin_expect(self == 0 || !recip_take_(&mutex->lock.flagship), 0))
        return false;
    mutex_set_owner(mutex, self);
    return true;
}

/* Whether nothing else is to be done after that. */
static inline bool mutex_is_counted(struct mutex *mutex, unsigned mode)
{
    return !(mode & MODE_WATCH) && (!(mode & MODE_STATISTICS) || statistics_count(&mutex->record));
}

/* Otherwise. */
static inline void mutex_note_observed(struct mutex *mutex, unsigned mode, const void *site)
{
    if ((mode & MODE_STATISTICS) && (!(mode & MODE_WATCH) || !statistics_count(&mutex->record)))
        statistics_acquired(mutex, site, 0, false);
    if (mode & MODE_WATCH)
        watch_took(mutex, site);
}

/* Whether a release has more to do than to forget the owner. */
static inline bool mutex_is_looked_at(const struct mutex *mutex, unsigned mode)
{
    return (mutex->record & RECORD_TIMED) || (mode & MODE_WATCH);
}

static inline struct mutex *mutex_release_observed(struct mutex *mutex)
{
    mutex_set_owner(mutex, 0);
    if (__builtin_expect(!recip_release_(&mutex->lock.flagship), 0))
        mutex = mutex_unlock_contended(mutex);
    return mutex;
}

static inline struct mutex *mutex_release_looked_at(struct mutex *mutex, unsigned mode)
{
    uint32_t owner = mutex_owner_of(mutex);
    if (mutex->record & RECORD_TIMED)
        statistics_releasing(mutex);
    mutex = mutex_release_observed(mutex);
    if (mode & MODE_WATCH)
        watch_dropped(mutex, owner);
    return mutex;
}

#endif
