/* SPDX-License-Identifier: MIT */
/* A release that is interrupted in its restartable sequence. The kernel sends the thread to where it gives up, and the
 * slow path makes the release, with the marks as they are then.
 *
 * To be interrupted there, the mutex is in a page of its own, which is protected: the sequence stops at its compare if
 * the page cannot be read, and at its store if it can only be read. The handler of that signal sees to which address
 * the kernel has moved the thread, and unprotects the page. Then threads lock and unlock under a rain of signals.
 */
#include "rseq.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { THREADS = 3, ROUNDS = REPEAT(40000), ALONE = 20, TRIES = 100 };

static recip_mutex_t *mutex;
static const struct rseq_cs *sequence;
static size_t page;

/* What the handler does, and what it has seen. */
static uint32_t marks_to_set;
static volatile sig_atomic_t stops;
static volatile uint64_t place;

/* Only here, so that there is one sequence. */
__attribute__((noinline)) static void release(recip_mutex_t *one)
{
    recip_mutex_unlock(one);
}

static uint64_t place_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return context->uc_mcontext.pc;
#endif
}

static void unprotect(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    place = place_of(context);
    stops++;
    MUST(stops == 1 && mprotect(mutex, page, PROT_READ | PROT_WRITE) == 0);
    __atomic_fetch_or(&mutex->state, marks_to_set, __ATOMIC_RELAXED);
}

static const struct rseq_cs *find_sequence(void)
{
    struct rseq *area = area_at(__rseq_offset);
    uint64_t found = 0;
    for (int i = 0; i < TRIES && !found; i++) { /* preempted afterwards, the kernel clears it */
        recip_mutex_lock(mutex);
        release(mutex);
        found = __atomic_load_n(&area->rseq_cs, __ATOMIC_RELAXED);
    }
    MUST(found);
    return (const struct rseq_cs *)(uintptr_t)found;
}

/* Returns the state in which it has left the mutex. */
static uint32_t release_protected(int protection, uint32_t marks)
{
    recip_mutex_lock(mutex);
    stops = 0;
    place = 0;
    marks_to_set = marks;
    MUST(mprotect(mutex, page, protection) == 0);
    release(mutex);
    MUST(stops == 1);
    MUST(place == sequence->abort_ip);
    return state_of(mutex);
}

static void an_interrupted_release_gives_up_and_is_made(void)
{
    MUST(release_protected(PROT_NONE, 0) == 0);
    MUST(release_protected(PROT_READ, 0) == 0);
    /* Marked between compare and store: the mutex is left to the one that asked. */
    MUST(release_protected(PROT_READ, RECIP_EXPRESS_) & RECIP_RESERVED_);
    MUST(recip_mutex_trylock(mutex) == 0);
    release(mutex);
    MUST(state_of(mutex) == 0);
}

/* ---- Signals all the time ---- */

static recip_mutex_t shared = RECIP_MUTEX_INIT_BOUND(1);
static long count;
static atomic_int working;
static atomic_bool begun;
static atomic_long signals;

static void look(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    MUST(place_of(context) - sequence->start_ip >= sequence->post_commit_offset);
    signals++;
}

/* Mostly with a mutex that nobody else wants: there the sequence is gone through to its end. */
static void *work(void *own)
{
    WAIT_UNTIL(begun);
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; j < ALONE; j++) {
            recip_mutex_lock(own);
            release(own);
        }
        recip_mutex_lock(&shared);
        count++;
        release(&shared);
    }
    working--;
    WAIT_UNTIL(working < 0); /* to be signalled for as long */
    return NULL;
}

static void signals_do_no_harm(void)
{
    pthread_t threads[THREADS];
    recip_mutex_t own[THREADS] = {RECIP_MUTEX_INIT};
    for (int i = 0; i < THREADS; i++)
        MUST(pthread_create(&threads[i], NULL, work, &own[i]) == 0);
    working = THREADS;
    begun = true;
    for (unsigned i = 0; working > 0; i++) {
        pthread_kill(threads[i % THREADS], SIGUSR1);
        if (i % 16 == 0)
            usleep(1);
    }
    working = -1;
    for (int i = 0; i < THREADS; i++) {
        MUST(pthread_join(threads[i], NULL) == 0);
        MUST(own[i].state == 0);
    }
    MUST(signals > 0);
    MUST(count == (long)THREADS * ROUNDS);
    MUST(shared.state == 0 && shared.arrivals == 0);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    MUST(sigaction(signal, &action, NULL) == 0);
}

int main(void)
{
    if (!recip_rseq_offset_) {
        puts("skipped: release is atomic here");
        return SKIPPED;
    }
    page = (size_t)sysconf(_SC_PAGESIZE);
    mutex = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(mutex != MAP_FAILED);
    sequence = find_sequence();
    handle(SIGSEGV, unprotect);
    handle(SIGUSR1, look);
    an_interrupted_release_gives_up_and_is_made();
    signals_do_no_harm();
    return 0;
}
