/* SPDX-License-Identifier: MIT */
/* What an access does: to the graph, to what its thread knows, to the records of races, and to the trace. */
#ifndef RECIP_CHECK_ENGINE_ACCESS_H
#define RECIP_CHECK_ENGINE_ACCESS_H

#include "check/engine/execution.h"
#include "check/engine/trace.h"

/* Nothing is mapped below. */
enum { MIN_ADDRESS = 65536 };

bool access_acquires(int order);
bool access_releases(int order);

/* The bytes that an operation is about of those of a store; which ones, a bit for each; whether that is not all. */
uint64_t access_part(const struct operation *operation, const struct store *store);
unsigned access_bytes(const struct operation *operation, const struct location *location);
bool access_is_partial(const struct operation *operation);

/* What a read-modify-write makes of a value. */
uint64_t access_changed(const struct operation *operation, uint64_t old);

/* The next event of a thread begins; or a fence, before which its plain accesses come. */
void access_begin(struct task *task);
void access_tick(struct task *task);

/* The pending access of a thread, with what was chosen for it: the store to read from, or to stand behind. */
void access_load(struct task *task, struct store *store, int order, enum note note);
void access_store(struct task *task, struct store *behind);
void access_change(struct task *task, struct store *source, uint64_t value);
void access_park(struct task *task, struct store *store);
void access_wake(struct task *task, struct task *woken);

/* The thread chooses a number, which is no event. */
void access_choose(struct task *task, unsigned pick);

/* A thread that has just looked parks before others do anything. False if its next access is not that, or it sleeps. */
bool access_parks_at_once(struct task *task);

/* What the thread has read counts: it is no turn of a spin loop any more. */
void access_forget_turn(struct task *task);

/* A weak compare-and-swap fails for no reason. */
void access_fail(struct task *task, struct store *store);

/* The last event was a turn of a spin loop that was not in vain. It stays, but has no number, and counts apart. */
void access_keep(struct task *task);

/* Takes the last event out of the graph, one that changed nothing. */
void access_undo(struct task *task);

#endif
