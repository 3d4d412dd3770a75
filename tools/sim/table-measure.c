/* SPDX-License-Identifier: MIT */
/* The properties of a lock, each from what says it best: observed runs, the types, the registry, the compiler. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/run.h"
#include "sim/table.h"

static const struct {
    const char *id;
    int acquire, release;
} instructions[] = {
#include "ir-counts.inc"
    {NULL, 0, 0},
};

/* Whose memory the threads touched, from the lists of events. */
struct touched {
    bool threads, nodes, stacks, table;
};

/* What several runs have shown together. */
struct observed {
    struct touched touched;
    bool nodes_circulate, overtaken;
    unsigned most_watchers;
};

static void observe(struct observed *observed, const struct result *result)
{
    observed->nodes_circulate |= result->nodes_circulate;
    observed->overtaken |= result->overtaken;
    if (result->most_watchers > observed->most_watchers)
        observed->most_watchers = result->most_watchers;
    for (size_t i = 0; i < result->coherence_event_count; i++) {
        const struct coherence_event *one = &result->coherence_events[i];
        observed->touched.threads |= one->object == OBJECT_THREAD && !one->own;
        observed->touched.nodes |= one->object == OBJECT_NODE;
        observed->touched.stacks |= one->object == OBJECT_STACK && !one->own;
        observed->touched.table |= one->object == OBJECT_OTHER;
    }
}

static struct settings settings_of(const struct row *row, const struct machine *machine, unsigned threads,
                                   unsigned long long seed)
{
    return (struct settings){
        .lock = row->lock,
        .machine = machine,
        .threads = threads,
        .workload = WORKLOAD_DEGENERATE,
        .context = CONTEXT_LOCAL,
        .episodes = 20000,
        .seed = seed,
        .critical = 60 * SIM_NANOSECOND,
        .list_events = true,
    };
}

/* Few threads that come and go, on a machine whose times vary more and which lets a store take effect late. */
static void measure_few(struct row *row, const struct table_setting *setting, struct observed *observed)
{
    struct machine uneven = setting->invalidations;
    uneven.jitter = 50;
    uneven.store_buffer = 8;
    for (unsigned threads = 2; threads <= 6; threads++) {
        struct settings settings = settings_of(row, &uneven, threads, setting->seed);
        settings.workload = WORKLOAD_MODERATE;
        struct result result = run(&settings);
        observed->overtaken |= result.overtaken;
        result_free(&result);
    }
}

/* A lock that spins locally with one lock may not with several. */
static void measure_nested(struct row *row, const struct table_setting *setting, struct observed *observed)
{
    struct settings settings = settings_of(row, &setting->invalidations, setting->threads, setting->seed);
    settings.workload = WORKLOAD_NESTED;
    struct result result = run(&settings);
    if (result.most_watchers > observed->most_watchers)
        observed->most_watchers = result.most_watchers;
    result_free(&result);
}

static void measure_instructions(struct row *row)
{
    for (size_t i = 0; instructions[i].id; i++)
        if (strcmp(instructions[i].id, row->lock->id) == 0) {
            row->values[PROPERTY_ACQUIRE] = value_number(instructions[i].acquire);
            row->values[PROPERTY_RELEASE] = value_number(instructions[i].release);
        }
}

/* L locks, T threads, A locks held plus threads waiting; words of a lock in its mutex form; E bytes of an element. */
static struct value space_of(const struct recip_algorithm *lock, const struct observed *observed)
{
    char text[40];
    const char *more = "";
    if (observed->touched.nodes)
        more = observed->nodes_circulate ? " + E*(L+T)" : " + E*A";
    else if (observed->touched.stacks)
        more = " + E*A";
    else if (observed->touched.threads)
        more = " + E*T";
    else if (lock->traits & RECIP_NEEDS_INIT)
        more = " + 256*E*L";
    else if (observed->touched.table)
        more = " + 4096";
    snprintf(text, sizeof text, "%zu*L%s", lock->mutex_size / sizeof(void *), more);
    return value_word(text);
}

static const char *yes_if(bool yes)
{
    return yes ? "yes" : "no";
}

static const char *spinning_of(const struct observed *observed, unsigned threads)
{
    if (observed->most_watchers <= 1)
        return "local";
    return observed->most_watchers > threads / 2 ? "global" : "semi";
}

/* What the registry promises and the tests of admission order hold. */
static const char *bypass_of(const struct recip_algorithm *lock)
{
    switch (lock->admission) {
    case RECIP_ADMITS_FIFO:
        return "0";
    case RECIP_ADMITS_RECIPROCATING:
    case RECIP_ADMITS_SEGMENTS:
    case RECIP_ADMITS_GATED:
        return "1";
    default:
        return lock->traits & RECIP_BOUNDED ? "counted" : "none";
    }
}

static void judge(struct row *row, const struct observed *observed, unsigned threads)
{
    const struct touched *touched = &observed->touched;
    const struct recip_algorithm *lock = row->lock;
    bool elements = touched->threads || touched->nodes || touched->stacks;
    const char *on_stack = touched->stacks ? "yes" : lock->traits & RECIP_STACK ? "possible" : "no";
    row->values[PROPERTY_SPINNING] = value_word(spinning_of(observed, threads));
    row->values[PROPERTY_CONSTANT_RELEASE] = value_word(yes_if(release_is_constant(&row->release)));
    row->values[PROPERTY_CONTEXT_FREE] = value_word(yes_if(lock->context_size == 0));
    row->values[PROPERTY_FIFO] = value_word(yes_if(!observed->overtaken));
    row->values[PROPERTY_ON_STACK] = value_word(elements ? on_stack : "n/a");
    row->values[PROPERTY_CIRCULATION] = value_word(elements ? yes_if(observed->nodes_circulate) : "n/a");
    row->values[PROPERTY_CONSTRUCTOR] = value_word(yes_if(lock->traits & (RECIP_NEEDS_INIT | RECIP_NEEDS_DESTROY)));
    row->values[PROPERTY_NUMA] = value_word(yes_if(lock->traits & RECIP_SOCKETS));
    row->values[PROPERTY_BYPASS] = value_word(bypass_of(lock));
    row->values[PROPERTY_SPACE] = space_of(lock, observed);
}

void table_measure(struct row *row, const struct table_setting *setting)
{
    struct observed observed = {0};
    struct settings settings = settings_of(row, &setting->invalidations, setting->threads, setting->seed);
    struct result result = run(&settings);
    observe(&observed, &result);
    row->values[PROPERTY_INVALIDATIONS] = value_number(result_events(&result));
    row->values[PROPERTY_MISSES] = value_number(result.misses);
    result_free(&result);

    settings = settings_of(row, &setting->remote, setting->remote_threads, setting->seed);
    result = run(&settings);
    row->values[PROPERTY_REMOTE] = value_number(result.most_remote);
    /* A thread that is never admitted does not tell that it was overtaken. */
    observed.overtaken |= result.overtaken || isinf(result.unfairness);
    row->values[PROPERTY_REMOTE_MISSES] = value_number(result.remote);
    row->values[PROPERTY_MOVES] = value_number(result.migrations);
    result_free(&result);

    measure_few(row, setting, &observed);
    measure_nested(row, setting, &observed);
    measure_instructions(row);
    row->release = release_measure(row->lock, &setting->invalidations, setting->seed);
    judge(row, &observed, setting->threads);
}
