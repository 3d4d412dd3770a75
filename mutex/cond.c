/* The condition variable: a list of waiters, first come first signalled, guarded by a mutex of its own. A signalled
 * waiter is not woken to lock: its element moves to the arrivals of its mutex, and its gate is opened when it leads.
 *
 * The last access to the condition variable is the release of the inner mutex, before any waiter is let go, so the
 * signalled may destroy it.
 */
#define RECIP_UNANNOTATED
#include "locks/port.h"

#include "mutex/waiter.h"

/* In a child the waiters of its parent do not exist, nor the thread that may hold the inner mutex. */
static void cond_repair(recip_cond_t *cond)
{
    recip_repair_begin();
    if (__atomic_load_n(&cond->epoch, __ATOMIC_RELAXED) != port_epoch()) {
        cond->inner = (recip_mutex_t)RECIP_MUTEX_INIT;
        cond->first = cond->last = NULL;
        /* release: with the acquire in cond_enter. */
        __atomic_store_n(&cond->epoch, port_epoch(), __ATOMIC_RELEASE);
    }
    recip_repair_end();
}

static void cond_enter(recip_cond_t *cond)
{
    if (__atomic_load_n(&cond->epoch, __ATOMIC_ACQUIRE) != port_epoch())
        cond_repair(cond);
    recip_mutex_lock(&cond->inner);
}

static void append(recip_cond_t *cond, waiter *element)
{
    element->listed = true;
    element->next = NULL;
    element->previous = cond->last;
    *(cond->last ? &cond->last->next : &cond->first) = element;
    cond->last = element;
}

static void cond_take_out(recip_cond_t *cond, waiter *element)
{
    element->listed = false;
    *(element->previous ? &element->previous->next : &cond->first) = element->next;
    *(element->next ? &element->next->previous : &cond->last) = element->previous;
}

/* By a waiter whose time is over; false if it has been signalled. */
static bool cond_withdraw(recip_cond_t *cond, waiter *self)
{
    cond_enter(cond);
    bool listed = self->listed;
    if (listed)
        cond_take_out(cond, self);
    recip_mutex_unlock(&cond->inner);
    return listed;
}

int recip_cond_wait_until(recip_cond_t *cond, recip_mutex_t *mutex, const struct deadline *deadline)
{
    waiter self = {.mutex = mutex};
    gate_close(&self.gate);
    cond_enter(cond);
    append(cond, &self);
    recip_mutex_unlock(&cond->inner);
    recip_mutex_unlock(mutex);
    uintptr_t message = recip_waiter_await(&self, deadline);
    if (gate_is_shut(message)) {
        if (cond_withdraw(cond, &self)) {
            recip_mutex_lock(mutex);
            return ETIMEDOUT;
        }
        message = recip_waiter_await(&self, NULL);
    }
    recip_mutex_lock_admitted(mutex, &self, message);
    return 0;
}

void recip_cond_signal_(recip_cond_t *cond)
{
    cond_enter(cond);
    waiter *element = cond->first;
    if (element)
        cond_take_out(cond, element);
    recip_mutex_unlock(&cond->inner);
    if (element)
        recip_mutex_admit(element->mutex, element);
}

void recip_cond_broadcast_(recip_cond_t *cond)
{
    cond_enter(cond);
    waiter *element = cond->first;
    for (waiter *each = element; each; each = each->next)
        each->listed = false;
    cond->first = cond->last = NULL;
    recip_mutex_unlock(&cond->inner);
    while (element) {
        /* Before it is admitted: afterwards it may be gone. */
        waiter *next = element->next;
        recip_mutex_admit(element->mutex, element);
        element = next;
    }
}

int recip_cond_init(recip_cond_t *cond)
{
    *cond = (recip_cond_t)RECIP_COND_INIT;
    return 0;
}

int recip_cond_destroy(recip_cond_t *cond)
{
    cond_enter(cond);
    bool waited_for = cond->first;
    recip_mutex_unlock(&cond->inner);
    return waited_for ? EBUSY : 0;
}
