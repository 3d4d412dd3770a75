/* SPDX-License-Identifier: MIT */
#include "check/engine/admission.h"

#include "check/engine/execution.h"
#include "check/engine/fiber.h"
#include "check/engine/snapshot.h"
#include "check/engine/state.h"
#include "check/engine/symmetry.h"
#include "check/engine/trace.h"

enum { MAX_LOCKS = 4, MAX_ADMISSIONS = 256 };

static struct lock {
    const void *lock;
    int overtakes;
    unsigned owner;    /* the last one; 0: none yet */
    uint16_t left;     /* when it began to release, as its tick; NEVER: it has not */
    const void *place; /* where it was admitted */
} locks[MAX_LOCKS];

static unsigned lock_count;

/* From arriving to having released: what a thread has done at the lock. */
static struct passage {
    uintptr_t lock;
    size_t size;
    struct store *exchanged, *swapped; /* its first exchange or fetch-add, its first compare-and-swap */
    bool admitted;
    bool waited;          /* it has looked elsewhere since: at its element */
    bool changed, opened; /* since it began to release: a read-modify-write of the lock, a store elsewhere */
} passages[CLOCKS];

static unsigned paths_taken;
static bool paths_wanted;

static struct {
    const struct lock *lock;
    struct store *arrival;
    unsigned thread;
} admissions[MAX_ADMISSIONS];

static unsigned admission_count;

void admission_reset(void)
{
    lock_count = 0;
    admission_count = 0;
    for (int i = 0; i < CLOCKS; i++)
        passages[i] = (struct passage){0};
}

static struct lock *lock_at(const void *lock)
{
    for (unsigned i = 0; i < lock_count; i++)
        if (locks[i].lock == lock)
            return &locks[i];
    if (lock_count == MAX_LOCKS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a client has at most %d locks", MAX_LOCKS);
        return &locks[0];
    }
    locks[lock_count] = (struct lock){.lock = lock, .overtakes = OVERTAKES_FREELY};
    return &locks[lock_count++];
}

void engine_promise(const void *lock, int overtakes)
{
    lock_at(lock)->overtakes = overtakes;
}

void engine_arriving(const void *lock, size_t size)
{
    passages[engine_self()] = (struct passage){.lock = (uintptr_t)lock, .size = size};
}

unsigned admission_paths(void)
{
    return paths_taken;
}

void admission_forget_paths(void)
{
    paths_taken = 0;
    paths_wanted = true;
}

void admission_loaded(unsigned thread, uintptr_t address)
{
    struct passage *passage = &passages[thread];
    if (address - passage->lock >= passage->size)
        passage->waited = true;
}

void admission_stored(unsigned thread, uintptr_t address)
{
    struct passage *passage = &passages[thread];
    if (address - passage->lock >= passage->size)
        passage->opened = true;
}

void admission_changed(unsigned thread, const struct operation *operation, struct store *store)
{
    struct passage *passage = &passages[thread];
    if (operation->address - passage->lock >= passage->size) {
        passage->opened = true;
        return;
    }
    passage->changed = true;
    struct store *arrival = passage->exchanged;
    if (operation->action == ACTION_COMPARE && !passage->swapped)
        passage->swapped = store;
    if (operation->action != ACTION_CHANGE)
        return;
    if (!arrival) {
        passage->exchanged = store;
        passage->waited = false;
    } else if (store->location == arrival->location && store->source != arrival) {
        paths_taken |= PATH_DETACH | (passage->waited ? 0 : PATH_ONSET_RACE);
    }
}

void admission_undone(unsigned thread, const struct store *store)
{
    struct passage *passage = &passages[thread];
    if (passage->exchanged == store)
        passage->exchanged = NULL;
    if (passage->swapped == store)
        passage->swapped = NULL;
}

/* Whether what an arrival found was the element of another; see the words of arrivals.h and arrivals-tagged.h. */
static bool found_element(const struct store *arrival)
{
    uint64_t word = arrival->source->value;
    return word > 4096 && (word & 3) != 3 && (word & 7) != 4;
}

void engine_released(const void *lock)
{
    struct passage *passage = &passages[engine_self()];
    if (passage->lock != (uintptr_t)lock || !passage->exchanged)
        return;
    if (!passage->changed && passage->opened)
        paths_taken |= PATH_HANDOVER;
    if (passage->changed && passage->waited && found_element(passage->exchanged))
        paths_taken |= PATH_SEGMENT_END;
    *passage = (struct passage){0};
    fiber_scrub();
}

static bool before(const struct store *store, const struct store *other)
{
    if (store->location != other->location)
        return false;
    while (store && store != other)
        store = store->after;
    return store;
}

/* How often each other thread came later and was let in earlier. */
static void count_overtakes(const struct lock *lock, unsigned self, const struct store *arrival, int *overtakes)
{
    for (unsigned i = 0; i < admission_count; i++) {
        unsigned thread = admissions[i].thread;
        if (admissions[i].lock == lock && thread != self && admissions[i].arrival &&
            before(arrival, admissions[i].arrival))
            overtakes[thread]++;
    }
}

static void check_order(const struct lock *lock, struct store *arrival, const void *place)
{
    int overtakes[CLOCKS] = {0};
    count_overtakes(lock, engine_self(), arrival, overtakes);
    for (unsigned thread = 1; thread < CLOCKS; thread++)
        if (overtakes[thread] > lock->overtakes)
            engine_fail(FAILURE_OVERTAKEN, place, NULL,
                        "thread %u was overtaken %d times by thread %u, which came later each time", engine_self(),
                        overtakes[thread], thread);
}

