/* SPDX-License-Identifier: MIT */
/* recip check --coverage is a program of its own: its locks were compiled to tell which branches they take. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "cli/own-files.h"

int check_coverage(const struct request *request)
{
    const char *program = program_path("recip-check-coverage");
    if (program)
        execv(program, request->arguments);
    fprintf(stderr, "recip: recip-check-coverage cannot be started: %s\n", strerror(errno));
    return STATUS_FAILED;
}
