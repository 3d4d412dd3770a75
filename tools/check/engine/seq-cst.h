/* SPDX-License-Identifier: MIT */
/* Sequentially consistent accesses and fences, by RC11's rule: a relation between them, psc, has no cycle.
 *
 * The rule is about the whole graph: program order, reads-from, modification order, of all accesses. So where such an
 * order is used, every access of a thread is kept here, and when one reads or stands before a store that is there
 * already, which is how a cycle comes about, the relation is worked out again. An execution with a cycle is none. */
#ifndef RECIP_CHECK_ENGINE_SEQ_CST_H
#define RECIP_CHECK_ENGINE_SEQ_CST_H

#include "check/engine/execution.h"

/* Before an exploration, and before an execution. */
void seq_cst_forget(void);
void seq_cst_reset(void);

/* A thread is about to use that order. If it is the first, the exploration has to begin again. */
void seq_cst_note(void);

/* Whether any has, since seq_cst_forget. */
bool seq_cst_is_used(void);

/* The event that a thread has just made: what it read from and wrote, or null; a fence has neither. Ends the execution
 * if that is not allowed. */
void seq_cst_add(const struct task *task, struct store *source, struct store *written, bool seq_cst);

/* The events of a thread from that tick on are no longer in the graph. */
void seq_cst_remove(unsigned thread, unsigned tick);

/* For state.c: what can still be in a cycle, which are the events that come after a store before which some thread may
 * still read or write. First they are found, and their ticks marked; then they are added. */
void seq_cst_find(bool (*is_passable)(const struct store *store), void (*mark)(unsigned thread, unsigned tick));
void seq_cst_digest(struct hash *hash);

/* For snapshot.c. */
void seq_cst_snapshot(void);

#endif
