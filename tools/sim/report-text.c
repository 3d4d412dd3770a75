/* SPDX-License-Identifier: MIT */
#include "sim/report.h"

#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/terminal.h"
#include "sim/event-list.h"
#include "sim/must.h"
#include "sim/residency.h"

const char *const phase_words[] = {"elsewhere", "acquire", "critical", "release"};
const char *const outcome_words[] = {"hit", "miss", "upgrade"};

unsigned report_period(const struct report_run *run)
{
    return result_period(&run->result, 4 * run->settings.threads);
}

enum column {
    LOCK,
    THREADS,
    EPISODES,
    EVENTS,
    MISSES,
    UPGRADES,
    REMOTE,
    MOST,
    COPIES,
    MOVES,
    FAIR,
    RATIO,
    PERIOD,
    COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [LOCK] = {"LOCK", -33, 0},    [THREADS] = {"THREADS", 7, 1}, [EPISODES] = {"EPISODES/S", 12, 2},
    [EVENTS] = {"EVENTS", 7, 3},  [MISSES] = {"MISSES", 7, 7},   [UPGRADES] = {"UPGRADES", 8, 8},
    [REMOTE] = {"REMOTE", 7, 4},  [MOST] = {"MOST", 5, 10},      [COPIES] = {"COPIES", 7, 9},
    [MOVES] = {"MOVES", 5, 11},   [FAIR] = {"FAIR", 6, 5},       [RATIO] = {"RATIO", 6, 6},
    [PERIOD] = {"PERIOD", 6, 12},
};

static void print_run(const struct report_run *run)
{
    char cells[COLUMNS][CELL_SIZE];
    const struct result *result = &run->result;
    const struct {
        enum column column;
        double number;
        int decimals;
    } numbers[] = {
        {THREADS, run->settings.threads, 0}, {EPISODES, result->throughput, 0},  {EVENTS, result_events(result), 2},
        {MISSES, result->misses, 2},         {UPGRADES, result->upgrades, 2},    {REMOTE, result->remote, 2},
        {MOST, result->most_remote, 0},      {COPIES, result->invalidations, 2}, {MOVES, result->migrations, 2},
        {FAIR, result->fairness, 3},         {RATIO, result->unfairness, 2},     {PERIOD, report_period(run), 0},
    };
    snprintf(cells[LOCK], CELL_SIZE, "%s", run->settings.lock->id);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        snprintf(cells[numbers[i].column], CELL_SIZE, "%.*f", numbers[i].decimals, numbers[i].number);
    columns_print(columns, COLUMNS, columns_that_fit(columns, COLUMNS), cells);
}

void report_text_head(const struct sim_options *options)
{
    print_folded(
        stdout, 2,
        "machine %s, workload %s, context %s, store buffer %u, seed %llu, %llu episodes; a model, no measurement\n",
        options->machine_title, workload_words[options->workload], context_words[options->context],
        options->machine.store_buffer, (unsigned long long)options->common.seed, (unsigned long long)options->episodes);
    columns_print_titles(columns, COLUMNS, columns_that_fit(columns, COLUMNS));
}

static void print_event(const struct listed_event *event, double episodes)
{
    char lines[1024] = "";
    for (unsigned i = 0; i < event->line_count; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s %s:%d", i ? " <" : "", event->lines[i].file,
                 event->lines[i].number);
    print_folded(stdout, 14, "    %-9s %-16s %-24s %-8s %8.4f  remote %.4f %s\n", phase_words[event->event.phase],
                 event->operation, event->what, outcome_words[event->event.outcome],
                 (double)event->event.count / episodes, (double)event->event.remote / episodes, lines);
}

static void print_events(const struct result *result)
{
    struct event_list list = event_list(result);
    for (size_t i = 0; i < list.size; i++)
        print_event(&list.values[i], (double)result->episodes);
    free(list.values);
}

/* Numbers with something between them: remote events by home node, admissions by thread. */
static void print_homes(FILE *to, const struct report_run *run, const char *between)
{
    for (unsigned home = 0; home < run->settings.machine->sockets; home++)
        fprintf(to, "%s%.4f", home ? between : "", run->result.remote_by_home[home]);
}

static void print_admissions(FILE *to, const struct report_run *run, const char *between)
{
    for (unsigned i = 0; i < run->settings.threads; i++)
        fprintf(to, "%s%llu", i ? between : "", (unsigned long long)run->result.admissions[i]);
}

static void print_detail(const struct report_run *run)
{
    char *text;
    size_t size;
    FILE *kept = must(open_memstream(&text, &size));
    fputs("    remote events by home node: ", kept);
    print_homes(kept, run, " ");
    fputs("\n    admissions by thread: ", kept);
    print_admissions(kept, run, " ");
    fclose(kept);
    print_folded(stdout, 6, "%s\n", text);
    free(text);
}

static bool is_sustained(const struct settings *settings)
{
    return settings->workload != WORKLOAD_MODERATE && settings->workload != WORKLOAD_TIMES && !settings->lock->parks;
}

/* What the scheduler and the kernel did, in a thousand episodes. */
static void print_doings(const struct result *result)
{
    const struct doings *doings = &result->doings;
    double thousand = (double)result->episodes / 1000;
    print_folded(
        stdout, 6,
        "    %.2f CPUs busy; in 1000 episodes %.3g parks, %.3g wake-ups (%.3g in vain, %.3g of nobody), %.3g naps, "
        "%.3g yields, %.3g barriers, %.3g preemptions (%.3g of owners), %.3g migrations\n",
        result->cpus_busy, (double)doings->parks / thousand, (double)doings->wakes / thousand,
        (double)doings->woken_in_vain / thousand, (double)doings->wakes_of_nobody / thousand,
        (double)doings->naps / thousand, (double)doings->yields / thousand, (double)doings->barriers / thousand,
        (double)doings->preempted / thousand, (double)doings->preempted_owner / thousand,
        (double)doings->migrations / thousand);
}

