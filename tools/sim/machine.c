/* SPDX-License-Identifier: MIT */
#include "sim/machine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/must.h"

enum { MAX_WORDS = 3 };

enum form { FORM_COUNT, FORM_POWER, FORM_TIME, FORM_OPTIONAL_TIME, FORM_WORD };

/* A parameter is a count, a power of two, a time in nanoseconds, which may be optional, or one of a few
 * words. */
struct parameter {
    const char *name;
    enum form form;
    size_t offset;
    double least, most;
    const char *words[MAX_WORDS];
};

/* clang-format off */
#define NUMBER(form, name, least, most) {#name, form, offsetof(struct machine, name), least, most, {0}}
#define COUNT(name, least, most) NUMBER(FORM_COUNT, name, least, most)
#define POWER(name, least, most) NUMBER(FORM_POWER, name, least, most)
#define TIME(name, least, most) NUMBER(FORM_TIME, name, least, most)
#define OPTIONAL_TIME(name, least, most) NUMBER(FORM_OPTIONAL_TIME, name, least, most)
#define WORD(name, ...) {#name, FORM_WORD, offsetof(struct machine, name), 0, 0, {__VA_ARGS__}}
/* clang-format on */

static const struct parameter parameters[] = {
    COUNT(sockets, 1, MACHINE_MAX_SOCKETS),
    COUNT(clusters, 1, 64),
    COUNT(cores, 1, 256),
    COUNT(threads, 1, 8),
    POWER(line, 16, 1024),
    WORD(protocol, "mesi", "moesi", "migratory"),
    WORD(adjudication, "home", "socket"),
    COUNT(store_buffer, 0, 64),
    COUNT(jitter, 0, 50),
    TIME(hit, 0.1, 1000),
    TIME(atomic, 0.1, 1000),
    OPTIONAL_TIME(ahead, 0, 1000),
    OPTIONAL_TIME(drain, 0, 1000),
    TIME(pause, 0.1, 1000),
    OPTIONAL_TIME(turn, 0, 1000),
    OPTIONAL_TIME(leave, 0, 1000),
    TIME(shared, 1, 10000),
    TIME(transfer, 1, 10000),
    OPTIONAL_TIME(upgrade, 1, 10000),
    OPTIONAL_TIME(fetch, 1, 10000),
    TIME(memory, 1, 10000),
    TIME(hop, 0, 10000),
    TIME(cluster_hop, 0, 10000),
    TIME(invalidate, 0, 1000),
    TIME(read_occupancy, 0.1, 1000),
    TIME(link_occupancy, 0, 1000),
    TIME(clock, 0, 10000),
    TIME(counter, 0, 10000),
    TIME(step, 0.1, 1000),
    OPTIONAL_TIME(renewal, 0, 1e6),
    OPTIONAL_TIME(call, 0, 1000),
    TIME(context_switch, 0, 1e9),
    TIME(slice, 1000, 1e9),
    TIME(preempt, 0, 1e9),
    TIME(credit, 0, 1e9),
    TIME(migration, 0, 1e9),
    TIME(balance, 1000, 1e9),
    TIME(system_call, 0, 1e9),
    TIME(yield, 0, 1e9),
    TIME(park, 0, 1e9),
    TIME(wake, 0, 1e9),
    TIME(wake_latency, 0, 1e9),
    TIME(nap, 0, 1e9),
    WORD(release, "atomic", "rseq"),
    TIME(barrier, 0, 1e9),
    TIME(barrier_wait, 0, 1e9),
    TIME(barrier_each, 0, 1e9),
    TIME(interrupt, 0, 1e9),
    TIME(spin, 0, 1e8),
};

enum { PARAMETERS = sizeof parameters / sizeof *parameters };

/* In a line of a machine file. */
enum { MAX_CHARACTERS = 1000 };

const char *const machine_latencies[] = {
    "hit", "atomic",      "shared",     "transfer",       "upgrade",        "memory",
    "hop", "cluster_hop", "invalidate", "read_occupancy", "link_occupancy", NULL};

