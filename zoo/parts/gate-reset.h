/* SPDX-License-Identifier: MIT */
/* A gate that its waiter closes again as it takes the message, by one exchange: coherence traffic reduction. Waiting
 * with a read-modify-write brings the line in a state in which it can be written, so that closing the gate for the next
 * wait finds it modified and asks for nothing.
 *
 * Invariant: the gate is closed whenever its thread does not wait at it. */
#ifndef RECIP_ZOO_PARTS_GATE_RESET_H
#define RECIP_ZOO_PARTS_GATE_RESET_H

#include "port/gate.h"

/* The message, or GATE_CLOSED if there is none yet. */
static inline uintptr_t gate_take(_Atomic(uintptr_t) *gate)
{
    /* acquire: with the release in gate_open, of the previous owner's critical section. */
    return atomic_exchange_explicit(gate, GATE_CLOSED, memory_order_acquire);
}

#if RECIP_WAITING != RECIP_PARK

/* With RECIP_MONITOR the CPU waits until the line is taken away, and one exchange brings it back, with the message, to
 * be written: no other access is made in a wait. */
static inline uintptr_t gate_await_and_close(_Atomic(uintptr_t) *gate)
{
    uintptr_t message;
    while ((message = gate_take(gate)) == GATE_CLOSED)
        gate_relax(gate, GATE_CLOSED);
    return message;
}

#else

/* Asleep, the word says so, and an exchange would take that for the message: gate_await sleeps, by loads. */
static inline uintptr_t gate_await_and_close(_Atomic(uintptr_t) *gate)
{
    uintptr_t message;
    for (unsigned turn = 0; turn < recip_spin_turns; turn++) {
        if ((message = gate_take(gate)) != GATE_CLOSED)
            return message;
        gate_relax(gate, GATE_CLOSED);
    }
    message = gate_await(gate);
    gate_close(gate);
    return message;
}

#endif

#endif
