/* SPDX-License-Identifier: MIT */
/* The native world's elements of timed waiters, which may stay in a queue after the call: they are on the heap, and are
 * given up when their thread ends. */
#define RECIP_UNANNOTATED
#include "port/port.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/waiter.h"

static pthread_key_t left_key;
static bool has_left_key;
static pthread_once_t left_once = PTHREAD_ONCE_INIT;

static void release_left(void *thread)
{
    recip_left_behind_release(thread);
}

static void make_left_key(void)
{
    has_left_key = pthread_key_create(&left_key, release_left) == 0;
}

/* Early, while there are keys: the program may take all the others. */
__attribute__((constructor)) static void begin(void)
{
    pthread_once(&left_once, make_left_key);
}

waiter *recip_waiter_new(void)
{
    pthread_once(&left_once, make_left_key);
    if (!has_left_key)
        return NULL;
    if (!pthread_getspecific(left_key) && pthread_setspecific(left_key, port_thread()) != 0)
        return NULL;
    return aligned_alloc(alignof(waiter), sizeof(waiter));
}

void recip_waiter_delete(waiter *element)
{
    free(element);
}
