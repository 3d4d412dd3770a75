/* SPDX-License-Identifier: MIT */
#include "sim/options.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/own-files.h"
#include "sim/must.h"

const char *const workload_words[] = {"max", "moderate", "degenerate", "nested", "times", NULL};
const char *const context_words[] = {"local", "body", NULL};

enum { MAX_NANOSECONDS = 1000000000 };

enum {
    KEY_MACHINE = KEY_OWN,
    KEY_SET,
    KEY_THREADS,
    KEY_WORKLOAD,
    KEY_CONTEXT,
    KEY_STORE_BUFFER,
    KEY_EPISODES,
    KEY_CRITICAL,
    KEY_TIMES,
    KEY_DURATION,
    KEY_SELDOM,
    KEY_SELDOM_THREADS,
    KEY_EVENTS,
    KEY_DETAIL,
    KEY_TRACE,
    KEY_RESIDENCY,
    KEY_PLOT,
    KEY_MEASURE,
    KEY_CALIBRATE,
};

static const struct argp_option argp_options[] = {
    COMMON_OPTIONS,
    {"machine", KEY_MACHINE, "NAME|FILE", 0,
     "x5-2 (default), altra-max, epyc, sapphire-rapids, graviton4, cloud-8, two-core, or a file of your own", 0},
    {"set", KEY_SET, "NAME=VALUE", 0, "change a parameter of the machine, as often as needed", 0},
    {"threads", KEY_THREADS, "N,...", 0, "numbers of threads; more than CPUs are scheduled in slices", 0},
    {"workload", KEY_WORKLOAD, "WORD", 0, "max (default), moderate, degenerate, nested, or times, which --times says",
     0},
    {"times", KEY_TIMES, "INSIDE/OUTSIDE", 0,
     "the workload of given times: nanoseconds in and, on average, between critical sections", 0},
    {"seldom", KEY_SELDOM, "PERIOD", 0,
     "add a thread that comes by the clock, so often on average (such as 1ms), and report what it waits", 0},
    {"seldom-threads", KEY_SELDOM_THREADS, "N", 0, "with --seldom: so many such threads (default 1)", 0},
    {"context", KEY_CONTEXT, "WORD", 0,
     "from acquire to release: local (the thread's) or body (the lock's). The default is the paper's: local for "
     "degenerate and nested, body otherwise",
     0},
    {"store-buffer", KEY_STORE_BUFFER, "N", 0, "entries, in place of the machine's; 0 for none", 0},
    {"episodes", KEY_EPISODES, "N", 0, "acquire-release episodes to measure, of all threads together", 0},
    {"duration", KEY_DURATION, "TIME", 0, "measure for so much virtual time at least, such as 50ms", 0},
    {"critical", KEY_CRITICAL, "N", 0, "nanoseconds of the degenerate critical section (default 60)", 0},
    {"events", KEY_EVENTS, NULL, 0,
     "list the coherence events of an episode: which operation of which source line, on what, which kind", 0},
    {"detail", KEY_DETAIL, NULL, 0, "add the admissions of each thread and the remote events by home node", 0},
    {"trace", KEY_TRACE, "FILE", 0, "write who was admitted, in order, one line for each run; - for standard output",
     0},
    {"residency", KEY_RESIDENCY, "HALF-LIFE", 0,
     "what the admission order does to a shared last-level cache that forgets half in so many admissions", 0},
    {"plot", KEY_PLOT, "FILE", 0, "draw throughput over threads, as SVG", 0},
    {"measure", KEY_MEASURE, NULL, 0, "simulate nothing; measure this machine, and print a machine file of it", 0},
    {"calibrate", KEY_CALIBRATE, NULL, 0,
     "measure this machine and the locks on it, and print what the model says beside that; some minutes", 0},
    {0},
};

/* The word's place in a list that null ends. */
static unsigned option_word(const char *option, const char *word, const char *const *words)
{
    char all[128] = "";
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", words[i]);
    }
    refuse("%s: '%s' is none of %s", option, word, all);
}

static double option_half_life(const char *option, const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (strspn(word, "0123456789.e+-") != strlen(word) || end == word || *end || !(value >= 0.001 && value <= 1e6))
        refuse("%s: '%s' is not a number of admissions from 0.001 to 1000000", option, word);
    return value;
}

