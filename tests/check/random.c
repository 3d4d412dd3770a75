/* The explorer against itself: random programs of two to four threads, each explored with no assumption, with all of
 * them, and merged with and without. They pass or fail alike; where they pass, they come to the same outcomes, and
 * where graphs are counted, in as many executions. A failure ends an exploration, so which one it is may differ.
 *
 *     test-random [FIRST COUNT]      seeds; one is printed, and how it comes out
 *
 * Of a disagreement the smallest part is printed that still shows it.
 *
 * The accesses are instrumented like the locks; what chooses them is not. Each is made from several places of the code,
 * because the explorer learns where a thread looks and parks. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/client.h"
#include "check/engine/explore.h"

#define UNSEEN __attribute__((no_sanitize("thread")))
#define APART __attribute__((noinline))

enum { MOST_OPERATIONS = 6, THREADS = 4, SITES = 4 };

/* ---- What threads do ---- */

enum kind {
    NOTHING,
    LOAD,
    STORE,
    EXCHANGE,
    ADD,
    COMPARE,
    COMPARE_WEAK,
    RETRY,
    FENCE,
    READ, /* plain */
    WRITE,
    SKIP_IF_ZERO, /* the next, if the last value was */
    SKIP_UNLESS_ZERO,
    SPIN_UNTIL,
    SPIN_WHILE,
    SPIN_FOR_BOTH, /* words */
    SPIN_EXCHANGING,
    SPIN_COMPARING,
    PARK_WHILE,
    PARK_UNTIL,
    PARK_ONCE,
    PARK_TWICE,
    PARK_BLINDLY,
    PARK_COMPARING,
    WAKE,
    FREE,
    OWN,
    LEAVE,
    ASSERT,
    KINDS
};

static const char *const kind_names[KINDS] = {
    "nothing",
    "load",
    "store",
    "exchange",
    "add",
    "compare",
    "compare weak",
    "retry",
    "fence",
    "read",
    "write",
    "skip if 0",
    "skip if not 0",
    "spin until",
    "spin while",
    "spin for both",
    "spin exchanging",
    "spin comparing",
    "park while",
    "park until",
    "park once",
    "park twice",
    "park blindly",
    "park comparing",
    "wake",
    "free",
    "own",
    "leave",
    "assert",
};

struct step {
    uint8_t kind, word, other_word, site;
    uint8_t value, other_value;
    uint8_t order, other_order;
    bool kept; /* what it found is part of the outcome */
};

struct program_text {
    struct step steps[THREADS][MOST_OPERATIONS];
    unsigned threads;
    uint8_t same[THREADS];  /* the thread whose steps it takes */
    uint8_t after[THREADS]; /* 1 + the one that it waits for */
    bool alike;
};

static struct program_text text;

/* ---- The memory that they share ---- */

/* Words: 0 and 2 are neighbours, 1 is wide, 3 may be freed. Plain ones: 0 and 1 are neighbours, 2 may be freed, 3 is
 * the word 0. */
enum { WORDS = 4, WIDE = 1, HEAP = 3, PLAIN_WORDS = 4 };

static _Alignas(8) _Atomic(uint32_t) narrow[2];
static _Atomic(uint64_t) wide;
static _Alignas(8) uint32_t plain[2];
static struct heap {
    _Atomic(uint32_t) word;
    uint32_t plain;
} * heap;
static int lock;
static uint64_t results[THREADS];

APART UNSEEN static _Atomic(uint32_t) *narrow_at(unsigned word)
{
    return word == HEAP ? &heap->word : &narrow[word / 2];
}

APART UNSEEN static const volatile void *address_of(unsigned word)
{
    return word == WIDE ? (const volatile void *)&wide : narrow_at(word);
}

APART UNSEEN static uint32_t *plain_at(unsigned word)
{
    return word == 2 ? &heap->plain : word == 3 ? (uint32_t *)&narrow[0] : &plain[word];
}

static size_t size_of(unsigned word)
{
    return word == WIDE ? 8 : 4;
}

/* ---- The accesses ---- */

