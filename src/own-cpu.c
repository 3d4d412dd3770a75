/* SPDX-License-Identifier: MIT */
/* Whether a waiting thread has a CPU of its own, which decides how it waits.
 *
 * Where threads exceed CPUs a waiter that stays awake keeps a CPU from the thread that it waits for; where they do not,
 * a waiter that sleeps is late. No call of the kernel tells which it is, but a yield does: if it is over at once,
 * nobody else was ready to run here. So each thread yields now and then while it waits, and remembers: after OWN_CPU
 * such yields in a row the CPU is its own, until one takes longer.
 */
#define RECIP_UNANNOTATED
#include "src/state.h"

int64_t recip_yield(void)
{
    struct thread *thread = port_thread();
    int64_t start = port_ticks();
    port_yield();
    int64_t took = port_ticks() - start;
    if (took >= recip_tuning.quick_yield)
        thread->quick_yields = 0;
    else if (thread->quick_yields < recip_tuning.own_cpu)
        thread->quick_yields++;
    return took;
}

bool recip_has_own_cpu(void)
{
    return port_thread()->quick_yields >= recip_tuning.own_cpu;
}

void recip_give_way_now_and_then(void)
{
    struct thread *thread = port_thread();
    if (port_ticks() - thread->gave_way < recip_tuning.give_way)
        return;
    recip_yield();
    thread->gave_way = port_ticks(); /* others may have run for long */
}

int64_t recip_patience(int64_t of_many)
{
    return recip_has_own_cpu() ? recip_tuning.awake : of_many;
}

bool recip_is_patient(struct awake *awake, int64_t patience, int64_t between_yields)
{
    int64_t now = port_ticks();
    if (now - awake->yielded >= between_yields) {
        recip_yield();
        now = awake->yielded = port_ticks();
    }
    return now - awake->since < patience;
}
