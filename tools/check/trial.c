#include "check/trial.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "check/check.h"
#include "check/verdict.h"

/* Of CPU time, without a sign of the engine, which makes thousands of steps in one; with --time, so many if they are
 * fewer. Then SIGPROF ends the process. */
enum { SECONDS_WITHOUT_PROGRESS = 20 };
static time_t alarm_seconds;

static void set_alarm(const struct result *so_far)
{
    (void)so_far;
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = alarm_seconds}, NULL);
}

static bool is_in(const struct trial_plan *plan, const struct client_set *set, const struct lock_client *client,
                  enum pace pace)
{
    if (check_pace(plan->lock, client) != pace)
        return false;
    return set != &standard_clients || (pace == PACE_AT_ONCE && !lock_client_refuses(client, plan->lock));
}

/* True if it found nothing. */
static bool run_client(const struct trial_plan *plan, const struct lock_client *client, struct trial *trial)
{
    snprintf(trial->client, sizeof trial->client, "%s", client->name);
    struct limits limits = plan->limits;
    limits.progress = set_alarm;
    set_alarm(NULL);
    struct result result = check_client(plan->lock, client, &limits);
    trial->failure = result.failure.kind;
    if (result.verdict == VERDICT_PASSED)
        return true;
    trial->result = result.verdict == VERDICT_FAILED ? TRIAL_FAILED : TRIAL_INCOMPLETE;
    return false;
}

void trial_run(const struct trial_plan *plan, struct trial *trial)
{
    signal(SIGPROF, SIG_DFL);
    bool soon = plan->limits.seconds < SECONDS_WITHOUT_PROGRESS;
    alarm_seconds = soon ? (time_t)plan->limits.seconds + 1 : SECONDS_WITHOUT_PROGRESS;
    trial->result = TRIAL_RUNNING;
    for (enum pace pace = PACE_AT_ONCE; pace <= plan->longest; pace++)
        for (size_t s = 0; plan->sets[s]; s++)
            for (size_t i = 0; i < plan->sets[s]->count; i++) {
                const struct lock_client *client = &plan->sets[s]->clients[i];
                if (is_in(plan, plan->sets[s], client, pace) && !run_client(plan, client, trial))
                    return;
            }
    trial->result = TRIAL_PASSED;
}

void trial_sets(const struct recip_algorithm *lock, const struct client_set *sets[TRIAL_SETS_MAX])
{
    unsigned first = lock_client_set(lock, 1) ? 1 : 0, count = 0;
    while (count < TRIAL_SETS_MAX - 1 && (sets[count] = lock_client_set(lock, first + count)) != NULL)
        count++;
    sets[count] = NULL;
}

const char *trial_end(struct trial *trial, int status)
{
    if (trial->result == TRIAL_RUNNING) {
        trial->result = TRIAL_FAILED;
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "endless loop" : "crash";
    }
    return trial->result == TRIAL_PASSED ? "" : verdict_kind(trial->failure);
}
