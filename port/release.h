/* SPDX-License-Identifier: MIT */
/* The mutex's release, for ports that make it in one step. */
#ifndef RECIP_PORT_RELEASE_H
#define RECIP_PORT_RELEASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* From locked without marks to free. release: with the acquiring compare-and-swaps of the mutex. */
static inline bool release_in_one_step(_Atomic(uint32_t) *state)
{
    uint32_t locked = 1;
    return atomic_compare_exchange_strong_explicit(state, &locked, 0, memory_order_release, memory_order_relaxed);
}

/* In two steps: what is compared, and what is stored. */
static inline _Atomic(uint8_t) *release_lock_byte(_Atomic(uint32_t) *state)
{
    return (_Atomic(uint8_t) *)(void *)state;
}

static inline _Atomic(uint8_t) *release_marks_byte(_Atomic(uint32_t) *state)
{
    return release_lock_byte(state) + 1;
}

#endif