#define ACCESSES(n)                                                                                                    \
    APART static uint64_t load_##n(unsigned word, int order)                                                           \
    {                                                                                                                  \
        if (word == WIDE)                                                                                              \
            return atomic_load_explicit(&wide, order);                                                                 \
        return atomic_load_explicit(narrow_at(word), order);                                                           \
    }                                                                                                                  \
    APART static void store_##n(unsigned word, uint64_t value, int order)                                              \
    {                                                                                                                  \
        if (word == WIDE)                                                                                              \
            atomic_store_explicit(&wide, value, order);                                                                \
        else                                                                                                           \
            atomic_store_explicit(narrow_at(word), (uint32_t)value, order);                                            \
    }                                                                                                                  \
    APART static void park_##n(unsigned word, uint64_t value)                                                          \
    {                                                                                                                  \
        check_park(address_of(word), size_of(word), value);                                                            \
        __asm__ volatile("" : : : "memory");                                                                           \
    }

ACCESSES(0)
ACCESSES(1)
ACCESSES(2)
ACCESSES(3)

static uint64_t (*const loads[])(unsigned, int) = {load_0, load_1, load_2, load_3};
static void (*const stores[])(unsigned, uint64_t, int) = {store_0, store_1, store_2, store_3};
static void (*const parks[])(unsigned, uint64_t) = {park_0, park_1, park_2, park_3};

APART static uint64_t exchange(unsigned word, uint64_t value, int order)
{
    if (word == WIDE)
        return atomic_exchange_explicit(&wide, value, order);
    return atomic_exchange_explicit(narrow_at(word), (uint32_t)value, order);
}

APART static uint64_t add(unsigned word, uint64_t value, int order)
{
    if (word == WIDE)
        return atomic_fetch_add_explicit(&wide, value, order);
    return atomic_fetch_add_explicit(narrow_at(word), (uint32_t)value, order);
}

/* What it found. */
#define COMPARISON(how)                                                                                                \
    APART static uint64_t compare_##how(const struct step *step, bool *swapped)                                        \
    {                                                                                                                  \
        uint64_t found = step->value;                                                                                  \
        uint32_t narrow_found = step->value;                                                                           \
        if (step->word == WIDE) {                                                                                      \
            *swapped = atomic_compare_exchange_##how##_explicit(&wide, &found, step->other_value, step->order,         \
                                                                step->other_order);                                    \
            return found;                                                                                              \
        }                                                                                                              \
        *swapped = atomic_compare_exchange_##how##_explicit(narrow_at(step->word), &narrow_found, step->other_value,   \
                                                            step->order, step->other_order);                           \
        return narrow_found;                                                                                           \
    }
COMPARISON(strong)
COMPARISON(weak)

APART static uint32_t read_plain(unsigned word)
{
    return *plain_at(word);
}

APART static void write_plain(unsigned word, uint32_t value)
{
    *plain_at(word) = value;
}

/* ---- The steps ---- */

UNSEEN static uint64_t spin(const struct step *step)
{
    uint64_t found;
    while (((found = loads[step->site](step->word, step->order)) == step->value) != (step->kind == SPIN_UNTIL))
        check_relax();
    return found;
}

UNSEEN static void spin_for_both(const struct step *step)
{
    while (loads[step->site](step->word, step->order) != step->value ||
           loads[(step->site + 1) % SITES](step->other_word, step->other_order) != step->other_value)
        check_relax();
}

UNSEEN static void spin_exchanging(const struct step *step)
{
    while (exchange(step->word, step->value, step->order) == step->value)
        check_relax();
}

UNSEEN static void spin_comparing(const struct step *step)
{
    bool swapped = false;
    while (compare_strong(step, &swapped), !swapped)
        check_relax();
}

UNSEEN static uint64_t retry(const struct step *step)
{
    bool swapped = false;
    uint64_t found = 0;
    for (int i = 0; i < 2 && !swapped; i++)
        found = compare_strong(step, &swapped);
    return found * 2 + swapped;
}

UNSEEN static void park_while(const struct step *step)
{
    while (loads[step->site](step->word, step->order) == step->value)
        parks[step->site](step->word, step->value);
}

UNSEEN static void park_until(const struct step *step)
{
    uint64_t found;
    while ((found = loads[step->site](step->word, step->order)) != step->value)
        parks[step->site](step->word, found);
}

UNSEEN static uint64_t park_times(const struct step *step, unsigned times)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < times; i++) {
        found = loads[step->site](step->word, step->order);
        if (found != step->value)
            return found;
        parks[(step->site + 1) % SITES](step->word, found);
    }
    return found + 8;
}

