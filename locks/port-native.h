/* The native world: the machine itself. Bodies that are not worth inlining are in native.c. */
#ifndef RECIP_LOCKS_PORT_NATIVE_H
#define RECIP_LOCKS_PORT_NATIVE_H

#include "thread.h"

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
#else
    __asm__ volatile("" ::: "memory");
#endif
}

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

#endif
