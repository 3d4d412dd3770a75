/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/statistics.h"

#include <sys/mman.h>

#include "preload/mutex.h"
#include "preload/report.h"

enum { MAX_RECORDS = 1 << 18, ENDED_SLOTS = 4096 };

static struct record *records;         /* address space for all of them; pages come with use */
static _Atomic(uint32_t) record_count; /* used, from 1 on */
static _Atomic(uint64_t) uncounted;    /* acquisitions of mutexes without a record */

/* Records of destroyed mutexes, by where those were created. The next mutex that is created there takes the record
 * over, so that a program which creates and destroys mutexes all the time has one record for each place that creates
 * them. */
static _Atomic(uint32_t) ended[ENDED_SLOTS];

/* How often this thread had slept in a lock when its current wait began. */
static _Thread_local uint64_t parks_before;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void statistics_start(void)
{
    records = mmap(NULL, MAX_RECORDS * sizeof *records, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (records == MAP_FAILED)
        records = NULL;
    report_start();
}

/* ---- Records ---- */

static _Atomic(uint32_t) *ended_slot(const void *site)
{
    return &ended[((uintptr_t)site >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static uint32_t take_ended(const void *site)
{
    _Atomic(uint32_t) *slot = ended_slot(site);
    uint32_t index = atomic_load_explicit(slot, memory_order_relaxed);
    /* acquire: with the release in statistics_destroyed, of the record's figures. */
    if (index && records[index].created == site &&
        atomic_compare_exchange_strong_explicit(slot, &index, 0, memory_order_acquire, memory_order_relaxed))
        return index;
    return 0;
}

static uint32_t new_record(void)
{
    uint32_t index = atomic_load_explicit(&record_count, memory_order_relaxed);
    while (records && index < MAX_RECORDS - 1)
        if (atomic_compare_exchange_weak_explicit(&record_count, &index, index + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return index + 1;
    return 0;
}

/* Null if there are too many mutexes, or no memory. Then the next acquisition tries again. */
static struct record *record_of(struct mutex *mutex)
{
    if (!mutex->record)
        mutex->record = new_record();
    return mutex->record ? &records[mutex->record] : NULL;
}

void statistics_created(struct mutex *mutex, const void *site)
{
    if (records)
        mutex->record = take_ended(site);
    struct record *record = record_of(mutex);
    if (record)
        record->created = site;
}

void statistics_destroyed(struct mutex *mutex)
{
    if (!mutex->record || !records[mutex->record].created)
        return;
    uint32_t empty = 0;
    /* release: with take_ended. */
    atomic_compare_exchange_strong_explicit(ended_slot(records[mutex->record].created), &empty, mutex->record,
                                            memory_order_release, memory_order_relaxed);
}

/* ---- Events ---- */

static unsigned bucket_of(uint64_t nanoseconds)
{
    if (nanoseconds < 2)
        return 0;
    unsigned doublings = 63 - (unsigned)__builtin_clzll(nanoseconds);
    unsigned bucket = 2 * doublings + (unsigned)(nanoseconds >> (doublings - 1) & 1);
    return bucket < WAIT_BUCKETS ? bucket : WAIT_BUCKETS - 1;
}

/* The shortest wait that belongs to the next bucket. */
static uint64_t end_of_bucket(unsigned bucket)
{
    uint64_t octave = UINT64_C(1) << bucket / 2;
    return bucket % 2 ? 2 * octave : octave + octave / 2;
}

uint64_t statistics_wait_quantile(const struct record *record, double part)
{
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < WAIT_BUCKETS; bucket++) {
        seen += record->waits[bucket];
        if (seen && (double)seen >= part * (double)record->contended)
            return end_of_bucket(bucket) < record->wait_longest ? end_of_bucket(bucket) : record->wait_longest;
    }
    return 0;
}

uint64_t statistics_wait_begins(void)
{
    parks_before = port_thread()->parks;
    return now();
}

void statistics_acquired(struct mutex *mutex, const void *site, uint64_t since)
{
    struct record *record = record_of(mutex);
    if (!record) {
        atomic_fetch_add_explicit(&uncounted, 1, memory_order_relaxed);
        return;
    }
    uint32_t owner = atomic_load_explicit(&mutex->owner, memory_order_relaxed);
    record->acquired_at = now();
    record->acquisitions++;
    record->handovers += record->last_owner && record->last_owner != owner;
    record->last_owner = owner;
    if (!record->first)
        record->first = site;
    if (!since)
        return;
    uint64_t wait = record->acquired_at - since;
    record->contended++;
    record->parks += port_thread()->parks - parks_before;
    record->wait_total += wait;
    record->waits[bucket_of(wait)]++;
    if (wait > record->wait_longest)
        record->wait_longest = wait;
}

void statistics_releasing(struct mutex *mutex)
{
    struct record *record = mutex->record ? &records[mutex->record] : NULL;
    if (!record)
        return;
    uint64_t hold = now() - record->acquired_at;
    record->hold_total += hold;
    if (hold > record->hold_longest)
        record->hold_longest = hold;
}

const struct record *statistics_records(uint32_t *count, uint64_t *not_counted)
{
    *count = atomic_load_explicit(&record_count, memory_order_relaxed);
    *not_counted = atomic_load_explicit(&uncounted, memory_order_relaxed);
    return records;
}
