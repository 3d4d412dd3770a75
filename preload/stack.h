/* SPDX-License-Identifier: MIT */
/* Where a thread is in the program: its call stack, taken while it runs and kept once for each way there. */
#ifndef RECIP_PRELOAD_STACK_H
#define RECIP_PRELOAD_STACK_H

#include <stddef.h>
#include <stdint.h>

enum { STACK_FRAMES = 16 };

/* Return addresses, the innermost first, without those in this library. */
struct stack {
    uint32_t count;
    const void *frames[STACK_FRAMES];
};

void stack_start(void);

/* The number of the calling thread's stack; of one with `site` alone if unwinding has taken more than its share of the
 * time. 0 if there is no room for another. */
uint32_t stack_take(const void *site);
/* The same, but always unwound. */
uint32_t stack_take_whole(const void *site);
/* Of the site alone. */
uint32_t stack_of_site(const void *site);
/* The stack of that number; null for 0. */
const struct stack *stack_of(uint32_t number);

#endif
