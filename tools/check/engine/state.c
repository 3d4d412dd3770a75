/* SPDX-License-Identifier: MIT */
#include "check/engine/state.h"

#include "check/engine/admission.h"
#include "check/engine/fiber.h"
#include "check/engine/futex.h"
#include "check/engine/ghost.h"
#include "check/engine/memory.h"
#include "check/engine/race.h"
#include "check/engine/seq-cst.h"
#include "check/engine/symmetry.h"

/* A clock only says which events it covers. Of these the ones matter that some thread does not know of yet and that
 * something still depends on: a store, a first read of it, an access that may race. Their ticks are marked, and a clock
 * becomes for each thread the number of marked ticks that it covers. */
enum { WORD = 64, TICK_WORDS = 64, MAX_TICKS = TICK_WORDS * WORD };

static uint64_t marked[CLOCKS][TICK_WORDS];
static uint16_t marked_before[CLOCKS][TICK_WORDS]; /* in the words before */
static unsigned words_used[CLOCKS];

static struct clock known_to_all;

/* What each thread knows at least, with its last event taken back if it can be; and whether it has still to run. */
static struct clock least[CLOCKS];
static bool lives[CLOCKS];

/* Otherwise the next access ends or replaces it. */
static bool may_take_back(const struct task *task)
{
    return task->idle.source && task->pending.action == ACTION_PARK;
}

static void find_least(void)
{
    bool any = false;
    for (unsigned i = 1; i < execution.task_count; i++) {
        const struct task *task = &execution.tasks[i];
        lives[i] = task->state != TASK_FINISHED;
        if (!lives[i])
            continue;
        least[i] = may_take_back(task) ? task->idle.now : task->now;
        if (may_take_back(task))
            least[i].at[i]--;
        if (task->state == TASK_UNBORN)
            clock_join(&least[i], &execution.tasks[task->after].now);
        for (int j = 0; j < CLOCKS; j++)
            known_to_all.at[j] = any && known_to_all.at[j] < least[i].at[j] ? known_to_all.at[j] : least[i].at[j];
        any = true;
    }
    for (int j = 0; !any && j < CLOCKS; j++)
        known_to_all.at[j] = NEVER;
}

static bool begin_marks(void)
{
    for (unsigned i = 0; i < CLOCKS; i++) {
        unsigned ticks = i < execution.task_count ? execution.tasks[i].now.at[i] + 2u : 0;
        if (ticks > MAX_TICKS)
            return false;
        words_used[i] = (ticks + WORD - 1) / WORD;
        memset(marked[i], 0, words_used[i] * sizeof marked[i][0]);
    }
    return true;
}

static void mark(unsigned thread, unsigned tick)
{
    if (tick > known_to_all.at[thread] && tick != NEVER)
        marked[thread][tick / WORD] |= UINT64_C(1) << tick % WORD;
}

static void count_marks(void)
{
    for (unsigned i = 0; i < CLOCKS; i++) {
        unsigned count = 0;
        for (unsigned w = 0; w < words_used[i]; w++) {
            marked_before[i][w] = (uint16_t)count;
            count += (unsigned)__builtin_popcountll(marked[i][w]);
        }
    }
}

/* How many marked ticks of the thread are covered. */
static unsigned rank(unsigned thread, unsigned tick)
{
    if (tick <= known_to_all.at[thread])
        return 0;
    if (tick / WORD >= words_used[thread])
        tick = words_used[thread] * WORD - 1;
    uint64_t upto = marked[thread][tick / WORD] << (WORD - 1 - tick % WORD);
    return marked_before[thread][tick / WORD] + (unsigned)__builtin_popcountll(upto);
}

void state_add_clock(struct hash *hash, const struct clock *clock)
{
    uint64_t low = 0, high = 0;
    for (unsigned i = 0; i < CLOCKS / 2; i++) {
        unsigned thread = symmetry_thread(i), other = symmetry_thread(i + CLOCKS / 2);
        low = low << 16 | rank(thread, clock->at[thread]);
        high = high << 16 | rank(other, clock->at[other]);
    }
    digest_add(hash, low);
    digest_add(hash, high);
}

