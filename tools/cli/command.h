/* SPDX-License-Identifier: MIT */
/* The commands behind `recip`, and what they share: how an option is read and how a wrong one is refused. */
#ifndef RECIP_CLI_COMMAND_H
#define RECIP_CLI_COMMAND_H

#include <argp.h>
#include <stddef.h>

#include "zoo/algorithm.h"

/* Exit statuses: 0 done; 1 done and found wanting, or the system could not do it; 2 the request was not understood and
 * nothing has happened. */
enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* argv[0] is "recip NAME". */
int command_list(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_run(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_table(int argc, char **argv);
int command_who(int argc, char **argv);
int command_check(int argc, char **argv);
int command_report(int argc, char **argv);

/* One line on stderr, "recip: ...", then exit with STATUS_USAGE. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status to exit with: the one given, if all that was printed has been written. */
int output_status(int status);

/* The memory, or exit with STATUS_FAILED if there is none. */
void *need_memory(void *memory);

/* argp_parse, with refuse for what argp does not know. A command without arguments of its own passes `takes` as null.
 */
void parse_options(const struct argp *argp, int argc, char **argv, void *input, const char *takes);

/* The values of options; a wrong one is refused, naming the option, the word and what is allowed. */
double option_seconds(const char *option, const char *word, double min, double max);
/* A number with its unit, ns, us, ms or s; returns seconds. */
double option_time(const char *option, const char *word, double min, double max);
unsigned option_count(const char *option, const char *word, unsigned min, unsigned max);

struct count_list {
    unsigned *values;
    size_t size;
};

struct algorithm_list {
    const struct recip_algorithm **values;
    size_t size;
};

/* Calls `take` for each word between the commas; an empty word is passed on, to be refused. */
void option_words(const char *list, void (*take)(const char *word, void *to), void *to);

/* Comma-separated; the result is freed by the caller. */
struct count_list option_counts(const char *option, const char *word, unsigned min, unsigned max);
struct algorithm_list option_locks(const char *option, const char *word);

/* Whether the lock is among those words itself, and not only its family. */
bool option_names_lock(const char *words, const struct recip_algorithm *lock);

/* Options whose values go straight into a field of the request, by their keys. */
enum field_type {
    FIELD_FLAG,    /* bool */
    FIELD_TEXT,    /* const char * */
    FIELD_COUNT,   /* unsigned, from min to max */
    FIELD_SECONDS, /* double, from min to max */
    FIELD_TIME,    /* the same, with a unit */
    FIELD_COUNTS,  /* struct count_list, each from min to max */
    FIELD_LOCKS,   /* struct algorithm_list */
};

struct option_field {
    int key;
    enum field_type type;
    size_t at; /* offsetof the field */
    double min, max;
};

/* True if the option of that key has a field, which has its value then. The fields end with a key of 0. */
bool option_store(const struct argp_option *options, const struct option_field *fields, int key, const char *word,
                  void *request);

#endif
