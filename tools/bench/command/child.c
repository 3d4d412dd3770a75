/* SPDX-License-Identifier: MIT */
/* A helper program, run as a child process. */
#include "bench/command/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch.h"
#include "cli/own-files.h"

enum { MAX_ARGUMENTS = 4 };

const char *bench_helper(const struct bench_kind *kind)
{
    return program_path(kind->program);
}

const char *bench_helper_of(const struct bench *bench, const struct bench_lock *lock)
{
    return lock->helper ? lock->helper : bench_helper(bench->kind);
}

static _Noreturn void become(const char *helper, const struct recip_algorithm *lock, const char *const *arguments,
                             int output)
{
    char *words[MAX_ARGUMENTS + 2] = {(char *)helper};
    for (int i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
        words[i + 1] = (char *)arguments[i];
    if (dup2(output, STDOUT_FILENO) < 0)
        _exit(STATUS_FAILED);
    if (lock)
        launch_prepare(lock, NULL);
    _exit(launch(words));
}

/* What the helper prints. If that is nothing, an empty object. */
static json_t *read_answer(int input)
{
    FILE *stream = fdopen(input, "r");
    if (!stream) {
        close(input);
        return NULL;
    }
    json_t *answer = json_loadf(stream, JSON_DISABLE_EOF_CHECK, NULL);
    fclose(stream);
    return answer ? answer : json_object();
}

json_t *bench_run_helper(const char *helper, const struct recip_algorithm *lock, const char *const *arguments)
{
    int ends[2], status = -1;
    if (pipe(ends) != 0) {
        perror("recip: pipe");
        return NULL;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become(helper, lock, arguments, ends[1]);
    }
    close(ends[1]);
    json_t *answer = read_answer(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (status == 0)
        return answer;
    json_decref(answer);
    if (bench_interrupted)
        return NULL;
    if (child < 0)
        perror("recip: fork");
    else if (WIFSIGNALED(status))
        fprintf(stderr, "recip: %s%s%s was ended by signal %d\n", helper, lock ? " on " : "", lock ? lock->id : "",
                WTERMSIG(status));
    return NULL;
}
