/* SPDX-License-Identifier: MIT */
/* The sim world's side of port/port.h. */
#ifndef RECIP_SIM_PORT_H
#define RECIP_SIM_PORT_H

#include "port/thread.h"

/* The calling thread's record is reached through a register, as thread-local storage is: no access to memory. */
struct thread *sim_port_thread(void);
void sim_port_relax(void);
void sim_port_park(_Atomic(uintptr_t) *word, uintptr_t expected);
void sim_port_wake(_Atomic(uintptr_t) *word);

static inline struct thread *port_thread(void)
{
    return sim_port_thread();
}

static inline void port_relax(void)
{
    sim_port_relax();
}

static inline void port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    sim_port_park(word, expected);
}

static inline void port_wake(_Atomic(uintptr_t) *word)
{
    sim_port_wake(word);
}

#endif
