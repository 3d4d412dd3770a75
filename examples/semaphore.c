/* SPDX-License-Identifier: MIT */
/* A semaphore: at most three of eight threads are inside at a time.
 *
 *     cc examples/semaphore.c $(pkg-config --cflags --libs recip)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <recip.h>

enum { THREADS = 8, PERMITS = 3, TIMES = 5000 };

static recip_sem_t permits = RECIP_SEM_INIT(PERMITS);
static atomic_int inside, most;

static void use(void)
{
    int now = atomic_fetch_add(&inside, 1) + 1, before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        continue;
    atomic_fetch_sub(&inside, 1);
}

static void *work(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        recip_sem_wait(&permits);
        use();
        recip_sem_post(&permits); /* any thread may */
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int left;
    recip_sem_getvalue(&permits, &left);
    printf("never more than %d inside: %s; %d permits are left\n", PERMITS, most <= PERMITS ? "yes" : "no", left);
    return most > PERMITS || left != PERMITS;
}