/* The oldest store of a location that some thread may still read or stand behind: whatever it knows of is the oldest
 * for it. */
static const struct store *oldest_of(const struct location *location)
{
    unsigned ignorant = 0;
    for (unsigned i = 1; i < execution.task_count; i++)
        ignorant |= (unsigned)lives[i] << i;
    const struct store *store = location->last;
    for (;; store = store->before) {
        for (unsigned i = 1; i < execution.task_count; i++)
            if (ignorant >> i & 1 && graph_known(store, &least[i]))
                ignorant &= ~(1u << i);
        if (!ignorant || !store->before)
            return store;
    }
}

static const struct store *oldest[MAX_LOCATIONS];

static void mark_stores(void)
{
    unsigned count;
    const struct location *locations = graph_locations(&count);
    for (unsigned l = 0; l < count; l++) {
        oldest[l] = oldest_of(&locations[l]);
        if (memory_is_gone(locations[l].address, locations[l].size))
            oldest[l] = locations[l].last;
        for (const struct store *store = oldest[l]->after; store; store = store->after) {
            mark(store->thread, store->tick);
            for (unsigned i = 1; i < execution.task_count; i++)
                mark(i, store->first_read[i]);
        }
    }
}

static void mark_access(uintptr_t address, const struct access *access, void *unused)
{
    (void)address;
    (void)unused;
    mark(access->thread, access->tick);
}

unsigned state_place(const struct store *store)
{
    unsigned count, place = 0;
    const struct location *locations = graph_locations(&count);
    const struct store *end = oldest[store->location - locations]->before;
    for (const struct store *other = store->location->last; other != end; other = other->before, place++)
        if (other == store)
            return place;
    return NEVER;
}

/* Whether some thread may still read or write before it. */
static bool is_passable(const struct store *store)
{
    unsigned count;
    const struct location *locations = graph_locations(&count);
    return store != oldest[store->location - locations] && state_place(store) != NEVER;
}

/* Of a location that is accessed in parts. What is older than the oldest store still counts for some of them. */
static void add_parts(struct hash *hash, const struct store *store)
{
    unsigned all = (1u << store->location->size) - 1;
    if (store->bytes == all)
        return;
    for (unsigned byte = 1; byte <= all; byte <<= 1) {
        struct clock message = {{0}};
        graph_join_message(&message, store, byte);
        state_add_clock(hash, &message);
    }
    digest_add(hash, store->bytes);
}

static void add_store(struct hash *hash, const struct store *store, bool is_oldest)
{
    digest_add(hash, symmetry_word(store->value));
    digest_add(hash, (uint64_t)!store->taker << 1 | store->unwritten);
    state_add_clock(hash, &store->message);
    add_parts(hash, store);
    digest_add(hash, admission_seen(&store->seen));
    if (is_oldest)
        return;
    digest_add(hash, (uint64_t)symmetry_number(store->thread) << 16 | rank(store->thread, store->tick));
    struct clock reads;
    for (unsigned i = 0; i < CLOCKS; i++)
        reads.at[symmetry_number(i)] =
            (uint16_t)(store->first_read[i] == NEVER ? NEVER : rank(i, store->first_read[i]));
    digest_bytes(hash, &reads, sizeof reads);
}

static void add_stores(struct hash *hash)
{
    unsigned count;
    const struct location *locations = graph_locations(&count);
    struct hash all = {0, 0};
    for (unsigned l = 0; l < count; l++) {
        const struct location *location = &locations[l];
        if (location->count == 1 || memory_is_gone(location->address, location->size))
            continue; /* as if never used */
        struct hash one = {symmetry_word(location->address), location->size};
        for (const struct store *store = oldest[l]; store; store = store->after)
            add_store(&one, store, store == oldest[l]);
        digest_join(&all, one);
    }
    digest_add(hash, all.low);
    digest_add(hash, all.high);
}

