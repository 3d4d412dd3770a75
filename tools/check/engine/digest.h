/* SPDX-License-Identifier: MIT */
/* A hash of a sequence of numbers, 128 bits wide: different sequences are taken to have different ones. */
#ifndef RECIP_CHECK_ENGINE_DIGEST_H
#define RECIP_CHECK_ENGINE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hash {
    uint64_t low, high;
};

__extension__ typedef unsigned __int128 digest_wide;

static inline uint64_t digest_fold(uint64_t a, uint64_t b)
{
    digest_wide product = (digest_wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline void digest_add(struct hash *hash, uint64_t number)
{
    hash->low = digest_fold(hash->low ^ number, UINT64_C(0x9e3779b97f4a7c15)) + UINT64_C(0x632be59bd9b4e019);
    hash->high = digest_fold(hash->high + number, UINT64_C(0xd6e8feb86659fd93)) ^ UINT64_C(0x5851f42d4c957f2d);
}

/* `size` is a multiple of eight. */
static inline void digest_bytes(struct hash *hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t number;
        memcpy(&number, (const char *)bytes + i, 8);
        digest_add(hash, number);
    }
}

/* Adds a hash to one of a set: in any order. */
static inline void digest_join(struct hash *set, struct hash member)
{
    digest_add(&member, 1);
    set->low += member.low;
    set->high += member.high;
}

#endif