bool common_option(struct common_options *options, int key, const char *word)
{
    switch (key) {
    case KEY_LOCK:
        free(options->locks.values);
        options->locks = option_locks("--lock", word);
        options->asked_locks = word;
        return true;
    case KEY_SEED:
        options->seed = option_count("--seed", word, 0, UINT32_MAX);
        return true;
    case KEY_JSON:
        options->format = FORMAT_JSON;
        return true;
    case KEY_CSV:
        options->format = FORMAT_CSV;
        return true;
    default:
        return false;
    }
}

/* Why a lock cannot be simulated, or null. */
static const char *unfit_reason(const struct recip_algorithm *lock)
{
    if (lock->traits & RECIP_NATIVE)
        return "is the system's own and cannot be simulated";
    if (lock->traits & (RECIP_DEMOTES | RECIP_NON_TEMPORAL))
        return "moves lines out of a cache, which the model does not know";
    if (lock->traits & RECIP_MONITORS)
        return "waits by an instruction that the model does not know; without that it is the lock that spins";
    return NULL;
}

void common_locks(struct common_options *options, const char *by_default)
{
    if (!options->locks.size)
        options->locks = option_locks("--lock", by_default);
    size_t fit = 0;
    for (size_t i = 0; i < options->locks.size; i++) {
        const struct recip_algorithm *lock = options->locks.values[i];
        const char *reason = unfit_reason(lock);
        if (!reason)
            options->locks.values[fit++] = lock;
        else if (option_names_lock(options->asked_locks, lock) || lock->traits & RECIP_NATIVE)
            refuse("--lock: '%s' %s", lock->id, reason);
    }
    options->locks.size = fit;
}

static void set_parameter(struct machine *machine, const char *text)
{
    char *copy = must(strdup(text)), *value = strchr(copy, '=');
    if (!value)
        refuse("--set: '%s' is not of the form NAME=VALUE", text);
    *value++ = '\0';
    char *wrong = machine_set(machine, copy, value);
    if (wrong)
        refuse("--set: %s", wrong);
    free(copy);
}

/* NAME, or NAME with ONE=VALUE, ANOTHER=VALUE */
static char *machine_title(const struct sim_options *options)
{
    size_t room;
    char *title = NULL;
    FILE *stream = must(open_memstream(&title, &room));
    fputs(options->machine_name, stream);
    for (unsigned i = 0; i < options->set_count; i++)
        fprintf(stream, "%s%s", i ? ", " : " with ", options->sets[i]);
    if (fclose(stream) != 0)
        must(NULL);
    return title;
}

static void set_parameters(struct sim_options *options)
{
    options->machine_title = machine_title(options);
    for (unsigned i = 0; i < options->set_count; i++)
        set_parameter(&options->machine, options->sets[i]);
    char *wrong = machine_check(&options->machine);
    if (wrong)
        refuse("--set: %s", wrong);
}

/* --machine and --set come after all other options are known, whatever their order. */
struct reading {
    struct sim_options *options;
    const char *store_buffer, *context, *times, *workload;
};

#define AT(field) offsetof(struct sim_options, field)

static const struct option_field fields[] = {
    {KEY_MACHINE, FIELD_TEXT, AT(machine_name), 0, 0},
    {KEY_THREADS, FIELD_COUNTS, AT(threads), 1, SIM_MAX_THREADS},
    {KEY_EPISODES, FIELD_COUNT, AT(episodes), 100, 100000000},
    {KEY_DURATION, FIELD_TIME, AT(duration), 1e-6, 100},
    {KEY_SELDOM, FIELD_TIME, AT(period), 1e-6, 1},
    {KEY_SELDOM_THREADS, FIELD_COUNT, AT(seldom_threads), 1, SIM_MAX_THREADS},
    {KEY_EVENTS, FIELD_FLAG, AT(list_events), 0, 0},
    {KEY_DETAIL, FIELD_FLAG, AT(detail), 0, 0},
    {KEY_TRACE, FIELD_TEXT, AT(trace), 0, 0},
    {KEY_PLOT, FIELD_TEXT, AT(plot), 0, 0},
    {KEY_MEASURE, FIELD_FLAG, AT(measure), 0, 0},
    {KEY_CALIBRATE, FIELD_FLAG, AT(calibrate), 0, 0},
    {0},
};

