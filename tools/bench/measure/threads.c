/* SPDX-License-Identifier: MIT */
#include "bench/measure/threads.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

unsigned threads_cpus(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return (unsigned)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

static void pin(pthread_attr_t *attributes, unsigned index)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    unsigned wanted = index % (unsigned)CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            pthread_attr_setaffinity_np(attributes, sizeof one, &one);
            return;
        }
}

bool threads_start(pthread_t *thread, int cpu, void *(*body)(void *), void *argument)
{
    sigset_t most, before;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (cpu != ANY_CPU)
        pin(&attributes, (unsigned)cpu);
    sigfillset(&most);
    sigdelset(&most, SIGSYS);
    pthread_sigmask(SIG_BLOCK, &most, &before);
    bool started = pthread_create(thread, &attributes, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
