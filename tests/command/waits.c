/* SPDX-License-Identifier: MIT */
/* waits: threads of a program that uses librecip: two in a deadlock, one at a condition variable, one at a semaphore.
 * It ends by a signal. */
#include <recip.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

recip_mutex_t bread = RECIP_MUTEX_INIT, butter = RECIP_MUTEX_INIT, kitchen = RECIP_MUTEX_INIT;
recip_cond_t served = RECIP_COND_INIT;
recip_sem_t tables = RECIP_SEM_INIT(0);
static pthread_barrier_t both_hold_one;

struct guest {
    const char *name;
    void (*wait)(void);
};

__attribute__((noinline)) static void take_second(recip_mutex_t *mutex)
{
    recip_mutex_lock(mutex);
    __asm__ volatile("" ::: "memory");
}

static void take_both(recip_mutex_t *first, recip_mutex_t *second)
{
    recip_mutex_lock(first);
    pthread_barrier_wait(&both_hold_one);
    take_second(second);
}

static void bake(void)
{
    take_both(&bread, &butter);
}

static void churn(void)
{
    take_both(&butter, &bread);
}

static void wait_served(void)
{
    recip_mutex_lock(&kitchen);
    recip_cond_wait(&served, &kitchen);
    __asm__ volatile("" ::: "memory");
}

static void wait_table(void)
{
    recip_sem_wait(&tables);
    __asm__ volatile("" ::: "memory");
}

static void *be_guest(void *of)
{
    const struct guest *guest = of;
    prctl(PR_SET_NAME, guest->name);
    guest->wait();
    return NULL;
}

int main(void)
{
    static const struct guest all[] = {
        {"baker", bake}, {"dairyman", churn}, {"guest", wait_served}, {"early", wait_table}};
    /* With RECIP_DEBUG=1 in the environment the owner is known of a mutex that has been initialised by a call. */
    recip_mutex_init(&bread);
    recip_mutex_init(&butter);
    pthread_barrier_init(&both_hold_one, NULL, 2);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, be_guest, (void *)&all[i]) != 0)
            exit(1);
    }
    alarm(200);
    for (;;)
        pause();
}
