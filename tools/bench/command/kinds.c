/* SPDX-License-Identifier: MIT */
/* The list of the kinds, from kinds.def. */
#include "bench/command/bench.h"

#define KIND(name) extern const struct bench_kind bench_kind_##name;
#include "bench/command/kinds.def"
#undef KIND

const struct bench_kind *const bench_kinds[] = {
#define KIND(name) &bench_kind_##name,
#include "bench/command/kinds.def"
#undef KIND
};

const size_t bench_kind_count = sizeof bench_kinds / sizeof *bench_kinds;
