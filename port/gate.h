/* SPDX-License-Identifier: MIT */
/* How a thread waits at a word that only it waits at: the waiting policy, apart from any algorithm.
 *
 * RECIP_SPIN (the default) spins until the word changes. RECIP_PARK spins for a while, then sleeps; the opener makes a
 * system call for a sleeper only. RECIP_MONITOR spins where the CPU cannot watch a word, and rests until it is written
 * where it can. Choose with -DRECIP_WAITING=RECIP_PARK, the same in every translation unit that uses a lock: an opener
 * compiled to spin wakes no sleeper.
 *
 * | gate             | meaning                                                                          |
 * |------------------|----------------------------------------------------------------------------------|
 * | GATE_CLOSED (0)  | nothing yet (a latch, latch.h, has another value for it)                         |
 * | GATE_PARKED (2)  | nothing yet, and the waiter is asleep or about to be (RECIP_PARK only)           |
 * | any other        | open; the value is the opener's message: 1, or an address (elements are aligned) |
 */
#ifndef RECIP_PORT_GATE_H
#define RECIP_PORT_GATE_H

#include "port/port.h"

#define RECIP_SPIN 1
#define RECIP_PARK 2
#define RECIP_MONITOR 3
#ifndef RECIP_WAITING
#define RECIP_WAITING RECIP_SPIN
#endif

enum { GATE_CLOSED = 0, GATE_OPEN = 1, GATE_PARKED = 2 };

/* Before one's element is published: relaxed, because the publishing exchange is a release. */
static inline void gate_close(_Atomic(uintptr_t) *gate)
{
    atomic_store_explicit(gate, GATE_CLOSED, memory_order_relaxed);
}

/* How long RECIP_PARK spins before it sleeps, in turns of port_relax. Each world has its own; the native one measures
 * at start how many turns make up its time. */
extern unsigned recip_spin_turns;

/* One turn of a wait for the gate to be other than `closed`. */
static inline void gate_relax(const _Atomic(uintptr_t) *gate, uintptr_t closed)
{
#if RECIP_WAITING == RECIP_MONITOR
    port_relax_at(gate, closed);
#else
    (void)gate;
    (void)closed;
    port_relax();
#endif
}

#if RECIP_WAITING == RECIP_SPIN || RECIP_WAITING == RECIP_MONITOR

static inline uintptr_t gate_await_change(_Atomic(uintptr_t) *gate, uintptr_t closed)
{
    uintptr_t value;
    /* acquire: with the release in gate_open, of the previous owner's critical section. */
    while ((value = atomic_load_explicit(gate, memory_order_acquire)) == closed)
        gate_relax(gate, closed);
    return value;
}

static inline void gate_open(_Atomic(uintptr_t) *gate, uintptr_t message)
{
    /* release: with the acquire in gate_await_change. The opener's last access to the gate. */
    atomic_store_explicit(gate, message, memory_order_release);
}

#elif RECIP_WAITING == RECIP_PARK

static inline uintptr_t gate_await_change(_Atomic(uintptr_t) *gate, uintptr_t closed)
{
    uintptr_t value;
    for (unsigned turn = 0; turn < recip_spin_turns; turn++) {
        /* acquire, here and below: with the release in gate_open. */
        value = atomic_load_explicit(gate, memory_order_acquire);
        if (value != closed)
            return value;
        gate_relax(gate, closed);
    }
    for (;;) {
        uintptr_t expected = closed;
        /* relaxed: says "asleep" and nothing else; if the gate is open instead, the load below sees it. */
        atomic_compare_exchange_strong_explicit(gate, &expected, GATE_PARKED, memory_order_relaxed,
                                                memory_order_relaxed);
        while ((value = atomic_load_explicit(gate, memory_order_acquire)) == GATE_PARKED)
            port_park(gate, GATE_PARKED);
        if (value != closed)
            return value;
    }
}

static inline void gate_open(_Atomic(uintptr_t) *gate, uintptr_t message)
{
    /* release: with the acquire in gate_await_change. The opener's last access to the gate: the wake-up names its
     * address only, and may come after the waiter has left and its memory has gone. */
    if (atomic_exchange_explicit(gate, message, memory_order_release) == GATE_PARKED)
        port_wake(gate);
}

#else
#error "RECIP_WAITING is RECIP_SPIN, RECIP_PARK or RECIP_MONITOR"
#endif

/* Wait at one's own element; the opener's message. */
static inline uintptr_t gate_await(_Atomic(uintptr_t) *gate)
{
    return gate_await_change(gate, GATE_CLOSED);
}

#endif
