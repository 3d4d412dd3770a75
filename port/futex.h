/* The futex system call, as a lock may use it: errno stays what the program left there. */
#ifndef RECIP_PORT_FUTEX_H
#define RECIP_PORT_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What the kernel answers, or minus the error number. */
static inline long futex_call(const void *word, int operation, uint32_t value, const struct timespec *end)
{
    int kept = errno;
    long answer = syscall(SYS_futex, word, operation, value, end, NULL, FUTEX_BITSET_MATCH_ANY);
    if (answer < 0)
        answer = -errno;
    errno = kept;
    return answer;
}

#endif
