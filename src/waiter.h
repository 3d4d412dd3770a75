/* SPDX-License-Identifier: MIT */
/* The mutex's wait element: where a waiter spins or sleeps, and what a thread that passes leadership on finds there.
 *
 * On the waiter's stack, so that a signal handler which locks has its own. A timed waiter's is on the heap, because it
 * may be left in a queue.
 *
 * | gate           | meaning                                                                                   |
 * |----------------|-------------------------------------------------------------------------------------------|
 * | GATE_CLOSED    | waiting                                                                                   |
 * | GATE_PARKED    | waiting, asleep or about to be                                                            |
 * | GATE_LEFT      | timed out; the next leader skips it; its thread may take it back                          |
 * | GATE_ORPHANED  | the same, and its thread has ended: the thread that skips it frees it                     |
 * | any other      | leadership; the value is the end of segment: SEGMENT_EMPTY or the address of an element    |
 */
#ifndef RECIP_SRC_WAITER_H
#define RECIP_SRC_WAITER_H

#include <stdbool.h>

#include "port/gate.h"

#include <recip.h>

enum { GATE_LEFT = 4, GATE_ORPHANED = 6 };

/* In the message beside the end of segment: the mutex itself comes with leadership; leadership, and the mutex has been
 * left free to see whether it is hot. */
#define MESSAGE_OWNED ((uintptr_t)8)
#define MESSAGE_PROBE ((uintptr_t)16)

/* arrivals: 0 when no thread waits; SEGMENT_EMPTY when there is a leader and none has come since the last detach. */
#define SEGMENT_EMPTY ((uintptr_t)1)

typedef struct recip_waiter_ waiter;

struct recip_waiter_ {
    alignas(64) _Atomic(uintptr_t) gate;
    uintptr_t successor;      /* what arrivals held when this element came; followed only if it is not the end */
    recip_mutex_t *mutex;     /* waited for, or to be (condition variable: null, if by recip_mutex_lock) */
    waiter *next, *previous;  /* in a condition variable, a semaphore, or the thread's left-behind list */
    _Atomic(unsigned) status; /* in a condition variable or semaphore */
};

/* The status of a waiter in a condition variable or semaphore. */
enum {
    WAITER_LISTED,    /* waits */
    WAITER_CHOSEN,    /* by a signal or a post, which took it out of the list and will open its gate */
    WAITER_LEAVING,   /* its deadline passed, and it is about to take itself out; other threads skip it */
    WAITER_DESTROYING /* destroy: waits until those that leave have left */
};

static inline bool gate_is_shut(uintptr_t gate)
{
    return gate == GATE_CLOSED || gate == GATE_PARKED;
}

/* From the heap and back; each world has its own. */
#ifdef PORT_HAS_MUTEX
waiter *recip_waiter_new(void);
void recip_waiter_delete(waiter *element);
#else
static inline waiter *recip_waiter_new(void)
{
    return NULL;
}

static inline void recip_waiter_delete(waiter *element)
{
    (void)element;
}
#endif

/* Wait at one's own gate. Returns what opened it; GATE_CLOSED or GATE_PARKED if the deadline passed before. */
uintptr_t recip_waiter_await(waiter *self, const struct deadline *deadline);
/* Open the gate with that message, and wake its thread if it sleeps. The last access to the element. */
void recip_waiter_open(waiter *element, uintptr_t message);

/* A hint: threads wait for the mutex, and their leader looks at it or naps, and does not sleep until release. */
bool recip_mutex_is_busy(recip_mutex_t *mutex);
/* Move a waiter that waits at its gate elsewhere to the mutex's arrivals. */
void recip_mutex_admit(recip_mutex_t *mutex, waiter *element);
/* The same by the owner of the mutex: if the waiter has to be woken, that is put off until release. */
void recip_mutex_admit_by_owner(recip_mutex_t *mutex, waiter *element);
/* The part of the waiter that was moved: lock, when its gate has opened with that message. */
void recip_mutex_lock_admitted(recip_mutex_t *mutex, waiter *self, uintptr_t message);

/* By the owner: the gate of the waiter whose wake-up was put off until release; NULL if none was, or it was taken. */
_Atomic(uintptr_t) *recip_wake_due_take(recip_mutex_t *mutex);

/* What the calling thread, as an owner, keeps. */
static inline struct recip_leadership_ *recip_leadership_kept(void)
{
#ifdef RECIP_RELEASE_BY_
    return &port_thread()->kept;
#else
    return &recip_kept_;
#endif
}

/* The owner keeps leadership in this; by a thread that unlocks in its place, or when the owner's thread ends. */
void recip_mutex_pass_on_kept(recip_mutex_t *mutex, struct recip_leadership_ *of_owner);

/* The calls that take a time, with it checked. 0 or ETIMEDOUT; the mutex also ENOMEM. */
int recip_mutex_lock_until(recip_mutex_t *mutex, const struct deadline *deadline);
int recip_cond_wait_until(recip_cond_t *cond, recip_mutex_t *mutex, const struct deadline *deadline);
int recip_sem_wait_until(recip_sem_t *sem, const struct deadline *deadline);

/* At the end of a thread: the elements that it left in queues are now freed by the threads that skip them. */
void recip_left_behind_release(struct thread *thread);

/* After a fork in this process the queues hold threads that do not exist here. One thread at a time repairs. */
void recip_repair_begin(void);
void recip_repair_end(void);

#endif
