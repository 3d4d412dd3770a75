/* SPDX-License-Identifier: MIT */
/* statistics-forks exit|_Exit|quick_exit: a process that locks one mutex forks a child that locks another, and one that
 * locks none. All end in that way. */
#include "common.h"

#include <sys/wait.h>

static pthread_mutex_t of_parent = PTHREAD_MUTEX_INITIALIZER, of_child = PTHREAD_MUTEX_INITIALIZER;

static void lock(pthread_mutex_t *mutex, int times)
{
    for (int i = 0; i < times; i++) {
        CHECK_IS(pthread_mutex_lock(mutex), 0);
        CHECK_IS(pthread_mutex_unlock(mutex), 0);
    }
}

static _Noreturn void end(const char *way)
{
    if (strcmp(way, "_Exit") == 0)
        _Exit(0);
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(0);
    exit(0);
}

int main(int count, char **words)
{
    CHECK_IS(count, 2);
    lock(&of_parent, 10);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            lock(&of_child, i ? 0 : 5);
            end(words[1]);
        }
        int status;
        CHECK_IS(waitpid(child, &status, 0), child);
        CHECK_IS(status, 0);
    }
    lock(&of_parent, 7);
    end(words[1]);
}
