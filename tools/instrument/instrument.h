/* SPDX-License-Identifier: MIT */
/* What the compiler tells about the accesses of a program, as one small interface.
 *
 * gcc and clang with -fsanitize=thread turn every access to memory into a call: __tsan_atomic64_exchange, __tsan_read8,
 * and some two hundred more. entry-points.h defines them all by the hooks below. A runtime defines the hooks, then
 * includes entry-points.h; the instrumented code is linked with that runtime instead of libtsan.
 *
 * Hooks are inlined into the entry points: size, kind and operation are constants in them and cost nothing.
 *
 * What the compiler does not tell, no runtime sees: calls of memcpy, memmove and memset, which only clang 16 and later
 * turn into entry points. */
#ifndef RECIP_INSTRUMENT_INSTRUMENT_H
#define RECIP_INSTRUMENT_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/change.h"

#define INSTRUMENT_HOOK static inline __attribute__((always_inline))

/* Where the source asks for the access: what every hook gets as `place`. The return address names a line. A runtime
 * that wants to know the callers too defines this as __builtin_frame_address(0) before it includes entry-points.h. */
#define INSTRUMENT_RETURN_ADDRESS __builtin_return_address(0)

/* Atomic accesses, which the hook makes. Sizes are 1, 2, 4 and 8; orders are the compiler's __ATOMIC_ constants; values
 * have zeroes above their size. */
INSTRUMENT_HOOK uint64_t instrument_load(const volatile void *address, size_t size, int order, void *place);
INSTRUMENT_HOOK void instrument_store(volatile void *address, size_t size, uint64_t value, int order, void *place);

/* A read-modify-write that always writes. What was there before; what is above `size` of it is not looked at. */
INSTRUMENT_HOOK uint64_t instrument_change(enum change how, volatile void *address, size_t size, uint64_t operand,
                                           int order, void *place);

struct compare_exchange {
    uint64_t expected, desired;
    int order, failure_order;
    bool weak;               /* may fail for no reason */
    const void *expected_at; /* where the code has it, if it is told what was found; the entry point writes there */
};

/* What was there before, and in `*swapped` whether it was replaced. */
INSTRUMENT_HOOK uint64_t instrument_compare_exchange(volatile void *address, size_t size,
                                                     const struct compare_exchange *how, bool *swapped, void *place);

INSTRUMENT_HOOK void instrument_fence(int order, void *place);

/* Binds the compiler only: a fence between a thread and its signal handlers. */
INSTRUMENT_HOOK void instrument_signal_fence(int order, void *place);

/* A plain access of 1, 2, 4, 8 or 16 bytes, aligned or not, volatile or not, which the code makes after the call. */
INSTRUMENT_HOOK void instrument_plain(void *address, size_t size, bool writes, void *place);

/* Plain accesses to a range of any size. The operation is "read" or "write", which the code makes after the call, or
 * the "memset", "memcpy" or "memmove" that they are part of. */
INSTRUMENT_HOOK void instrument_range(void *address, size_t size, bool writes, const char *operation, void *place);

/* An access that this interface has no hook for: an atomic one of 16 bytes. If the hook returns, the access is not
 * made, and what it gives is 0. */
INSTRUMENT_HOOK void instrument_unsupported(const char *what, void *place);

#endif
