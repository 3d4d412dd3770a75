/* SPDX-License-Identifier: MIT */
#include "preload/environment.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Where the kernel put argc, argv and the environment; a variable of the dynamic linker. */
extern void *__libc_stack_end;

static char **environment_now(void)
{
    if (environ)
        return environ;
    /* The C library has not started yet. */
    intptr_t *count = __libc_stack_end;
    return (char **)(count + 1 + *count + 1);
}

const char *preload_environment(const char *name)
{
    /* A set-uid program: its environment is not its owner's. secure_getenv would ask the same, but needs a C library
     * that has started. */
    if (getauxval(AT_SECURE))
        return NULL;
    size_t length = strlen(name);
    for (char **each = environment_now(); *each; each++)
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return NULL;
}
