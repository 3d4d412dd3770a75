/* SPDX-License-Identifier: MIT */
/* Data races: for each eight bytes of memory, who accessed which of them and when. */
#ifndef RECIP_CHECK_ENGINE_RACE_H
#define RECIP_CHECK_ENGINE_RACE_H

#include <stddef.h>

#include "check/engine/clock.h"

struct access {
    const void *place; /* where in the code */
    uint16_t tick;
    uint8_t thread;
    uint8_t bytes; /* a bit for each of the eight */
    bool writes, atomic;
};

enum race {
    RACE_NONE,
    RACE_FOUND,
    RACE_LIMIT,   /* it could not be recorded */
    RACE_RESTART, /* accesses to this word were not recorded and have to be: the exploration begins again */
};

/* Before an exploration: which words are accessed in which way. */
void race_forget(void);

void race_reset(void);

/* Records an access that does not cross a multiple of eight. If another one races with it, that one is copied to
 * `other`. The tick of a plain access is that of the thread's next event. Not recorded are accesses to words that, over
 * all executions, one thread accesses alone, or all do atomically; unless nothing is to be assumed (assumptions.h). */
enum race race_access(uintptr_t address, const struct access *access, const struct clock *now, struct access *other);

/* As a write to the whole range, which is never accessed again and so not recorded. */
enum race race_free(uintptr_t address, size_t size, const struct access *access, const struct clock *now,
                    struct access *other);

/* For snapshot.c. */
void race_snapshot(void);

/* Calls `each` for every access that is recorded. */
void race_each(void (*each)(uintptr_t address, const struct access *access, void *to), void *to);

#endif
