/* recip check --mutants: locks with one fault each, which a client has to find. The faults are weakened orders
 * (weakening.h), and damaged copies of the source (patches.h). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/compile.h"
#include "check/jobs.h"
#include "check/mutant.h"
#include "check/patches.h"
#include "check/runtime.h"
#include "check/trial.h"
#include "check/weakening.h"

struct tally {
    unsigned killed, harmless, wrong;
    json_t *json; /* null: text */
};

/* What the processes of jobs leave for us. */
enum { SITES_MAX = 1 << 13 };

struct found_sites {
    struct site sites[SITES_MAX];
    size_t count;
};

enum patch_state { PATCH_TRIED, PATCH_DOES_NOT_APPLY, PATCH_DOES_NOT_COMPILE };

struct patch_trial {
    enum patch_state state;
    struct trial trial;
    char output[2000]; /* what patch or the compiler said */
};

/* The mutants of one lock. */
struct hunt {
    const struct request *request;
    struct tally *tally;
    struct trial_plan plan;
    struct patch_list patches;
    struct weakenings weakenings;
    /* Shared with jobs. */
    struct trial *unchanged, *weakened;
    struct found_sites *sites;
    struct patch_trial *patched;
};

static bool is_wanted(const struct request *request, const char *text)
{
    return !request->mutant || strstr(text, request->mutant);
}

struct line {
    const char *text;     /* the mutant */
    const char *verdict;  /* "killed", "SURVIVED", ... */
    const char *client;   /* that killed it; may be null */
    const char *failure;  /* what it found */
    const char *harmless; /* the reason; may be null */
};

static void print(const struct hunt *hunt, const struct line *line)
{
    if (hunt->tally->json) {
        json_array_append_new(hunt->tally->json,
                              json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s?}", "lock", hunt->plan.lock->id, "mutant",
                                        line->text, "verdict", line->verdict, "client", line->client, "failure",
                                        line->failure, "reason", line->harmless));
        return;
    }
    printf("  %-68s %s", line->text, line->verdict);
    if (line->client)
        printf(": %s (%s)", line->failure, line->client);
    if (line->harmless)
        printf(": %s", line->harmless);
    putchar('\n');
    fflush(stdout);
}

static void tell_wrong(const struct hunt *hunt, const char *text, const char *verdict)
{
    hunt->tally->wrong++;
    print(hunt, &(struct line){.text = text, .verdict = verdict, .failure = ""});
}

static void tell_trial(const struct hunt *hunt, const char *text, const char *harmless, struct trial *trial, int status)
{
    struct line line = {.text = text, .harmless = harmless, .failure = trial_end(trial, status)};
    bool killed = trial->result == TRIAL_FAILED;
    if (trial->result == TRIAL_NOT_RUN || trial->result == TRIAL_INCOMPLETE) {
        line.verdict = "NOT COMPLETE";
        hunt->tally->wrong++;
    } else if (killed == !harmless) {
        line.verdict = killed ? "killed" : "harmless";
        hunt->tally->killed += killed;
        hunt->tally->harmless += !killed;
    } else {
        line.verdict = killed ? "KILLED, though listed as harmless" : "SURVIVED";
        hunt->tally->wrong++;
    }
    if (killed || trial->result == TRIAL_INCOMPLETE)
        line.client = trial->client;
    print(hunt, &line);
}

/* The lock as it is: notes the places that make atomic accesses. */
static void find_sites(const struct hunt *hunt)
{
    runtime_note_sites(1);
    trial_run(&hunt->plan, hunt->unchanged);
    size_t count;
    const struct site *sites = runtime_sites(&count);
    hunt->sites->count = count < SITES_MAX ? count : SITES_MAX;
    memcpy(hunt->sites->sites, sites, hunt->sites->count * sizeof *sites);
}

static void try_patch(const struct hunt *hunt, const struct patch *patch, unsigned slot, struct patch_trial *result)
{
    int output = open_output();
    const char *copy = mutant_copy(slot, patch->file);
    if (!patch_apply(patch, copy, output))
        result->state = PATCH_DOES_NOT_APPLY;
    else if (!mutant_try(slot, patch->file, &hunt->plan, &result->trial, output))
        result->state = PATCH_DOES_NOT_COMPILE;
    if (pread(output, result->output, sizeof result->output - 1, 0) < 0)
        result->output[0] = '\0';
}

/* Job 0 runs the lock as it is, the others its patches. */
static void work_on_source(size_t job, unsigned slot, void *context)
{
    const struct hunt *hunt = context;
    if (job == 0 && !hunt->request->patch)
        find_sites(hunt);
    else if (job > 0)
        try_patch(hunt, &hunt->patches.values[job - 1], slot, &hunt->patched[job - 1]);
}

static void tell_of_source(size_t job, int status, void *context)
{
    const struct hunt *hunt = context;
    if (job == 0) {
        trial_end(hunt->unchanged, status);
        return;
    }
    const struct patch *patch = &hunt->patches.values[job - 1];
    struct patch_trial *result = &hunt->patched[job - 1];
    if (result->state == PATCH_TRIED) {
        tell_trial(hunt, patch->text, patch->harmless, &result->trial, status);
        return;
    }
    const char *what = result->state == PATCH_DOES_NOT_APPLY ? "does not apply" : "does not compile";
    fprintf(stderr, "recip: the patch '%s' %s:\n%s", patch->path, what, result->output);
    tell_wrong(hunt, patch->text, result->state == PATCH_DOES_NOT_APPLY ? "DOES NOT APPLY" : "DOES NOT COMPILE");
}