/* As a lock that says with a compare-and-swap that it sleeps. */
UNSEEN static void park_comparing(const struct step *step)
{
    bool swapped = false;
    uint64_t found;
    while ((found = compare_strong(step, &swapped)) == step->other_value || swapped)
        parks[(step->site + 2) % SITES](step->word, step->other_value);
}

UNSEEN static uint64_t take_step(const struct step *step, uint64_t last)
{
    bool swapped = false;
    switch ((enum kind)step->kind) {
    case LOAD:
        return loads[step->site](step->word, step->order);
    case STORE:
        stores[step->site](step->word, step->value, step->order);
        return last;
    case EXCHANGE:
        return exchange(step->word, step->value, step->order);
    case ADD:
        return add(step->word, step->value, step->order);
    case COMPARE:
        last = compare_strong(step, &swapped);
        return last * 2 + swapped;
    case COMPARE_WEAK:
        last = compare_weak(step, &swapped);
        return last * 2 + swapped;
    case RETRY:
        return retry(step);
    case FENCE:
        if (step->order == memory_order_acquire)
            atomic_thread_fence(memory_order_acquire);
        else if (step->order == memory_order_release)
            atomic_thread_fence(memory_order_release);
        else
            atomic_thread_fence(memory_order_acq_rel);
        return last;
    case READ:
        return read_plain(step->word);
    case WRITE:
        write_plain(step->word, step->value);
        return last;
    case SPIN_UNTIL:
    case SPIN_WHILE:
        return spin(step);
    case SPIN_FOR_BOTH:
        spin_for_both(step);
        return last;
    case SPIN_EXCHANGING:
        spin_exchanging(step);
        return last;
    case SPIN_COMPARING:
        spin_comparing(step);
        return last;
    case PARK_WHILE:
        park_while(step);
        return last;
    case PARK_UNTIL:
        park_until(step);
        return last;
    case PARK_ONCE:
        return park_times(step, 1);
    case PARK_TWICE:
        return park_times(step, 2);
    case PARK_BLINDLY:
        parks[step->site](step->word, step->value);
        return last;
    case PARK_COMPARING:
        park_comparing(step);
        return last;
    case WAKE:
        check_wake(address_of(step->word));
        return last;
    case FREE:
        check_free(heap);
        return last;
    case OWN:
        check_owned(&lock);
        return last;
    case LEAVE:
        check_leaving(&lock);
        return last;
    case ASSERT:
        check_assert(last != step->value);
        return last;
    default:
        return last;
    }
}

APART static void put_result(unsigned thread, uint64_t result)
{
    results[thread] = result;
}

UNSEEN static bool needs_last(const struct step *step)
{
    return step->kind == SKIP_IF_ZERO || step->kind == SKIP_UNLESS_ZERO || step->kind == ASSERT;
}

/* What is not kept is forgotten: states that differ in nothing else are one. */
UNSEEN static void take_steps(void *steps)
{
    const struct step *step = steps;
    uint64_t last = 0, kept = 0;
    for (unsigned i = 0; i < MOST_OPERATIONS; i++, step++) {
        bool skips = (step->kind == SKIP_IF_ZERO && last == 0) || (step->kind == SKIP_UNLESS_ZERO && last != 0);
        last = take_step(step, last);
        if (step->kept)
            kept = kept * 37 + last + 1;
        if (i + 1 < MOST_OPERATIONS && !needs_last(step + 1))
            last = 0;
        i += skips;
        step += skips;
    }
    put_result(check_self() - 1, kept);
}

UNSEEN static void setup(void *unused)
{
    (void)unused;
    heap = check_allocate(8, sizeof *heap);
    store_0(HEAP, 0, memory_order_relaxed);
    write_plain(2, 0);
    if (text.alike)
        check_alike();
    for (unsigned i = 0; i < text.threads; i++)
        check_thread_after(text.after[i], take_steps, text.steps[text.same[i]]);
}

/* ---- Outcomes ---- */

enum { MOST_OUTCOMES = 1 << 12 };

static struct outcomes {
    uint64_t values[MOST_OUTCOMES]; /* in order */
    unsigned count;
} outcomes;

UNSEEN static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

UNSEEN static void add_outcome(uint64_t value)
{
    unsigned place = 0;
    while (place < outcomes.count && outcomes.values[place] < value)
        place++;
    if ((place < outcomes.count && outcomes.values[place] == value) || outcomes.count == MOST_OUTCOMES)
        return;
    for (unsigned i = outcomes.count++; i > place; i--)
        outcomes.values[i] = outcomes.values[i - 1];
    outcomes.values[place] = value;
}

