/* The native world's part of the port: the thread record, parking, node memory, and the time that a spin may take. */
#include "port.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate.h"
#include "node.h"
#include "waiting-array.h"

_Thread_local struct thread recip_thread;

_Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];

/* The half of the word that a futex compares. GATE_PARKED differs from every other value of a gate in that half: the
 * others are 0, 1 or addresses of elements, which are aligned. */
static uint32_t *futex_of(_Atomic(uintptr_t) *word)
{
    uint32_t *half = (uint32_t *)(void *)word;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half += sizeof(uintptr_t) / sizeof *half - 1;
#endif
    return half;
}

void recip_native_park(_Atomic(uintptr_t) *word, uintptr_t expected)
{
    syscall(SYS_futex, futex_of(word), FUTEX_WAIT_PRIVATE, (uint32_t)expected, NULL, NULL, 0);
}

void recip_native_wake(_Atomic(uintptr_t) *word)
{
    syscall(SYS_futex, futex_of(word), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Nodes are freed when their thread ends. The key's destructor runs again if a later destructor locks again. */
static pthread_key_t nodes_key;
static pthread_once_t nodes_once = PTHREAD_ONCE_INIT;

static void free_nodes(void *thread_of)
{
    struct thread *thread = thread_of;
    while (thread->nodes)
        free(node_take());
    /* Whatever a later destructor still releases is freed at once. */
    thread->nodes_out = 0;
}

/* The main thread ends by exit, which runs no destructor of a key. */
static void free_nodes_at_exit(void)
{
    free_nodes(&recip_thread);
}

static void make_nodes_key(void)
{
    if (pthread_key_create(&nodes_key, free_nodes) != 0) {
        fputs("recip: no thread-specific key left for queue nodes\n", stderr);
        abort();
    }
    atexit(free_nodes_at_exit);
}

struct node *recip_node_new(void)
{
    pthread_once(&nodes_once, make_nodes_key);
    if (!pthread_getspecific(nodes_key))
        pthread_setspecific(nodes_key, &recip_thread);
    struct node *node = aligned_alloc(RECIP_LINE, sizeof(struct node));
    if (!node) {
        fputs("recip: no memory for a queue node\n", stderr);
        abort();
    }
    return node;
}

void recip_node_delete(struct node *node)
{
    free(node);
}

/* How long a thread spins before it sleeps: about what a sleep and a wake-up on another core cost. */
#define SPIN_NANOSECONDS 10000
#define CALIBRATION_TURNS 200

/* Until the measurement below has run. */
unsigned recip_spin_turns = 400;

static int64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A pause takes 5 to 150 ns, by CPU. The fastest of a few tries, as a preemption can only slow one down. */
__attribute__((constructor)) static void calibrate_spinning(void)
{
    int64_t best = INT64_MAX;
    for (int attempt = 0; attempt < 5; attempt++) {
        int64_t start = nanoseconds_now();
        for (int turn = 0; turn < CALIBRATION_TURNS; turn++)
            port_relax();
        int64_t taken = nanoseconds_now() - start;
        if (taken < best)
            best = taken;
    }
    if (best < 1)
        best = 1;
    recip_spin_turns = (unsigned)(INT64_C(1) * SPIN_NANOSECONDS * CALIBRATION_TURNS / best);
}
