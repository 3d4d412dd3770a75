/* recip check --mutants: weakens every ordered access of a lock by one step, and takes the damaged locks of mutants/.
 * Each has to be caught by a client, or to stand in harmless.c with its reason. */
#include "check/mutants.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/engine/symbol.h"
#include "check/runtime.h"
#include "check/verdict.h"

/* In the order in which they are tried: the cheap ones first. */
static const char *const hunters[] = {"3x1",       "try",     "exit",      "mutex",       "reuse-held", "oblivious",
                                      "two-locks", "destroy", "reuse",     "try-between", "try-after",  "try-late",
                                      "try-often", "4x1",     "4x2,1,1,1", "3x2"};
enum { HUNTERS = sizeof hunters / sizeof *hunters, MOST_PLACES = 256, MOST_MUTANTS = 128 };

static const char *const order_words[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

/* One access of the source: all the places that it was compiled to. */
struct spot {
    const char *line, *function;
    int order;
    char kind;
    const void *places[MOST_PLACES];
    size_t place_count;
};

struct tally {
    unsigned killed, harmless, wrong;
    json_t *json; /* null: text */
};

/* How far to go. */
struct hunt {
    struct limits limits;
    enum pace longest;
    const char *text; /* only the mutants that have it in their line; null: all */
};

static bool is_wanted(const struct hunt *hunt, const char *what)
{
    return !hunt->text || strstr(what, hunt->text);
}

/* The clients of a set that is a lock's own are all hunters, in their order: the quick ones, then the others. */
static const struct lock_client *hunter(const struct client_set *set, size_t i)
{
    if (set == &standard_clients)
        return i < HUNTERS ? lock_client_find(hunters[i]) : NULL;
    return i < set->count ? &set->clients[i] : NULL;
}

static bool may_hunt(const struct client_set *set, const struct lock_client *client, const struct recip_algorithm *lock,
                     enum pace pace)
{
    bool applies = set != &standard_clients || (!lock_client_refuses(client, lock) && pace == PACE_AT_ONCE);
    return applies && check_pace(lock, client) == pace;
}

/* Those of one set that take so long; the name of the one that did not pass, or null. */
static const char *run_set(const struct recip_algorithm *lock, const struct client_set *set, enum pace pace,
                           const struct hunt *hunt, struct result *result)
{
    const struct lock_client *client;
    for (size_t i = 0; (client = hunter(set, i)) != NULL; i++) {
        if (!may_hunt(set, client, lock, pace))
            continue;
        *result = check_client(lock, client, &hunt->limits);
        if (result->verdict != VERDICT_PASSED)
            return client->name;
    }
    return NULL;
}

/* `sets` ends with null. */
static const char *run_hunters(const struct recip_algorithm *lock, const struct client_set *const *sets,
                               const struct hunt *hunt, struct result *result)
{
    const char *killer = NULL;
    for (enum pace pace = PACE_AT_ONCE; pace <= hunt->longest; pace++)
        for (size_t s = 0; sets[s] && !killer; s++)
            killer = run_set(lock, sets[s], pace, hunt, result);
    return killer;
}

/* The same for the lock as it is: its own sets if it has some, else the standard one. */
static const char *run_hunters_of(const struct recip_algorithm *lock, const struct hunt *hunt, struct result *result)
{
    const struct client_set *sets[4];
    size_t count = 0;
    while ((sets[count] = lock_client_set(lock, lock_is_mutex(lock) + count)) != NULL)
        count++;
    return run_hunters(lock, sets, hunt, result);
}

/* As it is in the source: in the copy of the mutex that is tuned, what is exported has another name. */
static const char *name_in_source(const char *function)
{
    static const char tuned[] = "recip_mutex_tuned_";
    return strncmp(function, tuned, sizeof tuned - 1) == 0 ? function + sizeof tuned - 1 : function;
}

static void add_place(struct spot *spots, size_t *count, const struct site *site, const struct symbol *symbol)
{
    size_t i = 0;
    while (i < *count &&
           (strcmp(spots[i].line, symbol->line) != 0 || spots[i].kind != site->kind || spots[i].order != site->order))
        i++;
    if (i == MOST_MUTANTS)
        return;
    if (i == *count)
        spots[(*count)++] =
            (struct spot){symbol->line, name_in_source(symbol->function), site->order, site->kind, {NULL}, 0};
    if (spots[i].place_count < MOST_PLACES)
        spots[i].places[spots[i].place_count++] = site->place;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(((const struct spot *)a)->line, ((const struct spot *)b)->line);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Of a parking form the gate only: the rest is the spinning form's. Of the mutex all that it has of its own, and what
 * stands for the release that is no atomic operation. */
static bool is_source_of(const struct recip_algorithm *lock, const struct symbol *symbol)
{
    if (lock_is_mutex(lock))
        return starts_with(symbol->line, "src/") || starts_with(symbol->line, "include/") ||
               strcmp(symbol->function, "release_in_one_step") == 0 ||
               strcmp(symbol->function, "release_by_store") == 0;
    if (lock->parks)
        return starts_with(symbol->line, "port/gate.h:");
    return starts_with(symbol->line, "zoo/") || starts_with(symbol->line, "port/");
}

/* The ordered accesses that the lock makes. */
static size_t find_spots(const struct recip_algorithm *lock, const struct hunt *hunt, struct spot *spots)
{
    struct result result;
    runtime_note_sites(1);
    const char *failed = run_hunters_of(lock, hunt, &result);
    runtime_note_sites(0);
    if (failed)
        return 0;
    size_t site_count, count = 0;
    const struct site *sites = runtime_sites(&site_count);
    const void **places = malloc((site_count + 1) * sizeof *places);
    if (!places)
        abort();
    for (size_t i = 0; i < site_count; i++)
        places[i] = sites[i].place;
    symbol_prepare(places, site_count);
    free(places);
    for (size_t i = 0; i < site_count; i++) {
        const struct symbol *symbol = symbol_of(sites[i].place);
        if (symbol && sites[i].order != __ATOMIC_RELAXED && is_source_of(lock, symbol))
            add_place(spots, &count, &sites[i], symbol);
    }
    qsort(spots, count, sizeof *spots, by_line);
    return count;
}

static const char *harmless_reason(const struct recip_algorithm *lock, const struct spot *spot, int to)
{
    for (size_t i = 0; i < harmless_mutant_count; i++) {
        const struct harmless *harmless = &harmless_mutants[i];
        if ((!harmless->lock || strcmp(harmless->lock, lock->id) == 0) &&
            strcmp(harmless->function, spot->function) == 0 && harmless->kind == spot->kind &&
            harmless->from == spot->order && harmless->to == to)
            return harmless->reason;
    }
    return NULL;
}

/* `reason` is why it was expected to be harmless, or null; `killer` the client that caught it, or null. */
static void tell(struct tally *tally, const char *lock, const char *what, const char *killer,
                 const struct result *result, const char *reason)
{
    bool incomplete = result->verdict == VERDICT_INCOMPLETE;
    const char *verdict = incomplete ? "NOT COMPLETE" : killer ? "killed" : reason ? "harmless" : "SURVIVED";
    if (killer && reason)
        verdict = "KILLED, though listed as harmless";
    bool wrong = incomplete || !killer == !reason;
    tally->wrong += wrong;
    tally->killed += !wrong && killer;
    tally->harmless += !wrong && !killer;
    const char *how = killer ? verdict_kind(result->failure.kind) : "";
    if (tally->json) {
        json_array_append_new(tally->json,
                              json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s?}", "lock", lock, "mutant", what, "verdict",
                                        verdict, "client", killer, "failure", how, "reason", reason));
        return;
    }
    printf("  %-68s %s", what, verdict);
    if (killer)
        printf(": %s (%s)", how, killer);
    if (reason)
        printf(": %s", reason);
    putchar('\n');
    fflush(stdout);
}

