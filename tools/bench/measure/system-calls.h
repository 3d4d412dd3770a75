/* SPDX-License-Identifier: MIT */
/* Counts the system calls that a thread makes, exactly and in any library: the kernel's syscall user dispatch
 * (Linux 5.11, x86-64) turns each into a signal, whose handler counts the call and makes it. This costs a microsecond
 * or two for each call, so it is done in runs of their own. It needs no privilege. */
#ifndef RECIP_BENCH_CALLS_H
#define RECIP_BENCH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct system_calls {
    uint64_t all, futex;
};

/* Whether this system can do it. */
bool system_calls_available(void);

/* From here on the calls of this thread are added to `calls`, until system_calls_end. Signals other than SIGSYS have to
 * be blocked in the thread: the return from their handlers is a system call, too. */
void system_calls_begin(struct system_calls *calls);
void system_calls_end(void);

#endif
