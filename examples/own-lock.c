/* SPDX-License-Identifier: MIT */
/* A program on the lock of own-lock.h.
 *
 *     cc examples/own-lock.c -pthread
 */
#include <pthread.h>
#include <stdio.h>

#include "own-lock.h"

enum { THREADS = 3, TIMES = 2000 };

static struct own_lock lock;
static int counter;

static void *count(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        own_lock(&lock);
        counter++;
        own_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads counted to %d\n", THREADS, counter);
    return counter != THREADS * TIMES;
}
