/* SPDX-License-Identifier: MIT */
/* The semaphore: the thread-oblivious formulation with more than one permit. Posting gives the permit to a waiter by
 * opening its gate; no thread owns a permit. Waiters are admitted in reciprocating order: the entry segment first, then
 * those that have arrived since, from the newest. A permit that no waiter gets is free for any thread.
 *
 * value is permits << 1, plus 1 while there are waiters; then there is no permit, and posting looks for them.
 *
 * The last access of a post to the semaphore comes before it opens a gate: the waiter behind it may destroy the
 * semaphore.
 */
#define RECIP_UNANNOTATED
#include "port/port.h"

#include "src/diagnosis.h"
#include "src/waiter.h"

#define WAITED_FOR ((uintptr_t)1)
#define PERMIT ((uintptr_t)2)

static inline _Atomic(uintptr_t) *value_of(recip_sem_t *sem)
{
    return (_Atomic(uintptr_t) *)&sem->value;
}

static inline uintptr_t value_load(recip_sem_t *sem)
{
    return atomic_load_explicit(value_of(sem), memory_order_relaxed);
}

/* In a child the waiters of its parent do not exist, nor the thread that may hold the inner mutex. */
static void sem_repair(recip_sem_t *sem)
{
    diagnose_sem_repair(sem);
    recip_repair_begin();
    if (__atomic_load_n(&sem->epoch, __ATOMIC_RELAXED) != port_epoch()) {
        sem->inner = (recip_mutex_t)RECIP_MUTEX_INIT;
        sem->entry = sem->arrivals = NULL;
        atomic_fetch_and_explicit(value_of(sem), ~WAITED_FOR, memory_order_relaxed);
        /* release: with the acquire in sem_enter. */
        __atomic_store_n(&sem->epoch, port_epoch(), __ATOMIC_RELEASE);
    }
    recip_repair_end();
}

static void sem_enter(recip_sem_t *sem)
{
    if (__atomic_load_n(&sem->epoch, __ATOMIC_ACQUIRE) != port_epoch())
        sem_repair(sem);
    recip_mutex_lock(&sem->inner);
}

int recip_sem_trywait_(recip_sem_t *sem)
{
    uintptr_t value = value_load(sem);
    while (value >= PERMIT)
        /* acquire: with the release in recip_sem_post_. */
        if (atomic_compare_exchange_weak_explicit(value_of(sem), &value, value - PERMIT, memory_order_acquire,
                                                  memory_order_relaxed))
            return 0;
    return EAGAIN;
}

/* Take a permit, or mark that a thread waits. True: it has a permit. */
static bool take_or_mark(recip_sem_t *sem)
{
    uintptr_t value = value_load(sem);
    for (;;) {
        uintptr_t next = value >= PERMIT ? value - PERMIT : value | WAITED_FOR;
        /* acquire: as in recip_sem_trywait_. */
        if (atomic_compare_exchange_weak_explicit(value_of(sem), &value, next, memory_order_acquire,
                                                  memory_order_relaxed))
            return value >= PERMIT;
    }
}

static void push(waiter **stack, waiter *element)
{
    element->previous = NULL;
    element->next = *stack;
    if (*stack)
        (*stack)->previous = element;
    *stack = element;
}

static void sem_take_out(recip_sem_t *sem, waiter *element)
{
    waiter **head = sem->entry == element ? &sem->entry : &sem->arrivals;
    *(element->previous ? &element->previous->next : head) = element->next;
    if (element->next)
        element->next->previous = element->previous;
    atomic_store_explicit(&element->status, WAITER_CHOSEN, memory_order_relaxed);
    if (!sem->entry && !sem->arrivals)
        atomic_fetch_and_explicit(value_of(sem), ~WAITED_FOR, memory_order_relaxed);
}

static bool sem_withdraw(recip_sem_t *sem, waiter *self)
{
    sem_enter(sem);
    /* relaxed: under the inner mutex. */
    bool listed = atomic_load_explicit(&self->status, memory_order_relaxed) == WAITER_LISTED;
    if (listed)
        sem_take_out(sem, self);
    recip_mutex_unlock(&sem->inner);
    return listed;
}

int recip_sem_wait_until(recip_sem_t *sem, const struct deadline *deadline)
{
    if (recip_sem_trywait_(sem) == 0)
        return 0;
    waiter self;
    gate_close(&self.gate);
    atomic_store_explicit(&self.status, WAITER_LISTED, memory_order_relaxed);
    sem_enter(sem);
    bool taken = take_or_mark(sem);
    if (!taken)
        push(&sem->arrivals, &self);
    recip_mutex_unlock(&sem->inner);
    if (taken)
        return 0;
    if (gate_is_shut(recip_waiter_await(&self, deadline))) {
        if (sem_withdraw(sem, &self))
            return ETIMEDOUT;
        recip_waiter_await(&self, NULL);
    }
    return 0;
}

/* The next waiter, out of the lists; or null. */
static waiter *next_waiter(recip_sem_t *sem)
{
    sem_enter(sem);
    if (!sem->entry) {
        sem->entry = sem->arrivals;
        sem->arrivals = NULL;
    }
    waiter *element = sem->entry;
    if (element)
        sem_take_out(sem, element);
    recip_mutex_unlock(&sem->inner);
    return element;
}

int recip_sem_post_(recip_sem_t *sem)
{
    uintptr_t value = value_load(sem);
    for (;;) {
        if (value & WAITED_FOR) {
            waiter *element = next_waiter(sem);
            if (element) {
                recip_waiter_open(element, SEGMENT_EMPTY);
                return 0;
            }
            value = value_load(sem);
            continue;
        }
        if (value >> 1 >= RECIP_SEM_VALUE_MAX) {
            diagnose_sem_repair(sem);
            return EOVERFLOW;
        }
        /* release: with the acquire in recip_sem_trywait_ and take_or_mark. The last access. */
        if (atomic_compare_exchange_weak_explicit(value_of(sem), &value, value + PERMIT, memory_order_release,
                                                  memory_order_relaxed))
            return 0;
    }
}

void recip_sem_getvalue(recip_sem_t *sem, int *value)
{
    *value = (int)(value_load(sem) >> 1);
}

int recip_sem_init(recip_sem_t *sem, unsigned permits)
{
    if (permits > RECIP_SEM_VALUE_MAX)
        return EINVAL;
    *sem = (recip_sem_t)RECIP_SEM_INIT(permits);
    return 0;
}

int recip_sem_destroy(recip_sem_t *sem)
{
    bool waited_for = value_load(sem) & WAITED_FOR;
    diagnose_sem_destroying(sem, waited_for);
    return waited_for ? EBUSY : 0;
}
