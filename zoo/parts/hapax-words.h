/* SPDX-License-Identifier: MIT */
/* The two words of a Hapax lock; hapax.h of the zoo explains them. */
#ifndef RECIP_ZOO_PARTS_HAPAX_WORDS_H
#define RECIP_ZOO_PARTS_HAPAX_WORDS_H

#include <stdbool.h>

#include "port/hapax.h"

struct hapax_words {
    _Atomic(uint64_t) arrive, depart;
};

/* Takes a number for this acquisition; the number of the one before it. */
static inline uint64_t hapax_arrive(struct hapax_words *words, uint64_t *number)
{
    *number = hapax_peek();
    hapax_use();
    /* relaxed: a place in the queue; depart and the slots carry what the lock protects. */
    return atomic_exchange_explicit(&words->arrive, *number, memory_order_relaxed);
}

static inline bool hapax_has_departed(struct hapax_words *words, uint64_t number)
{
    /* acquire: with the release in hapax_depart. */
    return atomic_load_explicit(&words->depart, memory_order_acquire) == number;
}

static inline bool hapax_try_arrive(struct hapax_words *words, uint64_t *number)
{
    *number = hapax_peek();
    /* acquire: with the release in hapax_depart. If this is still the last that arrived, depart has not moved. */
    uint64_t departed = atomic_load_explicit(&words->depart, memory_order_acquire);
    if (!atomic_compare_exchange_strong_explicit(&words->arrive, &departed, *number, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    hapax_use();
    return true;
}

static inline void hapax_depart(struct hapax_words *words, uint64_t number)
{
    /* release: with the acquire loads of depart. The owner's last access to the lock. */
    atomic_store_explicit(&words->depart, number, memory_order_release);
}

#endif
