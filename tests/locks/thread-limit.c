/* SPDX-License-Identifier: MIT */
/* A lock that is made for so many threads refuses one more, with a message. */
#include "tests/support/test.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "zoo/anderson.h"
#include "tests/locks/driver.h"

static void init_for_two(void *lock)
{
    anderson_init_for(lock, 2);
}

/* One holds the lock, one waits, one is too many. */
static void overfill(int errors)
{
    struct recip_algorithm two = *recip_algorithm_find("anderson");
    two.init = init_for_two;
    dup2(errors, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    alarm(60);
    struct driver *driver = driver_start(&two, WITH_CONTEXT, 3);
    for (int who = 0; who < 3; who++)
        driver_arrive(driver, who);
    _exit(0);
}

static void anderson_refuses(void **state)
{
    (void)state;
    int ends[2], status;
    char message[256] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        overfill(ends[1]);
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(ends[0], message, sizeof message - 1) > 0);
    close(ends[0]);
    assert_non_null(strstr(message, "more than the 2 threads"));
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(anderson_refuses)};
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
