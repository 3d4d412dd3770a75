/* SPDX-License-Identifier: MIT */
/* What the clients of the mutex share: the mutex, what it guards, and threads that lock it in the usual ways.
 *
 * A client is a setup function, which begins with start() and then makes threads, and a line in the table at the end of
 * its file. The last owner frees what was used, so late accesses are found too. At the end nobody is left in the
 * arrivals, no wake-up is owed and no element of a timed waiter is left over.
 */
#ifndef RECIP_CHECK_CLIENTS_MUTEX_COMMON_H
#define RECIP_CHECK_CLIENTS_MUTEX_COMMON_H

#include <stdatomic.h>
#include <string.h>

#include "check/clients.h"
#include "check/clients/mutex/passes.h"
#include "src/tunables.h"
#include "src/waiter.h"

struct shared {
    recip_mutex_t mutex;
    recip_cond_t cond;
    recip_sem_t sem;
    /* In the past, unless spawn_clock() is called. */
    struct deadline deadline;
    /* Equal, and changed by owners only. */
    int first, second;
    /* The acquisitions still to come; the last one frees the mutex. Negative: none does. */
    int left;
};

extern struct shared shared;

/* What a client starts with. */
struct start {
    unsigned two_step_threads; /* so many threads, from the first on, release in two steps (rseq); 0: atomically */
    uint32_t bound;
    int acquisitions;   /* all in all, if their number is known: the last owner frees the mutex */
    bool counts_passes; /* by the ghost of passes.h */
};

#define start(...) start_with(&(struct start){__VA_ARGS__})
void start_with(const struct start *with);

/* In setup: the mutex is not new, its first owner has counted itself, and its state word is this. */
void start_used(uint32_t state);

/* In setup: a thread. Each also tries to lock so often when it has unlocked, if it is given a number of tries. */
void spawn_locker(unsigned times);
void spawn_try_locker(unsigned times);
void spawn_timed_locker(unsigned times); /* each time by the deadline or not */
void spawn_owner(unsigned tries);        /* has locked before, and unlocks */
void spawn_leader(unsigned tries);       /* has queued before, and leads; the others follow it */
void spawn_clock(void);                  /* the deadline is ahead, and passes at any moment */
void spawn(void (*body)(void *argument));
void spawn_with(void (*body)(void *argument), void *argument);

/* A waiter that waits at its own gate, elsewhere: in setup; what it does, until it is admitted and locks; what another
 * thread does that admits it. */
void start_outside(void);
void wait_outside(void *unused);
void admit_outsider(void *unused);

/* By a thread that owns the mutex: use what it guards, and unlock. */
void use_and_unlock(void);
void try_lock(void *times);

/* Ways to finish. */
void nothing_is_left(void);
/* A mark may be: one that the owner set while the leader resigned, or a leader with bound 0; or a parent's. */
void marks_are_left(void);

/* The table at the end of a file: mutex_NAME_clients. Each line has name, summary, setup, finish, how long it takes,
 * and for those that count passes SEEN: how often a leader is passed, all in all. */
#define CLIENTS(set, set_title, ...)                                                                                   \
    static const struct lock_client clients_of_##set[] = {__VA_ARGS__};                                                \
    const struct client_set mutex_##set##_clients = {set_title, clients_of_##set,                                      \
                                                     sizeof clients_of_##set / sizeof *clients_of_##set};
#define CLIENT(its_name, its_summary, its_setup, its_finish, its_duration, ...)                                        \
    {                                                                                                                  \
        .name = its_name, .summary = its_summary, .setup = its_setup, .finish = its_finish,                            \
        .takes = TAKES_##its_duration, __VA_ARGS__                                                                     \
    }
#define SEEN(...) .outcomes = (__VA_ARGS__)
#define TIMES(n) (UINT64_C(1) << (n))

#endif
