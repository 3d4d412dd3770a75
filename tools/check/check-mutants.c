/* SPDX-License-Identifier: MIT */
/* recip check --mutants: locks with one fault each, which a client has to find. The faults are damaged copies of the
 * source (patches.h), weakened orders (weakening.h), and slips that are generated (slips/slips.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/compile.h"
#include "check/jobs.h"
#include "check/mutant.h"
#include "check/patches.h"
#include "check/slips/equivalent.h"
#include "check/slips/files.h"
#include "check/slips/slips.h"
#include "check/survey.h"
#include "check/tally.h"
#include "check/trial.h"
#include "check/weakening.h"

/* What became of a mutant: memory that is shared with the process that tries it. */
struct fate {
    enum { TRIED, DOES_NOT_APPLY, DOES_NOT_COMPILE, SAME_CODE } state;
    struct trial trial;
    char output[2000]; /* what patch or the compiler said */
};

/* Of the mutex: the clients that a change of this source can make a difference to. */
struct file_plan {
    const char *file;
    struct trial_plan plan;
};

/* The mutants of one lock: first its patches, then its weakenings, then its slips. */
struct hunt {
    const struct request *request;
    struct tally *tally;
    struct trial_plan plan;
    struct patch_list patches;
    struct weakenings weakenings;
    struct slips slips;
    size_t *chosen_slips; /* those that are tried */
    size_t slip_count;
    struct file_list slip_files;
    struct file_plan *file_plans; /* for the sources among them */
    size_t file_plan_count;
    struct fate *fates; /* one for each */
};

static bool is_wanted(const struct request *request, const char *text)
{
    return !request->mutant || strstr(text, request->mutant);
}

static void try_patch(const struct hunt *hunt, const struct patch *patch, unsigned slot, struct fate *fate)
{
    int output = open_output();
    if (!patch_apply(patch, mutant_copy(slot, patch->file), output))
        fate->state = DOES_NOT_APPLY;
    else if (mutant_try(slot, patch->file, MUTANT_WRITTEN, &hunt->plan, &fate->trial, output) != MUTANT_TRIED)
        fate->state = DOES_NOT_COMPILE;
    if (pread(output, fate->output, sizeof fate->output - 1, 0) < 0)
        fate->output[0] = '\0';
}

static void tell_patch(const struct hunt *hunt, const struct patch *patch, struct fate *fate, int status)
{
    if (fate->state == TRIED) {
        tally_trial(hunt->tally, patch->text, patch->harmless, &fate->trial, status);
        return;
    }
    bool applies = fate->state != DOES_NOT_APPLY;
    fprintf(stderr, "recip: the patch '%s' does not %s:\n%s", patch->path, applies ? "compile" : "apply", fate->output);
    tally_wrong(hunt->tally, patch->text, applies ? "DOES NOT COMPILE" : "DOES NOT APPLY");
}

/* Many mutants loop for ever, or make states without end. */
enum { SLIP_PATIENCE = 3, SLIP_BYTES = 256 << 20 };

static const struct trial_plan *plan_for(const struct hunt *hunt, const char *file)
{
    for (size_t i = 0; i < hunt->file_plan_count; i++)
        if (strcmp(hunt->file_plans[i].file, file) == 0)
            return &hunt->file_plans[i].plan;
    return &hunt->plan;
}

static void try_slip(const struct hunt *hunt, const struct slip *slip, unsigned slot, struct fate *fate)
{
    struct trial_plan plan = *plan_for(hunt, slip->file);
    plan.patience = SLIP_PATIENCE;
    plan.limits.bytes = plan.limits.bytes < SLIP_BYTES ? plan.limits.bytes : SLIP_BYTES;
    if (!slip_apply(slip, mutant_copy(slot, slip->file))) {
        fate->state = DOES_NOT_APPLY;
        return;
    }
    switch (mutant_try(slot, slip->file, MUTANT_GENERATED, &plan, &fate->trial, open_output())) {
    case MUTANT_DOES_NOT_COMPILE:
        fate->state = DOES_NOT_COMPILE;
        break;
    case MUTANT_SAME_CODE:
        fate->state = SAME_CODE;
        break;
    default:
        break;
    }
}

static void tell_slip(const struct hunt *hunt, const struct slip *slip, struct fate *fate, int status)
{
    struct tally *tally = hunt->tally;
    const char *harmless = equivalent_reason(hunt->plan.lock->id, slip);
    char text[320];
    snprintf(text, sizeof text, "%s:%u %s", slip->file, slip->line, slip->text);
    if (fate->state == DOES_NOT_APPLY || (fate->state == DOES_NOT_COMPILE && harmless))
        tally_wrong(tally, text, harmless ? "LISTED AS HARMLESS, and does not compile" : "CANNOT BE WRITTEN");
    else if (fate->state == DOES_NOT_COMPILE)
        tally->lock.not_compiled++;
    else if (fate->state == SAME_CODE)
        tally->lock.same_code++;
    else
        tally_trial(tally, text, harmless, &fate->trial, status);
}

static void try_mutant(size_t job, unsigned slot, void *context)
{
    const struct hunt *hunt = context;
    size_t patches = hunt->patches.count, written = patches + hunt->weakenings.count;
    if (job < patches) {
        try_patch(hunt, &hunt->patches.values[job], slot, &hunt->fates[job]);
    } else if (job < written) {
        weakening_apply(&hunt->weakenings.values[job - patches]);
        trial_run(&hunt->plan, &hunt->fates[job].trial);
    } else {
        try_slip(hunt, &hunt->slips.values[hunt->chosen_slips[job - written]], slot, &hunt->fates[job]);
    }
}