/* Threads that are alike are one another's. */
UNSEEN static void finish(void *unused)
{
    (void)unused;
    uint64_t hash = 0;
    for (unsigned i = 0; i < text.threads; i++)
        hash += mix(text.alike ? text.same[i] : i, results[i]);
    for (unsigned i = 0; i < WORDS; i++)
        hash = mix(hash, check_newest(address_of(i), size_of(i)));
    add_outcome(mix(mix(hash, plain[0]), plain[1]));
}

/* ---- Explorations ---- */

/* So little memory that what is large is left out soon. */
#define SMALL .seconds = 600, .bytes = 1 << 18
static const struct limits ways[] = {
    {SMALL, .counted = 1 << 24, .naive = true},
    {SMALL, .counted = 1 << 24},
    {SMALL, .counted = 0, .naive = true},
    {SMALL, .counted = 0},
};
static const char *const way_names[] = {"naive", "counted", "naive, merged", "merged"};
enum { WAYS = sizeof ways / sizeof *ways };

struct report {
    struct result results[WAYS];
    struct outcomes outcomes[WAYS];
    int bad; /* the way that disagrees with the first; 0: none */
    bool complete;
};

/* Of a turn in vain that read two words the first read stays in the graph: how many such turns there are depends on
 * when the thread came. */
UNSEEN static bool countable(void)
{
    for (unsigned i = 0; i < text.threads; i++)
        for (unsigned j = 0; j < MOST_OPERATIONS; j++)
            if (text.steps[i][j].kind == SPIN_FOR_BOTH)
                return false;
    return true;
}

UNSEEN static bool agree(const struct report *report, int way)
{
    const struct result *result = &report->results[way], *first = &report->results[0];
    if (result->verdict != first->verdict)
        return false;
    if (first->verdict != VERDICT_PASSED)
        return true;
    return (way != 1 || !countable() || result->executions == first->executions) &&
           report->outcomes[way].count == report->outcomes[0].count &&
           memcmp(report->outcomes[way].values, report->outcomes[0].values,
                  report->outcomes[0].count * sizeof outcomes.values[0]) == 0;
}

/* A program that passes once is small enough for every way; one that fails may have no end. */
UNSEEN static bool is_complete(const struct report *report, int way)
{
    return report->results[way].verdict != VERDICT_INCOMPLETE ||
           (way > 0 && report->results[0].verdict == VERDICT_PASSED);
}

UNSEEN static void explore_all(struct report *report)
{
    report->complete = true;
    report->bad = 0;
    for (int way = 0; way < WAYS && report->complete; way++) {
        outcomes.count = 0;
        report->results[way] = explore(&(struct program){setup, finish, NULL}, &ways[way]);
        memcpy(&report->outcomes[way], &outcomes, sizeof outcomes);
        report->complete = is_complete(report, way) && outcomes.count < MOST_OUTCOMES;
        if (report->complete && !report->bad && !agree(report, way))
            report->bad = way;
    }
}

/* ---- Programs ---- */

static uint64_t random_state;

UNSEEN static unsigned pick(unsigned from)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(mix(random_state, 1) % from);
}

/* One in so many. */
UNSEEN static bool rarely(unsigned so_many)
{
    return pick(so_many) == 0;
}

static struct theme {
    bool plains, spins, parks, heap, owners, asserts, fences, retries;
    unsigned words, values, keeps; /* one value in so many */
    bool freed;
    bool forgetful; /* all but the last thread: few failures, and many states that are one */
} theme;

UNSEEN static uint8_t pick_order(enum kind kind)
{
    static const uint8_t reads[] = {memory_order_relaxed, memory_order_acquire, memory_order_acquire};
    static const uint8_t writes[] = {memory_order_relaxed, memory_order_release, memory_order_release};
    static const uint8_t changes[] = {memory_order_relaxed, memory_order_acquire, memory_order_release,
                                      memory_order_acq_rel};
    switch (kind) {
    case STORE:
        return writes[pick(3)];
    case EXCHANGE:
    case ADD:
    case COMPARE:
    case COMPARE_WEAK:
    case RETRY:
    case SPIN_EXCHANGING:
    case SPIN_COMPARING:
    case PARK_COMPARING:
        return changes[pick(4)];
    case FENCE:
        return changes[1 + pick(3)];
    default:
        return reads[pick(3)];
    }
}

