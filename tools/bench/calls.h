/* How many system calls a thread makes, exactly, whoever's lock makes them: the kernel's syscall user dispatch (Linux
 * 5.11, x86-64) turns each into a signal, whose handler counts the call and makes it. That costs a microsecond or two
 * for each call, so it is done in runs of its own, and it needs no privilege. */
#ifndef RECIP_BENCH_CALLS_H
#define RECIP_BENCH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct calls {
    uint64_t all, futex;
};

/* Whether this system can do it. */
bool calls_available(void);

/* From here on the calls of this thread are added to `calls`, until calls_end. Signals other than SIGSYS have to be
 * blocked in the thread: the return from their handlers is a system call, too. */
void calls_begin(struct calls *calls);
void calls_end(void);

#endif
