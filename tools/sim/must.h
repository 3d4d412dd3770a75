/* SPDX-License-Identifier: MIT */
/* Memory or nothing: a simulation that runs out of memory ends. */
#ifndef RECIP_SIM_MUST_H
#define RECIP_SIM_MUST_H

#include <stdio.h>
#include <stdlib.h>

static inline void *must(void *memory)
{
    if (!memory) {
        fputs("recip: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

#endif
