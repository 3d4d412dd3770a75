/* SPDX-License-Identifier: MIT */
/* MCS with generic concurrency restriction. Dice and Kogan, Euro-Par 2019: parts/gcr.h explains it. The inner lock
 * is mcs.h; with four active threads at most it is all the same which one it is. */
#ifndef RECIP_ZOO_GCR_MCS_H
#define RECIP_ZOO_GCR_MCS_H

#include "zoo/mcs.h"
#include "zoo/parts/gcr.h"

GCR_AROUND(gcr_mcs, mcs)
ZERO_IS_UNLOCKED(gcr_mcs)
MUTEX_FORM(gcr_mcs)

#endif