static void print_waits(const struct result *result)
{
    const struct wait_figures *all = &result->from_due, *late = &result->late, *waits = &result->waits;
    print_folded(stdout, 6,
                 "    by the clock: %zu arrivals, microseconds from due until admitted: p50 %.2f, p90 %.2f, p99 %.2f, "
                 "p99.9 %.2f, longest %.2f; late: p50 %.2f, p90 %.2f, p99 %.2f; then waits: p50 %.2f, p90 %.2f, p99 "
                 "%.2f\n",
                 all->count, 1e6 * all->p50, 1e6 * all->p90, 1e6 * all->p99, 1e6 * all->p999, 1e6 * all->longest,
                 1e6 * late->p50, 1e6 * late->p90, 1e6 * late->p99, 1e6 * waits->p50, 1e6 * waits->p90,
                 1e6 * waits->p99);
}

static bool has_doings(const struct report_run *run)
{
    const struct doings *doings = &run->result.doings;
    return doings->parks || doings->naps || doings->yields || doings->preempted;
}

void report_text_run(const struct report_run *run, bool detail)
{
    const struct result *result = &run->result;
    print_run(run);
    if (run->settings.threads > 1 && is_sustained(&run->settings) && result->unwaited > 0.01)
        print_folded(stdout, 6,
                     "    %.0f %% of the admissions did not wait: not sustained contention, compare with care\n",
                     100 * result->unwaited);
    if (has_doings(run))
        print_doings(result);
    if (run->settings.period)
        print_waits(result);
    if (detail)
        print_detail(run);
    if (run->settings.list_events)
        print_events(result);
    fflush(stdout);
}

void report_trace(const struct report *report, FILE *file)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct report_run *run = &report->runs[i];
        fprintf(file, "%s %u:", run->settings.lock->id, run->settings.threads);
        for (uint64_t j = 0; j < run->result.episodes; j++)
            fprintf(file, " %u", run->result.trace[j]);
        fputc('\n', file);
    }
}

/* What JSON calls the same: of an episode, and seconds. The waits are empty without threads that come by the clock. */
static void print_doings_csv(const struct report_run *run)
{
    const struct result *result = &run->result;
    const struct doings *doings = &result->doings;
    const struct wait_figures *const waits[] = {&result->waits, &result->from_due, &result->late};
    const uint64_t counts[] = {
        doings->parks,  doings->wakes,    doings->wakes_of_nobody, doings->woken_in_vain,   doings->naps,
        doings->yields, doings->barriers, doings->preempted,       doings->preempted_owner, doings->migrations};
    printf(",%.4f", result->cpus_busy);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        printf(",%.6g", (double)counts[i] / (double)result->episodes);
    if (!result->waits.count) {
        fputs(",,,,,,,,,,,,,,,,", stdout);
        return;
    }
    printf(",%zu", result->waits.count);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        printf(",%.9g,%.9g,%.9g,%.9g,%.9g", waits[i]->p50, waits[i]->p90, waits[i]->p99, waits[i]->p999,
               waits[i]->longest);
}

void report_csv(const struct report *report)
{
    puts("lock,threads,throughput,events,misses,upgrades,remote,most_remote,invalidations,migrations,fairness,"
         "unfairness,period,remote_by_home,admissions,cpus_busy,parks,wakes,wakes_of_nobody,woken_in_vain,naps,yields,"
         "barriers,preemptions,preempted_owners,cpu_migrations,waits,wait_p50,wait_p90,wait_p99,wait_p999,wait_longest,"
         "from_due_p50,from_due_p90,from_due_p99,from_due_p999,from_due_longest,late_p50,late_p90,late_p99,late_p999,"
         "late_longest");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_run *run = &report->runs[i];
        const struct result *result = &run->result;
        printf("%s,%u,%.0f,%.4f,%.4f,%.4f,%.4f,%u,%.4f,%.4f,%.4f,%.4f,%u,", run->settings.lock->id,
               run->settings.threads, result->throughput, result_events(result), result->misses, result->upgrades,
               result->remote, result->most_remote, result->invalidations, result->migrations, result->fairness,
               result->unfairness, report_period(run));
        print_homes(stdout, run, ";");
        putchar(',');
        print_admissions(stdout, run, ";");
        print_doings_csv(run);
        putchar('\n');
    }
}

static void print_residency(const char *order, unsigned threads, struct residency residency)
{
    printf("%-28s %7u %10.4f %10.4f %10.4f\n", order, threads, residency.misses, residency.best, residency.worst);
}

void report_text_residency(const struct report *report)
{
    double half_life = report->options->half_life;
    print_folded(
        stdout, 2,
        "\nshared last-level cache, half-life %g admissions: share of a thread's data that it misses when admitted\n",
        half_life);
    printf("%-28s %7s %10s %10s %10s\n", "ORDER", "THREADS", "ALL", "BEST", "WORST");
    for (size_t j = 0; j < report->options->threads.size; j++) {
        unsigned threads = report->options->threads.values[j];
        for (unsigned order = 0; order < RESIDENCY_ORDERS; order++)
            print_residency(residency_words[order], threads,
                            residency_of_order(order, threads, half_life, report->options->common.seed));
        for (size_t i = 0; i < report->count; i++)
            if (report->runs[i].settings.threads == threads)
                print_residency(report->runs[i].settings.lock->id, threads,
                                residency_of_trace(report->runs[i].result.trace, report->runs[i].result.episodes,
                                                   threads, half_life));
    }
}
