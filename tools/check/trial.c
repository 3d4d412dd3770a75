/* SPDX-License-Identifier: MIT */
#include "check/trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "check/check.h"
#include "check/verdict.h"
#include "cli/command.h"

/* The engine makes thousands of steps in one. With --time, so many if they are fewer. Then SIGPROF ends the process. */
enum { PATIENCE = 20 };
static time_t alarm_seconds;

static void set_alarm(const struct result *so_far)
{
    (void)so_far;
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = alarm_seconds}, NULL);
}

static bool is_met(const struct recip_algorithm *lock, const struct lock_client *client, enum duration duration)
{
    if (check_duration(lock, client) != duration)
        return false;
    return lock_is_mutex(lock) || (duration == TAKES_A_MOMENT && !lock_client_refuses(client, lock));
}

static void add_clients(struct trial_plan *plan, const struct client_set *set, enum duration duration)
{
    for (size_t i = 0; i < set->count; i++) {
        if (!is_met(plan->lock, &set->clients[i], duration))
            continue;
        plan->clients = need_memory(realloc(plan->clients, (plan->count + 1) * sizeof *plan->clients));
        plan->clients[plan->count++] = &set->clients[i];
    }
}

struct trial_plan trial_plan(const struct recip_algorithm *lock, enum duration longest, const struct limits *limits)
{
    struct trial_plan plan = {.lock = lock, .limits = *limits, .patience = PATIENCE};
    plan.limits.counted = 0;
    const struct client_set *set;
    for (enum duration duration = TAKES_A_MOMENT; duration <= longest; duration++)
        for (unsigned s = lock_is_mutex(lock); (set = lock_client_set(lock, s)) != NULL; s++)
            add_clients(&plan, set, duration);
    return plan;
}

void trial_plan_only(struct trial_plan *plan, const struct lock_client *client)
{
    plan->clients = need_memory(realloc(plan->clients, sizeof *plan->clients));
    plan->clients[0] = client;
    plan->count = 1;
}

void trial_plan_free(struct trial_plan *plan)
{
    free(plan->clients);
}

static enum trial_result run_client(const struct trial_plan *plan, const struct lock_client *client,
                                    struct trial *trial)
{
    snprintf(trial->client, sizeof trial->client, "%s", client->name);
    struct limits limits = plan->limits;
    limits.progress = set_alarm;
    set_alarm(NULL);
    struct result result = check_client(plan->lock, client, &limits);
    trial->failure = result.failure.kind;
    /* As it is the client needs a small part of the memory. */
    if (result.verdict == VERDICT_INCOMPLETE && strcmp(result.limit, "memory") == 0)
        trial->failure = FAILURE_LIMIT;
    trial->states += result.graphs;
    return result.verdict == VERDICT_PASSED   ? TRIAL_PASSED
           : result.verdict == VERDICT_FAILED ? TRIAL_FAILED
                                              : TRIAL_INCOMPLETE;
}

/* Where a limit of time ends a client, another one may still find what is wrong. */
void trial_run(const struct trial_plan *plan, struct trial *trial)
{
    signal(SIGPROF, SIG_DFL);
    bool soon = plan->limits.seconds < plan->patience;
    alarm_seconds = soon ? (time_t)plan->limits.seconds + 1 : plan->patience;
    struct trial unfinished = {.result = TRIAL_PASSED};
    trial->result = TRIAL_RUNNING;
    for (size_t i = 0; i < plan->count; i++) {
        enum trial_result result = run_client(plan, plan->clients[i], trial);
        bool ended_by_limit = result == TRIAL_INCOMPLETE && trial->failure == FAILURE_NONE;
        if (result != TRIAL_PASSED && !ended_by_limit) {
            trial->result = result;
            return;
        }
        if (ended_by_limit) {
            unfinished = *trial;
            unfinished.result = TRIAL_INCOMPLETE;
        }
    }
    if (unfinished.result == TRIAL_INCOMPLETE)
        *trial = unfinished;
    else
        trial->result = TRIAL_PASSED;
}

const char *trial_end(struct trial *trial, int status)
{
    if (trial->result == TRIAL_RUNNING) {
        trial->result = TRIAL_FAILED;
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "endless loop" : "crash";
    }
    return trial->result == TRIAL_PASSED ? "" : verdict_kind(trial->failure);
}
