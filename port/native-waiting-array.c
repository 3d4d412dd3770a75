/* SPDX-License-Identifier: MIT */
/* The native world's waiting array. */
#include "port/waiting-array.h"

_Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];
