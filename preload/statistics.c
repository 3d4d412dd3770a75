/* SPDX-License-Identifier: MIT */
/* The records of mutexes: how they are found, and what is written into them. */
#define RECIP_UNANNOTATED
#include "preload/statistics.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "preload/mutex.h"
#include "preload/report.h"
#include "preload/stack.h"
#include "preload/thread-records.h"
#include "preload/trace.h"

enum { MAX_RECORDS = RECORD_INDEX + 1, SLOTS = 1 << 12, SAMPLES = 1 << 13, MAX_PROBES = 32 };

static struct record *records;         /* address space for all of them; pages come with use */
static _Atomic(uint32_t) record_count; /* used, from 1 on */
static _Atomic(uint64_t) uncounted;    /* acquisitions of mutexes without a record */

/* Records of destroyed mutexes, by where those were created. The next mutex that is created there takes the record
 * over, so that a program which creates and destroys mutexes all the time has one record for each place that creates
 * them. */
static _Atomic(uint32_t) ended[SLOTS];

/* Records by the address of their mutex. A mutex without a record takes over that of the one that was there before:
 * C++ programs never destroy a std::mutex, they let its memory go. */
static _Atomic(uint32_t) by_address[SLOTS];

static struct wait_sample samples[SAMPLES];

/* ---- Time ---- */

static int64_t ticks_at_start, time_at_start;
static _Atomic(double) nanoseconds_of_tick = 0.4; /* until it has been measured */

uint64_t statistics_nanoseconds(void)
{
    return (uint64_t)(port_now() - time_at_start);
}

/* Called now and then: the longer ago the start, the better the measure. Any thread may; all write nearly the same. */
static void measure_ticks(void)
{
    int64_t ticks = port_ticks() - ticks_at_start;
    double nanoseconds = (double)statistics_nanoseconds();
    if (ticks > 0 && nanoseconds > 1e5)
        atomic_store_explicit(&nanoseconds_of_tick, nanoseconds / (double)ticks, memory_order_relaxed);
}

/* 0 where the counters of two CPUs differ by more than the time between. */
uint64_t statistics_nanoseconds_of(int64_t ticks)
{
    return ticks > 0 ? (uint64_t)((double)ticks * atomic_load_explicit(&nanoseconds_of_tick, memory_order_relaxed)) : 0;
}

uint64_t statistics_nanoseconds_at(int64_t ticks)
{
    return statistics_nanoseconds_of(ticks - ticks_at_start);
}