static void tell_mutant(size_t job, int status, void *context)
{
    const struct hunt *hunt = context;
    size_t patches = hunt->patches.count, written = patches + hunt->weakenings.count;
    struct fate *fate = &hunt->fates[job];
    if (job < patches) {
        tell_patch(hunt, &hunt->patches.values[job], fate, status);
    } else if (job < written) {
        const struct weakening *weakening = &hunt->weakenings.values[job - patches];
        tally_trial(hunt->tally, weakening->text, weakening->harmless, &fate->trial, status);
    } else {
        tell_slip(hunt, &hunt->slips.values[hunt->chosen_slips[job - written]], fate, status);
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
        tally_wrong(hunt->tally, "(no ordered access was found)", "NOT COMPLETE");
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (is_wanted(hunt->request, all->values[i].text))
            all->values[kept++] = all->values[i];
    all->count = kept;
}

static void tell_stale(const char *entry, void *tally)
{
    tally_wrong(tally, entry, "LISTED AS HARMLESS, and there is no such mutant");
}

/* Who runs no atomic access of a source calls nothing that is in it; but a source whose accesses are all inlined from
 * headers has all clients. */
static void choose_clients(struct hunt *hunt, const struct survey *survey)
{
    const struct file_list *files = &hunt->slip_files;
    hunt->file_plans = need_memory(calloc(files->count + 1, sizeof *hunt->file_plans));
    for (size_t f = 0; f < files->count; f++) {
        const char *end = strrchr(files->values[f], '.');
        if (!end || strcmp(end, ".c") != 0)
            continue;
        struct file_plan *with = &hunt->file_plans[hunt->file_plan_count++];
        *with = (struct file_plan){files->values[f], hunt->plan};
        with->plan.clients = need_memory(calloc(hunt->plan.count + 1, sizeof *with->plan.clients));
        with->plan.count = 0;
        for (size_t i = 0; i < hunt->plan.count; i++)
            if (survey_visits(survey, hunt->plan.clients[i], with->file))
                with->plan.clients[with->plan.count++] = hunt->plan.clients[i];
        if (with->plan.count == 0) {
            with->plan.count = hunt->plan.count;
            memcpy(with->plan.clients, hunt->plan.clients, with->plan.count * sizeof *with->plan.clients);
        }
    }
}

/* Each N-th of --generated N, of those with the text. */
static void choose_slips(struct hunt *hunt, const struct survey *survey)
{
    unsigned each = hunt->request->generated;
    hunt->slip_files = slip_files_of(hunt->plan.lock);
    const struct file_list files = hunt->slip_files;
    hunt->slips = slips_of((const char *const *)files.values, files.count);
    choose_clients(hunt, survey);
    hunt->chosen_slips = need_memory(calloc(hunt->slips.count + 1, sizeof *hunt->chosen_slips));
    for (size_t i = 0, wanted = 0; i < hunt->slips.count; i++) {
        const struct slip *slip = &hunt->slips.values[i];
        char text[320];
        snprintf(text, sizeof text, "%s:%u %s", slip->file, slip->line, slip->text);
        if (is_wanted(hunt->request, text) && ++wanted % each == 0)
            hunt->chosen_slips[hunt->slip_count++] = i;
    }
    equivalent_each_stale(hunt->plan.lock->id, &hunt->slips, tell_stale, hunt->tally);
    for (size_t i = 0; i < files.count; i++)
        mutants_may_change(files.values[i]);
    if (hunt->slip_count)
        mutants_note_originals(hunt->plan.lock, files.values, files.count);
}

static void forget_slips(struct hunt *hunt)
{
    for (size_t i = 0; i < hunt->file_plan_count; i++)
        trial_plan_free(&hunt->file_plans[i].plan);
    free(hunt->file_plans);
    free(hunt->chosen_slips);
    slips_free(&hunt->slips);
    slip_files_free(&hunt->slip_files);
}

static void try_all(struct hunt *hunt)
{
    size_t count = hunt->patches.count + hunt->weakenings.count + hunt->slip_count,
           size = (count + 1) * sizeof *hunt->fates;
    hunt->fates = jobs_share(size);
    jobs_run(&(struct jobs){count, try_mutant, tell_mutant, hunt});
    jobs_unshare(hunt->fates, size);
}

static void check_mutants_of(const struct request *request, const struct recip_algorithm *lock, struct tally *tally)
{
    enum duration longest = request->quick ? TAKES_A_MOMENT : TAKES_SECONDS;
    struct hunt hunt = {.request = request, .tally = tally, .plan = trial_plan(lock, longest, &request->limits)};
    struct survey as_it_is = {0};
    if (request->client)
        trial_plan_only(&hunt.plan, request->client);
    choose_patches(&hunt);
    tally_begin(tally, lock);
    if (!request->patch) {
        as_it_is = survey(&hunt.plan);
        choose_weakenings(&hunt, &as_it_is);
        if (request->generated && !is_installed())
            choose_slips(&hunt, &as_it_is);
    }
    if (as_it_is.failed)
        tally_wrong(tally, "(the lock as it is)", "FAILED or not complete: see 'recip check' for why");
    else
        try_all(&hunt);
    survey_free(&as_it_is);
    weakenings_free(&hunt.weakenings);
    patches_free(&hunt.patches);
    forget_slips(&hunt);
    tally_end(tally);
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
    if (request->mutant && tally.all.killed + tally.all.harmless + tally.all.wrong == 0)
        refuse("--mutants: no mutant of these locks has '%s' in its line", request->mutant);
    unsigned wrong = tally.all.wrong;
    tally_finish(&tally);
    return wrong ? STATUS_FAILED : STATUS_OK;
}
