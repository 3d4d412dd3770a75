#include "preload/choice.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zoo/pthread-fit.h"
#include "preload/glibc.h"
#include "preload/statistics.h"

unsigned preload_detour = DETOUR_UNDECIDED;
const struct recip_algorithm *preload_zoo;

/* Where the kernel put argc, argv and the environment; the dynamic linker's. */
extern void *__libc_stack_end;

static char **environment_now(void)
{
    if (environ)
        return environ;
    /* libc has not started yet. */
    intptr_t *count = __libc_stack_end;
    return (char **)(count + 1 + *count + 1);
}

const char *preload_environment(const char *name)
{
    size_t length = strlen(name);
    for (char **each = environment_now(); *each; each++)
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return NULL;
}

static _Noreturn void refuse(const char *id, const char *reason)
{
    char line[256];
    int length = snprintf(line, sizeof line, "recip: RECIP_LOCK: lock '%.60s' %s\n", id, reason);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(3);
    _exit(2);
}

static unsigned detour_for(const char *id)
{
    if (!id || !*id || strcmp(id, "mutex") == 0)
        return 0;
    if (strcmp(id, "pthread") == 0)
        return DETOUR_GLIBC;
    const struct recip_algorithm *lock = recip_algorithm_find(id);
    if (!lock)
        refuse(id, "does not exist; 'recip list' shows those that do");
    const char *reason = recip_pthread_unfit_reason(lock);
    if (reason)
        refuse(id, reason);
    preload_zoo = lock;
    return DETOUR_ZOO;
}

void preload_decide(void)
{
    unsigned detour = detour_for(preload_environment("RECIP_LOCK"));
    const char *statistics = preload_environment("RECIP_STATS");
    if (statistics && *statistics)
        detour |= DETOUR_STATISTICS;
    preload_detour = detour;
}

/* First of all constructors: this library is linked with -z initfirst, and 101 is the first priority. Then there is one
 * thread, and libc has not seen the environment, which the next constructors read. */
__attribute__((constructor(101))) static void start(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    if (!environ)
        environ = environment;
    preload_decided();
    glibc_find();
    if (preload_detour & DETOUR_STATISTICS)
        statistics_start();
}
