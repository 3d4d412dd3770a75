/* SPDX-License-Identifier: MIT */
/* recip-check: what `recip check` runs. A program of its own, because the locks are in it a second time, instrumented.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/engine/clock.h"
#include "check/verdict.h"
#include "cli/terminal.h"

enum { MAX_ACQUISITIONS = 9, MAX_MEBIBYTES = 1 << 20, OPTION_LIST = 256, OPTION_JSON, OPTION_MEMORY, OPTION_TIME };
enum {
    OPTION_ALL = OPTION_TIME + 1,
    OPTION_QUICK,
    OPTION_MUTANTS,
    OPTION_COVERAGE,
    OPTION_SOURCE,
    OPTION_GRAPHS,
    OPTION_PATCH,
    OPTION_EXPORT,
    OPTION_DAMAGE,
    OPTION_GENERATED
};
enum { MAX_GRAPHS = 1 << 30, MAX_GENERATED = 1 << 20 };

static const struct argp_option options[] = {
    {"all", OPTION_ALL, NULL, 0, "every lock of the registry", 0},
    {"client", 'c', "NAME", 0, "this client only (default: all that apply)", 0},
    {"threads", 't', "N", 0, "a client of so many threads, 1 to 7, that acquire and release", 0},
    {"acquisitions", 'a', "N,...", 0, "how often each of them acquires (default: 1; one number is for all)", 0},
    {"quick", OPTION_QUICK, NULL, 0, "leave out the clients that take long", 0},
    {"list-clients", OPTION_LIST, NULL, 0, "the clients, one line each", 0},
    {"mutants", OPTION_MUTANTS, "TEXT", OPTION_ARG_OPTIONAL,
     "weaken each order of the lock, damage it otherwise, and try slips that are generated from its source: all must "
     "be "
     "caught; with a text, those that have it in their line",
     0},
    {"generated", OPTION_GENERATED, "N", 0,
     "of the mutants that are generated try each N-th only (default: 1; 0: none)", 0},
    {"patch", OPTION_PATCH, "FILE", 0, "the lock with this patch as its only mutant (tools/check/mutants)", 0},
    {"coverage", OPTION_COVERAGE, NULL, 0, "which branches of the lock were reached", 0},
    {"export", OPTION_EXPORT, "DIR", 0, "write the locks with their clients to DIR, as C11 files for other checkers",
     0},
    {"source", OPTION_SOURCE, "FILE.c", 0, "check code of your own (<recip-check.h>)", 0},
    {"damage", OPTION_DAMAGE, "FILE", 0,
     "with --source: try slips that are generated from this file, which FILE.c includes by that name from the top of "
     "the "
     "source tree",
     0},
    {"graphs", OPTION_GRAPHS, "N", 0,
     "beyond so many graphs take those in the same state as one (default: 50000; 0: from the start)", 0},
    {"memory", OPTION_MEMORY, "MIB", 0, "give up when the graphs seen need more (default: 4096)", 0},
    {"time", OPTION_TIME, "SECONDS", 0, "give up on a client after so long (default: 86400)", 0},
    {"json", OPTION_JSON, NULL, 0, "as JSON", 0},
    {0},
};

static void add_lock(struct request *request, const char *word)
{
    struct algorithm_list more = option_locks("check", word);
    request->locks.values =
        need_memory(realloc(request->locks.values, (request->locks.size + more.size) * sizeof(void *)));
    memcpy(request->locks.values + request->locks.size, more.values, more.size * sizeof(void *));
    request->locks.size += more.size;
    free(more.values);
}

static void take_acquisitions(struct request *request, const char *word)
{
    struct count_list counts = option_counts("--acquisitions", word, 1, MAX_ACQUISITIONS);
    if (counts.size > MAX_THREADS)
        refuse("--acquisitions: '%s' is for more than %d threads", word, MAX_THREADS);
    for (size_t i = 0; i < MAX_THREADS; i++)
        request->made.acquisitions[i] = (unsigned char)counts.values[i < counts.size ? i : counts.size - 1];
    if (counts.size > 1) {
        if (request->made.threads && request->made.threads != counts.size)
            refuse("--acquisitions: '%s' is not for %u threads", word, request->made.threads);
        request->made.threads = (unsigned char)counts.size;
    }
    free(counts.values);
}

#define AT(field) offsetof(struct request, field)

static const struct option_field fields[] = {
    {OPTION_ALL, FIELD_FLAG, AT(all), 0, 0},
    {OPTION_QUICK, FIELD_FLAG, AT(quick), 0, 0},
    {OPTION_LIST, FIELD_FLAG, AT(list), 0, 0},
    {OPTION_COVERAGE, FIELD_FLAG, AT(coverage), 0, 0},
    {OPTION_JSON, FIELD_FLAG, AT(json), 0, 0},
    {OPTION_GENERATED, FIELD_COUNT, AT(generated), 0, MAX_GENERATED},
    {OPTION_PATCH, FIELD_TEXT, AT(patch), 0, 0},
    {OPTION_DAMAGE, FIELD_TEXT, AT(damage), 0, 0},
    {OPTION_EXPORT, FIELD_TEXT, AT(folder), 0, 0},
    {OPTION_SOURCE, FIELD_TEXT, AT(source), 0, 0},
    {OPTION_TIME, FIELD_SECONDS, AT(limits.seconds), 0.001, 1e7},
    {0},
};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    if (option_store(options, fields, key, word, request))
        return 0;
    switch (key) {
    case OPTION_MUTANTS:
        request->mutants = true;
        request->mutant = word;
        return 0;
    case OPTION_MEMORY:
        request->limits.bytes = (size_t)option_count("--memory", word, 1, MAX_MEBIBYTES) << 20;
        return 0;
    case OPTION_GRAPHS:
        request->limits.counted = option_count("--graphs", word, 0, MAX_GRAPHS);
        return 0;
    case 't':
        request->made.threads = (unsigned char)option_count("--threads", word, 1, MAX_THREADS);
        return 0;
    case 'a':
        take_acquisitions(request, word);
        return 0;
    case 'c':
        request->client = lock_client_find(word);
        if (!request->client)
            refuse("--client: there is no client '%s'; --list-clients shows those there are", word);
        return 0;
    case ARGP_KEY_ARG:
        if (!recip_algorithm_find(word) && lock_client_find(word) && request->locks.size)
            request->client = lock_client_find(word);
        else
            add_lock(request, word);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .args_doc = "[LOCK...] [CLIENT]",
    .doc = "Explores every execution that C11 allows, of the lock sources as they ship: interleavings, what a load may "
           "read, in which order stores may reach memory. Two owners, data races, threads that wait for ever, memory "
           "used after it is gone, and admissions that the lock does not promise are errors.\v"
           "An execution is complete when all threads have ended; each is counted once. Graphs are the different ways "
           "to get there. Where there are too many, they are not counted; those that go on in the same ways, in the "
           "same state, are explored once. Exit status 1 if something failed or is not complete.",
};

static void list_set(const struct client_set *set)
{
    puts(set->title);
    for (size_t i = 0; i < set->count; i++)
        print_folded(stdout, 23, "  %-20s %s\n", set->clients[i].name, set->clients[i].summary);
}

static void list_clients(void)
{
    for (unsigned i = 0; client_set_at(i); i++)
        list_set(client_set_at(i));
}

/* --threads and --acquisitions make a client of the plain kind. */
static void make_client(struct request *request)
{
    if (!request->made.threads && !request->made.acquisitions[0])
        return;
    if (request->client)
        refuse("--client: '%s' has its own threads; leave out --threads and --acquisitions", request->client->name);
    static char name[32];
    if (!request->made.threads)
        request->made.threads = 3;
    if (!request->made.acquisitions[0])
        memset(request->made.acquisitions, 1, sizeof request->made.acquisitions);
    snprintf(name, sizeof name, "%ux%u", request->made.threads, request->made.acquisitions[0]);
    for (unsigned i = 1; i < request->made.threads; i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), ",%u", request->made.acquisitions[i]);
    request->made.name = name;
    request->made.setup = standard_clients.clients[0].setup;
    request->made.finish = standard_clients.clients[0].finish;
    request->client = &request->made;
}

