/* The check world's part of the port for the mutex: time, the release that is no atomic operation, and the barrier
 * against it. For clients that are compiled by `recip check --source`.
 *
 * A release in two steps is a section. A barrier sends every other thread that is in one back to its start, or waits if
 * it has begun to commit; whichever, the two know of each other then.
 */
#ifndef RECIP_MUTEX_CHECK_PORT_H
#define RECIP_MUTEX_CHECK_PORT_H

#include "check/client.h"
#include "check/port.h"

#include <stdbool.h>

#define PORT_HAS_MUTEX

/* For each thread, from number 1: 0 outside and while it compares; then these. */
enum { COMMITTING = 1, SENT_BACK = 2 };
enum { MOST_SECTIONS = 4 };

extern _Atomic(unsigned) check_section[MOST_SECTIONS];
extern unsigned check_threads;
extern bool check_rseq;

/* Another thread says when. */
struct deadline {
    _Atomic(int) passed;
};

/* A turn of waiting for the word or for the deadline. */
#define CHECK_PARK_UNTIL(word, expected, deadline)                                                                     \
    do {                                                                                                               \
        if (!(deadline)) {                                                                                             \
            check_park(word, sizeof *(word), expected);                                                                \
            return true;                                                                                               \
        }                                                                                                              \
        while (atomic_load_explicit(word, memory_order_relaxed) == (expected)) {                                       \
            if (atomic_load_explicit(&((struct deadline *)(deadline))->passed, memory_order_relaxed))                  \
                return false;                                                                                          \
            port_relax();                                                                                              \
        }                                                                                                              \
        return true;                                                                                                   \
    } while (0)

static inline bool port_park_until(_Atomic(uintptr_t) *word, uintptr_t expected, const struct deadline *deadline)
{
    CHECK_PARK_UNTIL(word, expected, deadline);
}

static inline bool port_park32_until(_Atomic(uint32_t) *word, uint32_t expected, const struct deadline *deadline)
{
    CHECK_PARK_UNTIL(word, expected, deadline);
}

static inline void port_wake32(_Atomic(uint32_t) *word)
{
    check_wake(word);
}

/* All changes of a section are read-modify-writes that acquire and release: what a barrier's caller wrote before is
 * known to every section that starts after it, and what a section stored is known to the barrier that waited for it. */
static inline bool port_release_fast(_Atomic(uint32_t) *word, uint32_t expected, uint32_t desired)
{
    if (!check_rseq)
        return atomic_compare_exchange_strong_explicit(word, &expected, desired, memory_order_release,
                                                       memory_order_relaxed);
    _Atomic(unsigned) *section = &check_section[check_self()];
    for (;;) {
        atomic_exchange_explicit(section, 0, memory_order_acq_rel);
        if (atomic_load_explicit(word, memory_order_relaxed) != expected)
            return false;
        if (atomic_fetch_or_explicit(section, COMMITTING, memory_order_acq_rel) & SENT_BACK)
            continue;
        atomic_store_explicit(word, desired, memory_order_release);
        atomic_exchange_explicit(section, 0, memory_order_acq_rel);
        return true;
    }
}

static inline void port_barrier(void)
{
#ifndef MUTANT_NO_BARRIER
    for (unsigned i = 1; check_rseq && i <= check_threads; i++) {
        if (i == check_self())
            continue;
        unsigned section = atomic_fetch_or_explicit(&check_section[i], SENT_BACK, memory_order_acq_rel);
        while (section & COMMITTING) {
            check_relax();
            section = atomic_load_explicit(&check_section[i], memory_order_acquire);
        }
    }
#endif
}

static inline void port_yield(void)
{
}

static inline bool port_nap(int64_t nanoseconds)
{
    (void)nanoseconds;
    return true;
}

static inline int64_t port_now(void)
{
    return 0;
}

static inline unsigned port_epoch(void)
{
    return 0;
}

#endif
