#include "check/engine/admission.h"

#include "check/engine/execution.h"
#include "check/engine/trace.h"

enum { MOST_LOCKS = 4, MOST_ADMISSIONS = 256 };

static struct lock {
    const void *lock;
    int overtakes;
    unsigned owner; /* 0: none */
    const void *owner_place;
} locks[MOST_LOCKS];

static unsigned lock_count;

/* What a thread that is acquiring has done at the lock so far. */
static struct arrival {
    uintptr_t lock;
    size_t size;
    struct store *exchanged, *swapped;
} arrivals[CLOCKS];

static struct {
    const struct lock *lock;
    struct store *arrival;
    unsigned thread;
} admissions[MOST_ADMISSIONS];

static unsigned admission_count;

void admission_reset(void)
{
    lock_count = 0;
    admission_count = 0;
    for (int i = 0; i < CLOCKS; i++)
        arrivals[i] = (struct arrival){0};
}

static struct lock *lock_at(const void *lock)
{
    for (unsigned i = 0; i < lock_count; i++)
        if (locks[i].lock == lock)
            return &locks[i];
    if (lock_count == MOST_LOCKS) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "a client has at most %d locks", MOST_LOCKS);
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
    arrivals[engine_self()] = (struct arrival){.lock = (uintptr_t)lock, .size = size};
}

void admission_changed(unsigned thread, const struct operation *operation, struct store *store)
{
    struct arrival *arrival = &arrivals[thread];
    if (operation->address - arrival->lock >= arrival->size)
        return;
    if (operation->action == ACTION_CHANGE && !arrival->exchanged)
        arrival->exchanged = store;
    else if (operation->action == ACTION_COMPARE && !arrival->swapped)
        arrival->swapped = store;
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
static void check_order(const struct lock *lock, struct store *arrival, const void *place)
{
    int overtakes[CLOCKS] = {0};
    for (unsigned i = 0; i < admission_count; i++) {
        unsigned thread = admissions[i].thread;
        if (admissions[i].lock != lock || thread == engine_self() || !admissions[i].arrival ||
            !before(arrival, admissions[i].arrival))
            continue;
        if (++overtakes[thread] > lock->overtakes)
            engine_fail(FAILURE_OVERTAKEN, place, NULL,
                        "thread %u was overtaken %d times by thread %u, which came later each time", engine_self(),
                        overtakes[thread], thread);
    }
}

void engine_admitted(const void *address, const void *place)
{
    struct lock *lock = lock_at(address);
    unsigned self = engine_self();
    if (lock->owner)
        engine_fail(FAILURE_OWNERS, place, lock->owner_place, "two owners: threads %u and %u hold the lock", lock->owner,
                    self);
    lock->owner = self;
    lock->owner_place = place;
    struct arrival *at = &arrivals[self];
    struct store *arrival = at->exchanged ? at->exchanged : at->swapped;
    *at = (struct arrival){0};
    if (arrival && lock->overtakes >= 0)
        check_order(lock, arrival, place);
    if (admission_count == MOST_ADMISSIONS)
        engine_fail(FAILURE_LIMIT, place, NULL, "an execution has too many acquisitions");
    else {
        admissions[admission_count].lock = lock;
        admissions[admission_count].arrival = arrival;
        admissions[admission_count++].thread = self;
    }
    trace_add(&(struct event){.thread = (uint8_t)self, .note = NOTE_ADMITTED, .address = (uintptr_t)address, .place = place});
    engine_stop();
}

void engine_leaving(const void *address)
{
    lock_at(address)->owner = 0;
    trace_add(&(struct event){.thread = (uint8_t)engine_self(), .note = NOTE_LEAVES, .address = (uintptr_t)address});
}
