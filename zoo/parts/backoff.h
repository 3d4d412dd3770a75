/* SPDX-License-Identifier: MIT */
/* Exponential backoff: between two looks at a word that several threads try for, each waits twice as long as before. */
#ifndef RECIP_ZOO_PARTS_BACKOFF_H
#define RECIP_ZOO_PARTS_BACKOFF_H

#include "port/port.h"
#include "zoo/parts/seldom.h"

/* In turns of port_relax. Few threads try at a time, one for each socket, so the longest is short. */
#define BACKOFF_FIRST LIMIT(2u, 1u)
#define BACKOFF_LAST LIMIT(64u, 1u)

static inline void backoff(unsigned *turns)
{
    for (unsigned turn = 0; turn < *turns; turn++)
        port_relax();
    if (*turns < BACKOFF_LAST)
        *turns *= 2;
}

#endif