UNSEEN static unsigned pick_word(void)
{
    return theme.heap && rarely(3) ? HEAP : pick(theme.words);
}

UNSEEN static unsigned pick_value(void)
{
    return theme.values == 1 ? 1 : pick(theme.values + 1);
}

UNSEEN static struct step make(enum kind kind)
{
    bool is_plain = kind == READ || kind == WRITE;
    return (struct step){
        .kind = (uint8_t)kind,
        .word = (uint8_t)(!is_plain                 ? pick_word()
                          : theme.heap && rarely(2) ? 2
                          : rarely(8)               ? 3
                                                    : pick(2)),
        .other_word = (uint8_t)pick_word(),
        .site = (uint8_t)pick(SITES),
        .value = (uint8_t)(kind == STORE || kind == EXCHANGE ? pick_value() : pick(theme.values + 1)),
        .other_value = (uint8_t)pick_value(),
        .order = pick_order(kind),
        .other_order = pick_order(LOAD),
        .kept = kind != SKIP_IF_ZERO && kind != SKIP_UNLESS_ZERO && rarely(theme.keeps),
    };
}

UNSEEN static enum kind pick_kind(void)
{
    static const uint8_t plain_kinds[] = {READ, WRITE}, skips[] = {SKIP_IF_ZERO, SKIP_UNLESS_ZERO},
                         spins[] = {SPIN_UNTIL, SPIN_WHILE, SPIN_WHILE, SPIN_FOR_BOTH, SPIN_EXCHANGING, SPIN_COMPARING},
                         park_kinds[] = {PARK_WHILE, PARK_WHILE,   PARK_WHILE,     PARK_UNTIL, PARK_UNTIL, PARK_ONCE,
                                         PARK_TWICE, PARK_BLINDLY, PARK_COMPARING, WAKE,       WAKE,       WAKE},
                         others[] = {LOAD,  LOAD,     LOAD, LOAD, STORE,   STORE,
                                     STORE, EXCHANGE, ADD,  ADD,  COMPARE, COMPARE_WEAK};
    unsigned among = pick(24);
    if (theme.plains && among < 3)
        return plain_kinds[pick(2)];
    if (theme.spins && among >= 4 && among < 7)
        return spins[pick(sizeof spins)];
    if (theme.parks && among >= 7 && among < 13)
        return park_kinds[pick(sizeof park_kinds)];
    if (theme.fences && (among == 13 || among == 16))
        return FENCE;
    if (theme.retries && among == 14)
        return RETRY;
    if (theme.asserts && among == 15)
        return ASSERT;
    if (theme.heap && !theme.freed && among == 3)
        return FREE;
    if (among >= 17 && among < 20)
        return skips[pick(2)];
    return others[pick(sizeof others)];
}

/* Steps that make sense together; how many. */
UNSEEN static unsigned make_pattern(struct step *steps)
{
    struct step first = make(LOAD), plain_step = make(rarely(2) ? READ : WRITE);
    unsigned count = 0;
    bool locked = theme.spins || theme.owners;
    switch (pick(5)) {
    case 0: /* a lock */
        if (!locked)
            return 0;
        steps[count] = make(rarely(2) ? SPIN_EXCHANGING : SPIN_COMPARING);
        steps[count].word = 0;
        steps[count].value = steps[count].kind == SPIN_EXCHANGING;
        steps[count++].other_value = 1;
        if (theme.owners)
            steps[count++] = make(OWN);
        steps[count++] = theme.plains ? plain_step : make(LOAD);
        if (theme.owners)
            steps[count++] = make(LEAVE);
        steps[count] = make(STORE);
        steps[count].word = 0;
        steps[count++].value = 0;
        return count;
    case 1: /* an answer */
        steps[count++] = first;
        steps[count++] = make(SKIP_IF_ZERO);
        steps[count++] = theme.plains ? plain_step : make(pick_kind());
        return count;
    case 2: /* a message */
        if (theme.plains)
            steps[count++] = plain_step;
        steps[count] = make(STORE);
        steps[count].value = (uint8_t)(1 + pick(2));
        count++;
        if (!theme.parks)
            return count;
        steps[count] = make(WAKE);
        steps[count].word = steps[count - 1].word;
        return count + 1;
    case 3: /* an await */
        if (!theme.parks && !theme.spins)
            return 0;
        steps[count] = make(theme.parks ? PARK_WHILE : SPIN_WHILE);
        steps[count++].value = 0;
        steps[count++] = theme.plains ? plain_step : make(pick_kind());
        return count;
    default: /* two looks and a wait */
        steps[count++] = first;
        steps[count++] = make(LOAD);
        steps[count++] = make(pick_kind());
        return count;
    }
}

