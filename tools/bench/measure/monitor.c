/* SPDX-License-Identifier: MIT */
#include "bench/measure/monitor.h"

#include <pthread.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include <recip.h>

#include "port/thread.h"

/* NAME_init, NAME_lock, ...: of PREFIX_mutex_t and PREFIX_cond_t, whose calls have the same names and arguments. */
#define MONITOR(name, prefix, mutex_init, cond_init)                                                                   \
    struct name {                                                                                                      \
        alignas(RECIP_LINE) prefix##_mutex_t mutex;                                                                    \
        alignas(RECIP_LINE) prefix##_cond_t cond;                                                                      \
    };                                                                                                                 \
    _Static_assert(sizeof(struct name) <= MONITOR_SIZE_MAX, "raise MONITOR_SIZE_MAX");                                 \
    static void name##_init(void *of)                                                                                  \
    {                                                                                                                  \
        *(struct name *)of = (struct name){mutex_init, cond_init};                                                     \
    }                                                                                                                  \
    static void name##_destroy(void *of)                                                                               \
    {                                                                                                                  \
        prefix##_cond_destroy(&((struct name *)of)->cond);                                                             \
        prefix##_mutex_destroy(&((struct name *)of)->mutex);                                                           \
    }                                                                                                                  \
    static void name##_lock(void *of)                                                                                  \
    {                                                                                                                  \
        prefix##_mutex_lock(&((struct name *)of)->mutex);                                                              \
    }                                                                                                                  \
    static void name##_unlock(void *of)                                                                                \
    {                                                                                                                  \
        prefix##_mutex_unlock(&((struct name *)of)->mutex);                                                            \
    }                                                                                                                  \
    static void name##_wait(void *of)                                                                                  \
    {                                                                                                                  \
        prefix##_cond_wait(&((struct name *)of)->cond, &((struct name *)of)->mutex);                                   \
    }                                                                                                                  \
    static void name##_signal(void *of)                                                                                \
    {                                                                                                                  \
        prefix##_cond_signal(&((struct name *)of)->cond);                                                              \
    }

#define ENTRY(id, name)                                                                                                \
    {                                                                                                                  \
        id, name##_init, name##_destroy, name##_lock, name##_unlock, name##_wait, name##_signal                        \
    }

MONITOR(flagship, recip, RECIP_MUTEX_INIT, RECIP_COND_INIT)
MONITOR(posix, pthread, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER)

static const struct monitor monitors[] = {ENTRY("mutex", flagship), ENTRY("pthread", posix)};

const struct monitor *monitor_find(const char *id)
{
    for (size_t i = 0; i < sizeof monitors / sizeof *monitors; i++)
        if (strcmp(monitors[i].id, id) == 0)
            return &monitors[i];
    return NULL;
}
