/* SPDX-License-Identifier: MIT */
#include "sim/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/event-list.h"
#include "sim/must.h"
#include "sim/residency.h"

/* "file:line" of the access, then of the calls around it. */
static json_t *source_json(const struct listed_event *event)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < event->line_count; i++)
        json_array_append_new(list, json_sprintf("%s:%d", event->lines[i].file, event->lines[i].number));
    return list;
}

static json_t *events_of(const struct result *result)
{
    struct event_list events = event_list(result);
    json_t *list = json_array();
    for (size_t i = 0; i < events.size; i++) {
        const struct listed_event *one = &events.values[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o}", "phase", phase_words[one->event.phase], "operation",
                            one->operation, "what", one->what, "kind", outcome_words[one->event.outcome], "per_episode",
                            (double)one->event.count / (double)result->episodes, "remote_per_episode",
                            (double)one->event.remote / (double)result->episodes, "source", source_json(one)));
    }
    free(events.values);
    return list;
}

static json_t *residency_json(struct residency residency)
{
    return json_pack("{s:f, s:f, s:f}", "misses", residency.misses, "best", residency.best, "worst", residency.worst);
}

/* JSON has no infinity: a thread that was never admitted makes the ratio null. */
static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Seconds. */
static json_t *waits_json(const struct wait_figures *waits)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f}", "count", (json_int_t)waits->count, "p50", waits->p50, "p90",
                     waits->p90, "p99", waits->p99, "p999", waits->p999, "longest", waits->longest);
}

static json_t *run_json(const struct sim_options *options, const struct report_run *run)
{
    const struct result *result = &run->result;
    const double episodes = (double)result->episodes;
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"throughput", result->throughput},
        {"events", result_events(result)},
        {"misses", result->misses},
        {"upgrades", result->upgrades},
        {"remote", result->remote},
        {"most_remote", result->most_remote},
        {"invalidations", result->invalidations},
        {"migrations", result->migrations},
        {"fairness", result->fairness},
        {"unfairness", result->unfairness},
        {"unwaited", result->unwaited},
        {"period", report_period(run)},
        {"cpus_busy", result->cpus_busy},
        {"parks", (double)result->doings.parks / episodes},
        {"wakes", (double)result->doings.wakes / episodes},
        {"wakes_of_nobody", (double)result->doings.wakes_of_nobody / episodes},
        {"woken_in_vain", (double)result->doings.woken_in_vain / episodes},
        {"naps", (double)result->doings.naps / episodes},
        {"yields", (double)result->doings.yields / episodes},
        {"barriers", (double)result->doings.barriers / episodes},
        {"preemptions", (double)result->doings.preempted / episodes},
        {"preempted_owners", (double)result->doings.preempted_owner / episodes},
        {"cpu_migrations", (double)result->doings.migrations / episodes},
    };
    json_t *object = json_pack("{s:s, s:i}", "lock", run->settings.lock->id, "threads", (int)run->settings.threads);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_object_set_new(object, figures[i].name, number_json(figures[i].value));
    json_t *homes = json_array(), *admissions = json_array();
    for (unsigned i = 0; i < options->machine.sockets; i++)
        json_array_append_new(homes, json_real(result->remote_by_home[i]));
    for (unsigned i = 0; i < run->settings.threads; i++)
        json_array_append_new(admissions, json_integer((json_int_t)result->admissions[i]));
    json_object_set_new(object, "remote_by_home", homes);
    json_object_set_new(object, "admissions", admissions);
    if (run->settings.period) {
        json_object_set_new(object, "from_due", waits_json(&result->from_due));
        json_object_set_new(object, "late", waits_json(&result->late));
        json_object_set_new(object, "waits", waits_json(&result->waits));
    }
    if (options->list_events)
        json_object_set_new(object, "event_list", events_of(result));
    if (options->half_life > 0)
        json_object_set_new(object, "residency",
                            residency_json(residency_of_trace(result->trace, result->episodes, run->settings.threads,
                                                              options->half_life)));
    return object;
}

/* The orders that runs are compared with, for each number of threads. */
static json_t *orders_json(const struct sim_options *options)
{
    json_t *list = json_array();
    for (size_t j = 0; j < options->threads.size; j++)
        for (unsigned order = 0; order < RESIDENCY_ORDERS; order++) {
            unsigned threads = options->threads.values[j];
            json_t *one = residency_json(residency_of_order(order, threads, options->half_life, options->common.seed));
            json_object_set_new(one, "order", json_string(residency_words[order]));
            json_object_set_new(one, "threads", json_integer(threads));
            json_array_append_new(list, one);
        }
    return list;
}

/* JSON is UTF-8, a path is whatever it is: then with a ? for each byte beyond ASCII. */
static json_t *title_json(const char *title)
{
    json_t *string = json_string(title);
    if (string)
        return string;
    char *copy = must(strdup(title));
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at > 127)
            *at = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

void report_json(const struct report *report)
{
    const struct sim_options *options = report->options;
    json_t *runs = json_array();
    for (size_t i = 0; i < report->count; i++)
        json_array_append_new(runs, run_json(options, &report->runs[i]));
    json_t *whole =
        json_pack("{s:s, s:i, s:o, s:s, s:s, s:i, s:I, s:I, s:o}", "schema", "recip-sim", "version", 1, "machine",
                  title_json(options->machine_title), "workload", workload_words[options->workload], "context",
                  context_words[options->context], "store_buffer", (int)options->machine.store_buffer, "seed",
                  (json_int_t)options->common.seed, "episodes", (json_int_t)options->episodes, "runs", runs);
    if (options->half_life > 0)
        json_object_set_new(whole, "residency_orders", orders_json(options));
    must(whole);
    json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(whole);
}
