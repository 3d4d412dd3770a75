/* SPDX-License-Identifier: MIT */
/* Which CPU and which socket the calling thread runs on, or did a moment ago. The socket is the kernel's NUMA node. */
#include "port/native-cpu.h"
#include "port/port.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel is asked once in so many calls. A thread that has moved is taken to be where it was until then, which
 * costs time and nothing else. */
enum { CALLS_FOR_ANSWER = 256 };

static const struct thread *ask_now_and_then(void)
{
    struct thread *thread = port_thread();
    if (thread->place_calls++ % CALLS_FOR_ANSWER == 0) {
        unsigned cpu = 0, node = 0;
        if (syscall(SYS_getcpu, &cpu, &node, NULL) == 0) {
            thread->cpu = cpu;
            thread->socket = node;
        }
    }
    return thread;
}

/* gcc 12 has no __builtin_thread_pointer on ppc64le. */
#if defined(__has_include) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#endif
#endif

#ifdef HAVE_RSEQ
/* From Linux 6.3, in the area that glibc registers: after cpu_id, a field for the node, and in the auxiliary vector how
 * much of the area the kernel fills. */
enum { CPU_OFFSET = 4, NODE_OFFSET = 20, NODE_END = 24, FEATURE_SIZE = 27 };

static uint32_t rseq_field(int offset)
{
    return *(const volatile uint32_t *)((const char *)__builtin_thread_pointer() + __rseq_offset + offset);
}

/* relaxed: every thread that asks gets the same answer. 0: no thread has asked yet. */
static bool has_node(void)
{
    static _Atomic(int) answer;
    int has = atomic_load_explicit(&answer, memory_order_relaxed);
    if (!has) {
        has = __rseq_size >= NODE_END && getauxval(FEATURE_SIZE) >= NODE_END ? 1 : -1;
        atomic_store_explicit(&answer, has, memory_order_relaxed);
    }
    return has > 0;
}

/* A library that unregisters the area leaves a negative cpu_id. */
static bool is_registered(void)
{
    return __rseq_size > 0 && (int32_t)rseq_field(CPU_OFFSET) >= 0;
}

unsigned recip_native_socket(void)
{
    return has_node() && is_registered() ? rseq_field(NODE_OFFSET) : ask_now_and_then()->socket;
}

unsigned recip_native_cpu(void)
{
    return is_registered() ? rseq_field(CPU_OFFSET) : ask_now_and_then()->cpu;
}
#else
unsigned recip_native_socket(void)
{
    return ask_now_and_then()->socket;
}

unsigned recip_native_cpu(void)
{
    return ask_now_and_then()->cpu;
}
#endif
