/* SPDX-License-Identifier: MIT */
/* The standard clients: what every lock of the registry is checked with. A user's own are in client.h. */
#ifndef RECIP_CHECK_CLIENTS_H
#define RECIP_CHECK_CLIENTS_H

#include <recip-check.h>
#include "zoo/algorithm.h"

/* How long a client takes with a lock as it is. */
enum duration {
    TAKES_A_MOMENT, /* about a second at most; mutants meet it */
    TAKES_SECONDS,  /* `--quick` leaves it out, but for the mutex; mutants of the mutex meet it after the others */
    TAKES_MINUTES,  /* `--quick` leaves it out */
};

struct lock_client {
    const char *name;
    const char *summary;
    void (*setup)(void);
    void (*finish)(void); /* when all threads have ended; may be null */
    /* Why it says nothing about a lock, or null if it does. May be null. */
    const char *(*refuses)(const struct recip_algorithm *lock);
    unsigned char threads;         /* for the clients that only acquire and release ... */
    unsigned char acquisitions[7]; /* ... how often each */
    uint64_t outcomes;             /* which numbers check_outcome has to be given, a bit for each; 0: any */
    uint64_t (*outcomes_of)(
        const struct recip_algorithm *lock); /* the same, where it depends on the lock; may be null */
    enum duration takes;                     /* with most locks; clients/slow.def has the others */
};

struct client_set {
    const char *title;
    const struct lock_client *clients;
    size_t count;
};

extern const struct client_set standard_clients;           /* clients/standard.c */
extern const struct client_set *const mutex_client_sets[]; /* clients/mutex/sets.c; ends with null */

/* All sets there are, by number; then null. */
const struct client_set *client_set_at(unsigned number);

/* What a lock is checked with: first the standard clients, then its own; then null. */
const struct client_set *lock_client_set(const struct recip_algorithm *lock, unsigned number);

/* Whether it promises that every thread gets it, whatever the others do. */
static inline bool lock_promises_turn(const struct recip_algorithm *lock)
{
    bool in_turn = lock->admission != RECIP_ADMITS_ANY || lock->traits & RECIP_BOUNDED;
    return in_turn && !(lock->traits & RECIP_RETRIES);
}

/* Whether it has its own. */
bool lock_is_mutex(const struct recip_algorithm *lock);

/* Which lock the next setup is for, and with which client. */
void lock_client_use(const struct recip_algorithm *lock, const struct lock_client *client);

/* Null if there is none. */
const struct lock_client *lock_client_find(const char *name);

/* Why the client does not apply to the lock, or null. */
const char *lock_client_refuses(const struct lock_client *client, const struct recip_algorithm *lock);

/* In setup: a thread uses the record, and so the wait element, of another one. */
void check_use_record(unsigned thread, unsigned of);

/* The calling thread's record is gone, and so are its free nodes. */
void check_record_gone(void);

/* In finish: how many nodes are in the stacks of free ones of all threads, which must be as many as they count. */
unsigned check_nodes_kept(void);

/* In finish, when all locks have been destroyed: what is allocated is a free node of a thread, or has leaked. */
void check_nodes_are_free(void);

/* Memory of the calling thread's stack has no meaning any more: it is filled with one that is none. */
void check_forget(void *memory, size_t size);

/* In setup: every thread its own record again. Before: names for what is in them. */
void check_port_reset(void);
void check_port_name(void);

/* The outcomes that check_outcome was given, a bit for each. */
uint64_t check_outcomes(void);
void check_forget_outcomes(void);

extern struct check_client *check_clients;

#endif
