/* SPDX-License-Identifier: MIT */
/* recip_mutex_assert_held: a mutex has no owner in it, so the promise that can be checked is that somebody holds it. */
#define RECIP_UNANNOTATED
#include <recip.h>

#include "src/debug.h"

#include <stdlib.h>
#include <unistd.h>

void recip_mutex_assert_held(const recip_mutex_t *mutex)
{
    static const char line[] = "recip: recip_mutex_assert_held: the mutex is not locked\n";
    /* relaxed: if the calling thread has locked it, it sees that. */
    if (recip_debugs())
        recip_debug_held(mutex);
    if (__atomic_load_n(&mutex->state, __ATOMIC_RELAXED) & RECIP_LOCKED_)
        return;
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        abort();
    abort();
}
