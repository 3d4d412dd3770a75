/* SPDX-License-Identifier: MIT */
/* What the cohort locks share: how many cohorts there are, and how long one of them may keep the lock. */
#ifndef RECIP_ZOO_PARTS_COHORT_H
#define RECIP_ZOO_PARTS_COHORT_H

#include "port/port.h"
#include "zoo/parts/seldom.h"

/* Sockets by their number modulo this share a cohort. Each costs a line in every lock. */
#ifndef COHORTS
#define COHORTS 2
#endif

/* After so many handovers within a cohort the global lock is released. */
#define COHORT_BATCH LIMIT(100, 2)

static inline unsigned cohort_self(void)
{
    return port_socket() % COHORTS;
}

#endif
