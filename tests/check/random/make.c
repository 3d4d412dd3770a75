/* SPDX-License-Identifier: MIT */
#include "tests/check/random/program.h"

#include <stdatomic.h>
#include <string.h>

uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static uint64_t random_state;

static unsigned pick(unsigned from)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(mix(random_state, 1) % from);
}

/* One in so many. */
static bool rarely(unsigned so_many)
{
    return pick(so_many) == 0;
}

static struct theme {
    bool plains, spins, parks, heap, owners, asserts, fences, retries, halves, seq_cst, choices;
    unsigned words, values, keeps; /* one value in so many */
    bool freed;
    bool forgetful; /* all but the last thread: few failures, and many states that are one */
} theme;

static uint8_t pick_order(enum kind kind)
{
    if (theme.seq_cst && rarely(2))
        return memory_order_seq_cst;
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

static unsigned pick_word(void)
{
    if (theme.halves && rarely(2))
        return rarely(2) ? HALF : WIDE;
    return theme.heap && rarely(3) ? HEAP : pick(theme.words);
}

static unsigned pick_value(void)
{
    return theme.values == 1 ? 1 : pick(theme.values + 1);
}

static struct step make(enum kind kind)
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

static enum kind pick_kind(void)
{
    static const uint8_t plain_kinds[] = {READ, WRITE}, skips[] = {SKIP_IF_ZERO, SKIP_UNLESS_ZERO},
                         spins[] = {SPIN_UNTIL,    SPIN_WHILE,      SPIN_WHILE,    SPIN_NOTING,
                                    SPIN_FOR_BOTH, SPIN_EXCHANGING, SPIN_COMPARING},
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
    if (theme.choices && (among == 20 || among == 21))
        return theme.spins && rarely(3) ? SPIN_CHOOSING : CHOOSE;
    if (theme.heap && !theme.freed && among == 3)
        return FREE;
    if (among >= 17 && among < 20)
        return skips[pick(2)];
    return others[pick(sizeof others)];
}

/* Steps that make sense together; how many. */
static unsigned make_pattern(struct step *steps)
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
static void tidy(struct step *steps)
{
    bool weak = false;
    for (unsigned i = 0; i < MAX_OPERATIONS; i++) {
        if (steps[i].kind == COMPARE_WEAK && weak)
            steps[i].kind = COMPARE;
        weak |= steps[i].kind == COMPARE_WEAK;
        if (steps[i].kind == FREE && theme.freed)
            steps[i].kind = LOAD;
        theme.freed |= steps[i].kind == FREE;
    }
}

static void make_steps(struct step *steps, unsigned length)
{
    unsigned count = 0;
    while (count < length) {
        struct step pattern[MAX_OPERATIONS];
        unsigned more = rarely(2) ? make_pattern(pattern) : 0;
        if (more && count + more <= MAX_OPERATIONS) {
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

void make_program(uint64_t seed)
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
                           .halves = rarely(6),
                           .seq_cst = rarely(3),
                           .choices = rarely(3),
                           .words = rarely(2) ? 1 : 1 + pick(3),
                           .values = 1 + pick(2),
                           .keeps = 1 + pick(3)};
    if (rarely(2))
        theme = (struct theme){.plains = rarely(3),
                               .fences = rarely(3),
                               .owners = rarely(4),
                               .halves = rarely(6),
                               .seq_cst = rarely(3),
                               .choices = rarely(4),
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
        for (unsigned j = 0; theme.forgetful && i == text.threads - 1 && j < MAX_OPERATIONS; j++)
            text.steps[i][j].kept |= text.steps[i][j].kind == LOAD;
        if (i > 0 && text.alike && rarely(2) && !theme.freed)
            text.same[i] = text.same[pick(i)];
        if (i > 0 && rarely(10))
            text.after[i] = (uint8_t)(1 + pick(i));
    }
    text.handled = rarely(8);
    if (!text.handled)
        return;
    make_steps(text.handler, 1 + pick(3));
    if (rarely(2))
        text.steps[0][pick(MAX_OPERATIONS)].kind = SIGNAL_FENCE;
}
