/* SPDX-License-Identifier: MIT */
/* The mutex in C: four threads count together. One of them gives up if it would have to wait for too long.
 *
 *     cc examples/counter.c $(pkg-config --cflags --libs recip)
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <recip.h>

enum { THREADS = 4, TIMES = 100000 };

static recip_mutex_t mutex = RECIP_MUTEX_INIT;
static long counter RECIP_GUARDED_BY(mutex);

static void *count(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        recip_mutex_lock(&mutex);
        counter++;
        recip_mutex_unlock(&mutex);
    }
    return unused;
}

/* With a deadline: a second from now, by a clock that nobody sets. False if the mutex was not to be had. */
static bool read_soon(long *value)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec++;
    if (recip_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline) != 0)
        return false;
    *value = counter;
    recip_mutex_unlock(&mutex);
    return true;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, NULL) != 0)
            return 1;
    long meanwhile;
    if (read_soon(&meanwhile) && (meanwhile < 0 || meanwhile > THREADS * TIMES))
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    RECIP_MUTEX_GUARD(&mutex); /* unlocked where the block ends */
    printf("%d threads counted to %ld\n", THREADS, counter);
    return counter != THREADS * TIMES;
}
