/* What is counted when RECIP_STATS is set; docs/run.md explains the figures. Each mutex has a record, which its owner
 * alone writes while it holds the mutex. */
#ifndef RECIP_PRELOAD_STATISTICS_H
#define RECIP_PRELOAD_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

struct mutex;

/* Waits are counted by their length: two buckets for each doubling, in nanoseconds. */
enum { WAIT_BUCKETS = 96 };

struct record {
    const void *created; /* where the mutex was made, or null */
    const void *first;   /* where it was first locked, or null */
    uint64_t acquisitions, contended, handovers, parks;
    uint64_t wait_total, wait_longest, hold_total, hold_longest; /* nanoseconds */
    uint64_t acquired_at;
    uint32_t last_owner;
    uint32_t waits[WAIT_BUCKETS];
};

void statistics_start(void);

/* By the owner of the mutex, which has just acquired it: where the call came from, and since when it had to wait, as
 * statistics_wait_begins said, or 0 if it did not. */
void statistics_acquired(struct mutex *mutex, const void *site, uint64_t since);
uint64_t statistics_wait_begins(void);
/* By the owner, before it releases. */
void statistics_releasing(struct mutex *mutex);
/* The mutex is new; the mutex is gone. */
void statistics_created(struct mutex *mutex, const void *site);
void statistics_destroyed(struct mutex *mutex);

/* For the report: the records from 1 to the count, and how many acquisitions were of mutexes that got none because
 * there were too many, or no memory, and then the answer is null. */
const struct record *statistics_records(uint32_t *count, uint64_t *not_counted);
/* The time that this part of all waits does not exceed, as the upper end of its bucket. */
uint64_t statistics_wait_quantile(const struct record *record, double part);

/* report.c: at exit with symbols, on a signal without. */
void report_start(void);

#endif
