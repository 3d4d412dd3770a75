/* SPDX-License-Identifier: MIT */
/* The memory of queue nodes and of timed waiters' elements. It comes from pages of this library's own, never from
 * malloc, which may be the program's and lock. Pieces are shared by threads and mutexes, and never given back to the
 * system. The first ones are static, for a program that has used up its memory before it locks.
 *
 * Nodes and elements go back when their thread ends, by the destructor of a thread-specific key. It runs again if a
 * later destructor locks again. A thread whose end would not be noticed keeps no nodes, and cannot wait with a
 * deadline.
 */
#define RECIP_UNANNOTATED
#include "port/port.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port/node.h"
#include "preload/mutex-locks.h"
#include "src/waiter.h"

union piece {
    struct node node;
    waiter element;
    union piece *next;
};

enum { SLAB = 64 << 10 };

static recip_mutex_t pieces_mutex;
static _Atomic(union piece *) free_pieces;
static _Atomic(unsigned) pieces_epoch;

/* relaxed: under the mutex. */
static union piece *first_free(void)
{
    return atomic_load_explicit(&free_pieces, memory_order_relaxed);
}

static void push(union piece *piece)
{
    piece->next = first_free();
    /* release: a child of fork may begin between any two of these stores, and has to find a list that is whole. */
    atomic_store_explicit(&free_pieces, piece, memory_order_release);
}

static bool add_slab(void)
{
    static union piece first[SLAB / sizeof(union piece)];
    static bool first_is_used;
    union piece *slab = first;
    if (first_is_used) {
        int kept = errno;
        slab = mmap(NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        errno = kept;
    }
    if (slab == MAP_FAILED)
        return false;
    first_is_used = true;
    for (size_t i = 0; i < SLAB / sizeof *slab; i++)
        push(&slab[i]);
    return true;
}

/* In a child of fork the thread that may hold the mutex does not exist. */
static void repair(void)
{
    recip_repair_begin();
    if (atomic_load_explicit(&pieces_epoch, memory_order_relaxed) != port_epoch()) {
        pieces_mutex = (recip_mutex_t)RECIP_MUTEX_INIT;
        /* release: with the acquire in lock_pieces. */
        atomic_store_explicit(&pieces_epoch, port_epoch(), memory_order_release);
    }
    recip_repair_end();
}

static void lock_pieces(void)
{
    if (atomic_load_explicit(&pieces_epoch, memory_order_acquire) != port_epoch())
        repair();
    recip_mutex_lock(&pieces_mutex);
}

/* Null if there is no memory left. */
static union piece *take_piece(void)
{
    union piece *piece = NULL;
    lock_pieces();
    if (first_free() || add_slab()) {
        piece = first_free();
        /* relaxed: under the mutex. The fence: for a child of fork the piece is off the list before it is written. */
        atomic_store_explicit(&free_pieces, piece->next, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
    }
    recip_mutex_unlock(&pieces_mutex);
    return piece;
}

static void give_piece(void *memory)
{
    lock_pieces();
    push(memory);
    recip_mutex_unlock(&pieces_mutex);
}

/* ---- The end of a thread ---- */

/* The element that this thread used last, for its next wait with a deadline; kept only if the end of the thread will be
 * noticed. Taken and put by exchange, because of signal handlers that lock; relaxed: no other thread sees it. */
static _Thread_local _Atomic(union piece *) spare;
static _Thread_local volatile bool keeps_spare;

static union piece *exchange_spare(union piece *piece)
{
    return atomic_exchange_explicit(&spare, piece, memory_order_relaxed);
}

static pthread_key_t end_key;
static bool has_end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

static void thread_ends(void *of)
{
    struct thread *thread = of;
    flagship_thread_ends();
    while (thread->nodes)
        give_piece(node_take());
    /* Nodes that a later destructor releases are given back at once. */
    thread->keeps_nodes = false;
    keeps_spare = false;
    recip_left_behind_release(thread);
    union piece *last = exchange_spare(NULL);
    if (last)
        give_piece(last);
}

/* Not before it is needed: a program may want every key that there is. */
static void make_key(void)
{
    has_end_key = pthread_key_create(&end_key, thread_ends) == 0;
}

/* For a key beyond the first 32, pthread_setspecific calls calloc, which may be the program's, lock and come here
 * again. volatile: pthread_setspecific is declared as a leaf, so the compiler assumes that it does not come back here.
 */
static bool set_key(void)
{
    static _Thread_local volatile bool is_setting;
    if (is_setting)
        return false;
    is_setting = true;
    bool is_set = pthread_setspecific(end_key, port_thread()) == 0;
    is_setting = false;
    return is_set;
}

/* False if the destructor will not run. */
static bool notice_thread_end(void)
{
    pthread_once(&end_once, make_key);
    return has_end_key && (pthread_getspecific(end_key) || set_key());
}

bool memory_notices_thread_end(void)
{
    static _Thread_local volatile bool is_noticed;
    if (!is_noticed)
        is_noticed = notice_thread_end();
    return is_noticed;
}

/* ---- What the locks call ---- */

/* Callers of pthread_mutex_lock seldom check what it returns. */
static _Noreturn void no_node(void)
{
    static const char line[] = "recip: no memory for queue nodes left\n";
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        abort();
    abort();
}

struct node *recip_node_new(void)
{
    port_thread()->keeps_nodes = notice_thread_end();
    union piece *piece = take_piece();
    if (!piece)
        no_node();
    return &piece->node;
}

void recip_node_delete(struct node *node)
{
    give_piece(node);
}

waiter *recip_waiter_new(void)
{
    if (!notice_thread_end())
        return NULL;
    keeps_spare = true;
    union piece *piece = exchange_spare(NULL);
    if (!piece)
        piece = take_piece();
    return piece ? &piece->element : NULL;
}

void recip_waiter_delete(waiter *element)
{
    void *piece = element;
    if (keeps_spare)
        piece = exchange_spare(piece);
    if (piece)
        give_piece(piece);
}
