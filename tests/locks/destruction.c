/* SPDX-License-Identifier: MIT */
/* Prompt destruction: the last owner may free a lock as soon as it has acquired it, while those before it are still on
 * their way out of release. The lock's memory is unmapped, or freed under AddressSanitizer, so that a late touch ends
 * the test. */
#include "tests/support/test.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/locks/touches-late.h"

/* Three wait at once behind the first, so that ownership is handed on within a segment too. */
enum { PAGE = 65536, THREADS = 4, LIVES = 200 };

struct memory {
    void *(*get)(void);
    void (*put)(void *);
};

static void *map_page(void)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

static void unmap_page(void *page)
{
    munmap(page, PAGE);
}

static void *get_heap(void)
{
    void *memory = aligned_alloc(128, RECIP_LOCK_SIZE_MAX);
    if (memory)
        memset(memory, 0, RECIP_LOCK_SIZE_MAX);
    return memory;
}

static const struct memory mapped = {map_page, unmap_page}, heap = {get_heap, free};

struct lifetime {
    const struct recip_algorithm *lock;
    const struct memory *memory;
    void *current;
    unsigned admitted;       /* to the current lock; the owner's */
    _Atomic(unsigned) made;  /* the number of the lock that is there */
    _Atomic(unsigned) gone;  /* the number of the lock that was freed last */
    _Atomic(unsigned) ready; /* threads that have left the lock before */
};

/* A lock that keeps nodes or memory of its own is released before it goes; any other goes while it is held. */
static void take_and_leave(struct lifetime *life, unsigned number)
{
    const struct recip_algorithm *lock = life->lock;
    void *memory = life->current;
    struct recip_any_context context;
    lock->acquire(memory, &context);
    if (++life->admitted < THREADS) {
        lock->release(memory, &context);
        return;
    }
    if (lock->traits & (RECIP_NEEDS_DESTROY | RECIP_NODES | RECIP_NATIVE)) {
        lock->release(memory, &context);
        lock->destroy(memory);
    }
    life->memory->put(memory);
    atomic_store(&life->gone, number);
}

static void make(struct lifetime *life, unsigned number)
{
    life->current = life->memory->get();
    life->admitted = 0;
    if (life->lock->traits & RECIP_NEEDS_INIT)
        life->lock->init(life->current);
    atomic_store(&life->ready, 0);
    atomic_store(&life->made, number);
}

static void live_and_let_die(void *of, unsigned index)
{
    struct lifetime *life = of;
    for (unsigned number = 1; number <= REPEAT(LIVES); number++) {
        if (index == 0)
            make(life, number);
        while (atomic_load(&life->made) != number)
            sched_yield();
        take_and_leave(life, number);
        atomic_fetch_add(&life->ready, 1);
        while (atomic_load(&life->made) == number && atomic_load(&life->ready) < THREADS)
            sched_yield();
    }
}

static void dies_promptly(const struct recip_algorithm *lock)
{
    struct lifetime life = {.lock = lock, .memory = &mapped};
    run_crew(THREADS, live_and_let_die, &life);
    life = (struct lifetime){.lock = lock, .memory = &heap};
    run_crew(THREADS, live_and_let_die, &life);
}

/* The test can fail: a lock that touches itself after it has let go ends the process. */
static void late_touch_is_seen(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO);
        alarm(60);
        struct lifetime life = {.lock = &touches_late_algorithm, .memory = &mapped};
        touches_late_gone = &life.gone;
        run_crew(THREADS, live_and_let_die, &life);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_false(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(late_touch_is_seen)};
    return cmocka_run_group_tests_name("prompt destruction, the test itself", tests, NULL, NULL) +
           run_for_each_lock("prompt destruction", dies_promptly, NULL, argc, argv);
}
