/* SPDX-License-Identifier: MIT */
/* Finds glibc's own functions: in this library's constructor, which is the first, or when one is needed before that.
 * Two threads may do it at once: both store the same. */
#include "preload/glibc.h"

#include <dlfcn.h>
#include <errno.h>

struct glibc glibc_functions;
atomic_bool glibc_is_found;

/* glibc before 2.30 has no such clock variants. */
static int not_there(void)
{
    return ENOSYS;
}

static void *find(const char *name)
{
    /* No version: the newest, which is what a program linked today gets. */
    void *function = dlsym(RTLD_NEXT, name);
    return function ? function : (void *)not_there;
}

void glibc_find(void)
{
#define FUNCTION(name, arguments) glibc_functions.name = find("pthread_" #name);
    GLIBC_FUNCTIONS(FUNCTION)
#undef FUNCTION
    /* release: with the acquire in glibc. */
    atomic_store_explicit(&glibc_is_found, true, memory_order_release);
}