static char *complaint(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *complaint(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = must(NULL);
    va_end(arguments);
    return text;
}

static const struct parameter *parameter_find(const char *name)
{
    for (int i = 0; i < PARAMETERS; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return &parameters[i];
    return NULL;
}

static char *unknown(const char *name)
{
    char names[1024] = "";
    for (int i = 0; i < PARAMETERS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", parameters[i].name);
    return complaint("unknown parameter '%s'; allowed are %s", name, names);
}

/* "mesi, moesi or migratory" */
static const char *words_of(const struct parameter *parameter, char *text, size_t room)
{
    text[0] = '\0';
    for (unsigned i = 0; i < MAX_WORDS && parameter->words[i]; i++) {
        bool last = i + 1 == MAX_WORDS || !parameter->words[i + 1];
        snprintf(text + strlen(text), room - strlen(text), "%s%s",
                 i == 0 ? ""
                 : last ? " or "
                        : ", ",
                 parameter->words[i]);
    }
    return text;
}

static char *set_word(unsigned *field, const struct parameter *parameter, const char *value)
{
    char words[64];
    for (unsigned i = 0; i < MAX_WORDS && parameter->words[i]; i++)
        if (strcmp(value, parameter->words[i]) == 0) {
            *field = i;
            return NULL;
        }
    return complaint("%s: '%s' is not %s", parameter->name, value, words_of(parameter, words, sizeof words));
}

static bool is_number_of(const struct parameter *parameter, const char *text, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    if (!isdigit((unsigned char)text[0]) || strspn(text, "0123456789.e+-") != strlen(text) || *end || errno)
        return false;
    if (!(*number >= parameter->least && *number <= parameter->most))
        return false;
    if (parameter->form == FORM_COUNT)
        return *number == floor(*number);
    return parameter->form != FORM_POWER || *number == exp2(floor(log2(*number)));
}

static char *set_number(void *field, const struct parameter *parameter, const char *value)
{
    static const char *const allowed[] = {
        [FORM_COUNT] = "a whole number",
        [FORM_POWER] = "a power of two",
        [FORM_TIME] = "a number of nanoseconds",
        [FORM_OPTIONAL_TIME] = "a number of nanoseconds",
    };
    double number;
    if (!is_number_of(parameter, value, &number))
        return complaint("%s: '%s' is not %s from %g to %g", parameter->name, value, allowed[parameter->form],
                         parameter->least, parameter->most);
    if (parameter->form == FORM_COUNT || parameter->form == FORM_POWER)
        *(unsigned *)field = (unsigned)number;
    else
        *(sim_time *)field = (sim_time)llround(number * SIM_NANOSECOND);
    return NULL;
}

char *machine_set(struct machine *machine, const char *name, const char *value)
{
    const struct parameter *parameter = parameter_find(name);
    if (!parameter)
        return unknown(name);
    void *field = (char *)machine + parameter->offset;
    if (parameter->form == FORM_WORD)
        return set_word(field, parameter, value);
    return set_number(field, parameter, value);
}

sim_time *machine_latency(struct machine *machine, const char *name)
{
    return (sim_time *)((char *)machine + parameter_find(name)->offset);
}

unsigned machine_cpus(const struct machine *machine)
{
    return machine->sockets * machine->cores * machine->threads;
}

sim_time machine_upgrade(const struct machine *machine)
{
    return machine->upgrade ? machine->upgrade : machine->transfer;
}

struct place machine_place(const struct machine *machine, unsigned nth)
{
    unsigned cpu = nth % machine_cpus(machine), core = cpu % (machine->sockets * machine->cores);
    return (struct place){cpu, core, core / machine->cores};
}

/* The text between blanks, in place. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

static char *read_line(struct machine *machine, char *text, bool *given)
{
    text[strcspn(text, "#")] = '\0';
    char *name = trim(text), *value = strchr(name, '=');
    if (!*name)
        return NULL;
    if (!value)
        return complaint("'%s' is not of the form NAME = VALUE", name);
    *value++ = '\0';
    name = trim(name);
    char *wrong = machine_set(machine, name, trim(value));
    if (wrong)
        return wrong;
    bool *seen = &given[parameter_find(name) - parameters];
    if (*seen)
        return complaint("'%s' is given a second time; once is allowed", name);
    *seen = true;
    return NULL;
}

static char *check_given(const bool *given)
{
    char words[64];
    for (int i = 0; i < PARAMETERS; i++)
        if (given[i] || parameters[i].form == FORM_OPTIONAL_TIME)
            continue;
        else if (parameters[i].form == FORM_WORD)
            return complaint("'%s' is missing; give %s", parameters[i].name,
                             words_of(&parameters[i], words, sizeof words));
        else
            return complaint("'%s' is missing; give a number from %g to %g", parameters[i].name, parameters[i].least,
                             parameters[i].most);
    return NULL;
}

char *machine_check(const struct machine *machine)
{
    if (machine_cpus(machine) > MACHINE_MAX_CPUS)
        return complaint("sockets x cores x threads is %u; at most %d are allowed", machine_cpus(machine),
                         MACHINE_MAX_CPUS);
    if (machine->cores % machine->clusters != 0)
        return complaint("%u cores cannot be divided into %u clusters of one size", machine->cores, machine->clusters);
    return NULL;
}

/* What is wrong in the file's lines, with *number the last that was read; 0 if nothing could be. */
static char *read_lines(struct machine *machine, FILE *file, unsigned *number)
{
    bool given[PARAMETERS] = {0};
    char text[MAX_CHARACTERS + 2], *wrong = NULL;
    while (!wrong && fgets(text, sizeof text, file)) {
        ++*number;
        if (!strchr(text, '\n') && !feof(file))
            return complaint("the line is no text, or longer than %d characters", MAX_CHARACTERS);
        wrong = read_line(machine, text, given);
    }
    if (!wrong && ferror(file))
        wrong = complaint("cannot be read: %s", strerror(errno));
    if (!wrong)
        wrong = check_given(given);
    return wrong ? wrong : machine_check(machine);
}

char *machine_read(struct machine *machine, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return complaint("%s: %s", path, strerror(errno));
    char *wrong = machine_read_from(machine, file, path);
    fclose(file);
    return wrong;
}

char *machine_read_from(struct machine *machine, FILE *file, const char *name)
{
    *machine = (struct machine){0};
    unsigned number = 0;
    char *wrong = read_lines(machine, file, &number);
    if (!wrong)
        return NULL;
    char *whole = number ? complaint("%s:%u: %s", name, number, wrong) : complaint("%s: %s", name, wrong);
    free(wrong);
    return whole;
}
