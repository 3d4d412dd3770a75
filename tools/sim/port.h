/* SPDX-License-Identifier: MIT */
/* The sim world's side of port/port.h. */
#ifndef RECIP_SIM_PORT_H
#define RECIP_SIM_PORT_H

#include <time.h>

#include "port/release.h"
#include "port/thread.h"

#define PORT_HAS_MUTEX
#define PORT_HAS_TUNING
#define PORT_HAS_CLUSTERS

/* The calling thread's record is reached through a register, as thread-local storage is: no access to memory. */
struct thread *sim_port_thread(void);

unsigned sim_port_socket(void);
unsigned sim_port_cluster(void);
void sim_port_relax(void);
void sim_port_wait(int64_t nanoseconds);
int64_t sim_port_now(void);
int64_t sim_port_ticks(void);

/* A sleeper of these kinds; whoever wakes one of the kinds wakes the first of any of them. Whether it woke one. */
enum { SIM_ANY_KIND = -1 };
bool sim_port_park(const volatile void *word, size_t size, uint64_t expected, uint32_t kinds,
                   const struct timespec *time);
bool sim_port_wake(const volatile void *word, uint32_t kinds);
bool sim_port_nap(int64_t nanoseconds);
void sim_port_yield(void);

/* The release in two steps: false if the machine has none; what was begun ends with either of the others, of which the
 * second stores and says whether it did. */
bool sim_port_section_begin(void);
void sim_port_section_leave(void);
bool sim_port_section_commit(_Atomic(uint8_t) *byte, uint8_t value);
void sim_port_barrier(void);

static inline struct thread *port_thread(void)
{
    return sim_port_thread();
}

static inline void port_relax(void)
{
    sim_port_relax();
}

static inline unsigned port_socket(void)
{
    return sim_port_socket();
}

static inline unsigned port_cluster(void)
{
    return sim_port_cluster();
}

static inline void port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    sim_port_park(word, sizeof *word, expected, SIM_ANY_KIND, NULL);
}

static inline void port_wake(_Atomic(uintptr_t) *word)
{
    sim_port_wake(word, SIM_ANY_KIND);
}

/* Both clocks are the world's. */
struct deadline {
    clockid_t clock;
    struct timespec time;
};

static inline bool port_park_until(_Atomic(uintptr_t) *word, uintptr_t expected, const struct deadline *deadline)
{
    return sim_port_park(word, sizeof *word, expected, SIM_ANY_KIND, deadline ? &deadline->time : NULL);
}

static inline void port_park32(_Atomic(uint32_t) *word, uint32_t expected)
{
    sim_port_park(word, sizeof *word, expected, SIM_ANY_KIND, NULL);
}

static inline void port_wake32(_Atomic(uint32_t) *word)
{
    sim_port_wake(word, SIM_ANY_KIND);
}

static inline bool port_park_as(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind,
                                const struct deadline *deadline)
{
    return sim_port_park(word, sizeof *word, expected, kind, deadline ? &deadline->time : NULL);
}

static inline bool port_nap_at(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind, int64_t nanoseconds)
{
    int64_t end = sim_port_now() + nanoseconds;
    sim_port_park(word, sizeof *word, expected, kind, &(struct timespec){end / 1000000000, end % 1000000000});
    return true;
}

static inline bool port_wake_as(_Atomic(uint32_t) *word, uint32_t kind)
{
    return sim_port_wake(word, kind);
}

static inline bool port_release_fast(_Atomic(uint32_t) *state)
{
    if (!sim_port_section_begin())
        return release_in_one_step(state);
    if (atomic_load_explicit(release_marks_byte(state), memory_order_relaxed) == 0)
        return sim_port_section_commit(release_lock_byte(state), 0);
    sim_port_section_leave();
    return false;
}

static inline void port_barrier(void)
{
    sim_port_barrier();
}

static inline void port_yield(void)
{
    sim_port_yield();
}

static inline bool port_nap(int64_t nanoseconds)
{
    return sim_port_nap(nanoseconds);
}

static inline int64_t port_now(void)
{
    return sim_port_now();
}

/* The CPU's own counter of time, which takes less to read. In nanoseconds here. */
static inline int64_t port_ticks(void)
{
    return sim_port_ticks();
}

/* Waits, and looks at nothing. */
static inline void port_wait(int64_t nanoseconds)
{
    sim_port_wait(nanoseconds);
}

static inline int64_t port_ticks_of(int64_t nanoseconds)
{
    return nanoseconds;
}

static inline unsigned port_epoch(void)
{
    return 0;
}

#endif