/* In a thread a weak compare-and-swap fails for no reason once where graphs are counted, and any number of times where
 * they are merged; and memory is freed once. */
UNSEEN static void tidy(struct step *steps)
{
    bool weak = false;
    for (unsigned i = 0; i < MOST_OPERATIONS; i++) {
        if (steps[i].kind == COMPARE_WEAK && weak)
            steps[i].kind = COMPARE;
        weak |= steps[i].kind == COMPARE_WEAK;
        if (steps[i].kind == FREE && theme.freed)
            steps[i].kind = LOAD;
        theme.freed |= steps[i].kind == FREE;
    }
}

UNSEEN static void make_steps(struct step *steps, unsigned length)
{
    unsigned count = 0;
    while (count < length) {
        struct step pattern[MOST_OPERATIONS];
        unsigned more = rarely(2) ? make_pattern(pattern) : 0;
        if (more && count + more <= MOST_OPERATIONS) {
            memcpy(steps + count, pattern, more * sizeof *pattern);
            count += more;
        } else if (count > 0 && rarely(5)) { /* the same again */
            steps[count] = steps[count - 1];
            steps[count].order = pick_order((enum kind)steps[count].kind);
            count++;
        } else {
            steps[count++] = make(pick_kind());
        }
    }
    tidy(steps);
}

UNSEEN static void make_program(uint64_t seed)
{
    random_state = seed * UINT64_C(0xd1342543de82ef95);
    memset(&text, 0, sizeof text);
    theme = (struct theme){.plains = rarely(3),
                           .spins = rarely(2),
                           .parks = rarely(2),
                           .heap = rarely(6),
                           .owners = rarely(8),
                           .asserts = rarely(6),
                           .fences = rarely(3),
                           .retries = rarely(4),
                           .words = rarely(2) ? 1 : 1 + pick(3),
                           .values = 1 + pick(2),
                           .keeps = 1 + pick(3)};
    if (rarely(2))
        theme = (struct theme){.plains = rarely(3),
                               .fences = rarely(3),
                               .owners = rarely(4),
                               .words = 1 + pick(3),
                               .values = rarely(3) ? 2 : 1,
                               .keeps = 1 + pick(8),
                               .forgetful = true};
    text.threads = rarely(8) ? 4 : 2 + pick(2);
    if (theme.forgetful)
        text.threads = rarely(6) ? 4 : 3;
    text.alike = rarely(4);
    unsigned most = text.threads == 2 ? 6 : text.threads == 3 ? 4 : 3;
    for (unsigned i = 0; i < text.threads; i++) {
        text.same[i] = (uint8_t)i;
        make_steps(text.steps[i], 1 + pick(most));
        for (unsigned j = 0; theme.forgetful && i == text.threads - 1 && j < MOST_OPERATIONS; j++)
            text.steps[i][j].kept |= text.steps[i][j].kind == LOAD;
        if (i > 0 && text.alike && rarely(2) && !theme.freed)
            text.same[i] = text.same[pick(i)];
        if (i > 0 && rarely(10))
            text.after[i] = (uint8_t)(1 + pick(i));
    }
}

/* ---- What was found ---- */

UNSEEN static void print_step(const struct step *step)
{
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    static const char *const words[] = {"a", "w", "b", "h"}, *const plains[] = {"p", "q", "hp", "a(plain)"};
    bool is_plain = step->kind == READ || step->kind == WRITE;
    printf("    %s %s %u %s  (%s %u %s) at %u%s\n", kind_names[step->kind],
           is_plain ? plains[step->word] : words[step->word], step->value, orders[step->order], words[step->other_word],
           step->other_value, orders[step->other_order], step->site, step->kept ? ", kept" : "");
}

UNSEEN static void print_program(void)
{
    printf("%u threads%s\n", text.threads, text.alike ? ", alike" : "");
    for (unsigned i = 0; i < text.threads; i++) {
        printf("  thread %u", i + 1);
        if (text.same[i] != i)
            printf(", as thread %u", text.same[i] + 1);
        if (text.after[i])
            printf(", after thread %u", text.after[i]);
        printf("\n");
        for (unsigned j = 0; j < MOST_OPERATIONS && text.same[i] == i; j++)
            if (text.steps[i][j].kind != NOTHING)
                print_step(&text.steps[i][j]);
    }
}

