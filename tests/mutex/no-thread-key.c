/* SPDX-License-Identifier: MIT */
/* No thread-specific key is left when the library starts: a timed lock that has to wait says so, all else works. */
#include "common.h"

#include <errno.h>

/* Before the library's own, which has no priority. */
__attribute__((constructor(101))) static void take_all_keys(void)
{
    pthread_key_t key;
    while (pthread_key_create(&key, NULL) == 0) {
    }
}

static recip_mutex_t mutex = RECIP_MUTEX_INIT;
static int count;

static void *lock_and_count(void *unused)
{
    (void)unused;
    recip_mutex_lock(&mutex);
    count++;
    recip_mutex_unlock(&mutex);
    return NULL;
}

static void a_timed_lock_waits_for_nothing(void **unused)
{
    (void)unused;
    struct timespec past = {1, 0};
    recip_mutex_lock(&mutex);
    assert_int_equal(recip_mutex_timedlock(&mutex, &past), ENOMEM);
    recip_mutex_unlock(&mutex);
    assert_int_equal(recip_mutex_timedlock(&mutex, &past), 0);
    recip_mutex_unlock(&mutex);
}

static void others_wait(void **unused)
{
    (void)unused;
    recip_mutex_lock(&mutex);
    pthread_t thread = start(lock_and_count, NULL);
    wait_until_leader_sleeps(&mutex);
    recip_mutex_unlock(&mutex);
    finish(thread);
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timed_lock_waits_for_nothing),
        cmocka_unit_test(others_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
