/* SPDX-License-Identifier: MIT */
#include "check/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/terminal.h"

struct line {
    const char *text;     /* the mutant */
    const char *verdict;  /* "killed", "SURVIVED", ... */
    const char *client;   /* that killed it; may be null */
    const char *failure;  /* what it found */
    const char *harmless; /* the reason; may be null */
};

static void print(const struct tally *tally, const struct line *line)
{
    if (tally->json) {
        json_array_append_new(tally->json, json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s?}", "lock", tally->id, "mutant",
                                                     line->text, "verdict", line->verdict, "client", line->client,
                                                     "failure", line->failure, "reason", line->harmless));
        return;
    }
    if (line->client)
        print_folded(stdout, 8, "  %-68s %s: %s (%s)\n", line->text, line->verdict, line->failure, line->client);
    else
        print_folded(stdout, 8, "  %-68s %s%s%s\n", line->text, line->verdict, line->harmless ? ": " : "",
                     line->harmless ? line->harmless : "");
    fflush(stdout);
}

void tally_begin(struct tally *tally, const struct recip_algorithm *lock)
{
    tally->id = lock->id;
    tally->lock = (struct score){0};
    if (!tally->json)
        printf("%s\n", lock->id);
    fflush(stdout);
}

void tally_wrong(struct tally *tally, const char *text, const char *verdict)
{
    tally->lock.wrong++;
    print(tally, &(struct line){.text = text, .verdict = verdict, .failure = ""});
}

static void count_killer(struct score *score, const char *client)
{
    for (size_t i = 0; i < score->killer_count; i++)
        if (strcmp(score->killers[i].client, client) == 0) {
            score->killers[i].count++;
            return;
        }
    score->killers = need_memory(realloc(score->killers, (score->killer_count + 1) * sizeof *score->killers));
    struct killer *killer = &score->killers[score->killer_count++];
    snprintf(killer->client, sizeof killer->client, "%s", client);
    killer->count = 1;
}

void tally_trial(struct tally *tally, const char *text, const char *harmless, struct trial *trial, int status)
{
    struct line line = {.text = text, .harmless = harmless, .failure = trial_end(trial, status)};
    /* What never ends is noticed, too: a loop without port_relax, or states without end. A limit of time says nothing.
     */
    bool is_endless = trial->result == TRIAL_INCOMPLETE && trial->failure == FAILURE_LIMIT;
    bool killed = trial->result == TRIAL_FAILED || is_endless;
    if (trial->result == TRIAL_NOT_RUN || (trial->result == TRIAL_INCOMPLETE && !killed)) {
        line.verdict = "NOT COMPLETE";
        tally->lock.wrong++;
    } else if (killed == !harmless) {
        line.verdict = killed ? "killed" : "harmless";
        tally->lock.killed += killed;
        tally->lock.harmless += !killed;
        if (killed)
            count_killer(&tally->lock, trial->client);
    } else {
        line.verdict = killed ? "KILLED, though listed as harmless" : "SURVIVED";
        tally->lock.wrong++;
    }
    if (killed || trial->result == TRIAL_INCOMPLETE)
        line.client = trial->client;
    print(tally, &line);
}

static int by_count(const void *a, const void *b)
{
    return (int)((const struct killer *)b)->count - (int)((const struct killer *)a)->count;
}

static void print_score(const char *id, const struct score *score)
{
    char *text;
    size_t size;
    FILE *line = need_memory(open_memstream(&text, &size));
    fprintf(line, "  %s: %u of %u killed", id, score->killed, score->killed + score->wrong);
    for (size_t i = 0; i < score->killer_count; i++)
        fprintf(line, "%s%s %u", i ? ", " : " (", score->killers[i].client, score->killers[i].count);
    fprintf(line, "%s, %u harmless", score->killer_count ? ")" : "", score->harmless);
    if (score->same_code + score->not_compiled)
        fprintf(line, "; of the generated ones %u are the same code and %u do not compile", score->same_code,
                score->not_compiled);
    fclose(line);
    print_folded(stdout, 4, "%s\n", text);
    free(text);
}

void tally_end(struct tally *tally)
{
    struct score *score = &tally->lock;
    if (score->killer_count)
        qsort(score->killers, score->killer_count, sizeof *score->killers, by_count);
    if (!tally->json && score->killed + score->harmless + score->wrong)
        print_score(tally->id, score);
    tally->all.killed += score->killed;
    tally->all.harmless += score->harmless;
    tally->all.wrong += score->wrong;
    free(score->killers);
    tally->lock = (struct score){0};
}

void tally_finish(struct tally *tally)
{
    if (tally->json) {
        json_dumpf(tally->json, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(tally->json);
    } else {
        printf("%u killed, %u harmless, %u not as they should be\n", tally->all.killed, tally->all.harmless,
               tally->all.wrong);
    }
}
