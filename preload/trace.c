/* SPDX-License-Identifier: MIT */
/* A table of the longest acquisitions. When it is nearly full, the shorter half goes, and from then on none is kept
 * that is shorter than those. Of equally long ones as many go as have to, evenly. So the table covers the whole run,
 * and what has gone would be too short to be seen. */
#define RECIP_UNANNOTATED
#include "preload/trace.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A slot is TAKEN while its thread writes it. READY ones are freed under `sweeping` only. */
enum { FREE, TAKEN, READY };

struct slot {
    _Atomic(uint32_t) state;
    struct trace_hold hold;
};

enum { NEARLY_FULL = TRACE_KEPT / 8 * 7, MAX_PROBES = 64, MAX_WAIT_MILLISECONDS = 100 };

/* Lengths in ticks: eight buckets for each doubling. */
enum { LENGTHS = 64 * 8 };

static struct slot *slots;
static _Atomic(uint32_t) next_slot, used;
static _Atomic(uint64_t) shortest;
static atomic_flag sweeping = ATOMIC_FLAG_INIT;
static _Atomic(unsigned) frozen;

void trace_start(void)
{
    void *memory = mmap(NULL, TRACE_KEPT * sizeof *slots, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    slots = memory == MAP_FAILED ? NULL : memory;
}

void trace_after_fork(void)
{
    if (slots)
        madvise(slots, TRACE_KEPT * sizeof *slots, MADV_DONTNEED); /* all FREE */
    atomic_store_explicit(&used, 0, memory_order_relaxed);
    atomic_store_explicit(&shortest, 0, memory_order_relaxed);
    atomic_store_explicit(&frozen, 0, memory_order_relaxed);
    atomic_flag_clear_explicit(&sweeping, memory_order_relaxed);
}

/* The counters of two CPUs may differ by more than the time between. */
static uint64_t length_of(const struct trace_hold *hold)
{
    return hold->released > hold->since ? (uint64_t)(hold->released - hold->since) : 0;
}

static unsigned bucket_of(uint64_t length)
{
    if (length < 8)
        return (unsigned)length;
    unsigned doublings = 63 - (unsigned)__builtin_clzll(length);
    return 8 * doublings + (unsigned)(length >> (doublings - 3) & 7);
}

/* The shortest length in the bucket. */
static uint64_t bucket_start(unsigned bucket)
{
    return bucket < 24 ? bucket : (UINT64_C(8) + bucket % 8) << (bucket / 8 - 3);
}

/* acquire: with the release in trace_released, of the hold. */
static bool is_ready(uint32_t index)
{
    return atomic_load_explicit(&slots[index].state, memory_order_acquire) == READY;
}

/* What has to go for half of the table to be free: all that is in shorter buckets, and so many of those in this. */
struct cut {
    unsigned bucket;
    uint32_t there, go;
};

static struct cut choose_cut(void)
{
    static uint32_t counts[LENGTHS];
    uint32_t stay = 0;
    unsigned bucket = LENGTHS - 1;
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < TRACE_KEPT; i++)
        if (is_ready(i))
            counts[bucket_of(length_of(&slots[i].hold))]++;
    while (bucket > 0 && stay + counts[bucket] <= TRACE_KEPT / 2)
        stay += counts[bucket--];
    uint32_t there = counts[bucket], room = TRACE_KEPT / 2 - stay;
    return (struct cut){bucket, there, there > room ? there - room : 0};
}

static void cut_off(struct cut cut)
{
    uint64_t going = 0;
    for (uint32_t i = 0; i < TRACE_KEPT; i++) {
        unsigned bucket = is_ready(i) ? bucket_of(length_of(&slots[i].hold)) : LENGTHS;
        if (bucket > cut.bucket)
            continue;
        if (bucket == cut.bucket && (going += cut.go) < cut.there)
            continue;
        if (bucket == cut.bucket)
            going -= cut.there;
        atomic_fetch_sub_explicit(&used, 1, memory_order_relaxed);
        /* release: with the acquire in take_slot; the hold is read before another overwrites it. */
        atomic_store_explicit(&slots[i].state, FREE, memory_order_release);
    }
}

/* By one thread at a time; the others go on, and find a slot or none. */
static void sweep(void)
{
    if (atomic_flag_test_and_set_explicit(&sweeping, memory_order_acquire))
        return;
    if (!atomic_load_explicit(&frozen, memory_order_relaxed)) {
        struct cut cut = choose_cut();
        atomic_store_explicit(&shortest, bucket_start(cut.bucket), memory_order_relaxed);
        cut_off(cut);
    }
    atomic_flag_clear_explicit(&sweeping, memory_order_release);
}

/* Null if there is none near. */
static struct slot *take_slot(void)
{
    for (int i = 0; i < MAX_PROBES; i++) {
        struct slot *slot = &slots[atomic_fetch_add_explicit(&next_slot, 1, memory_order_relaxed) % TRACE_KEPT];
        uint32_t state = FREE;
        /* acquire: with the release in sweep. */
        if (atomic_compare_exchange_strong_explicit(&slot->state, &state, TAKEN, memory_order_acquire,
                                                    memory_order_relaxed))
            return slot;
    }
    return NULL;
}

void trace_released(const struct trace_hold *hold)
{
    if (!slots || atomic_load_explicit(&frozen, memory_order_relaxed) ||
        length_of(hold) < atomic_load_explicit(&shortest, memory_order_relaxed))
        return;
    struct slot *slot = take_slot();
    if (!slot)
        return;
    slot->hold = *hold;
    /* release: with the acquire in is_ready. */
    atomic_store_explicit(&slot->state, READY, memory_order_release);
    if (atomic_fetch_add_explicit(&used, 1, memory_order_relaxed) + 1 >= NEARLY_FULL)
        sweep();
}

/* A sweep that another thread has begun ends first. But it may be this thread that has begun it, before a signal. */
bool trace_freeze(void)
{
    atomic_store_explicit(&frozen, 1, memory_order_relaxed);
    for (int i = 0; atomic_flag_test_and_set_explicit(&sweeping, memory_order_acquire); i++) {
        if (i == MAX_WAIT_MILLISECONDS)
            return false;
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

void trace_thaw(bool has_frozen)
{
    atomic_store_explicit(&frozen, 0, memory_order_relaxed);
    if (has_frozen)
        atomic_flag_clear_explicit(&sweeping, memory_order_release);
}

uint32_t trace_kept(const struct trace_hold **holds)
{
    uint32_t count = 0;
    for (uint32_t i = 0; slots && i < TRACE_KEPT; i++)
        if (is_ready(i))
            holds[count++] = &slots[i].hold;
    return count;
}

uint64_t trace_shortest(void)
{
    return atomic_load_explicit(&shortest, memory_order_relaxed);
}
