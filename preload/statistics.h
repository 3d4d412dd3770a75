/* SPDX-License-Identifier: MIT */
/* What is counted when RECIP_STATS is set; docs/run.md explains the figures. Each mutex has a record, which only its
 * owner writes, while it holds the mutex. */
#ifndef RECIP_PRELOAD_STATISTICS_H
#define RECIP_PRELOAD_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

struct mutex;

/* Waits are counted by their length: two buckets for each doubling, in nanoseconds. */
enum { WAIT_BUCKETS = 96 };

struct record {
    const void *created; /* where the mutex was initialised, or null */
    const void *first;   /* where it was first locked, or null */
    uint64_t acquisitions, contended, handovers, parks;
    uint64_t wait_total, wait_longest, hold_total, hold_longest; /* nanoseconds */
    uint64_t acquired_at;
    uint32_t last_owner;
    uint32_t waits[WAIT_BUCKETS];
};

void statistics_start(void);

/* The time, before a thread waits for a mutex. */
uint64_t statistics_wait_begins(void);
/* By the owner, after it has acquired the mutex. `site` is where the program called from; `since` is what
 * statistics_wait_begins returned, or 0 if the owner did not wait. */
void statistics_acquired(struct mutex *mutex, const void *site, uint64_t since);
/* By the owner, before it releases. */
void statistics_releasing(struct mutex *mutex);
/* The mutex is new; the mutex is gone. */
void statistics_created(struct mutex *mutex, const void *site);
void statistics_destroyed(struct mutex *mutex);

/* For the report: the records, used from 1 to the count; null if there was no memory for them. `not_counted` is how
 * many acquisitions were of mutexes without a record: there are too many mutexes, or no memory. */
const struct record *statistics_records(uint32_t *count, uint64_t *not_counted);
/* The quantile `part` (0 to 1) of the waits, rounded up to the end of its bucket. */
uint64_t statistics_wait_quantile(const struct record *record, double part);

#endif
