/* SPDX-License-Identifier: MIT */
/* The lock of own-lock.h in every execution that C11 allows: one owner at a time, what it protects is not raced for,
 * nobody waits for ever, and nobody is overtaken.
 *
 *     recip check --source examples/own-lock-client.c
 *
 * Make an order in own-lock.h weaker, or let unlock forget a number, and see what is found.
 */
#include <recip-check.h>

#define OWN_LOCK_RELAX() check_relax()
#include "own-lock.h"

static struct own_lock lock;
static int counter;

static void increment(void *unused)
{
    (void)unused;
    check_arriving(&lock, sizeof lock);
    own_lock(&lock);
    check_owned(&lock);
    counter++;
    check_leaving(&lock);
    own_unlock(&lock);
    check_released(&lock);
}

static void setup(void)
{
    check_name(&lock.next, sizeof lock.next, "next");
    check_name(&lock.served, sizeof lock.served, "served");
    check_name(&counter, sizeof counter, "counter");
    check_max_overtakes(&lock, 0);
    for (int i = 0; i < 3; i++)
        check_thread(increment, NULL);
}

static void finish(void)
{
    check_assert(counter == 3);
}

CHECK_CLIENT("three threads, one acquisition each", setup, finish)
