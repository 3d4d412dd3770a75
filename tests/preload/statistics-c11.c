/* SPDX-License-Identifier: MIT */
/* statistics-c11: a mutex of <threads.h>, for the statistics to say where it was made and locked. */
#include <stdlib.h>
#include <threads.h>

__attribute__((noinline)) static mtx_t *make(void)
{
    mtx_t *mutex = malloc(sizeof *mutex);
    if (!mutex || mtx_init(mutex, mtx_plain) != thrd_success)
        exit(1);
    return mutex;
}

__attribute__((noinline)) static int use(mtx_t *mutex)
{
    return mtx_lock(mutex) + mtx_unlock(mutex);
}

int main(void)
{
    mtx_t *mutex = make();
    int failures = use(mutex);
    mtx_destroy(mutex);
    free(mutex);
    return failures;
}
