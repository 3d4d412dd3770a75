/* SPDX-License-Identifier: MIT */
/* A spin lock of one's own, checked by `recip check --source docs/examples/spinlock-client.c`. Make the store relaxed
 * and see what is said. */
#include <stdatomic.h>
#include <stddef.h>

#include <recip-check.h>

static _Atomic(int) held;
static int counter; /* what the lock protects */

static void lock(void)
{
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        check_relax();
    check_owned(&held);
}

static void unlock(void)
{
    check_leaving(&held);
    atomic_store_explicit(&held, 0, memory_order_release);
}

static void increment(void *unused)
{
    (void)unused;
    lock();
    counter++;
    unlock();
}

static void setup(void)
{
    check_name(&held, sizeof held, "held");
    for (int i = 0; i < 3; i++)
        check_thread(increment, NULL);
}

static void finish(void)
{
    check_assert(counter == 3);
}

CHECK_CLIENT("three increments", setup, finish)
