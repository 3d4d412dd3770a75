/* SPDX-License-Identifier: MIT */
/* Ticket lock with generic concurrency restriction. Dice and Kogan, Euro-Par 2019: parts/gcr.h explains it. The inner
 * lock is ticket.h; with four active threads at most it is all the same which one it is. */
#ifndef RECIP_ZOO_GCR_TICKET_H
#define RECIP_ZOO_GCR_TICKET_H

#include "zoo/ticket.h"
#include "zoo/parts/gcr.h"

GCR_AROUND(gcr_ticket, ticket)
ZERO_IS_UNLOCKED(gcr_ticket)
MUTEX_FORM(gcr_ticket)

#endif
