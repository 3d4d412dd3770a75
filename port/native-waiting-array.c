/* SPDX-License-Identifier: MIT */
/* The native world's waiting array, and what Hapax locks share. */
#include "port/hapax.h"
#include "port/waiting-array.h"

_Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];

struct hapax_slot recip_hapax_slots[HAPAX_SLOTS];
_Atomic(uint64_t) recip_hapax_blocks;
