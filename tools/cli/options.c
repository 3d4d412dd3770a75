/* SPDX-License-Identifier: MIT */
/* Reading options and refusing wrong ones: one line, the offending word, what is allowed. */
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"
#include "cli/terminal.h"

void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%srecip:%s ", terminal_style(stderr, STYLE_RED), terminal_style(stderr, STYLE_PLAIN));
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(STATUS_USAGE);
}

void *need_memory(void *memory)
{
    if (!memory) {
        fputs("recip: out of memory\n", stderr);
        exit(STATUS_FAILED);
    }
    return memory;
}

/* "--help, --lock, --threads": the long options of a command, for the line that refuses another. */
static char *option_names(const struct argp_option *options)
{
    char *names = need_memory(strdup("--help"));
    for (; options && options->name; options++) {
        char *longer;
        if (asprintf(&longer, "%s, --%s", names, options->name) < 0)
            need_memory(NULL);
        free(names);
        names = longer;
    }
    return names;
}

/* The option that a word means, as getopt_long reads it: a letter, or the start of a name; null if none or several. */
static const struct argp_option *option_of(const struct argp_option *options, const char *word)
{
    const struct argp_option *found = NULL;
    size_t length = strcspn(word + 2, "=");
    for (; options && options->name; options++) {
        if (word[1] != '-' && word[1] == options->key)
            return options;
        if (word[1] != '-' || strncmp(word + 2, options->name, length) != 0)
            continue;
        if (!options->name[length])
            return options;
        if (found)
            return NULL;
        found = options;
    }
    return found;
}

/* An option that the command does not have, or has several that begin so. */
static _Noreturn void refuse_option(const struct argp *argp, const char *command, const char *word)
{
    char name[64], text[128];
    size_t length = word[1] == '-' ? strcspn(word + 2, "=") : 0;
    snprintf(name, sizeof name, "%.*s", (int)length + 2, word);
    struct suggestion suggestion = {.word = name};
    for (const struct argp_option *option = argp->options; length && option && option->name; option++) {
        char *longer;
        if (asprintf(&longer, "--%s", option->name) < 0)
            need_memory(NULL);
        suggest(&suggestion, longer);
    }
    if (suggestion.nearest)
        refuse("unknown option '%s' for '%s'%s; '%s --help' has them all", word, command,
               suggestion_text(&suggestion, text), command);
    refuse("unknown option '%s' for '%s'; its options are %s", word, command, option_names(argp->options));
}

/* argp has found an error and does not say where: finds it and says so in one line. */
static _Noreturn void refuse_options(const struct argp *argp, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-' || !word[1])
            continue;
        const struct argp_option *option = option_of(argp->options, word);
        if (!option)
            refuse_option(argp, argv[0], word);
        bool attached = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
        if (attached && !option->arg)
            refuse("%s: --%s takes no value", word, option->name);
        if (option->arg && !attached && ++i == argc)
            refuse("%s: a value is missing: %s", word, option->arg);
    }
    refuse("the options of '%s' are %s", argv[0], option_names(argp->options));
}

int output_status(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("recip: standard output");
    return STATUS_FAILED;
}

void parse_options(const struct argp *argp, int argc, char **argv, void *input, const char *takes)
{
    /* argp's own help is silenced together with its errors, which take two lines: both are done here. */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            argp_help(argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, argv[0]);
            exit(output_status(STATUS_OK));
        } else if (strcmp(argv[i], "--") == 0) {
            break;
        }
    int index = argc;
    if (argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_IN_ORDER, &index, input))
        refuse_options(argp, argc, argv);
    if (index < argc)
        refuse("'%s' is not expected after '%s'; it takes %s", argv[index], argv[0], takes ? takes : "options only");
}

double option_seconds(const char *option, const char *word, double min, double max)
{
    char *end;
    errno = 0;
    double value = strtod(word, &end);
    if (end == word || *end || errno || !isfinite(value) || value < min || value > max)
        refuse("%s: '%s' is not a time; give seconds from %g to %g", option, word, min, max);
    return value;
}

/* "200us": 200e-6 */
static void print_time(char text[32], double seconds)
{
    if (seconds < 1e-3)
        snprintf(text, 32, "%gus", seconds * 1e6);
    else
        snprintf(text, 32, seconds < 1 ? "%gms" : "%gs", seconds < 1 ? seconds * 1e3 : seconds);
}

double option_time(const char *option, const char *word, double min, double max)
{
    static const struct {
        const char *name;
        double in_second;
    } units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};
    char *end, least[32], most[32];
    double number = strtod(word, &end), value = NAN;
    for (size_t i = 0; end != word && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0)
            value = number / units[i].in_second;
    if (value >= min && value <= max)
        return value;
    print_time(least, min);
    print_time(most, max);
    refuse("%s: '%s' is not a time with its unit (ns, us, ms, s) from %s to %s", option, word, least, most);
}

