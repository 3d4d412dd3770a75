/* SPDX-License-Identifier: MIT */
/* user-race clean|racy: a program that uses the mutex, condition variable and semaphore as it should, or not. A race
 * detector is to be silent about the first and to report the second. */
#include <pthread.h>
#include <recip.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, TIMES = 2000 };

static recip_mutex_t mutex = RECIP_MUTEX_INIT;
static recip_cond_t cond = RECIP_COND_INIT;
static recip_sem_t sem = RECIP_SEM_INIT(1);
static recip_lock_t lock = RECIP_LOCK_INIT;
static long by_mutex, by_sem, by_lock, by_nothing;
static bool racy;

static void *use(void *unused)
{
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        recip_mutex_lock(&mutex);
        by_mutex++;
        if (i == TIMES / 2)
            recip_cond_broadcast(&cond);
        recip_mutex_unlock(&mutex);
        if (recip_mutex_trylock(&mutex) == 0) {
            by_mutex++;
            recip_mutex_unlock(&mutex);
        }
        recip_sem_wait(&sem);
        by_sem++;
        recip_sem_post(&sem);
        recip_lock_context_t context;
        recip_lock_acquire(&lock, &context);
        by_lock++;
        recip_lock_release(&lock, &context);
        if (racy)
            by_nothing++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    racy = argc > 1 && strcmp(argv[1], "racy") == 0;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, use, NULL) != 0)
            return 1;
    recip_mutex_lock(&mutex);
    while (by_mutex < TIMES / 4)
        recip_cond_wait(&cond, &mutex);
    recip_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld %ld %ld\n", by_mutex, by_sem, by_lock, by_nothing);
    return by_sem == THREADS * TIMES && by_lock == THREADS * TIMES ? 0 : 1;
}
