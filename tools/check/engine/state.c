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
enum { MAX_TICKS = 4096 };

/* From a thread's tick, less what all know of it, to whether it is marked, and then to how many marked ones are
 * covered.
 */
static uint16_t ranks[CLOCKS][MAX_TICKS];
static unsigned tick_count[CLOCKS];

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
    for (unsigned i = 0; i < execution.task_count; i++) {
        unsigned last = execution.tasks[i].now.at[i] + 1u, known = known_to_all.at[i];
        if (last >= MAX_TICKS)
            return false;
        tick_count[i] = last > known ? last - known + 1 : 1;
        memset(ranks[i], 0, tick_count[i] * sizeof ranks[i][0]);
    }
    return true;
}

static void mark(unsigned thread, unsigned tick)
{
    if (tick > known_to_all.at[thread] && tick != NEVER)
        ranks[thread][tick - known_to_all.at[thread]] = 1;
}

static void count_marks(void)
{
    for (unsigned i = 0; i < execution.task_count; i++) {
        unsigned count = 0;
        for (unsigned t = 1; t < tick_count[i]; t++)
            ranks[i][t] = (uint16_t)(count += ranks[i][t]);
    }
}

/* How many marked ticks of the thread are covered. */
static unsigned rank(unsigned thread, unsigned tick)
{
    unsigned known = known_to_all.at[thread], last = tick_count[thread] - 1;
    if (tick <= known)
        return 0;
    return ranks[thread][tick - known < last ? tick - known : last];
}

void state_add_clock(struct hash *hash, const struct clock *clock)
{
    uint64_t packed = 0;
    for (unsigned i = 1; i < execution.task_count; i++) {
        unsigned thread = symmetry_thread(i);
        packed = packed << 16 | rank(thread, clock->at[thread]);
        if (i == 4)
            digest_add(hash, packed), packed = 0;
    }
    digest_add(hash, packed);
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
    digest_join_pair(to, symmetry_word(address),
                     (uint64_t)symmetry_number(access->thread) << 48 |
                         (uint64_t)rank(access->thread, access->tick) << 16 | (unsigned)access->bytes << 2 |
                         (unsigned)access->writes << 1 | access->atomic);
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

/* Of what a thread is about to do, and its stack: a hash of what is the same whatever numbers the threads have, and the
 * words that are not, which belong to threads. Where a thread has not run it has its version, and the same image. */
enum { IMAGES = 16, IMAGE_WORDS = 1 << 14, IMAGE_OWNED = 256 };
static struct image {
    uint64_t version;
    struct hash common;
    unsigned owned_count;
    uint64_t owned[IMAGE_OWNED];
} images[CLOCKS][IMAGES];

static uint64_t image_words[IMAGE_WORDS];

static unsigned operation_words(uint64_t *words, const struct operation *operation)
{
    words[0] = (uint64_t)operation->action << 40 | (uint64_t)operation->change << 32 |
               (uint64_t)operation->order << 24 | (uint64_t)operation->failure_order << 16 |
               (uint64_t)operation->size << 8 | operation->weak;
    words[1] = operation->address;
    words[2] = operation->operand;
    words[3] = operation->expected;
    words[4] = (uintptr_t)operation->place;
    words[5] = (uintptr_t)operation->expected_at;
    return 6;
}

/* False if there is no room. In the place of an owned word stands which one it is. */
static bool make_image(struct image *image, const struct task *task)
{
    const char *stack;
    size_t size = fiber_relevant(task->number, task->pending.frame, &stack) / 8;
    unsigned count = operation_words(image_words, &task->pending);
    if (size + count + IMAGE_OWNED >= IMAGE_WORDS)
        return false;
    memcpy(image_words + count, stack, size * 8);
    count += (unsigned)size;
    image->owned_count = 0;
    uint64_t *places = image_words + count;
    for (unsigned i = 0; i < count; i++)
        if (symmetry_owned(image_words[i])) {
            if (image->owned_count == IMAGE_OWNED)
                return false;
            places[image->owned_count] = i;
            image->owned[image->owned_count++] = image_words[i];
            image_words[i] = 0;
        }
    image->common = (struct hash){1, 2};
    digest_bytes(&image->common, image_words, (count + image->owned_count) * sizeof image_words[0]);
    image->version = task->version;
    return true;
}

static void add_image(struct hash *hash, const struct task *task)
{
    struct image *image = &images[task->number][task->version % IMAGES];
    if (image->version != task->version && !make_image(image, task)) {
        image->version = 0;
        symmetry_digest(hash, image_words, operation_words(image_words, &task->pending) * sizeof image_words[0]);
        fiber_digest(task->number, task->pending.frame, hash);
        return;
    }
    digest_add(hash, image->common.low);
    digest_add(hash, image->common.high);
    symmetry_digest(hash, image->owned, image->owned_count * sizeof image->owned[0]);
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
    add_image(hash, task);
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
}

/* What a thread does, without what it knows. */
static void view(struct hash *hash, const struct task *task)
{
    digest_add(hash, (uint64_t)task->state << 1 | task->moved);
    if (task->state != TASK_READY && task->state != TASK_ASLEEP)
        return;
    add_image(hash, task);
}

static struct hash digest(void)
{
    struct hash hash = {1, 2}, accesses = {0, 0};
    for (unsigned i = 1; i < execution.task_count; i++)
        add_task(&hash, &execution.tasks[symmetry_thread(i)]);
    add_stores(&hash);
    race_each(add_access, &accesses);
    digest_add(&hash, accesses.low);
    digest_add(&hash, accesses.high);
    futex_digest(&hash);
    admission_digest(&hash);
    memory_digest(&hash);
    ghost_digest(&hash);
    seq_cst_digest(&hash);
    return hash;
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
    *hash = digest();
    return true;
}
