/* SPDX-License-Identifier: MIT */
/* Where the calling thread's own data is: thread-local variables have fixed places from there. Null on other CPUs. */
#ifndef RECIP_PORT_THREAD_POINTER_H
#define RECIP_PORT_THREAD_POINTER_H

#include <stddef.h>

static inline const char *port_thread_pointer(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return (const char *)__builtin_thread_pointer();
#elif defined(__riscv)
    const char *pointer;
    __asm__("mv %0, tp" : "=r"(pointer));
    return pointer;
#elif defined(__powerpc64__) /* where gcc 12 has no __builtin_thread_pointer */
    const char *pointer;
    __asm__("mr %0, 13" : "=r"(pointer));
    return pointer;
#else
    return NULL;
#endif
}

/* How far a thread-local variable is from there; 0 where that is not known. For those who read from outside. */
static inline ptrdiff_t port_thread_offset(const void *variable)
{
    const char *pointer = port_thread_pointer();
    return pointer ? (const char *)variable - pointer : 0;
}

#endif