static void weaken(const struct recip_algorithm *lock, const struct hunt *hunt, const struct spot *spot, int to,
                   struct tally *tally)
{
    struct result result = {0};
    char what[160];
    snprintf(what, sizeof what, "%s %s%s, %s -> %s", spot->line, spot->function, spot->kind == 'f' ? ", failing" : "",
             order_words[spot->order], order_words[to]);
    if (!is_wanted(hunt, what))
        return;
    runtime_weaken(spot->places, spot->place_count, spot->kind, to);
    const char *killer = run_hunters_of(lock, hunt, &result);
    runtime_weaken(NULL, 0, 0, 0);
    tell(tally, lock->id, what, killer, &result, harmless_reason(lock, spot, to));
}

static void weaken_all(const struct recip_algorithm *lock, const struct hunt *hunt, struct tally *tally)
{
    static struct spot spots[MOST_MUTANTS];
    size_t count = find_spots(lock, hunt, spots);
    if (count == 0) {
        struct result none = {.verdict = VERDICT_INCOMPLETE};
        tell(tally, lock->id, "(no ordered access was found, or the lock itself fails)", NULL, &none, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        if (spots[i].order == __ATOMIC_ACQ_REL) {
            weaken(lock, hunt, &spots[i], __ATOMIC_ACQUIRE, tally);
            weaken(lock, hunt, &spots[i], __ATOMIC_RELEASE, tally);
        } else {
            weaken(lock, hunt, &spots[i], __ATOMIC_RELAXED, tally);
        }
    }
}

/* The default, if no lock is named. */
static bool is_reciprocating(const struct recip_algorithm *lock)
{
    return strncmp(lock->id, "reciprocating", 13) == 0 || strncmp(lock->id, "retrograde", 10) == 0;
}

int check_mutants(const struct request *request)
{
    struct tally tally = {.json = request->json ? json_array() : NULL};
    struct hunt hunt = {request->limits, request->quick ? PACE_AT_ONCE : PACE_SECONDS, request->mutant};
    hunt.limits.counted = 0;
    for (size_t l = 0; l < recip_algorithm_count; l++) {
        const struct recip_algorithm *lock = recip_algorithms[l];
        bool wanted = !request->locks.size && is_reciprocating(lock);
        for (size_t i = 0; i < request->locks.size; i++)
            wanted |= request->locks.values[i] == lock;
        if (!wanted)
            continue;
        if (!tally.json)
            printf("%s\n", lock->id);
        weaken_all(lock, &hunt, &tally);
        for (size_t i = 0; i < made_mutant_count; i++) {
            if (strcmp(made_mutants[i].lock->id, lock->id) != 0 || !is_wanted(&hunt, made_mutants[i].what))
                continue;
            struct result result = {0};
            const struct client_set *own = made_mutants[i].clients, *sets[] = {own ? own : &standard_clients, NULL};
            const char *killer = run_hunters(made_mutants[i].lock, sets, &hunt, &result);
            tell(&tally, lock->id, made_mutants[i].what, killer, &result, made_mutants[i].harmless);
        }
    }
    if (hunt.text && tally.killed + tally.harmless + tally.wrong == 0)
        refuse("--mutants: no mutant of these locks has '%s' in its line", hunt.text);
    if (tally.json) {
        json_dumpf(tally.json, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(tally.json);
    } else {
        printf("%u killed, %u harmless, %u not as they should be\n", tally.killed, tally.harmless, tally.wrong);
    }
    return tally.wrong ? STATUS_FAILED : STATUS_OK;
}