static error_t take(int key, char *word, struct argp_state *state)
{
    struct reading *reading = state->input;
    struct sim_options *options = reading->options;
    if (option_store(argp_options, fields, key, word, options) || common_option(&options->common, key, word))
        return 0;
    switch (key) {
    case KEY_SET:
        if (options->set_count == SIM_MAX_SETS)
            refuse("--set: '%s' is one too many; %d are allowed", word, SIM_MAX_SETS);
        options->sets[options->set_count++] = word;
        return 0;
    case KEY_STORE_BUFFER:
        reading->store_buffer = word;
        return 0;
    case KEY_WORKLOAD:
        reading->workload = word;
        options->workload = option_word("--workload", word, workload_words);
        return 0;
    case KEY_CONTEXT:
        reading->context = word;
        option_word("--context", word, context_words);
        return 0;
    case KEY_TIMES:
        reading->times = word;
        return 0;
    case KEY_CRITICAL:
        options->critical = option_count("--critical", word, 1, 1000000) * SIM_NANOSECOND;
        return 0;
    case KEY_RESIDENCY:
        options->half_life = option_half_life("--residency", word);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = argp_options,
    .parser = take,
    .doc = "Runs the locks on a simulated machine and counts what they cost it.\v"
           "The columns: episodes in a second; coherence events in an episode, which are misses and upgrades; misses "
           "and upgrades that are homed on another socket; copies lost; how often the lock moves to the other socket; "
           "Jain's fairness of the admissions, and the most admitted thread over the least. docs/sim.md has the model.",
};

static _Noreturn void refuse_machine(const char *folder, const char *name)
{
    char pattern[2 * PATH_MAX + 16], names[512] = "";
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/*.machine", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *file = strrchr(found.gl_pathv[i], '/') + 1;
            snprintf(names + strlen(names), sizeof names - strlen(names), "%.*s, ",
                     (int)(strlen(file) - strlen(".machine")), file);
        }
    refuse("--machine: there is no machine '%s'; there are %sand files, given with a '/' in their path", name, names);
}

void machine_load(struct machine *machine, const char *name)
{
    char folder[2 * PATH_MAX], path[2 * PATH_MAX + 256];
    own_file("machines", RECIP_TO_DATA, folder);
    snprintf(path, sizeof path, "%s/%s.machine", folder, name);
    if (strchr(name, '/'))
        snprintf(path, sizeof path, "%s", name);
    else if (access(path, R_OK) != 0)
        refuse_machine(folder, name);
    char *wrong = machine_read(machine, path);
    if (wrong)
        refuse("%s", wrong);
}

/* Standard output is for one of them: JSON, CSV, a trace or a plot. Text may stand before the last two. */
static void check_outputs(const struct sim_options *options)
{
    bool trace = options->trace && strcmp(options->trace, "-") == 0;
    bool plot = options->plot && strcmp(options->plot, "-") == 0;
    const char *taken = options->common.format == FORMAT_JSON  ? "--json"
                        : options->common.format == FORMAT_CSV ? "--csv"
                        : trace && plot                        ? "--trace"
                                                               : NULL;
    if (taken && (trace || plot))
        refuse("%s: '-' is standard output, where %s goes; give a file", plot ? "--plot" : "--trace", taken);
    if (options->trace && options->plot && strcmp(options->trace, options->plot) == 0)
        refuse("--plot: '%s' is where --trace goes; give another file", options->plot);
}

static void check_threads(const struct sim_options *options)
{
    for (size_t i = 0; i < options->common.locks.size; i++) {
        const struct recip_algorithm *lock = options->common.locks.values[i];
        for (size_t j = 0; j < options->threads.size; j++)
            if (lock->max_threads && options->threads.values[j] > lock->max_threads)
                refuse("--threads: %u is more than the %u that '%s' allows", options->threads.values[j],
                       lock->max_threads, lock->id);
    }
}

static void set_times(struct sim_options *options, const struct reading *reading)
{
    if (!reading->times) {
        if (options->workload == WORKLOAD_TIMES)
            refuse("--workload: 'times' needs --times INSIDE/OUTSIDE");
        return;
    }
    if (reading->workload && options->workload != WORKLOAD_TIMES)
        refuse("--times: is not for the workload '%s'; leave --workload out", reading->workload);
    options->workload = WORKLOAD_TIMES;
    const char *outside = strchr(reading->times, '/');
    char inside[16];
    size_t length = outside ? (size_t)(outside - reading->times) : sizeof inside;
    if (length >= sizeof inside)
        refuse("--times: '%s' is not INSIDE/OUTSIDE, each a number of nanoseconds from 0 to %d", reading->times,
               MAX_NANOSECONDS);
    snprintf(inside, sizeof inside, "%.*s", (int)length, reading->times);
    options->critical = option_count("--times", inside, 0, MAX_NANOSECONDS) * SIM_NANOSECOND;
    options->outside = option_count("--times", outside + 1, 0, MAX_NANOSECONDS) * SIM_NANOSECOND;
}

/* --seldom is for one lock. */
static void check_seldom(struct sim_options *options)
{
    if (options->period == 0 && options->seldom_threads)
        refuse("--seldom-threads: needs --seldom PERIOD");
    if (options->period > 0 && options->workload == WORKLOAD_NESTED)
        refuse("--seldom: is not for the nested workload");
    if (options->period > 0 && !options->seldom_threads)
        options->seldom_threads = 1;
}

/* Of the options, --lock, --seed and --json may stand beside it. All locks, if none were given. */
static void check_calibrate(struct sim_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool lock = strcmp(argv[i], "--lock") == 0 || strcmp(argv[i], "--seed") == 0;
        if (!lock && strncmp(argv[i], "--lock=", 7) != 0 && strncmp(argv[i], "--seed=", 7) != 0 &&
            strcmp(argv[i], "--json") != 0 && strcmp(argv[i], "--calibrate") != 0)
            refuse("--calibrate: '%s' is not for it; --lock, --seed and --json are", argv[i]);
        i += lock;
    }
    if (options->common.locks.size)
        return;
    options->common.locks.values = must(calloc(recip_algorithm_count, sizeof(struct recip_algorithm *)));
    for (size_t i = 0; i < recip_algorithm_count; i++)
        if (!unfit_reason(recip_algorithms[i]))
            options->common.locks.values[options->common.locks.size++] = recip_algorithms[i];
}

void sim_options_read(struct sim_options *options, int argc, char **argv)
{
    *options = (struct sim_options){
        .common.seed = 1, .machine_name = "x5-2", .episodes = 20000, .critical = 60 * SIM_NANOSECOND};
    struct reading reading = {.options = options};
    parse_options(&argp, argc, argv, &reading, NULL);
    if (options->measure && argc > 2)
        refuse("--measure: stands alone; no other option is allowed with it");
    if (options->calibrate)
        check_calibrate(options, argc, argv);
    machine_load(&options->machine, options->machine_name);
    set_parameters(options);
    if (reading.store_buffer)
        options->machine.store_buffer = option_count("--store-buffer", reading.store_buffer, 0, MAX_STORE_BUFFER);
    set_times(options, &reading);
    check_seldom(options);
    bool local = options->workload == WORKLOAD_DEGENERATE || options->workload == WORKLOAD_NESTED;
    options->context = local ? CONTEXT_LOCAL : CONTEXT_BODY;
    if (reading.context && options->workload == WORKLOAD_NESTED)
        refuse("--context: '%s' is not for the nested workload, whose context is local", reading.context);
    if (reading.context)
        options->context = option_word("--context", reading.context, context_words);
    if (options->common.format == FORMAT_CSV && (options->list_events || options->half_life > 0))
        refuse("--csv: has runs only; %s is for text and --json", options->list_events ? "--events" : "--residency");
    check_outputs(options);
    common_locks(&options->common, "ticket,twa,mcs,clh,hemlock,reciprocating");
    if (!options->threads.size)
        options->threads = option_counts("--threads", "1,2,5,10", 1, SIM_MAX_THREADS);
    check_threads(options);
}

struct settings sim_settings(const struct sim_options *options, const struct recip_algorithm *lock, unsigned threads)
{
    return (struct settings){
        .lock = lock,
        .machine = &options->machine,
        .threads = threads,
        .workload = options->workload,
        .context = options->context,
        .episodes = options->episodes,
        .seed = options->common.seed,
        .critical = options->critical,
        .outside = options->outside,
        .least = (sim_time)llround(options->duration * 1e9) * SIM_NANOSECOND,
        .period = (sim_time)llround(options->period * 1e9) * SIM_NANOSECOND,
        .seldom_threads = options->seldom_threads,
        .list_events = options->list_events,
    };
}
