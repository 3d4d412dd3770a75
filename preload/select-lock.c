/* SPDX-License-Identifier: MIT */
#include "preload/select-lock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/environment.h"
#include "port/thread-pointer.h"
#include "preload/glibc.h"
#include "preload/mutex.h"
#include "preload/statistics.h"
#include "preload/trace.h"
#include "preload/watch.h"
#include "zoo/pthread-fit.h"

unsigned preload_mode = MODE_UNDECIDED;

/* For `recip who`, which reads them from outside, and of a library that has been stripped. */
extern unsigned recip_preload_mode __attribute__((alias("preload_mode"), visibility("default")));
ptrdiff_t recip_preload_number_offset __attribute__((visibility("default"))); /* of mutex_thread_number */
const struct recip_algorithm *preload_zoo;

static _Noreturn void refuse(const char *id, const char *reason)
{
    char line[256];
    int length = snprintf(line, sizeof line, "recip: RECIP_LOCK: lock '%.60s' %s\n", id, reason);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(3);
    _exit(2);
}

static unsigned mode_of_lock(const char *id)
{
    if (!id || !*id || strcmp(id, "mutex") == 0)
        return 0;
    if (strcmp(id, "pthread") == 0)
        return MODE_GLIBC;
    const struct recip_algorithm *lock = recip_algorithm_find(id);
    if (!lock)
        refuse(id, "does not exist; 'recip list' shows those that do");
    const char *reason = recip_pthread_unfit_reason(lock);
    if (reason)
        refuse(id, reason);
    preload_zoo = lock;
    return MODE_ZOO;
}

void preload_select_lock(void)
{
    unsigned mode = mode_of_lock(preload_environment("RECIP_LOCK"));
    const char *statistics = preload_environment("RECIP_STATS");
    const char *watch = preload_environment("RECIP_WATCH");
    const char *trace = preload_environment("RECIP_TRACE");
    if (statistics && *statistics)
        mode |= MODE_STATISTICS | MODE_COUNTS;
    if (trace && *trace)
        mode |= MODE_STATISTICS | MODE_COUNTS | MODE_TRACE;
    if (watch && *watch)
        mode |= MODE_WATCHABLE | (strcmp(watch, "off") == 0 ? 0 : MODE_WATCH | MODE_STATISTICS);
    preload_mode = mode;
}

static void after_fork_in_child(void)
{
    mutex_after_fork();
    watch_after_fork();
}

/* First of all constructors: this library is linked with -z initfirst, and 101 is the first priority. There is one
 * thread then, and the C library has not set `environ`, which the next constructors read. */
__attribute__((constructor(101))) static void start(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    if (!environ)
        environ = environment;
    preload_mode_decided();
    recip_preload_number_offset = port_thread_offset(&mutex_thread_number);
    glibc_find();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    if (preload_mode & (MODE_STATISTICS | MODE_WATCHABLE))
        statistics_start();
    if (preload_mode & MODE_TRACE)
        trace_start();
    if (preload_mode & MODE_WATCHABLE)
        watch_start();
}
