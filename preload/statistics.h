/* SPDX-License-Identifier: MIT */
/* What is counted when RECIP_STATS is set; docs/run.md explains the figures. Each mutex has a record, which only its
 * owner writes, while it holds the mutex. Each thread has one, which only that thread writes. */
#ifndef RECIP_PRELOAD_STATISTICS_H
#define RECIP_PRELOAD_STATISTICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct mutex;

/* Counting every acquisition in the mutex's record would cost contended programs much: the record's cache lines move
 * from CPU to CPU with the mutex. So the word `record` of a mutex counts, and one acquisition in a period is looked at
 * closely, for the figures of all. Periods are short for mutexes that are locked seldom.
 *
 * | bits   | meaning                                                                              |
 * |--------|--------------------------------------------------------------------------------------|
 * | 0..17  | the index of the mutex's record, 0 for none                                          |
 * | 18..20 | the period, as the exponent of 2                                                     |
 * | 21     | the record does not know who took the mutex after the one that was looked at         |
 * | 22     | the acquisition is looked at: its release is as well                                 |
 * | 25..31 | how many more acquisitions are counted before one is looked at                       |
 *
 * The last are at the top, so that counting is one comparison and one subtraction.
 */
#define RECORD_INDEX UINT32_C(0x3ffff)
#define RECORD_PERIOD_SHIFT 18
#define RECORD_PERIOD_MAX 7
#define RECORD_FOLLOWER (UINT32_C(1) << 21)
#define RECORD_TIMED (UINT32_C(1) << 22)
#define RECORD_LEFT_SHIFT 25
#define RECORD_ONE_LEFT (UINT32_C(1) << RECORD_LEFT_SHIFT)

/* By the owner, first of all: true if this acquisition is counted by that, and is no other work. */
static inline int statistics_count(uint32_t *word)
{
    if (*word < RECORD_ONE_LEFT)
        return 0;
    *word -= RECORD_ONE_LEFT;
    return 1;
}

/* Waits are counted by their length: two buckets for each doubling, in nanoseconds. */
enum { WAIT_BUCKETS = 96 };

/* Waiting over time: each slice is the time that threads waited in it, in nanoseconds. A slice is 2^(24 + shift)
 * nanoseconds long. The shift grows when the time has passed the last slice. */
enum { TIME_SLICES = 64, SLICE_SHIFT = 24 };

struct timeline {
    uint32_t shift;
    uint64_t waited[TIME_SLICES];
};

struct record {
    const struct mutex *mutex;
    const void *created; /* where the mutex was initialised, or null */
    uint32_t first;      /* the stack by which it was first locked, or 0 */
    uint32_t last_owner;
    uint32_t generation; /* of the process whose figures these are: how many forks lie before it */
    uint64_t acquisitions, contended, handovers, parks;
    uint64_t wait_total, wait_longest, hold_total, hold_longest; /* nanoseconds */
    int64_t acquired_at;                                         /* ticks */
    uint64_t weight; /* how many acquisitions the last one stands for that was looked at */
    /* Of the last, for the trace. */
    int64_t since; /* ticks: when the wait began, or as acquired_at */
    uint32_t stack;
    _Atomic(int) thread; /* the kernel's number of the owner; 0 if the mutex is not held */
    int from;            /* and that of the owner before, if that was another; 0 if it is not known */
    uint64_t waits[WAIT_BUCKETS];
    struct timeline timeline;
};

struct thread_record {
    uint64_t acquisitions, contended, parks;
    uint64_t wait_total, hold_total; /* nanoseconds */
    int number;                      /* the kernel's */
    char name[16];
};

/* Some acquisitions count for others, of other threads too: so a thread that locked seldom may have more waits than
 * acquisitions. Then it had as many at least. */
uint64_t thread_record_acquisitions(const struct thread_record *thread);

/* Waits of one mutex that began at one place: a sample of them. */
struct wait_sample {
    _Atomic(uint64_t) key; /* the index of the record, then the number of the stack */
    _Atomic(uint64_t) waits, waited;
};

void statistics_start(void);

/* Before a thread waits for a mutex: the time, in ticks. `site` is where the program called from. */
int64_t statistics_wait_begins(const void *site);
/* After the wait: whether it is to be recorded in any case. A wait without a sleep is, only if its acquisition is
 * looked at closely, and then stands for others. */
int statistics_wait_counts(void);
/* By the owner, after it has acquired the mutex. `since` is what statistics_wait_begins returned, or 0 if the owner did
 * not wait; is_counted what statistics_count returned. */
void statistics_acquired(struct mutex *mutex, const void *site, int64_t since, int is_counted);
/* By the owner, before it releases a mutex whose acquisition was looked at. */
void statistics_releasing(struct mutex *mutex);
/* The mutex is new; the mutex is gone. */
void statistics_created(struct mutex *mutex, const void *site);
void statistics_destroyed(struct mutex *mutex);

/* In a child of fork, which counts from zero: the figures of its parent are forgotten, each when its mutex is acquired
 * again, and all before a report. Mutexes keep their records. */
void statistics_after_fork(void);
void statistics_forget_parent(void);

/* ---- For the report ---- */

/* The records, used from 1 to the count; null if there was no memory for them. `not_counted` is how many acquisitions
 * were of mutexes without a record: there are too many mutexes, or no memory. */
const struct record *statistics_records(uint32_t *count, uint64_t *not_counted);
/* Used from 0 to the count. `all` is how many threads there were. */
const struct thread_record *statistics_threads(uint32_t *count, uint32_t *all);
/* An unused one has the key 0. */
const struct wait_sample *statistics_samples(uint32_t *size);
/* Each slice becomes twice as long. */
void statistics_double_slices(struct timeline *timeline);
/* Since statistics_start; the second of a time in ticks. */
uint64_t statistics_nanoseconds(void);
uint64_t statistics_nanoseconds_at(int64_t ticks);
/* Of a length of time in ticks. */
uint64_t statistics_nanoseconds_of(int64_t ticks);

#endif
