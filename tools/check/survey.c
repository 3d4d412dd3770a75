/* SPDX-License-Identifier: MIT */
#include "check/survey.h"

#include <stdlib.h>
#include <string.h>

#include "check/jobs.h"
#include "cli/command.h"
#include "instrument/symbolise.h"

enum { SITES_MAX = 1 << 13 };

/* What the process that runs a client leaves for its parent. */
struct finding {
    struct trial trial;
    size_t count;
    struct site sites[SITES_MAX];
};

struct work {
    const struct trial_plan *plan;
    struct finding *findings;
    struct survey *survey;
};

static void run_client(size_t job, unsigned slot, void *context)
{
    const struct work *work = context;
    struct finding *finding = &work->findings[job];
    struct trial_plan one = *work->plan;
    (void)slot;
    one.clients += job;
    one.count = 1;
    runtime_note_sites(1);
    trial_run(&one, &finding->trial);
    size_t count;
    const struct site *sites = runtime_sites(&count);
    finding->count = count < SITES_MAX ? count : SITES_MAX;
    memcpy(finding->sites, sites, finding->count * sizeof *sites);
}

static void add_site(struct survey *survey, const struct site *site)
{
    for (size_t i = 0; i < survey->count; i++)
        if (survey->sites[i].place == site->place && survey->sites[i].kind == site->kind)
            return;
    survey->sites = need_memory(realloc(survey->sites, (survey->count + 1) * sizeof *survey->sites));
    survey->sites[survey->count++] = *site;
}

static void add_visit(struct survey *survey, const struct lock_client *client, const struct finding *finding)
{
    struct visit *visit = &survey->visits[survey->visit_count++];
    *visit = (struct visit){client, need_memory(calloc(finding->count + 1, sizeof *visit->sites)), finding->count};
    memcpy(visit->sites, finding->sites, finding->count * sizeof *visit->sites);
}

bool survey_visits(const struct survey *survey, const struct lock_client *client, const char *file)
{
    size_t length = strlen(file);
    for (size_t i = 0; i < survey->visit_count; i++)
        for (size_t s = 0; survey->visits[i].client == client && s < survey->visits[i].count; s++) {
            const struct symbol *symbol = symbol_of(survey->visits[i].sites[s].place);
            if (symbol && strncmp(symbol->line, file, length) == 0 && symbol->line[length] == ':')
                return true;
        }
    return false;
}

static void take_finding(size_t job, int status, void *context)
{
    const struct work *work = context;
    struct finding *finding = &work->findings[job];
    trial_end(&finding->trial, status);
    if (finding->trial.result != TRIAL_PASSED && !work->survey->failed)
        work->survey->failed = work->plan->clients[job]->name;
    for (size_t i = 0; i < finding->count; i++)
        add_site(work->survey, &finding->sites[i]);
    add_visit(work->survey, work->plan->clients[job], finding);
}

/* By insertion: clients with as many states stay in their order. */
static void sort_clients(struct trial_plan *plan, const struct finding *findings)
{
    uint64_t *states = need_memory(calloc(plan->count + 1, sizeof *states));
    for (size_t i = 0; i < plan->count; i++) {
        const struct lock_client *client = plan->clients[i];
        uint64_t its_states = findings[i].trial.states;
        size_t at = i;
        for (; at > 0 && states[at - 1] > its_states; at--) {
            states[at] = states[at - 1];
            plan->clients[at] = plan->clients[at - 1];
        }
        states[at] = its_states;
        plan->clients[at] = client;
    }
    free(states);
}

struct survey survey(struct trial_plan *plan)
{
    struct survey result = {0};
    size_t size = (plan->count + 1) * sizeof(struct finding);
    struct work work = {plan, jobs_share(size), &result};
    result.visits = need_memory(calloc(plan->count + 1, sizeof *result.visits));
    jobs_run(&(struct jobs){plan->count, run_client, take_finding, &work});
    sort_clients(plan, work.findings);
    jobs_unshare(work.findings, size);
    return result;
}

void survey_free(struct survey *survey)
{
    for (size_t i = 0; i < survey->visit_count; i++)
        free(survey->visits[i].sites);
    free(survey->visits);
    free(survey->sites);
}
