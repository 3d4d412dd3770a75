/* Prompt destruction: the next owner may free a lock as soon as it has acquired it, while the last owner is still on
 * its way out of release. The lock's memory is unmapped, or freed under AddressSanitizer, so that a late touch ends the
 * test. */
#include "tests/support/test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/broken/touches-late.h"

enum { PAGE = 65536 };

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
    void *memory = aligned_alloc(128, RECIP_MOST_LOCK);
    if (memory)
        memset(memory, 0, RECIP_MOST_LOCK);
    return memory;
}

static const struct memory mapped = {map_page, unmap_page}, heap = {get_heap, free};

struct lifetime {
    const struct recip_algorithm *lock;
    const struct memory *memory;
    void *current;
    _Atomic(unsigned) held; /* the number of the lock that the first thread holds */
    _Atomic(unsigned) gone; /* the number of the lock that the second has freed */
};

/* A lock that keeps nodes or memory of its own is released before it goes; any other goes while it is held. */
static void take_and_free(struct lifetime *life)
{
    const struct recip_algorithm *lock = life->lock;
    _Alignas(16) char context[RECIP_MOST_CONTEXT];
    lock->acquire(life->current, context);
    if (lock->traits & (RECIP_OWNED | RECIP_NODES | RECIP_NATIVE)) {
        lock->release(life->current, context);
        lock->destroy(life->current);
    }
    life->memory->put(life->current);
}

static void live_and_let_die(void *of, unsigned index)
{
    struct lifetime *life = of;
    _Alignas(16) char context[RECIP_MOST_CONTEXT];
    for (unsigned number = 1; number <= REPEAT(500); number++) {
        if (index == 0) {
            life->current = life->memory->get();
            if (life->lock->traits & RECIP_MADE)
                life->lock->init(life->current);
            life->lock->acquire(life->current, context);
            atomic_store(&life->held, number);
            if (number % 4 == 0)
                sched_yield();
            life->lock->release(life->current, context);
            while (atomic_load(&life->gone) != number)
                sched_yield();
        } else {
            while (atomic_load(&life->held) != number)
                sched_yield();
            take_and_free(life);
            atomic_store(&life->gone, number);
        }
    }
}

static void dies_promptly(const struct recip_algorithm *lock)
{
    struct lifetime life = {.lock = lock, .memory = &mapped};
    run_crew(2, live_and_let_die, &life);
    life = (struct lifetime){.lock = lock, .memory = &heap};
    run_crew(2, live_and_let_die, &life);
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
        run_crew(2, live_and_let_die, &life);
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
