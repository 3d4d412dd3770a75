/* SPDX-License-Identifier: MIT */
/* Whether a lock can stand in a pthread_mutex_t. Shared by the preload library and `recip run`, which says so earlier.
 */
#ifndef RECIP_ZOO_PTHREAD_FIT_H
#define RECIP_ZOO_PTHREAD_FIT_H

#include "zoo/algorithm.h"

/* The bytes of a pthread_mutex_t before its kind, where the lock lives. */
#define PTHREAD_LOCK_SIZE 16

/* Null if it can, otherwise the reason, to be read after "lock 'ID' ". */
const char *recip_pthread_unfit_reason(const struct recip_algorithm *lock);

#endif