UNSEEN static void print_report(const struct report *report)
{
    static const char *const verdicts[] = {"passed", "failed", "incomplete"};
    for (int way = 0; way < WAYS; way++) {
        const struct result *result = &report->results[way];
        printf("  %s: %s %s, %" PRIu64 " executions, %" PRIu64 " graphs, %u outcomes\n", way_names[way],
               verdicts[result->verdict],
               result->verdict == VERDICT_FAILED       ? result->failure.text
               : result->verdict == VERDICT_INCOMPLETE ? result->limit
                                                       : "",
               result->executions, result->graphs, report->outcomes[way].count);
        if (!report->complete)
            break;
    }
}

static struct report report;

UNSEEN static bool still_bad(const struct program_text *before)
{
    explore_all(&report);
    if (report.bad)
        return true;
    text = *before;
    return false;
}

/* As small as it gets by leaving out one thing after the other. */
UNSEEN static void shrink(void)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (unsigned i = 0; i < text.threads; i++)
            for (unsigned j = 0; j < MOST_OPERATIONS; j++) {
                struct program_text before = text;
                if (text.steps[i][j].kind == NOTHING)
                    continue;
                text.steps[i][j] = (struct step){0};
                smaller |= still_bad(&before);
            }
        for (unsigned i = 0; i < text.threads; i++)
            for (unsigned j = 0; j < MOST_OPERATIONS; j++) {
                struct program_text before = text;
                if (!text.steps[i][j].kept)
                    continue;
                text.steps[i][j].kept = false;
                smaller |= still_bad(&before);
            }
        for (unsigned i = 0; i < text.threads; i++) {
            struct program_text before = text;
            if (text.after[i]) {
                text.after[i] = 0;
                smaller |= still_bad(&before);
            }
        }
        struct program_text before = text;
        if (text.threads > 1) {
            text.threads--;
            smaller |= still_bad(&before);
        }
        before = text;
        if (text.alike) {
            text.alike = false;
            smaller |= still_bad(&before);
        }
    }
    explore_all(&report);
}

static struct tally {
    uint64_t seeds, compared, passed, bad;
} tally;

UNSEEN static void try_seed(uint64_t seed, bool alone)
{
    make_program(seed);
    explore_all(&report);
    tally.seeds++;
    tally.compared += report.complete;
    tally.passed += report.complete && report.results[0].verdict == VERDICT_PASSED;
    tally.bad += report.bad > 0;
    if (!alone && !report.bad)
        return;
    printf("seed %" PRIu64 ": ", seed);
    print_program();
    print_report(&report);
    if (!report.bad)
        return;
    shrink();
    printf("shrunk: ");
    print_program();
    print_report(&report);
    fflush(stdout);
}

UNSEEN static bool parse(const char *word, uint64_t *number)
{
    char *end;
    *number = strtoull(word, &end, 10);
    if (*end == '\0' && *word >= '0' && *word <= '9')
        return true;
    fprintf(stderr, "test-random: %s: a number is expected\n", word);
    return false;
}

UNSEEN int main(int count, char **words)
{
    enum { DEFAULT_SEEDS = 3000, MOST_BAD = 10 };
    uint64_t first = 1, seeds = DEFAULT_SEEDS;
    if (count != 1 && count != 3) {
        fprintf(stderr, "usage: test-random [FIRST COUNT]\n");
        return 2;
    }
    if (count == 3 && (!parse(words[1], &first) || !parse(words[2], &seeds)))
        return 2;
    for (uint64_t seed = first; seed - first < seeds && tally.bad < MOST_BAD; seed++)
        try_seed(seed, seeds == 1);
    printf("%" PRIu64 " programs, %" PRIu64 " small enough to compare, of which %" PRIu64 " passed; %" PRIu64
           " disagreements\n",
           tally.seeds, tally.compared, tally.passed, tally.bad);
    /* Otherwise it would say little. */
    bool enough = seeds == 1 || (tally.compared >= seeds * 9 / 10 && tally.passed >= seeds / 3);
    if (!enough && !tally.bad)
        printf("too few were compared, or have passed\n");
    return tally.bad || !enough;
}
