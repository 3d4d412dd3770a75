/* The memory of queue nodes and of timed waiters' elements: from pages of this library's own, never from malloc, which
 * may be the program's and lock. Pieces are never given back to the system; threads and mutexes share them.
 *
 * Nodes and elements go back when their thread ends, by a thread-specific key. Its destructor runs again if a later one
 * locks again. Where the end of the thread would not be seen, it keeps no nodes, and waits in no queue with a deadline.
 */
#define RECIP_UNANNOTATED
#include "locks/port.h"

#include <pthread.h>
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

static _Noreturn void out_of_memory(void)
{
    static const char line[] = "recip: no memory for queue nodes left\n";
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        abort();
    abort();
}

static void add_slab(void)
{
    union piece *slab = mmap(NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED)
        out_of_memory();
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
static bool has_end_key;
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

/* When it is needed, and not before: a program may want every key that there is. */
static void make_key(void)
{
    has_end_key = pthread_key_create(&end_key, thread_ends) == 0;
}

/* For a key beyond the first 32 glibc calls calloc, which may be the program's and lock, and so come here again.
 * volatile: by its declaration (leaf) pthread_setspecific would not. */
static bool set_key(void)
{
    static _Thread_local volatile bool is_at_it;
    if (is_at_it)
        return false;
    is_at_it = true;
    bool is_set = pthread_setspecific(end_key, port_thread()) == 0;
    is_at_it = false;
    return is_set;
}

/* Whether the destructor will run. */
static bool see_the_end(void)
{
    pthread_once(&end_once, make_key);
    return has_end_key && (pthread_getspecific(end_key) || set_key());
}

/* ---- What the locks ask for ---- */

struct node *recip_node_new(void)
{
    port_thread()->keeps_nodes = see_the_end();
    return &take_piece()->node;
}

void recip_node_delete(struct node *node)
{
    give_piece(node);
}

waiter *recip_waiter_new(void)
{
    return see_the_end() ? &take_piece()->element : NULL;
}

void recip_waiter_delete(waiter *element)
{
    give_piece(element);
}
