/* SPDX-License-Identifier: MIT */
/* recip check --mutants: locks with one fault each, which a client has to find. The faults are damaged copies of the
 * source (patches.h), and weakened orders (weakening.h). */
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
#include "check/survey.h"
#include "check/trial.h"
#include "check/weakening.h"
#include "cli/terminal.h"

struct tally {
    unsigned killed, harmless, wrong;
    json_t *json; /* null: text */
};

/* What became of a mutant: memory that is shared with the process that tries it. */
struct fate {
    enum { TRIED, DOES_NOT_APPLY, DOES_NOT_COMPILE } state;
    struct trial trial;
    char output[2000]; /* what patch or the compiler said */
};

/* The mutants of one lock: first its patches, then its weakenings. */
struct hunt {
    const struct request *request;
    struct tally *tally;
    struct trial_plan plan;
    struct patch_list patches;
    struct weakenings weakenings;
    struct fate *fates; /* one for each */
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
    if (line->client)
        print_folded(stdout, 8, "  %-68s %s: %s (%s)\n", line->text, line->verdict, line->failure, line->client);
    else
        print_folded(stdout, 8, "  %-68s %s%s%s\n", line->text, line->verdict, line->harmless ? ": " : "",
                     line->harmless ? line->harmless : "");
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

static void try_patch(const struct hunt *hunt, const struct patch *patch, unsigned slot, struct fate *fate)
{
    int output = open_output();
    if (!patch_apply(patch, mutant_copy(slot, patch->file), output))
        fate->state = DOES_NOT_APPLY;
    else if (!mutant_try(slot, patch->file, &hunt->plan, &fate->trial, output))
        fate->state = DOES_NOT_COMPILE;
    if (pread(output, fate->output, sizeof fate->output - 1, 0) < 0)
        fate->output[0] = '\0';
}

static void tell_patch(const struct hunt *hunt, const struct patch *patch, struct fate *fate, int status)
{
    if (fate->state == TRIED) {
        tell_trial(hunt, patch->text, patch->harmless, &fate->trial, status);
        return;
    }
    bool applies = fate->state != DOES_NOT_APPLY;
    fprintf(stderr, "recip: the patch '%s' does not %s:\n%s", patch->path, applies ? "compile" : "apply", fate->output);
    tell_wrong(hunt, patch->text, applies ? "DOES NOT COMPILE" : "DOES NOT APPLY");
}

static void try_mutant(size_t job, unsigned slot, void *context)
{
    const struct hunt *hunt = context;
    if (job < hunt->patches.count) {
        try_patch(hunt, &hunt->patches.values[job], slot, &hunt->fates[job]);
    } else {
        weakening_apply(&hunt->weakenings.values[job - hunt->patches.count]);
        trial_run(&hunt->plan, &hunt->fates[job].trial);
    }
}

static void tell_mutant(size_t job, int status, void *context)
{
    const struct hunt *hunt = context;
    struct fate *fate = &hunt->fates[job];
    if (job < hunt->patches.count) {
        tell_patch(hunt, &hunt->patches.values[job], fate, status);
    } else {
        const struct weakening *weakening = &hunt->weakenings.values[job - hunt->patches.count];
        tell_trial(hunt, weakening->text, weakening->harmless, &fate->trial, status);
    }
}

static void choose_patches(struct hunt *hunt)
{
    struct patch_list list = {0};
    if (hunt->request->patch)
        list = patch_at(hunt->request->patch);
    else if (!is_installed())
        list = patches_of(hunt->plan.lock->id);
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++)
        if (is_wanted(hunt->request, list.values[i].text)) {
            mutants_may_change(list.values[i].file);
            list.values[kept++] = list.values[i];
        }
    list.count = kept;
    hunt->patches = list;
}

static void choose_weakenings(struct hunt *hunt, const struct survey *survey)
{
    struct weakenings *all = &hunt->weakenings;
    *all = weakenings_find(hunt->plan.lock, survey->sites, survey->count);
    if (all->count == 0)
        tell_wrong(hunt, "(no ordered access was found)", "NOT COMPLETE");
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (is_wanted(hunt->request, all->values[i].text))
            all->values[kept++] = all->values[i];
    all->count = kept;
}

static void try_all(struct hunt *hunt)
{
    size_t count = hunt->patches.count + hunt->weakenings.count, size = (count + 1) * sizeof *hunt->fates;
    hunt->fates = jobs_share(size);
    jobs_run(&(struct jobs){count, try_mutant, tell_mutant, hunt});
    jobs_unshare(hunt->fates, size);
}

static void check_mutants_of(const struct request *request, const struct recip_algorithm *lock, struct tally *tally)
{
    enum duration longest = request->quick ? TAKES_A_MOMENT : TAKES_SECONDS;
    struct hunt hunt = {request, tally, trial_plan(lock, longest, &request->limits), {0}, {0}, NULL};
    struct survey as_it_is = {0};
    choose_patches(&hunt);
    if (!tally->json)
        printf("%s\n", lock->id);
    fflush(stdout);
    if (!request->patch) {
        as_it_is = survey(&hunt.plan);
        choose_weakenings(&hunt, &as_it_is);
    }
    if (as_it_is.failed)
        tell_wrong(&hunt, "(the lock as it is)", "FAILED or not complete: see 'recip check' for why");
    else
        try_all(&hunt);
    survey_free(&as_it_is);
    weakenings_free(&hunt.weakenings);
    patches_free(&hunt.patches);
    trial_plan_free(&hunt.plan);
}

/* If no lock is named, those of the paper. */
static bool is_chosen(const struct request *request, const struct recip_algorithm *lock)
{
    for (size_t i = 0; i < request->locks.size; i++)
        if (request->locks.values[i] == lock)
            return true;
    return !request->locks.size && lock->family == RECIP_FAMILY_PAPER;
}

static void print_sum(const struct tally *tally)
{
    if (tally->json) {
        json_dumpf(tally->json, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(tally->json);
    } else {
        printf("%u killed, %u harmless, %u not as they should be\n", tally->killed, tally->harmless, tally->wrong);
    }
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
            check_mutants_of(request, recip_algorithms[l], &tally);
    if (request->mutant && tally.killed + tally.harmless + tally.wrong == 0)
        refuse("--mutants: no mutant of these locks has '%s' in its line", request->mutant);
    print_sum(&tally);
    return tally.wrong ? STATUS_FAILED : STATUS_OK;
}
