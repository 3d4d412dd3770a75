/* SPDX-License-Identifier: MIT */
/* The explorer against itself: random programs, each explored with no assumption, with all of them, and merged with and
 * without. They pass or fail alike; where they pass, they come to the same outcomes, and where graphs are counted, in
 * as many executions. A failure ends an exploration, so which one it is may differ.
 *
 *     check-random [FIRST COUNT]      seeds; one is printed, and how it comes out
 *
 * Of a disagreement the smallest part is printed that still shows it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/engine/explore.h"
#include "tests/check/random/program.h"

/* ---- Outcomes ---- */

enum { MAX_OUTCOMES = 1 << 12 };

static struct outcomes {
    uint64_t values[MAX_OUTCOMES]; /* in order */
    unsigned count;
} outcomes;

static void add_outcome(uint64_t value)
{
    unsigned place = 0;
    while (place < outcomes.count && outcomes.values[place] < value)
        place++;
    if ((place < outcomes.count && outcomes.values[place] == value) || outcomes.count == MAX_OUTCOMES)
        return;
    for (unsigned i = outcomes.count++; i > place; i--)
        outcomes.values[i] = outcomes.values[i - 1];
    outcomes.values[place] = value;
}

static void finish(void *unused)
{
    (void)unused;
    add_outcome(outcome());
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
static bool countable(void)
{
    for (unsigned i = 0; i < text.threads; i++)
        for (unsigned j = 0; j < MAX_OPERATIONS; j++)
            if (text.steps[i][j].kind == SPIN_FOR_BOTH)
                return false;
    return true;
}

static bool agree(const struct report *report, int way)
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

/* A program that passes once is small enough for every way; one that fails may have no end. Nor has one that goes round
 * in circles, where graphs are counted. */
static bool is_complete(const struct report *report, int way)
{
    if (way == 0 && report->results[0].liveness)
        return false;
    return report->results[way].verdict != VERDICT_INCOMPLETE ||
           (way > 0 && report->results[0].verdict == VERDICT_PASSED);
}

static void explore_all(struct report *report)
{
    report->complete = true;
    report->bad = 0;
    for (int way = 0; way < WAYS && report->complete; way++) {
        outcomes.count = 0;
        report->results[way] = explore(&(struct program){set_up, finish, NULL}, &ways[way]);
        memcpy(&report->outcomes[way], &outcomes, sizeof outcomes);
        report->complete = is_complete(report, way) && outcomes.count < MAX_OUTCOMES;
        if (report->complete && !report->bad && !agree(report, way))
            report->bad = way;
    }
}

/* ---- What was found ---- */

static void print_step(const struct step *step)
{
#define KIND_NAME(id) #id,
    static const char *const kinds[] = {EACH_KIND(KIND_NAME)};
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    static const char *const words[] = {"a", "w", "b", "h", "w(half)"}, *const plains[] = {"p", "q", "hp", "a(plain)"};
    bool is_plain = step->kind == READ || step->kind == WRITE;
    printf("    %s %s %u %s  (%s %u %s) at %u%s\n", kinds[step->kind],
           is_plain ? plains[step->word] : words[step->word], step->value, orders[step->order], words[step->other_word],
           step->other_value, orders[step->other_order], step->site, step->kept ? ", kept" : "");
}

static void print_program(void)
{
    printf("%u threads%s\n", text.threads, text.alike ? ", alike" : "");
    for (unsigned i = 0; i < text.threads; i++) {
        printf("  thread %u", i + 1);
        if (text.same[i] != i)
            printf(", as thread %u", text.same[i] + 1);
        if (text.after[i])
            printf(", after thread %u", text.after[i]);
        printf("\n");
        for (unsigned j = 0; j < MAX_OPERATIONS && text.same[i] == i; j++)
            if (text.steps[i][j].kind != NOTHING)
                print_step(&text.steps[i][j]);
    }
    if (text.handled)
        printf("  signal handler of thread 1\n");
    for (unsigned j = 0; j < MAX_OPERATIONS && text.handled; j++)
        if (text.handler[j].kind != NOTHING)
            print_step(&text.handler[j]);
}

static void print_report(const struct report *report)
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

/* Whether it still is bad with that in its place; otherwise it stays as it was. */
static bool replace(void *place, const void *by, size_t size)
{
    struct program_text before = text;
    if (memcmp(place, by, size) == 0)
        return false;
    memcpy(place, by, size);
    explore_all(&report);
    if (!report.bad)
        text = before;
    return report.bad;
}

/* As small as it gets by leaving out one thing after the other. */
static void shrink(void)
{
    static const struct step nothing;
    static const bool no;
    static const uint8_t nobody;
    bool smaller;
    do {
        smaller = false;
        for (unsigned i = 0; i < text.threads; i++) {
            for (unsigned j = 0; j < MAX_OPERATIONS; j++) {
                smaller |= replace(&text.steps[i][j], &nothing, sizeof nothing);
                smaller |= replace(&text.steps[i][j].kept, &no, sizeof no);
            }
            smaller |= replace(&text.after[i], &nobody, sizeof nobody);
        }
        for (unsigned j = 0; j < MAX_OPERATIONS; j++)
            smaller |= replace(&text.handler[j], &nothing, sizeof nothing);
        smaller |= replace(&text.handled, &no, sizeof no);
        unsigned fewer = text.threads - 1;
        smaller |= fewer > 0 && replace(&text.threads, &fewer, sizeof fewer);
        smaller |= replace(&text.alike, &no, sizeof no);
    } while (smaller);
    explore_all(&report);
}

static struct tally {
    uint64_t seeds, compared, passed, bad;
} tally;

static void try_seed(uint64_t seed, bool alone)
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

static bool parse(const char *word, uint64_t *number)
{
    char *end;
    *number = strtoull(word, &end, 10);
    if (*end == '\0' && *word >= '0' && *word <= '9')
        return true;
    fprintf(stderr, "check-random: %s: a number is expected\n", word);
    return false;
}

int main(int count, char **words)
{
    enum { DEFAULT_SEEDS = 3000, MAX_BAD = 10 };
    uint64_t first = 1, seeds = DEFAULT_SEEDS;
    if (count != 1 && count != 3) {
        fprintf(stderr, "usage: check-random [FIRST COUNT]\n");
        return 2;
    }
    if (count == 3 && (!parse(words[1], &first) || !parse(words[2], &seeds)))
        return 2;
    for (uint64_t seed = first; seed - first < seeds && tally.bad < MAX_BAD; seed++)
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