/* Where a thread arrived at the lock, or null. */
static struct store *arrival_of(const struct passage *passage, const struct lock *lock)
{
    if (passage->lock != (uintptr_t)lock->lock)
        return NULL;
    return passage->exchanged ? passage->exchanged : passage->swapped;
}

void engine_admitted(const void *address, const void *place)
{
    struct lock *lock = lock_at(address);
    unsigned self = engine_self();
    /* In time, not by happens-before: who has seen nothing of the release may as well have come before it. */
    const struct task *task = &execution.tasks[self];
    if (lock->owner && lock->owner != self && lock->left > task->seen.at[lock->owner])
        engine_fail(FAILURE_OWNERS, place, lock->place, "two owners: threads %u and %u hold the lock", lock->owner,
                    self);
    execution.admitted |= (uint8_t)(1u << self);
    lock->owner = self;
    lock->left = NEVER;
    lock->place = place;
    struct store *arrival = arrival_of(&passages[self], lock);
    passages[self].admitted = true;
    if (arrival && lock->overtakes >= 0)
        check_order(lock, arrival, place);
    if (admission_count == MAX_ADMISSIONS)
        engine_fail(FAILURE_LIMIT, place, NULL, "an execution has too many acquisitions");
    else {
        admissions[admission_count].lock = lock;
        admissions[admission_count].arrival = arrival;
        admissions[admission_count++].thread = self;
    }
    trace_add(
        &(struct event){.thread = (uint8_t)self, .note = NOTE_ADMITTED, .address = (uintptr_t)address, .place = place});
    engine_stop();
    fiber_scrub();
}

void engine_leaving(const void *address)
{
    struct lock *lock = lock_at(address);
    lock->owner = engine_self();
    lock->left = (uint16_t)(execution.tasks[engine_self()].now.at[engine_self()] + 1);
    struct passage *passage = &passages[engine_self()];
    passage->changed = passage->opened = false;
    trace_add(&(struct event){.thread = (uint8_t)engine_self(), .note = NOTE_LEAVES, .address = (uintptr_t)address});
    fiber_scrub();
}

uint64_t admission_seen(const struct clock *seen)
{
    uint64_t released = 0;
    for (unsigned i = 0; i < lock_count; i++)
        released |= (uint64_t)(locks[i].left <= seen->at[locks[i].owner]) << i;
    return released;
}

static void add_arrival(struct hash *hash, const struct store *arrival)
{
    digest_add(hash, !!arrival);
    if (!arrival)
        return;
    digest_add(hash, symmetry_word(arrival->location->address));
    digest_add(hash, (uint64_t)!arrival->taker << 1 | found_element(arrival));
}

/* Whether every store but those of the setup is a read-modify-write. */
static bool is_chain(const struct location *location)
{
    for (const struct store *store = location->last; store; store = store->before)
        if (store->thread && !store->source)
            return false;
    return true;
}

static unsigned distance_to_last(const struct store *store)
{
    unsigned distance = 0;
    for (; store->after; store = store->after)
        distance++;
    return distance;
}

/* Of the order of admissions: how often the threads that wait have been overtaken. Where a location has other stores
 * than read-modify-writes, an arrival may yet come before one that is there already, so all of them count. */
static void add_order(struct hash *hash, const struct lock *lock)
{
    for (unsigned i = 1; i < CLOCKS; i++) {
        unsigned thread = symmetry_thread(i);
        const struct store *arrival = arrival_of(&passages[thread], lock);
        int overtakes[CLOCKS] = {0};
        if (arrival && !passages[thread].admitted)
            count_overtakes(lock, thread, arrival, overtakes);
        for (unsigned j = 1; j < CLOCKS; j++)
            digest_add(hash, (uint64_t)overtakes[symmetry_thread(j)]);
    }
    for (unsigned i = 0; i < admission_count; i++) {
        const struct store *arrival = admissions[i].arrival;
        if (admissions[i].lock == lock && arrival && !is_chain(arrival->location))
            digest_add(hash, (uint64_t)symmetry_number(admissions[i].thread) << 32 | distance_to_last(arrival));
    }
}

void admission_digest(struct hash *hash)
{
    for (unsigned i = 0; i < lock_count; i++) {
        const struct lock *lock = &locks[i];
        digest_add(hash, (uintptr_t)lock->lock);
        digest_add(hash, (uint64_t)symmetry_number(lock->owner) << 1 | (lock->left == NEVER));
        if (lock->overtakes >= 0)
            add_order(hash, lock);
    }
    for (unsigned i = 1; i < CLOCKS; i++) {
        const struct passage *passage = &passages[symmetry_thread(i)];
        digest_add(hash, passage->lock);
        if (!passage->lock)
            continue;
        digest_add(hash, passage->admitted);
        if (paths_wanted)
            digest_add(hash, (uint64_t)passage->waited << 2 | (uint64_t)passage->changed << 1 | passage->opened);
        add_arrival(hash, passage->exchanged);
        add_arrival(hash, passage->swapped);
    }
}

/* The list of admissions only grows: what it held then it still holds. */
void admission_snapshot(void)
{
    snapshot_bytes(&lock_count, sizeof lock_count);
    snapshot_bytes(locks, lock_count * sizeof locks[0]);
    snapshot_bytes(passages, sizeof passages);
    snapshot_bytes(&admission_count, sizeof admission_count);
}
