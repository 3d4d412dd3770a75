/* A normal mutex may be unlocked by another thread than the one that locked: glibc lets it pass, and so must we, with
 * the wake-ups that the owner has put off. */
#include "check.h"

#include <semaphore.h>

enum { WAITERS = 8, LONG = 60 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked, over;

/* Locks and never unlocks. */
static void *keep(void *unused)
{
    (void)unused;
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    sem_post(&locked);
    sem_wait(&over);
    return NULL;
}

int main(void)
{
    pthread_t waiters[WAITERS];
    CHECK_IS(sem_init(&locked, 0, 0), 0);
    CHECK_IS(sem_init(&over, 0, 0), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = start(keep, NULL);
    /* So that most of them sleep; those that do not need no wake-up. */
    usleep(50000);
    for (int i = 0; i < WAITERS; i++) {
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
        struct timespec late = from_now(CLOCK_REALTIME, LONG * 1000 * MILLISECOND);
        CHECK_IS(sem_timedwait(&locked, &late), 0);
    }
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    for (int i = 0; i < WAITERS; i++)
        sem_post(&over);
    for (int i = 0; i < WAITERS; i++)
        finish(waiters[i]);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    return 0;
}
