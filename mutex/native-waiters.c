/* The native world's elements of timed waiters, which may be left in a queue: from the heap, back when their thread
 * ends. */
#define RECIP_UNANNOTATED
#include "locks/port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mutex/waiter.h"

static pthread_key_t left_key;
static pthread_once_t left_once = PTHREAD_ONCE_INIT;

static void release_left(void *thread)
{
    recip_left_behind_release(thread);
}

static void make_left_key(void)
{
    if (pthread_key_create(&left_key, release_left) != 0) {
        fputs("recip: no thread-specific key left for timed waits\n", stderr);
        abort();
    }
}

waiter *recip_waiter_new(void)
{
    pthread_once(&left_once, make_left_key);
    if (!pthread_getspecific(left_key) && pthread_setspecific(left_key, port_thread()) != 0)
        return NULL;
    return aligned_alloc(alignof(waiter), sizeof(waiter));
}

void recip_waiter_delete(waiter *element)
{
    free(element);
}
