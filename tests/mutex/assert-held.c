/* SPDX-License-Identifier: MIT */
/* recip_mutex_assert_held returns while the mutex is locked, and otherwise ends the program. */
#include "common.h"

#include <signal.h>
#include <sys/wait.h>

static recip_mutex_t mutex = RECIP_MUTEX_INIT;

static void passes_while_locked(void **state)
{
    (void)state;
    recip_mutex_lock(&mutex);
    recip_mutex_assert_held(&mutex);
    recip_mutex_unlock(&mutex);
}

static void ends_the_program_otherwise(void **state)
{
    (void)state;
    int ends[2], status;
    char line[100] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        recip_mutex_assert_held(&mutex);
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], line, sizeof line - 1) > 0);
    close(ends[0]);
    static const char expected[] = "recip: recip_mutex_assert_held: the mutex is not locked\n";
    line[sizeof expected - 1] = 0; /* qemu adds a line of its own about the signal */
    assert_string_equal(line, expected);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_while_locked),
        cmocka_unit_test(ends_the_program_otherwise),
    };
    return cmocka_run_group_tests_name("recip_mutex_assert_held", tests, NULL, NULL);
}
