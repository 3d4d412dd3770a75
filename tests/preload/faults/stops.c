/* SPDX-License-Identifier: MIT */
/* stops PROGRAM [ARGUMENT...]: runs it, and stops and continues it all the time, for up to three milliseconds each. Its
 * status is the program's; 3 if it was stopped less than fifty times. */
#include "../common.h"

#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>

extern char **environ;

static void pause_for(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    usleep((*random >> 16) % 3000);
}

int main(int count, char **words)
{
    pid_t child;
    int status, stops = 0;
    uint32_t random = (uint32_t)getpid();
    CHECK(count > 1);
    CHECK_IS(posix_spawn(&child, words[1], NULL, NULL, words + 1, environ), 0);
    while (waitpid(child, &status, WNOHANG) == 0) {
        CHECK_IS(kill(child, SIGSTOP), 0);
        pause_for(&random);
        CHECK_IS(kill(child, SIGCONT), 0);
        pause_for(&random);
        stops++;
    }
    printf("stops %d\n", stops);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status) ? WEXITSTATUS(status) : stops < 50 ? 3 : 0;
}
