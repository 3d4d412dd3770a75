/* SPDX-License-Identifier: MIT */
/* handed-over: threads that wait for a mutex whose owner is to hand it over: `first` owns it and keeps leadership.
 * Behind it are third and second, who have been there for longer, in the reciprocating order; then fourth and fifth,
 * who have arrived since. On pthread's mutexes (for `recip run`) the owner waits for the main thread, which waits for
 * it.
 *
 * Waiters have to be awake when the mutex is released: RECIP_OWN_CPU=0 RECIP_AWAKE=900000000 RECIP_CREDIT=0 in the
 * environment. If they are not, it begins again. It ends by a signal. */
#include <recip.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef ON_PTHREAD
#define MUTEX pthread_mutex_t
#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#else
#define MUTEX recip_mutex_t
#define LOCK recip_mutex_lock
#define UNLOCK recip_mutex_unlock
#endif

MUTEX till, shelf;
static const recip_mutex_t *const inside = (const recip_mutex_t *)&till; /* the preload library has it there too */
static int is_owned;

/* gdb stops here. */
void is_handed_over(void);
__attribute__((noinline)) void is_handed_over(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void wait_for_till(void)
{
    LOCK(&till);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void hold_till(void)
{
    wait_for_till();
    __atomic_store_n(&is_owned, 1, __ATOMIC_RELEASE);
#ifdef ON_PTHREAD
    LOCK(&shelf);
#endif
    for (;;)
        pause();
}

struct customer {
    const char *name;
    void (*buy)(void);
    pid_t number;
};

static void *be_customer(void *of)
{
    struct customer *customer = of;
    prctl(PR_SET_NAME, customer->name);
    __atomic_store_n(&customer->number, gettid(), __ATOMIC_RELEASE);
    customer->buy();
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

/* Until it has joined the queue. */
static void start(struct customer *customer)
{
    pthread_t thread;
    uintptr_t before = __atomic_load_n(&inside->arrivals, __ATOMIC_RELAXED);
    if (pthread_create(&thread, NULL, be_customer, customer) != 0)
        exit(1);
    while (__atomic_load_n(&inside->arrivals, __ATOMIC_RELAXED) == before)
        sched_yield();
}

int main(void)
{
    static struct customer all[] = {{"first", hold_till, 0},
                                    {"second", wait_for_till, 0},
                                    {"third", wait_for_till, 0},
                                    {"fourth", wait_for_till, 0},
                                    {"fifth", wait_for_till, 0}};
    alarm(200);
    LOCK(&shelf);
    LOCK(&till);
    for (size_t i = 0; i < 3; i++)
        start(&all[i]);
    UNLOCK(&till);
    while (!__atomic_load_n(&is_owned, __ATOMIC_ACQUIRE))
        sched_yield();
    if (!(__atomic_load_n(&inside->state, __ATOMIC_RELAXED) & RECIP_HANDS_OVER_)) {
        execl("/proc/self/exe", "handed-over", (char *)NULL);
        exit(1);
    }
    for (size_t i = 3; i < 5; i++)
        start(&all[i]);
    for (size_t i = 1; i < 5; i++)
        while (!__atomic_load_n(&all[i].number, __ATOMIC_ACQUIRE) || !is_settled(all[i].number))
            usleep(1000);
    is_handed_over();
#ifdef ON_PTHREAD
    wait_for_till();
#endif
    for (;;)
        pause();
}
