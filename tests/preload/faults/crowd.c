/* SPDX-License-Identifier: MIT */
/* crowd THREADS ROUNDS [STACK [MICROSECONDS]]: threads lock mutexes of all types in all ways, and hand items on through
 * a queue. Nobody is in a mutex together with another, no acquisition and no item gets lost. Each thread has a stack of
 * so many bytes (0: the usual), and a timer that interrupts it as often. faults.sh runs it where such a program has it
 * hard. */
#include "../common.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { MUTEXES = 4, SLOTS = 8, MAX_THREADS = 1000 };

static struct {
    pthread_mutex_t mutex;
    long inside, count;
} places[MUTEXES];

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t not_full, not_empty;
    long items[SLOTS], first, used;
} queue = {
    .mutex = PTHREAD_MUTEX_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER};

static int threads, rounds, period;
static long acquired, produced, consumed, interruptions;

static void on_timer(int number)
{
    (void)number;
    __atomic_fetch_add(&interruptions, 1, __ATOMIC_RELAXED);
}

static timer_t start_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    struct itimerspec each = {{0, period * 1000}, {0, period * 1000}};
    timer_t timer;
    CHECK_IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    CHECK_IS(timer_settime(timer, 0, &each, NULL), 0);
    return timer;
}

/* In one of five ways, three of which may fail. */
static int acquire(pthread_mutex_t *mutex, unsigned way)
{
    struct timespec end = from_now(CLOCK_REALTIME, way % 8 * 20000);
    switch (way % 8) {
    case 0:
        return pthread_mutex_trylock(mutex);
    case 1:
    case 2:
        return pthread_mutex_timedlock(mutex, &end);
    default:
        return pthread_mutex_lock(mutex);
    }
}

static void visit(uint32_t random)
{
    unsigned place = (random >> 20) % MUTEXES;
    int error = acquire(&places[place].mutex, random >> 12);
    if (error) {
        CHECK(error == EBUSY || error == ETIMEDOUT);
        return;
    }
    CHECK_IS(places[place].inside++, 0);
    places[place].count++;
    __atomic_fetch_add(&acquired, 1, __ATOMIC_RELAXED);
    if (random % 64 == 0)
        sched_yield();
    CHECK_IS(--places[place].inside, 0);
    CHECK_IS(pthread_mutex_unlock(&places[place].mutex), 0);
}

/* Some waits have a deadline, and begin again. */
static void wait_for(pthread_cond_t *cond, uint32_t random)
{
    struct timespec end = from_now(CLOCK_REALTIME, 100000);
    int error = random % 2 ? pthread_cond_wait(cond, &queue.mutex) : pthread_cond_timedwait(cond, &queue.mutex, &end);
    CHECK(error == 0 || error == ETIMEDOUT);
}

static void put(long item, uint32_t random)
{
    CHECK_IS(pthread_mutex_lock(&queue.mutex), 0);
    while (queue.used == SLOTS)
        wait_for(&queue.not_full, random);
    queue.items[(queue.first + queue.used++) % SLOTS] = item;
    produced += item;
    CHECK_IS(pthread_cond_signal(&queue.not_empty), 0);
    CHECK_IS(pthread_mutex_unlock(&queue.mutex), 0);
}

static void take(uint32_t random)
{
    CHECK_IS(pthread_mutex_lock(&queue.mutex), 0);
    while (queue.used == 0)
        wait_for(&queue.not_empty, random);
    consumed += queue.items[queue.first];
    queue.first = (queue.first + 1) % SLOTS;
    queue.used--;
    CHECK_IS(random % 8 ? pthread_cond_signal(&queue.not_full) : pthread_cond_broadcast(&queue.not_full), 0);
    CHECK_IS(pthread_mutex_unlock(&queue.mutex), 0);
}

static void *live(void *index)
{
    uint32_t random = (uint32_t)(long)index * 2654435761u + 1;
    timer_t timer = period ? start_timer() : NULL;
    for (int round = 0; round < rounds; round++) {
        random = random * 1664525u + 1013904223u;
        if (round % 4)
            visit(random);
        else if ((long)index % 2)
            put(round, random >> 8);
        else
            take(random >> 8);
    }
    if (period)
        CHECK_IS(timer_delete(timer), 0);
    return NULL;
}

int main(int count, char **words)
{
    static const int types[MUTEXES] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                                       PTHREAD_MUTEX_ADAPTIVE_NP};
    static pthread_t crew[MAX_THREADS];
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    pthread_attr_t attributes;
    CHECK(count >= 3);
    threads = atoi(words[1]);
    rounds = atoi(words[2]);
    period = count > 4 ? atoi(words[4]) : 0;
    CHECK(threads > 0 && threads <= MAX_THREADS && threads % 2 == 0);
    CHECK_IS(sigaction(SIGRTMIN, &action, NULL), 0);
    pthread_attr_init(&attributes);
    if (count > 3 && atoi(words[3]))
        CHECK_IS(pthread_attr_setstacksize(&attributes, (size_t)atoi(words[3])), 0);
    for (int i = 0; i < MUTEXES; i++)
        init_mutex(&places[i].mutex, types[i]);
    for (long i = 0; i < threads; i++)
        CHECK_IS(pthread_create(&crew[i], &attributes, live, (void *)i), 0);
    for (int i = 0; i < threads; i++)
        finish(crew[i]);
    long sum = 0;
    for (int i = 0; i < MUTEXES; i++)
        sum += places[i].count;
    CHECK_IS(sum, acquired);
    CHECK_IS(consumed, produced);
    CHECK_IS(queue.used, 0);
    CHECK(!period || interruptions > 100);

    cpu_set_t cpus;
    CHECK_IS(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    FILE *status = fopen("/proc/self/status", "re");
    char line[128];
    long peak = 0;
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmPeak: %ld", &peak);
    printf("CPUs %d, kB %ld, interruptions %ld\n", CPU_COUNT(&cpus), peak, interruptions);
    return 0;
}