void statistics_start(void)
{
    time_at_start = port_now();
    ticks_at_start = port_ticks();
    void *memory = mmap(NULL, MAX_RECORDS * sizeof *records, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    records = memory == MAP_FAILED ? NULL : memory;
    stack_start();
    thread_records_start();
    report_start();
    while (statistics_nanoseconds() < 200000)
        port_relax();
    measure_ticks();
}

/* ---- Records ---- */

static uint32_t generation;

static uint32_t slot_of(const void *address)
{
    return (uint32_t)(((uintptr_t)address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

static uint32_t take_ended(const void *site)
{
    _Atomic(uint32_t) *slot = &ended[slot_of(site)];
    uint32_t index = atomic_load_explicit(slot, memory_order_relaxed);
    /* acquire: with the release in statistics_destroyed, of the record's figures. */
    if (index && records[index].created == site &&
        atomic_compare_exchange_strong_explicit(slot, &index, 0, memory_order_acquire, memory_order_relaxed))
        return index;
    return 0;
}

/* The record of the mutex that was at this address before, if it was not created by a call. */
static uint32_t take_predecessor(const struct mutex *mutex)
{
    uint32_t index = atomic_load_explicit(&by_address[slot_of(mutex)], memory_order_relaxed);
    return index && records[index].mutex == mutex && !records[index].created ? index : 0;
}

static uint32_t new_record(const struct mutex *mutex)
{
    uint32_t index = atomic_load_explicit(&record_count, memory_order_relaxed);
    while (records && index < MAX_RECORDS - 1)
        if (atomic_compare_exchange_weak_explicit(&record_count, &index, index + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            records[index + 1].mutex = mutex;
            records[index + 1].generation = generation;
            atomic_store_explicit(&by_address[slot_of(mutex)], index + 1, memory_order_relaxed);
            return index + 1;
        }
    return 0;
}

static struct record *own_record(const struct mutex *mutex)
{
    uint32_t index = mutex->record & RECORD_INDEX;
    return index ? &records[index] : NULL;
}

/* Null if there are too many mutexes, or no memory. Then the next acquisition tries again. By the owner. */
static struct record *record_of(struct mutex *mutex)
{
    if (!own_record(mutex) && records) {
        uint32_t predecessor = take_predecessor(mutex);
        mutex->record = predecessor ? predecessor : new_record(mutex);
    }
    return own_record(mutex);
}

/* Acquisitions of a period that are counted and not looked at. */
static uint32_t period_counts(uint32_t word)
{
    return (UINT32_C(1) << (word >> RECORD_PERIOD_SHIFT & 7)) - 1;
}

/* What the word has counted goes to the record. After that the word has to be written anew. */
static void count_pending(const struct mutex *mutex, struct record *record)
{
    if (!(mutex->record & RECORD_FOLLOWER))
        record->acquisitions += period_counts(mutex->record) - (mutex->record >> RECORD_LEFT_SHIFT);
}

void statistics_created(struct mutex *mutex, const void *site)
{
    if (!records)
        return;
    uint32_t index = take_ended(site);
    mutex->record = index ? index : new_record(mutex);
    struct record *record = own_record(mutex);
    if (!record)
        return;
    record->created = site;
    record->mutex = mutex;
}

void statistics_destroyed(struct mutex *mutex)
{
    struct record *record = own_record(mutex);
    uint32_t empty = 0;
    if (!record)
        return;
    count_pending(mutex, record);
    mutex->record &= RECORD_INDEX;
    if (record->created)
        /* release: with take_ended. */
        atomic_compare_exchange_strong_explicit(&ended[slot_of(record->created)], &empty, mutex->record & RECORD_INDEX,
                                                memory_order_release, memory_order_relaxed);
}

static void forget_parent(struct record *record)
{
    *record = (struct record){.mutex = record->mutex,
                              .created = record->created,
                              .first = record->first,
                              .last_owner = record->last_owner,
                              .generation = generation,
                              .weight = record->weight};
}

/* ---- The lengths of waits ---- */

static unsigned bucket_of(uint64_t nanoseconds)
{
    if (nanoseconds < 2)
        return 0;
    unsigned doublings = 63 - (unsigned)__builtin_clzll(nanoseconds);
    unsigned bucket = 2 * doublings + (unsigned)(nanoseconds >> (doublings - 1) & 1);
    return bucket < WAIT_BUCKETS ? bucket : WAIT_BUCKETS - 1;
}

void statistics_double_slices(struct timeline *timeline)
{
    for (int i = 0; i < TIME_SLICES; i++)
        timeline->waited[i] = i < TIME_SLICES / 2 ? timeline->waited[2 * i] + timeline->waited[2 * i + 1] : 0;
    timeline->shift++;
}

/* Times are since the start, in nanoseconds. The wait counts in each slice that it falls into. */
static void add_to_timeline(struct timeline *timeline, uint64_t from, uint64_t to, uint64_t weight)
{
    while (to >> (SLICE_SHIFT + timeline->shift) >= TIME_SLICES)
        statistics_double_slices(timeline);
    while (from < to) {
        uint64_t slice = from >> (SLICE_SHIFT + timeline->shift);
        uint64_t end = (slice + 1) << (SLICE_SHIFT + timeline->shift);
        timeline->waited[slice] += ((to < end ? to : end) - from) * weight;
        from = end;
    }
}

/* ---- A sample of waits ---- */

/* In ticks: at most one stack of a waiter in about a millisecond. */
enum { SAMPLE_EVERY = 1 << 21 };

static _Thread_local struct {
    uint64_t parks_before; /* how often this thread had slept in a lock */
    uint32_t stack;        /* 0 if this wait is not in the sample */
} wait;

/* Figures, not only a record of each mutex. */
static bool keeps_figures(void)
{
    return preload_mode & MODE_COUNTS;
}

static bool is_traced(void)
{
    return preload_mode & MODE_TRACE;
}

/* Which wait is in the sample does not depend on how long it will be. With a trace all are. */
static uint32_t stack_for_sample(int64_t begin, const void *site)
{
    static _Atomic(int64_t) next;
    if (is_traced())
        return stack_take(site);
    int64_t due = atomic_load_explicit(&next, memory_order_relaxed);
    if (begin < due || !atomic_compare_exchange_strong_explicit(&next, &due, begin + SAMPLE_EVERY, memory_order_relaxed,
                                                                memory_order_relaxed))
        return 0;
    measure_ticks();
    return stack_take(site);
}

int64_t statistics_wait_begins(const void *site)
{
    int64_t begin = port_ticks();
    wait.parks_before = port_thread()->parks;
    wait.stack = stack_for_sample(begin, site);
    return begin;
}

static void add_to_sample(uint32_t record, uint64_t waited)
{
    uint64_t key = (uint64_t)record << 32 | wait.stack;
    wait.stack = 0;
    for (uint32_t i = 0; i < MAX_PROBES; i++) {
        struct wait_sample *sample = &samples[((key * UINT64_C(0x9e3779b97f4a7c15) >> 40) + i) % SAMPLES];
        uint64_t there = 0;
        if (atomic_load_explicit(&sample->key, memory_order_relaxed) != key &&
            !atomic_compare_exchange_strong_explicit(&sample->key, &there, key, memory_order_relaxed,
                                                     memory_order_relaxed) &&
            there != key)
            continue;
        atomic_fetch_add_explicit(&sample->waits, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&sample->waited, waited, memory_order_relaxed);
        return;
    }
}

/* ---- Events ---- */

/* It counts for as many waits as `weight` says. */
static void count_wait(struct record *record, struct thread_record *thread, int64_t since, uint64_t weight)
{
    int64_t now = port_ticks();
    uint64_t waited = statistics_nanoseconds_of(now - since), end = statistics_nanoseconds_at(now);
    record->contended += weight;
    record->wait_total += waited * weight;
    record->waits[bucket_of(waited)] += weight;
    if (waited > record->wait_longest)
        record->wait_longest = waited;
    add_to_timeline(&record->timeline, waited < end ? end - waited : 0, end, weight);
    if (thread) {
        thread->contended += weight;
        thread->wait_total += waited * weight;
    }
    if (wait.stack)
        add_to_sample((uint32_t)(record - records), waited);
}

/* An acquisition in 2^exponent is looked at, where so many were made: about one in 128 of all, at most. The trace wants
 * all. */
static uint32_t exponent_for(uint64_t acquisitions)
{
    uint32_t exponent = 0;
    while (!is_traced() && exponent < RECORD_PERIOD_MAX && acquisitions >> (exponent + 7))
        exponent++;
    return exponent;
}

/* This acquisition stands for those before it, back to the last that was looked at. */
static void look_closely(struct mutex *mutex, struct record *record)
{
    uint32_t index = mutex->record & RECORD_INDEX;
    count_pending(mutex, record);
    record->acquisitions++;
    record->weight = UINT64_C(1) << (mutex->record >> RECORD_PERIOD_SHIFT & 7);
    record->last_owner = atomic_load_explicit(&mutex->owner, memory_order_relaxed);
    record->acquired_at = port_ticks();
    mutex->record = index | RECORD_FOLLOWER | RECORD_TIMED | exponent_for(record->acquisitions) << RECORD_PERIOD_SHIFT;
}

/* `before` is the number of the owner before, or 0. */
static void note_for_trace(struct record *record, const struct thread_record *thread, uint32_t stack, int64_t since,
                           uint32_t before)
{
    uint32_t self = mutex_self();
    record->since = since ? since : record->acquired_at;
    record->stack = stack;
    record->from = before && before != self ? (int)mutex_kernel_numbers[before % MUTEX_KERNEL_NUMBERS] : 0;
    int number = thread ? thread->number : (int)mutex_kernel_numbers[self % MUTEX_KERNEL_NUMBERS];
    /* release: with the acquire in trace-output.c. */
    atomic_store_explicit(&record->thread, number, memory_order_release);
}

static void trace(struct record *record)
{
    /* relaxed: of the owner's own, also if that has let another thread unlock. */
    int thread = atomic_load_explicit(&record->thread, memory_order_relaxed);
    if (!thread)
        return; /* a mutex that has been held since before the child of a fork, or the like */
    trace_released(&(struct trace_hold){.thread = thread,
                                        .from = record->from,
                                        .record = (uint32_t)(record - records),
                                        .since = record->since,
                                        .acquired = record->acquired_at,
                                        .released = port_ticks(),
                                        .stack = record->stack});
    atomic_store_explicit(&record->thread, 0, memory_order_relaxed);
}

/* Where nothing is counted, because only watching wants the records: statistics_acquired is called this seldom. */
#define LONGEST_PERIOD                                                                                                 \
    ((uint32_t)RECORD_PERIOD_MAX << RECORD_PERIOD_SHIFT | ((1u << RECORD_PERIOD_MAX) - 1) << RECORD_LEFT_SHIFT)

int statistics_wait_counts(void)
{
    return port_thread()->parks != wait.parks_before || wait.stack;
}

void statistics_acquired(struct mutex *mutex, const void *site, int64_t since, int is_counted)
{
    struct record *record = record_of(mutex);
    struct thread_record *thread = thread_record();
    uint64_t parks = since ? port_thread()->parks - wait.parks_before : 0;
    uint32_t before = record ? record->last_owner : 0, stack = since ? wait.stack : 0;
    if (!record) {
        atomic_fetch_add_explicit(&uncounted, 1, memory_order_relaxed);
        return;
    }
    if (record->generation != generation)
        forget_parent(record);
    if (mutex->record & RECORD_FOLLOWER) {
        uint32_t owner = atomic_load_explicit(&mutex->owner, memory_order_relaxed);
        record->handovers += record->last_owner != owner ? record->weight : 0;
        mutex->record &= ~RECORD_FOLLOWER;
        mutex->record |= period_counts(mutex->record) << RECORD_LEFT_SHIFT;
        is_counted = statistics_count(&mutex->record);
    }
    if (!record->first)
        record->first = stack_take(site);
    if (!keeps_figures()) {
        mutex->record = (mutex->record & RECORD_INDEX) | LONGEST_PERIOD;
        return;
    }
    if (!is_counted) {
        look_closely(mutex, record);
        if (thread)
            thread_record_count(thread, record->weight);
    }
    record->parks += parks;
    if (thread)
        thread->parks += parks;
    if (since)
        count_wait(record, thread, since, parks ? 1 : is_counted ? 0 : record->weight);
    if (is_traced())
        note_for_trace(record, thread, stack ? stack : stack_of_site(site), since, before);
}

void statistics_releasing(struct mutex *mutex)
{
    struct record *record = own_record(mutex);
    struct thread_record *thread = thread_record();
    mutex->record &= ~RECORD_TIMED;
    uint64_t hold = statistics_nanoseconds_of(port_ticks() - record->acquired_at);
    record->hold_total += hold * record->weight;
    if (hold > record->hold_longest)
        record->hold_longest = hold;
    if (thread)
        thread->hold_total += hold * record->weight;
    if (is_traced())
        trace(record);
}

/* ---- In a child of fork ---- */

void statistics_after_fork(void)
{
    generation++;
    atomic_store_explicit(&uncounted, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < SAMPLES; i++)
        if (atomic_load_explicit(&samples[i].key, memory_order_relaxed)) {
            atomic_store_explicit(&samples[i].key, 0, memory_order_relaxed);
            atomic_store_explicit(&samples[i].waits, 0, memory_order_relaxed);
            atomic_store_explicit(&samples[i].waited, 0, memory_order_relaxed);
        }
    time_at_start = port_now();
    ticks_at_start = port_ticks();
    thread_records_after_fork();
}

void statistics_forget_parent(void)
{
    uint32_t count = atomic_load_explicit(&record_count, memory_order_relaxed);
    for (uint32_t i = 1; records && i <= count; i++)
        if (records[i].generation != generation)
            forget_parent(&records[i]);
}

/* ---- For the report ---- */

const struct record *statistics_records(uint32_t *count, uint64_t *not_counted)
{
    *count = atomic_load_explicit(&record_count, memory_order_relaxed);
    *not_counted = atomic_load_explicit(&uncounted, memory_order_relaxed);
    return records;
}

const struct wait_sample *statistics_samples(uint32_t *size)
{
    *size = SAMPLES;
    return samples;
}
