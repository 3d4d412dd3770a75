/* SPDX-License-Identifier: MIT */
/* The rows of the report: the mutexes of one place together. */
#ifndef RECIP_PRELOAD_REPORT_GROUPS_H
#define RECIP_PRELOAD_REPORT_GROUPS_H

#include "preload/report-places.h"
#include "preload/statistics.h"

enum { GROUP_NAME = 100, GROUP_WAITERS = 3 };

struct range {
    uint64_t least, most;
};

/* Mutexes in one variable; or, of those that are in none, created by one call; or else first locked in methods of one
 * C++ class, or at one place. */
struct group {
    const void *key;
    char name[GROUP_NAME]; /* of the variable, or empty */
    const void *created;   /* of the first of them */
    uint32_t first;
    uint64_t mutexes, acquisitions, contended, handovers, parks;
    uint64_t wait_total, wait_longest, hold_total, hold_longest; /* nanoseconds */
    struct range acquisitions_each, wait_each;                   /* of a single mutex */
    uint64_t waits[WAIT_BUCKETS];
    struct timeline timeline;
};

/* A stack by which threads came to wait, in a sample of the waits. */
struct group_waiters {
    uint32_t stack;
    uint64_t waits, waited;
};

struct groups {
    struct group total; /* of all mutexes */
    uint32_t places;    /* how many groups there are */
    uint64_t uncounted; /* acquisitions of mutexes without a record */
    bool has_records;
};

/* Makes the groups of what the statistics are now. False without memory: then there is the total alone. */
bool groups_make(struct groups *groups);
/* Fills `chosen` with at most `max` groups, those with the longest waits first. Returns how many. */
int groups_busiest(const struct group **chosen, int max);
/* The stacks that waited longest. Returns how many. */
int group_waiters(const struct group *group, struct group_waiters chosen[GROUP_WAITERS]);
void groups_end(void);

/* What the group of that record has in common: null never. */
const void *group_key(uint32_t record);

/* The quantile `part` (0 to 1) of the waits, rounded up to the end of its bucket. */
uint64_t group_wait_quantile(const struct group *group, double part);
/* Fills `chosen` with at most `max` threads, those that waited longest first. Returns how many. */
int threads_busiest(const struct thread_record **chosen, int max);

#endif
