/* SPDX-License-Identifier: MIT */
/* The check world's side of the seam (port/port.h): named in RECIP_PORT when the locks are compiled for it. */
#ifndef RECIP_CHECK_PORT_H
#define RECIP_CHECK_PORT_H

#include <stdlib.h>

#include "port/thread.h"

struct thread *recip_check_thread(void);
void recip_check_relax(void);
void recip_check_park(_Atomic(uintptr_t) *word, uintptr_t expected);
void recip_check_wake(_Atomic(uintptr_t) *word);
void *recip_check_allocate(size_t alignment, size_t size);
void recip_check_free(void *memory);
void recip_check_abort(void);

#define port_thread() recip_check_thread()
#define port_relax() recip_check_relax()
#define port_park(word, expected) recip_check_park(word, expected)
#define port_wake(word) recip_check_wake(word)

/* Memory that a lock allocates has to be where it was in the execution before. */
#define aligned_alloc(alignment, size) recip_check_allocate(alignment, size)
#define free(memory) recip_check_free(memory)

/* A lock that gives up fails the check, not the checker. */
#define abort() recip_check_abort()

#include "check/port-mutex.h"

#endif
