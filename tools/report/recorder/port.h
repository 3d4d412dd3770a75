/* SPDX-License-Identifier: MIT */
/* The recorder's side of port/port.h. */
#ifndef RECIP_REPORT_RECORDER_PORT_H
#define RECIP_REPORT_RECORDER_PORT_H

#include <stdlib.h>

#include "port/thread.h"

struct thread *recorder_thread(void);

static inline struct thread *port_thread(void)
{
    return recorder_thread();
}

/* A thread that spins is not resumed before its gate has opened: nothing to do. */
static inline void port_relax(void)
{
}

static inline unsigned port_socket(void)
{
    return 0;
}

/* The recorded form of the lock only spins. */
static inline void port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    (void)word;
    (void)expected;
    abort();
}

#endif
