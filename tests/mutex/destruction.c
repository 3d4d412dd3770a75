/* SPDX-License-Identifier: MIT */
/* The memory of a mutex, condition variable or semaphore may go as soon as the last user has let it go. */
#include "common.h"

#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = REPEAT(3000) };

/* In a page of its own, which is unmapped: a late access is a SIGSEGV. */
struct object {
    recip_mutex_t mutex;
    int users;
};

static void drop(struct object *object)
{
    recip_mutex_lock(&object->mutex);
    bool last = --object->users == 0;
    recip_mutex_unlock(&object->mutex);
    if (last)
        munmap(object, sizeof *object);
}

struct exchange {
    _Atomic(struct object *) objects[ROUNDS];
    unsigned bound;
};

static void *drop_each(void *argument)
{
    struct exchange *exchange = argument;
    for (int i = 0; i < ROUNDS; i++) {
        struct object *object;
        WAIT_UNTIL(object = exchange->objects[i]);
        drop(object);
    }
    return NULL;
}

static void the_last_user_unmaps_it(void **unused)
{
    (void)unused;
    enum { USERS = 3 };
    static const unsigned bounds[] = {0, 1, RECIP_BOUND_DEFAULT};
    for (size_t each = 0; each < 3; each++) {
        static struct exchange exchange;
        memset(&exchange, 0, sizeof exchange);
        pthread_t threads[USERS];
        for (int i = 0; i < USERS; i++)
            threads[i] = start(drop_each, &exchange);
        for (int i = 0; i < ROUNDS; i++) {
            struct object *object =
                mmap(NULL, sizeof *object, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            assert_ptr_not_equal(object, MAP_FAILED);
            object->users = USERS;
            assert_int_equal(recip_mutex_init_bound(&object->mutex, bounds[each]), 0);
            exchange.objects[i] = object;
        }
        for (int i = 0; i < USERS; i++)
            finish(threads[i]);
    }
}

struct event {
    recip_mutex_t mutex;
    recip_cond_t cond;
    bool happened;
};

static void *signal_event(void *argument)
{
    struct event *event = argument;
    recip_mutex_lock(&event->mutex);
    event->happened = true;
    recip_cond_signal(&event->cond);
    recip_mutex_unlock(&event->mutex);
    return NULL;
}

static void a_signalled_waiter_frees_both(void **unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS / 10 + 1; i++) {
        struct event *event = calloc(1, sizeof *event);
        pthread_t thread = start(signal_event, event);
        recip_mutex_lock(&event->mutex);
        while (!event->happened)
            recip_cond_wait(&event->cond, &event->mutex);
        recip_mutex_unlock(&event->mutex);
        free(event);
        finish(thread);
    }
}

/* A condition variable in a page of its own, and a thread that waits for a moment only. */
struct moment {
    recip_mutex_t mutex;
    recip_cond_t *cond;
    bool waiting, over;
    long nanoseconds;
};

static void *wait_for_a_moment(void *argument)
{
    struct moment *moment = argument;
    struct timespec soon = after(CLOCK_MONOTONIC, moment->nanoseconds);
    recip_mutex_lock(&moment->mutex);
    moment->waiting = true;
    if (!moment->over)
        recip_cond_clockwait(moment->cond, &moment->mutex, CLOCK_MONOTONIC, &soon);
    recip_mutex_unlock(&moment->mutex);
    return NULL;
}

/* check/clients.c has the same in every execution. */
static void after_a_broadcast_it_may_go_while_waiters_time_out(void **unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS / 10 + 1; i++) {
        recip_cond_t *cond = mmap(NULL, sizeof *cond, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(cond, MAP_FAILED);
        struct moment moment = {.cond = cond, .nanoseconds = 1000L * (i % 100)};
        pthread_t thread = start(wait_for_a_moment, &moment);
        WAIT_UNTIL(({
            recip_mutex_lock(&moment.mutex);
            bool waiting = moment.waiting;
            if (!waiting)
                recip_mutex_unlock(&moment.mutex);
            waiting;
        }));
        moment.over = true;
        recip_cond_broadcast(cond);
        assert_int_equal(recip_cond_destroy(cond), 0);
        munmap(cond, sizeof *cond);
        recip_mutex_unlock(&moment.mutex);
        finish(thread);
    }
}

static void *post(void *argument)
{
    MUST(recip_sem_post(argument) == 0);
    return NULL;
}

static void a_waiter_frees_the_semaphore(void **unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS / 10 + 1; i++) {
        recip_sem_t *sem = calloc(1, sizeof *sem);
        pthread_t thread = start(post, sem);
        recip_sem_wait(sem);
        free(sem);
        finish(thread);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_user_unmaps_it),
        cmocka_unit_test(a_signalled_waiter_frees_both),
        cmocka_unit_test(after_a_broadcast_it_may_go_while_waiters_time_out),
        cmocka_unit_test(a_waiter_frees_the_semaphore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