unsigned option_count(const char *option, const char *word, unsigned min, unsigned max)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(word, &end, 10);
    if (!isdigit((unsigned char)word[0]) || *end || errno || value < min || value > max)
        refuse("%s: '%s' is not a number from %u to %u", option, word, min, max);
    return (unsigned)value;
}

void option_words(const char *list, void (*take)(const char *word, void *to), void *to)
{
    char *copy = need_memory(strdup(list)), *rest = copy, *word;
    while ((word = strsep(&rest, ",")))
        take(word, to);
    free(copy);
}

struct counts_to {
    struct count_list list;
    const char *option;
    unsigned min, max;
};

static void take_count(const char *word, void *to)
{
    struct counts_to *counts = to;
    unsigned value = option_count(counts->option, word, counts->min, counts->max);
    counts->list.values = need_memory(realloc(counts->list.values, (counts->list.size + 1) * sizeof value));
    counts->list.values[counts->list.size++] = value;
}

struct count_list option_counts(const char *option, const char *word, unsigned min, unsigned max)
{
    struct counts_to to = {.option = option, .min = min, .max = max};
    option_words(word, take_count, &to);
    return to.list;
}

struct locks_to {
    struct algorithm_list list;
    const char *option;
};

static void add_to_list(struct algorithm_list *list, const struct recip_algorithm *lock)
{
    list->values = need_memory(realloc(list->values, (list->size + 1) * sizeof(void *)));
    list->values[list->size++] = lock;
}

static _Noreturn void refuse_lock(const char *option, const char *word)
{
    char text[128];
    struct suggestion suggestion = {.word = word};
    for (size_t i = 0; i < recip_algorithm_count; i++) {
        suggest(&suggestion, recip_algorithms[i]->id);
        suggest(&suggestion, recip_family_word(recip_algorithms[i]->family));
    }
    refuse("%s: there is no lock or family '%s'%s; 'recip list' shows those there are", option, word,
           suggestion_text(&suggestion, text));
}

/* A lock, or a family: all its locks. A word that is both, such as mutex, is the lock. */
static void take_lock(const char *word, void *to)
{
    struct locks_to *locks = to;
    size_t before = locks->list.size;
    const struct recip_algorithm *algorithm = recip_algorithm_find(word);
    if (algorithm)
        add_to_list(&locks->list, algorithm);
    for (size_t i = 0; !algorithm && i < recip_algorithm_count; i++)
        if (strcmp(recip_family_word(recip_algorithms[i]->family), word) == 0)
            add_to_list(&locks->list, recip_algorithms[i]);
    if (locks->list.size == before)
        refuse_lock(locks->option, word);
}

struct algorithm_list option_locks(const char *option, const char *word)
{
    struct locks_to to = {.option = option};
    option_words(word, take_lock, &to);
    return to.list;
}

bool option_names_lock(const char *words, const struct recip_algorithm *lock)
{
    size_t length = strlen(lock->id);
    for (const char *word = words; word; word = strchr(word, ',')) {
        word += *word == ',';
        if (strncmp(word, lock->id, length) == 0 && (word[length] == ',' || !word[length]))
            return true;
    }
    return false;
}

static void store(const char *option, const struct option_field *field, const char *word, void *to)
{
    unsigned min = (unsigned)field->min, max = (unsigned)field->max;
    switch (field->type) {
    case FIELD_FLAG:
        *(bool *)to = true;
        break;
    case FIELD_TEXT:
        *(const char **)to = word;
        break;
    case FIELD_COUNT:
        *(unsigned *)to = option_count(option, word, min, max);
        break;
    case FIELD_SECONDS:
        *(double *)to = option_seconds(option, word, field->min, field->max);
        break;
    case FIELD_TIME:
        *(double *)to = option_time(option, word, field->min, field->max);
        break;
    case FIELD_COUNTS:
        free(((struct count_list *)to)->values);
        *(struct count_list *)to = option_counts(option, word, min, max);
        break;
    case FIELD_LOCKS:
        free(((struct algorithm_list *)to)->values);
        *(struct algorithm_list *)to = option_locks(option, word);
        break;
    }
}

bool option_store(const struct argp_option *options, const struct option_field *fields, int key, const char *word,
                  void *request)
{
    char name[64];
    while (fields->key && fields->key != key)
        fields++;
    while (options->name && options->key != key)
        options++;
    if (!fields->key || !options->name)
        return false;
    snprintf(name, sizeof name, "--%s", options->name);
    store(name, fields, word, (char *)request + fields->at);
    return true;
}