static void choose_locks(struct request *request)
{
    if (request->all && request->locks.size)
        refuse("--all: '%s' is one of all; name locks or give --all", request->locks.values[0]->id);
    for (size_t i = 0; i < request->locks.size; i++)
        if (request->locks.values[i]->traits & RECIP_NATIVE)
            refuse("'%s' is the system's lock; there is no source of it to check", request->locks.values[i]->id);
    if (!request->all && !request->locks.size && !request->mutants)
        refuse("a lock is missing: name some ('recip list' shows them), or give --all");
    for (size_t i = 0; request->all && i < recip_algorithm_count; i++)
        if (!(recip_algorithms[i]->traits & RECIP_NATIVE))
            add_lock(request, recip_algorithms[i]->id);
}

/* Options that mean nothing with --source, whose file has its own clients, and for which there is no JSON. */
static void refuse_beside_source(const struct request *request)
{
    const struct {
        const char *word;
        bool given;
    } others[] = {
        {"--all", request->all},
        {"--client", request->client},
        {"--threads", request->made.threads},
        {"--acquisitions", request->made.acquisitions[0]},
        {"--quick", request->quick},
        {"--mutants", request->mutants},
        {"--patch", request->patch},
        {"--coverage", request->coverage},
        {"--export", request->folder},
        {"--json", request->json},
        {request->locks.size ? request->locks.values[0]->id : "", request->locks.size},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            refuse("--source: '%s' does not go with it; --time, --memory and --graphs do", others[i].word);
}

static int check(struct request *request)
{
    if (request->list) {
        list_clients();
        return STATUS_OK;
    }
    if (request->source) {
        refuse_beside_source(request);
        return request->damage ? check_source_mutants(request) : check_source(request);
    }
    if (request->damage)
        refuse("--damage: '%s' is for a client of your own: --source FILE.c", request->damage);
    make_client(request);
    choose_locks(request);
    if (request->mutants + (request->patch != NULL) + request->coverage + (request->folder != NULL) > 1)
        refuse("--mutants, --patch, --coverage and --export: one of the four");
    if (request->folder)
        return check_export(request);
    if (request->mutants || request->patch)
        return check_mutants(request);
    if (request->coverage)
        return check_coverage(request);
    return check_locks(request);
}

int main(int argc, char **argv)
{
    struct request request = {
        .limits = {.seconds = 86400,
                   .bytes = (size_t)4096 << 20,
                   .counted = DEFAULT_GRAPHS,
                   .progress = verdict_progress},
        .generated = 1,
        .arguments = argv,
    };
    parse_options(&argp, argc, argv, &request, "locks and options");
    return output_status(check(&request));
}
