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

static inline uint64_t digest_word(const void *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, 8);
    return number;
}

/* `size` is a multiple of eight. Two numbers at a time, each pair with keys of its own, so that no product waits for
 * the one before it. */
static inline void digest_bytes(struct hash *hash, const void *bytes, size_t size)
{
    const char *at = bytes, *end = at + size;
    uint64_t key = UINT64_C(0xa0761d6478bd642f), low = 0, high = 0;
    for (; end - at >= 16; at += 16, key += UINT64_C(0xe7037ed1a0b428db)) {
        uint64_t first = digest_word(at) ^ key, second = digest_word(at + 8) ^ (key << 32 | key >> 32);
        low += digest_fold(first, second ^ UINT64_C(0x8ebc6af09c88c6e3));
        high += digest_fold(first + UINT64_C(0x589965cc75374cc3), second - UINT64_C(0x1d8e4e27c47d124f));
    }
    if (at < end)
        digest_add(hash, digest_word(at));
    digest_add(hash, low);
    digest_add(hash, high ^ size);
}

/* Adds two numbers to the hash of a set: in any order. */
static inline void digest_join_pair(struct hash *set, uint64_t a, uint64_t b)
{
    set->low += digest_fold(a ^ UINT64_C(0xa0761d6478bd642f), b ^ UINT64_C(0xe7037ed1a0b428db));
    set->high += digest_fold(a + UINT64_C(0x589965cc75374cc3), b - UINT64_C(0x1d8e4e27c47d124f));
}

/* Adds a hash to one of a set: in any order. */
static inline void digest_join(struct hash *set, struct hash member)
{
    digest_add(&member, 1);
    set->low += member.low;
    set->high += member.high;
}

#endif