static void work_on_weakening(size_t job, unsigned slot, void *context)
{
    const struct hunt *hunt = context;
    (void)slot;
    weakening_apply(&hunt->weakenings.values[job]);
    trial_run(&hunt->plan, &hunt->weakened[job]);
}

static void tell_of_weakening(size_t job, int status, void *context)
{
    const struct hunt *hunt = context;
    const struct weakening *weakening = &hunt->weakenings.values[job];
    tell_trial(hunt, weakening->text, weakening->harmless, &hunt->weakened[job], status);
}

/* Keeps those that are wanted. */
static void choose_weakenings(struct hunt *hunt)
{
    struct weakenings all = weakenings_find(hunt->plan.lock, hunt->sites->sites, hunt->sites->count);
    size_t kept = 0;
    for (size_t i = 0; i < all.count; i++)
        if (is_wanted(hunt->request, all.values[i].text))
            all.values[kept++] = all.values[i];
    if (all.count == 0 || hunt->unchanged->result != TRIAL_PASSED) {
        tell_wrong(hunt, "(no ordered access was found, or the lock itself fails)", "NOT COMPLETE");
        kept = 0;
    }
    all.count = kept;
    hunt->weakenings = all;
}

static void weaken_orders(struct hunt *hunt)
{
    choose_weakenings(hunt);
    size_t size = (hunt->weakenings.count + 1) * sizeof *hunt->weakened;
    hunt->weakened = jobs_share(size);
    jobs_run(&(struct jobs){hunt->weakenings.count, work_on_weakening, tell_of_weakening, hunt});
    jobs_unshare(hunt->weakened, size);
    weakenings_free(&hunt->weakenings);
}

/* Of the patches of a lock those that are wanted. */
static struct patch_list choose_patches(const struct request *request, const struct recip_algorithm *lock)
{
    struct patch_list list = {0};
    if (request->patch)
        list = patch_at(request->patch);
    else if (!is_installed())
        list = patches_of(lock->id);
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!is_wanted(request, list.values[i].text))
            continue;
        list.values[kept++] = list.values[i];
        mutants_may_change(list.values[i].file);
    }
    list.count = kept;
    return list;
}

static void hunt_in(const struct request *request, const struct recip_algorithm *lock, struct tally *tally)
{
    const struct client_set *sets[TRIAL_SETS_MAX];
    trial_sets(lock, sets);
    struct hunt hunt = {
        .request = request,
        .tally = tally,
        .plan = {lock, sets, request->limits, request->quick ? PACE_AT_ONCE : PACE_SECONDS},
        .patches = choose_patches(request, lock),
    };
    hunt.plan.limits.counted = 0;
    size_t patched_size = (hunt.patches.count + 1) * sizeof *hunt.patched;
    hunt.unchanged = jobs_share(sizeof *hunt.unchanged);
    hunt.sites = jobs_share(sizeof *hunt.sites);
    hunt.patched = jobs_share(patched_size);
    if (!tally->json)
        printf("%s\n", lock->id);
    fflush(stdout);
    jobs_run(&(struct jobs){1 + hunt.patches.count, work_on_source, tell_of_source, &hunt});
    if (!request->patch)
        weaken_orders(&hunt);
    jobs_unshare(hunt.unchanged, sizeof *hunt.unchanged);
    jobs_unshare(hunt.sites, sizeof *hunt.sites);
    jobs_unshare(hunt.patched, patched_size);
    patches_free(&hunt.patches);
}

/* The default, if no lock is named. */
static bool is_reciprocating(const struct recip_algorithm *lock)
{
    return strncmp(lock->id, "reciprocating", 13) == 0 || strncmp(lock->id, "retrograde", 10) == 0;
}

static bool is_chosen(const struct request *request, const struct recip_algorithm *lock)
{
    for (size_t i = 0; i < request->locks.size; i++)
        if (request->locks.values[i] == lock)
            return true;
    return !request->locks.size && is_reciprocating(lock);
}

int check_mutants(const struct request *request)
{
    struct tally tally = {.json = request->json ? json_array() : NULL};
    if (is_installed() && request->patch)
        refuse("--patch: '%s' needs the source tree and its build, and this program is installed", request->patch);
    if (is_installed())
        fputs("recip: --mutants: damaged copies need the source tree and its build; orders are weakened only\n",
              stderr);
    else if (!mutants_begin())
        return STATUS_FAILED;
    for (size_t l = 0; l < recip_algorithm_count; l++)
        if (is_chosen(request, recip_algorithms[l]))
            hunt_in(request, recip_algorithms[l], &tally);
    if (request->mutant && tally.killed + tally.harmless + tally.wrong == 0)
        refuse("--mutants: no mutant of these locks has '%s' in its line", request->mutant);
    if (tally.json) {
        json_dumpf(tally.json, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(tally.json);
    } else {
        printf("%u killed, %u harmless, %u not as they should be\n", tally.killed, tally.harmless, tally.wrong);
    }
    return tally.wrong ? STATUS_FAILED : STATUS_OK;
}
