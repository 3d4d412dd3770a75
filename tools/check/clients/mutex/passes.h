/* SPDX-License-Identifier: MIT */
/* A ghost that counts how often newcomers pass the leader: never more often than the bound says. It follows
 * the state word and the arrivals of the mutex, not the mutex's own count. */
#ifndef RECIP_CHECK_CLIENTS_MUTEX_PASSES_H
#define RECIP_CHECK_CLIENTS_MUTEX_PASSES_H

#include "src/waiter.h"

/* In setup: forget everything; then, where whose turn it is follows from the two words alone, follow them. */
void passes_begin(recip_mutex_t *mutex, uint32_t bound);
void passes_follow(void);

/* In setup: this thread has queued before, and leads. */
void passes_expect_leader(unsigned thread);

/* By an owner: it has the mutex, taken or handed to it. */
void passes_note_using(void);

/* By a thread, where the ghost follows: it waits without having pushed an element of its own. */
void passes_note_waiting(void);

/* Around a call that pushes the element of another thread. */
void passes_note_admitting(void);
void passes_note_admitted(void);
/* The same of one that the owner admits, which has barred newcomers before it opens the gate. */
void passes_note_admitted_by_owner(void);

/* The arrivals in the word, if they are of this process and not of a parent. */
uintptr_t arrivals_of_this_epoch(uint64_t word);

#endif
