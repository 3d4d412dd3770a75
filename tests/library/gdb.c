/* SPDX-License-Identifier: MIT */
/* gdb: threads that wait for a mutex, a condition variable and a semaphore, each in its turn. When all sleep it calls
 * a function for gdb to stop at. */
#include <recip.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

recip_mutex_t till = RECIP_MUTEX_INIT, strict = RECIP_MUTEX_INIT_BOUND(0), kitchen = RECIP_MUTEX_INIT;
recip_cond_t served = RECIP_COND_INIT;
recip_sem_t tables = RECIP_SEM_INIT(0);

/* gdb stops here. */
void mutex_is_waited_for(void);
void segment_is_waited_for(void);
void others_are_waited_for(void);
#define STOP __attribute__((noinline)) void
STOP mutex_is_waited_for(void)
{
    __asm__ volatile("" ::: "memory");
}

STOP segment_is_waited_for(void)
{
    __asm__ volatile("" ::: "memory");
}

STOP others_are_waited_for(void)
{
    __asm__ volatile("" ::: "memory");
}

struct guest {
    const char *name;
    void (*wait)(void);
    pid_t number;
};

static void lock_till(void)
{
    recip_mutex_lock(&till);
    sleep(1000);
}

static void lock_strict(void)
{
    recip_mutex_lock(&strict);
}

static void wait_served(void)
{
    recip_mutex_lock(&kitchen);
    recip_cond_wait(&served, &kitchen);
}

static void wait_table(void)
{
    recip_sem_wait(&tables);
}

static void *be_guest(void *of)
{
    struct guest *guest = of;
    prctl(PR_SET_NAME, guest->name);
    __atomic_store_n(&guest->number, gettid(), __ATOMIC_RELEASE);
    guest->wait();
    return NULL;
}

/* It sleeps at a futex without a deadline: it will not come back by itself. */
static int is_settled(pid_t thread)
{
    char path[64];
    long call = 0;
    unsigned long word, operation, value, end = 1;
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
    FILE *file = fopen(path, "r");
    if (!file)
        exit(77);
    int count = fscanf(file, "%ld %lx %lx %lx %lx", &call, &word, &operation, &value, &end);
    fclose(file);
    return count == 5 && call == SYS_futex && end == 0;
}

/* Until it waits. It is not freed: the program ends in gdb. */
static struct guest *start(const char *name, void (*wait)(void))
{
    pthread_t thread;
    struct guest *guest = calloc(1, sizeof *guest);
    guest->name = name;
    guest->wait = wait;
    if (pthread_create(&thread, NULL, be_guest, guest) != 0)
        exit(1);
    while (!__atomic_load_n(&guest->number, __ATOMIC_ACQUIRE) || !is_settled(guest->number))
        usleep(1000);
    return guest;
}

int main(void)
{
    alarm(100);
    recip_mutex_lock(&till);
    recip_mutex_lock(&strict);
    start("first", lock_till);
    struct guest *second = start("second", lock_till);
    start("third", lock_till);
    start("one", lock_strict);
    start("two", lock_strict);
    start("three", lock_strict);
    mutex_is_waited_for();
    recip_mutex_unlock(&till);
    /* The first has it now, and keeps it; the second leads, and has not been woken. */
    while (__atomic_load_n(&till.arrivals, __ATOMIC_RELAXED) != 1 || !is_settled(second->number))
        usleep(1000);
    start("fourth", lock_till);
    segment_is_waited_for();
    start("guest", wait_served);
    start("friend", wait_served);
    start("early", wait_table);
    start("late", wait_table);
    others_are_waited_for();
    return 0;
}
