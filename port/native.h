/* SPDX-License-Identifier: MIT */
/* The native world: the machine itself. Bodies that are not worth inlining are in native.c. */
#ifndef RECIP_PORT_NATIVE_H
#define RECIP_PORT_NATIVE_H
#define PORT_HAS_MUTEX

#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "port/release.h"
#include "port/thread.h"

/* Initial-exec: one instruction to reach, no allocation on first use. Aligned by hand: a library whose thread-local
 * storage asks for more than a line's alignment cannot be loaded by dlopen. */
extern _Thread_local alignas(RECIP_LINE / 2) char recip_thread_storage[sizeof(struct thread) + RECIP_LINE / 2]
    __attribute__((tls_model("initial-exec")));

static inline struct thread *port_thread(void)
{
    return (struct thread *)(((uintptr_t)recip_thread_storage + RECIP_LINE / 2) & -(uintptr_t)RECIP_LINE);
}

static inline void port_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#elif defined(__powerpc64__)
    __asm__ volatile("or 27,27,27" ::: "memory"); /* yield: the core's other threads may have what this one would use */
#elif defined(__riscv)
    __asm__ volatile(".4byte 0x0100000f" ::: "memory"); /* pause: without Zihintpause a fence that does nothing */
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* ThreadSanitizer knows nothing of what such instructions write. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define PORT_HAS_CACHE_CONTROL

/* As bytes, because not every assembler knows it: cldemote (%rax). A CPU that has no such instruction takes it for one
 * that does nothing. */
static inline void port_demote(const _Atomic(uintptr_t) *word)
{
    __asm__ volatile(".byte 0x0f, 0x1c, 0x00" ::"a"(word));
}

/* The first fence makes it a release: nothing else orders a non-temporal store behind other stores. The second lets it
 * out of the buffer in which such stores wait for others to the same line. */
static inline void port_store_past_caches(_Atomic(uintptr_t) *word, uintptr_t value)
{
    __asm__ volatile("sfence\n\tmovnti %1, %0\n\tsfence" : "=m"(*word) : "r"(value) : "memory");
}
#endif

void recip_native_park(_Atomic(uintptr_t) *word, uintptr_t expected);
void recip_native_wake(_Atomic(uintptr_t) *word);

static inline void port_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    recip_native_park(word, expected);
}

static inline void port_wake(_Atomic(uintptr_t) *word)
{
    recip_native_wake(word);
}

unsigned recip_native_socket(void);

static inline unsigned port_socket(void)
{
    return recip_native_socket();
}

#define PORT_HAS_CLUSTERS
unsigned recip_native_cluster(void);

static inline unsigned port_cluster(void)
{
    return recip_native_cluster();
}

#define PORT_HAS_MONITOR
void recip_native_relax_at(const _Atomic(uintptr_t) *word, uintptr_t seen);

static inline void port_relax_at(const _Atomic(uintptr_t) *word, uintptr_t seen)
{
    recip_native_relax_at(word, seen);
}

/* When a wait ends in vain. */
struct deadline {
    clockid_t clock; /* CLOCK_REALTIME or CLOCK_MONOTONIC */
    struct timespec time;
};

bool recip_native_park_as(const void *word, uint32_t expected, uint32_t kind, const struct deadline *deadline);
bool recip_native_wake_as(const void *word, uint32_t kind);
void recip_native_barrier(void);
/* Finds out whether release can do without an atomic operation: at start and after a fork. */
void recip_native_rseq_begin(void);
/* Where this thread's rseq area is, from the thread pointer; 0 where release has to be atomic. */
extern ptrdiff_t recip_rseq_offset_;

/* Modulo 65536; changes in a child only, before it has a second thread. */
extern unsigned recip_native_epoch;

static inline bool port_park_until(_Atomic(uintptr_t) *word, uintptr_t expected, const struct deadline *deadline)
{
    /* The half that a futex compares; see native.c. */
    return recip_native_park_as((const void *)word, (uint32_t)expected, UINT32_MAX, deadline);
}

static inline bool port_park_as(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind,
                                const struct deadline *deadline)
{
    return recip_native_park_as((const void *)word, expected, kind, deadline);
}

static inline void port_park32(_Atomic(uint32_t) *word, uint32_t expected)
{
    recip_native_park_as((const void *)word, expected, UINT32_MAX, NULL);
}

static inline void port_wake32(_Atomic(uint32_t) *word)
{
    recip_native_wake_as((const void *)word, UINT32_MAX);
}

/* Sleeps for so long at the most. False, at once, where a deadline would not do. */
bool recip_native_nap_at(const void *word, uint32_t expected, uint32_t kind, int64_t nanoseconds);

static inline bool port_nap_at(_Atomic(uint32_t) *word, uint32_t expected, uint32_t kind, int64_t nanoseconds)
{
    return recip_native_nap_at((const void *)word, expected, kind, nanoseconds);
}

static inline bool port_wake_as(_Atomic(uint32_t) *word, uint32_t kind)
{
    return recip_native_wake_as((const void *)word, kind);
}

static inline void port_barrier(void)
{
    recip_native_barrier();
}

void recip_native_yield(void);

static inline void port_yield(void)
{
    recip_native_yield();
}

bool recip_native_nap(int64_t nanoseconds);
int64_t recip_native_now(void);

static inline bool port_nap(int64_t nanoseconds)
{
    return recip_native_nap(nanoseconds);
}

static inline int64_t port_now(void)
{
    return recip_native_now();
}

/* The CPU's own counter of time, where a program may read it: a few nanoseconds instead of twenty or more. */
static inline int64_t port_ticks(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return recip_native_now();
#endif
}

/* How many ticks those are: measured when the library is loaded. */
int64_t recip_native_ticks_of(int64_t nanoseconds);

static inline int64_t port_ticks_of(int64_t nanoseconds)
{
    return recip_native_ticks_of(nanoseconds);
}

static inline void port_wait(int64_t ticks)
{
    int64_t start = port_ticks();
    do
        port_relax();
    while (port_ticks() - start < ticks);
}

/* The release that programs inline is in recip-inline.h. This is for ports made from this one: in one step. */
static inline bool port_release_fast(_Atomic(uint32_t) *state)
{
    return release_in_one_step(state);
}

static inline unsigned port_epoch(void)
{
    return recip_native_epoch;
}

#endif
