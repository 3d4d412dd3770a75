/* SPDX-License-Identifier: MIT */
#include "check/engine/seq-cst.h"

#include <string.h>

#include "check/engine/snapshot.h"
#include "check/engine/symmetry.h"

enum { MAX_EVENTS = 512, WORD = 64 };

static struct event {
    struct clock known; /* what has happened before it, and itself */
    struct store *source, *written;
    uint16_t tick;
    uint8_t thread;
    bool seq_cst;
} events[MAX_EVENTS];
static unsigned event_count;

static bool used;

void seq_cst_forget(void)
{
    used = false;
}

void seq_cst_reset(void)
{
    event_count = 0;
}

bool seq_cst_is_used(void)
{
    return used;
}

void seq_cst_note(void)
{
    execution.restart |= !used;
    execution.pruned |= !used;
    used = true;
}

void seq_cst_snapshot(void)
{
    snapshot_bytes(&event_count, sizeof event_count);
    snapshot_bytes(events, event_count * sizeof events[0]);
}

void seq_cst_remove(unsigned thread, unsigned tick)
{
    unsigned left = 0;
    for (unsigned i = 0; i < event_count; i++)
        if (events[i].thread != thread || events[i].tick < tick)
            events[left++] = events[i];
    event_count = left;
}

/* ---- Relations ---- */

/* Which events come after an event: a bit for each. */
struct set {
    uint64_t words[MAX_EVENTS / WORD];
};

static unsigned words_used;

static bool has(const struct set *set, unsigned event)
{
    return set->words[event / WORD] >> event % WORD & 1;
}

static void put(struct set *set, unsigned event)
{
    set->words[event / WORD] |= UINT64_C(1) << event % WORD;
}

static void join(struct set *set, const struct set *other)
{
    for (unsigned w = 0; w < words_used; w++)
        set->words[w] |= other->words[w];
}

/* What comes after the members of a set. */
static struct set after(const struct set *members, const struct set *relation)
{
    struct set all = {{0}};
    for (unsigned w = 0; w < words_used; w++)
        for (uint64_t left = members->words[w]; left; left &= left - 1)
            join(&all, &relation[w * WORD + (unsigned)__builtin_ctzll(left)]);
    return all;
}

static bool is_fence(const struct event *event)
{
    return !event->source && !event->written;
}

static const struct location *location_of(const struct event *event)
{
    return is_fence(event) ? NULL : (event->written ? event->written : event->source)->location;
}

static bool happens_before(const struct event *a, const struct event *b)
{
    return a != b && a->tick <= b->known.at[a->thread];
}

/* How many stores are before it in modification order. */
static unsigned place_of(const struct store *store)
{
    unsigned place = 0;
    while ((store = store->before))
        place++;
    return place;
}

static unsigned read_place[MAX_EVENTS], write_place[MAX_EVENTS];

/* Modification order and reads-before (rb): to a write. Of a read-modify-write the two are the same. */
static bool precedes_write(unsigned a, unsigned b)
{
    return events[b].written && a != b && (events[a].written ? write_place[a] : read_place[a]) < write_place[b];
}

/* Extended coherence order: these, and reads-from, and what follows by both. */
static bool coheres_before(unsigned a, unsigned b)
{
    if (precedes_write(a, b))
        return true;
    if (!events[b].source || a == b)
        return false;
    return events[a].written ? write_place[a] <= read_place[b] : read_place[a] < read_place[b];
}

static struct set happens[MAX_EVENTS];   /* happens-before */
static struct set elsewhere[MAX_EVENTS]; /* program order between different locations */
static struct set coherence[MAX_EVENTS]; /* extended coherence order */
static struct set before[MAX_EVENTS];    /* RC11's scb: SC-before */

static void relate(unsigned a, unsigned b)
{
    bool same_location = location_of(&events[a]) && location_of(&events[a]) == location_of(&events[b]);
    bool happened = happens_before(&events[a], &events[b]);
    bool in_program = happened && events[a].thread == events[b].thread;
    if (happened)
        put(&happens[a], b);
    if (in_program && !same_location)
        put(&elsewhere[a], b);
    if (same_location && coheres_before(a, b))
        put(&coherence[a], b);
    if (in_program || (same_location && (happened || precedes_write(a, b))))
        put(&before[a], b);
}

static void relate_all(void)
{
    words_used = (event_count + WORD - 1) / WORD;
    for (unsigned i = 0; i < event_count; i++) {
        happens[i] = elsewhere[i] = coherence[i] = before[i] = (struct set){{0}};
        read_place[i] = events[i].source ? place_of(events[i].source) : 0;
        write_place[i] = events[i].written ? place_of(events[i].written) : 0;
    }
    for (unsigned a = 0; a < event_count; a++)
        for (unsigned b = 0; b < event_count; b++)
            relate(a, b);
    for (unsigned a = 0; a < event_count; a++) {
        struct set between = after(&elsewhere[a], happens);
        between = after(&between, elsewhere);
        join(&before[a], &between);
    }
}

