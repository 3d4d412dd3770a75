/* SPDX-License-Identifier: MIT */
/* What explored.h names: allocation, and giving up. Where no execution is under way they are the C library's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/engine/engine.h"

#define HERE __builtin_return_address(0)

void *recip_check_aligned_alloc(size_t alignment, size_t size);
void *recip_check_malloc(size_t size);
void *recip_check_calloc(size_t count, size_t size);
void *recip_check_realloc(void *memory, size_t size);
void recip_check_free(void *memory);
void recip_check_abort(void);

static void *allocate(size_t alignment, size_t size, const void *place)
{
    return engine_active() ? engine_allocate(alignment, size, place) : aligned_alloc(alignment, size);
}

void *recip_check_aligned_alloc(size_t alignment, size_t size)
{
    return allocate(alignment, size, HERE);
}

void *recip_check_malloc(size_t size)
{
    return allocate(_Alignof(max_align_t), size, HERE);
}

void *recip_check_calloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    char *memory = allocate(_Alignof(max_align_t), count * size, HERE);
    engine_plain((uintptr_t)memory, count * size, true, HERE);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void recip_check_free(void *memory)
{
    if (!engine_active())
        free(memory);
    else if (memory)
        engine_free(memory, 0, HERE);
}

/* What is copied without a value has none afterwards either; that it is read here is no error. */
void *recip_check_realloc(void *memory, size_t size)
{
    if (!engine_active())
        return realloc(memory, size);
    size_t had = memory ? engine_allocated(memory) : 0, copied = had < size ? had : size;
    char *larger = allocate(_Alignof(max_align_t), size, HERE);
    if (larger && copied) {
        engine_plain((uintptr_t)larger, copied, true, HERE);
        memcpy(larger, memory, copied);
    }
    if (memory)
        engine_free(memory, 0, HERE);
    return larger;
}

void recip_check_abort(void)
{
    engine_fail(FAILURE_ASSERTION, HERE, NULL, "thread %u: it gives up (abort)", engine_self());
    engine_stop();
    abort();
}
