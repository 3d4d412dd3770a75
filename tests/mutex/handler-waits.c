/* SPDX-License-Identifier: MIT */
/* handler-waits recip|pthread ends|stands: a signal handler locks what its thread indirectly waits for.
 *
 * The first thread waits for `outer`, and so does the second, which came later and holds `inner`. A signal interrupts
 * the first, and its handler locks `inner`. Then `outer` is unlocked. Where a mutex goes to any thread that asks, the
 * second gets it, and everything ends. Where waiters have an order, the mutex waits for the first, which waits for the
 * second: everything stands. docs/mutex.md, Limits.
 *
 * Whether it stands is no matter of time. Both threads then are in a system call that only a wake-up by a third thread
 * ends, and there is none but main.
 */
#include "common.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

static recip_mutex_t recip_outer = RECIP_MUTEX_INIT, recip_inner = RECIP_MUTEX_INIT;
static pthread_mutex_t pthread_outer = PTHREAD_MUTEX_INITIALIZER, pthread_inner = PTHREAD_MUTEX_INITIALIZER;

/* The two mutexes, of either kind. */
static struct mutex {
    void *outer, *inner;
    void (*lock)(void *);
    void (*unlock)(void *);
} used;

static void lock_recip(void *mutex)
{
    recip_mutex_lock(mutex);
}

static void unlock_recip(void *mutex)
{
    recip_mutex_unlock(mutex);
}

static void lock_pthread(void *mutex)
{
    MUST(pthread_mutex_lock(mutex) == 0);
}

static void unlock_pthread(void *mutex)
{
    MUST(pthread_mutex_unlock(mutex) == 0);
}

/* ---- The two threads ---- */

static atomic_long numbers[2]; /* of the kernel's */
static atomic_bool in_handler;
static atomic_int done;

static void lock_inner(int signal)
{
    (void)signal;
    in_handler = true;
    used.lock(used.inner);
    used.unlock(used.inner);
}

static void *first(void *unused)
{
    numbers[0] = syscall(SYS_gettid);
    used.lock(used.outer);
    used.unlock(used.outer);
    done++;
    return unused;
}

static void *second(void *unused)
{
    used.lock(used.inner);
    numbers[1] = syscall(SYS_gettid);
    used.lock(used.outer);
    used.unlock(used.outer);
    used.unlock(used.inner);
    done++;
    return unused;
}

/* ---- Looking at them ---- */

/* In a futex call that has no end of time. The file has the call's number and its arguments. */
static bool sleeps_for_good(int which)
{
    char path[64];
    long number;
    unsigned long word, operation, value, end;
    snprintf(path, sizeof path, "/proc/self/task/%ld/syscall", (long)numbers[which]);
    FILE *file = numbers[which] ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    bool sleeps = fscanf(file, "%ld %lx %lx %lx %lx", &number, &word, &operation, &value, &end) == 5 &&
                  number == SYS_futex && end == 0;
    fclose(file);
    return sleeps;
}

static bool ends(void)
{
    pthread_t threads[2];
    struct sigaction action = {.sa_handler = lock_inner};
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    used.lock(used.outer);
    threads[0] = start(first, NULL);
    WAIT_UNTIL(sleeps_for_good(0));
    threads[1] = start(second, NULL);
    WAIT_UNTIL(sleeps_for_good(1));
    pthread_kill(threads[0], SIGUSR1);
    WAIT_UNTIL(in_handler && sleeps_for_good(0));
    used.unlock(used.outer);
    WAIT_UNTIL(done == 2 || (sleeps_for_good(0) && sleeps_for_good(1)));
    /* Looked at one after the other, they may have been asleep in turn. */
    for (int i = 0; i < 1000 && done < 2 && sleeps_for_good(0) && sleeps_for_good(1); i++)
        sched_yield();
    return done == 2;
}

int main(int argc, char **argv)
{
    bool recip = argc == 3 && strcmp(argv[1], "recip") == 0, expected = argc == 3 && strcmp(argv[2], "ends") == 0;
    if (recip)
        used = (struct mutex){&recip_outer, &recip_inner, lock_recip, unlock_recip};
    else
        used = (struct mutex){&pthread_outer, &pthread_inner, lock_pthread, unlock_pthread};
    bool ended = ends();
    puts(ended ? "it has ended" : "it stands");
    fflush(stdout);
    _exit(ended == expected ? 0 : 1);
}
