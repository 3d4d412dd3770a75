/* The memory of queue nodes and of timed waiters' elements: from pages of this library's own, never from malloc, which
 * may be the program's and lock. Pieces are never given back to the system; threads and mutexes share them.
 *
 * Nodes and elements go back when their thread ends, by a thread-specific key, made only when there is something to
 * give back. Its destructor runs again if a later one locks again.
 */
#define RECIP_UNANNOTATED
#include "locks/port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "locks/node.h"
#include "mutex/waiter.h"

union piece {
    struct node node;
    waiter element;
    union piece *next;
};

enum { SLAB = 64 << 10 };

static recip_mutex_t pieces_mutex;
static union piece *free_pieces;
static unsigned pieces_epoch;

static _Noreturn void out_of(const char *what)
{
    char line[80];
    int length = snprintf(line, sizeof line, "recip: no %s left\n", what);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        abort();
    abort();
}

static void add_slab(void)
{
    union piece *slab = mmap(NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED)
        out_of("memory for queue nodes");
    for (size_t i = 0; i < SLAB / sizeof *slab; i++) {
        slab[i].next = free_pieces;
        free_pieces = &slab[i];
    }
}

/* In a child of fork another thread may have been in the middle of it: start anew. */
static void lock_pieces(void)
{
    if (pieces_epoch != port_epoch()) {
        pieces_epoch = port_epoch();
        pieces_mutex = (recip_mutex_t)RECIP_MUTEX_INIT;
        free_pieces = NULL;
    }
    recip_mutex_lock(&pieces_mutex);
}

static union piece *take_piece(void)
{
    lock_pieces();
    if (!free_pieces)
        add_slab();
    union piece *piece = free_pieces;
    free_pieces = piece->next;
    recip_mutex_unlock(&pieces_mutex);
    return piece;
}

static void give_piece(void *memory)
{
    union piece *piece = memory;
    lock_pieces();
    piece->next = free_pieces;
    free_pieces = piece;
    recip_mutex_unlock(&pieces_mutex);
}

/* ---- The end of a thread ---- */

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

static void thread_ends(void *of)
{
    struct thread *thread = of;
    while (thread->nodes)
        give_piece(node_take());
    /* Whatever a later destructor still releases is given back at once. */
    thread->keeps_nodes = false;
    recip_left_behind_release(thread);
}

static void make_key(void)
{
    if (pthread_key_create(&end_key, thread_ends) != 0)
        out_of("thread-specific key");
}

static void see_the_end(void)
{
    pthread_once(&end_once, make_key);
    if (!pthread_getspecific(end_key))
        pthread_setspecific(end_key, port_thread());
}

/* ---- What the locks ask for ---- */

struct node *recip_node_new(void)
{
    see_the_end();
    port_thread()->keeps_nodes = true;
    return &take_piece()->node;
}

void recip_node_delete(struct node *node)
{
    give_piece(node);
}

waiter *recip_waiter_new(void)
{
    see_the_end();
    return &take_piece()->element;
}

void recip_waiter_delete(waiter *element)
{
    give_piece(element);
}
