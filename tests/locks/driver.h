/* SPDX-License-Identifier: MIT */
/* Threads that arrive at a lock one by one, as they are told, so that admission orders can be written down and
 * compared. Nothing sleeps and nothing depends on timing: an arrival has taken place when the lock's own words have
 * changed and the thread waits; an admission has when the thread says so. */
#ifndef RECIP_TESTS_DRIVER_H
#define RECIP_TESTS_DRIVER_H

#include "zoo/algorithm.h"

enum { DRIVER_MAX_THREADS = 32, NOBODY = -1 };

struct driver;

enum form { WITH_CONTEXT, AS_MUTEX };

/* The threads run on two sockets by turns, as far as they know. */
struct driver *driver_start(const struct recip_algorithm *lock, enum form form, int threads);

/* Thread `who`, which neither holds the lock nor waits for it, arrives. */
void driver_arrive(struct driver *driver, int who);

/* The same by try-acquire; true if it became the owner, otherwise nothing has changed. */
bool driver_try(struct driver *driver, int who);

/* The owner releases. The next owner, or NOBODY. */
int driver_release(struct driver *driver);

int driver_owner(const struct driver *driver);

/* The lock is free again: nobody holds it and an acquisition by try-acquire succeeds. */
bool driver_is_free(struct driver *driver);

/* All threads are let through first. */
void driver_stop(struct driver *driver);

#endif