/* psc: the seq_cst events that have to come after this one. */
static struct set ordered_after(unsigned event)
{
    struct set next = before[event], fences = {{0}};
    if (is_fence(&events[event])) {
        struct set around = after(&happens[event], before);
        join(&next, &around);
        fences = after(&happens[event], coherence);
        fences = after(&fences, happens);
        join(&fences, &happens[event]);
    }
    struct set later = after(&next, happens);
    join(&fences, &later);
    for (unsigned i = 0; i < event_count; i++)
        if (is_fence(&events[i]) && has(&fences, i))
            put(&next, i);
    return next;
}

/* Takes away what has nothing left behind it until nothing is left, or a cycle. */
static bool is_ordered(void)
{
    static struct set next[MAX_EVENTS];
    struct set left = {{0}};
    unsigned count = 0;
    for (unsigned i = 0; i < event_count; i++)
        if (events[i].seq_cst) {
            next[i] = ordered_after(i);
            put(&left, i);
            count++;
        }
    for (bool taken = true; taken && count;) {
        taken = false;
        for (unsigned i = 0; i < event_count; i++) {
            uint64_t behind = 0;
            for (unsigned w = 0; has(&left, i) && w < words_used; w++)
                behind |= next[i].words[w] & left.words[w];
            if (!has(&left, i) || behind)
                continue;
            left.words[i / WORD] &= ~(UINT64_C(1) << i % WORD);
            count--;
            taken = true;
        }
    }
    return count == 0;
}

/* Nothing comes after an event that has just been made, but stores that it reads or stands before. */
static bool comes_before_others(const struct event *event)
{
    return (event->written && event->written->after) || (event->source && !event->written && event->source->after);
}

void seq_cst_add(const struct task *task, struct store *source, struct store *written, bool seq_cst)
{
    if (!used || !task->number)
        return; /* the main thread is alone */
    if (event_count == MAX_EVENTS) {
        engine_fail(FAILURE_LIMIT, task->place, NULL, "an execution with seq_cst has more than %d accesses",
                    MAX_EVENTS);
        return;
    }
    struct event *event = &events[event_count++];
    *event = (struct event){
        .known = task->now,
        .source = source,
        .written = written,
        .tick = task->now.at[task->number],
        .thread = (uint8_t)task->number,
        .seq_cst = seq_cst,
    };
    if (!comes_before_others(event))
        return;
    relate_all();
    if (!is_ordered())
        execution.pruned = true;
}

/* ---- The state ---- */

static struct set kept;

/* A cycle that is not there yet goes through an event to come, and from it to a store that it passes. */
void seq_cst_find(bool (*is_passable)(const struct store *store), void (*mark)(unsigned thread, unsigned tick))
{
    kept = (struct set){{0}};
    bool any = false;
    for (unsigned i = 0; i < event_count; i++)
        if (events[i].written && is_passable(events[i].written)) {
            put(&kept, i);
            any = true;
        }
    if (!any)
        return;
    relate_all();
    for (bool more = true; more;) {
        struct set next = after(&kept, happens), by_coherence = after(&kept, coherence);
        join(&next, &by_coherence);
        more = false;
        for (unsigned w = 0; w < words_used; w++) {
            more |= next.words[w] & ~kept.words[w];
            kept.words[w] |= next.words[w];
        }
    }
    for (unsigned i = 0; i < event_count; i++)
        if (has(&kept, i))
            mark(events[i].thread, events[i].tick);
}

/* How many of the events of a thread that are kept have happened before. */
static uint64_t kept_before(const struct event *event, unsigned thread)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < event_count; i++)
        count += has(&kept, i) && events[i].thread == thread && happens_before(&events[i], event);
    return count;
}

/* From the newest store, which stays the same when old ones are forgotten. */
static uint64_t place_from_end(const struct store *store)
{
    uint64_t place = 1;
    if (!store)
        return 0;
    while ((store = store->after))
        place++;
    return place;
}

static void add_event(struct hash *hash, const struct event *event)
{
    struct hash one = {symmetry_number(event->thread), event->seq_cst};
    if (!is_fence(event))
        digest_add(&one, symmetry_word(location_of(event)->address));
    digest_add(&one, place_from_end(event->source) << 32 | place_from_end(event->written));
    for (unsigned i = 1; i < CLOCKS; i++)
        digest_add(&one, kept_before(event, symmetry_thread(i)));
    digest_join(hash, one);
}

void seq_cst_digest(struct hash *hash)
{
    struct hash all = {0, 0};
    for (unsigned i = 0; i < event_count; i++)
        if (has(&kept, i))
            add_event(&all, &events[i]);
    digest_add(hash, all.low);
    digest_add(hash, all.high);
}
