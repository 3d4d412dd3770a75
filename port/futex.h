/* SPDX-License-Identifier: MIT */
/* The futex system call, as a lock may use it: errno stays what the program left there. */
#ifndef RECIP_PORT_FUTEX_H
#define RECIP_PORT_FUTEX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's numbers. Not from <linux/futex.h>: beside a C library other than glibc that header may be missing. */
enum {
    FUTEX_WAITS_PRIVATE = 0 | 128,
    FUTEX_WAKES_PRIVATE = 1 | 128,
    FUTEX_WAITS_UNTIL_PRIVATE = 9 | 128, /* by the monotonic clock, unless with */
    FUTEX_WAKES_KIND_PRIVATE = 10 | 128,
    FUTEX_BY_REALTIME = 256,
};

/* A set of kinds, for the calls that take one. */
#define ANY_KIND UINT32_MAX

/* What the kernel answers, or minus the error number. */
static inline long futex_call_kinds(const void *word, int operation, uint32_t value, const struct timespec *end,
                                    uint32_t kinds)
{
    int kept = errno;
    long answer = syscall(SYS_futex, word, operation, value, end, NULL, kinds);
    if (answer < 0)
        answer = -errno;
    errno = kept;
    return answer;
}

static inline long futex_call(const void *word, int operation, uint32_t value, const struct timespec *end)
{
    return futex_call_kinds(word, operation, value, end, ANY_KIND);
}

#endif