static void add_access(uintptr_t address, const struct access *access, void *to)
{
    if (access->tick <= known_to_all.at[access->thread] || memory_is_gone(address, 8))
        return;
    struct hash one = {symmetry_word(address), symmetry_number(access->thread)};
    digest_add(&one, (uint64_t)rank(access->thread, access->tick) << 16 | (unsigned)access->bytes << 2 |
                         (unsigned)access->writes << 1 | access->atomic);
    digest_join(to, one);
}

/* With what a fence adds, whether or not there are any. */
static void add_knowledge(struct hash *hash, const struct clock *now, const struct clock *learned,
                          const struct clock *seen)
{
    struct clock fenced = *now;
    clock_join(&fenced, learned);
    state_add_clock(hash, now);
    if (execution_has_fences())
        state_add_clock(hash, &fenced);
    digest_add(hash, admission_seen(seen));
}

static void add_operation(struct hash *hash, const struct operation *operation)
{
    digest_add(hash, (uint64_t)operation->action << 40 | (uint64_t)operation->change << 32 |
                         (uint64_t)operation->order << 24 | (uint64_t)operation->failure_order << 16 |
                         (uint64_t)operation->size << 8 | operation->weak);
    digest_add(hash, symmetry_word(operation->address));
    digest_add(hash, symmetry_word(operation->operand));
    digest_add(hash, symmetry_word(operation->expected));
    digest_add(hash, (uintptr_t)operation->place);
    digest_add(hash, symmetry_word((uintptr_t)operation->expected_at));
}

static void add_place(struct hash *hash, const struct store *store)
{
    digest_add(hash, symmetry_word(store->location->address));
    digest_add(hash, state_place(store));
}

static void add_task(struct hash *hash, const struct task *task)
{
    bool failed_weakly = task->failed_weakly && execution_weak_failures_limited();
    digest_add(hash,
               (uint64_t)task->state << 8 | (uint64_t)failed_weakly << 2 | (uint64_t)task->looping << 1 | task->moved);
    if (task->state == TASK_FINISHED)
        return;
    add_knowledge(hash, &task->now, &task->learned, &task->seen);
    if (task->state == TASK_UNBORN)
        return;
    add_operation(hash, &task->pending);
    handler_digest(task, hash);
    digest_add(hash, (uintptr_t)task->looked_at);
    state_add_clock(hash, &task->published);
    digest_add(hash, may_take_back(task));
    if (may_take_back(task)) {
        digest_add(hash, (uint64_t) !!task->idle.written << 1 | task->idle.first_read);
        add_knowledge(hash, &task->idle.now, &task->idle.learned, &task->idle.seen);
        add_place(hash, task->idle.source);
    }
    digest_add(hash, task->watched_count);
    for (unsigned i = 0; i < task->watched_count; i++)
        add_place(hash, task->watched[i]);
    fiber_digest(task->number, task->pending.frame, hash);
}

/* What a thread does, without what it knows. */
static void view(struct hash *hash, const struct task *task)
{
    digest_add(hash, (uint64_t)task->state << 1 | task->moved);
    if (task->state != TASK_READY && task->state != TASK_ASLEEP)
        return;
    add_operation(hash, &task->pending);
    fiber_digest(task->number, task->pending.frame, hash);
}

bool state_digest(struct hash *hash)
{
    find_least();
    if (!begin_marks())
        return false;
    mark_stores();
    race_each(mark_access, NULL);
    seq_cst_find(is_passable, mark);
    count_marks();

    if (execution.alike && !ghost_exists())
        symmetry_find(view);
    else
        symmetry_none();
    *hash = (struct hash){1, 2};
    for (unsigned i = 1; i < execution.task_count; i++)
        add_task(hash, &execution.tasks[symmetry_thread(i)]);
    add_stores(hash);
    struct hash accesses = {0, 0};
    race_each(add_access, &accesses);
    digest_add(hash, accesses.low);
    digest_add(hash, accesses.high);
    futex_digest(hash);
    admission_digest(hash);
    memory_digest(hash);
    ghost_digest(hash);
    seq_cst_digest(hash);
    return true;
}
