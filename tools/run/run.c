/* SPDX-License-Identifier: MIT */
/* recip run: a program on one of our locks, by the preload library. This process becomes the program, so that its exit
 * status, signals and files are its own. */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/compare.h"
#include "cli/launch.h"

struct request {
    const struct recip_algorithm *lock;
    const char *statistics, *trace, *watch, *suppressions;
    struct comparison comparison;
};

enum { KEY_STATS = 1000, KEY_TRACE, KEY_WATCH, KEY_SUPPRESSIONS, KEY_COMPARE, KEY_PATTERN, MAX_RUNS = 1000 };

static const struct argp_option options[] = {
    {"lock", 'l', "ID", 0, "the lock to run it on (default: mutex)", 0},
    {"stats", KEY_STATS, "FILE", OPTION_ARG_OPTIONAL,
     "print at exit, on stderr, what the busiest mutexes did; with =FILE write it there, as JSON", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "write there at exit which threads waited for and held which mutexes when, for Perfetto and chrome://tracing", 0},
    {"watch", KEY_WATCH, "off", OPTION_ARG_OPTIONAL,
     "report deadlocks, inversions of the order of locks and long waits when they happen, on stderr; with =off not "
     "before the signal RTMAX-2, which switches it on and off",
     0},
    {"suppressions", KEY_SUPPRESSIONS, "FILE", 0, "with --watch: what not to report", 0},
    {"compare", KEY_COMPARE, "ID,...", 0, "run it on each of these locks in turn and print a table", 0},
    {"runs", 'r', "N", 0, "with --compare: runs of each (default: 7)", 0},
    {"pattern", KEY_PATTERN, "REGEX", 0,
     "with --compare: instead of the time, the number that the group in this extended regular expression matches last "
     "in the output; may be given several times",
     0},
    {0},
};

/* The lock of that id; refused if there is none or it does not fit. */
static const struct recip_algorithm *take_lock(const char *option, const char *word)
{
    struct algorithm_list list = option_locks(option, word);
    const struct recip_algorithm *lock = list.values[0];
    if (list.size != 1)
        refuse("%s: '%s' is not one lock", option, word);
    free(list.values);
    launch_check(option, lock);
    return lock;
}

/* Absolute: the program may change its folder. */
static const char *take_file(const char *option, const char *word)
{
    char folder[PATH_MAX], *path;
    if (!*word)
        refuse("%s: the file's name is empty", option);
    if (word[0] == '/' || !getcwd(folder, sizeof folder))
        return word;
    if (strlen(folder) + strlen(word) + 2 > PATH_MAX)
        refuse("%s: '%s' is too long a name", option, word);
    if (asprintf(&path, "%s/%s", folder, word) < 0)
        need_memory(NULL);
    return path;
}

static const char *take_suppressions(const char *word)
{
    const char *path = take_file("--suppressions", word);
    struct stat about;
    if (access(path, R_OK) != 0 || stat(path, &about) != 0)
        refuse("--suppressions: '%s' cannot be read: %s", word, strerror(errno));
    if (S_ISDIR(about.st_mode))
        refuse("--suppressions: '%s' cannot be read: %s", word, strerror(EISDIR));
    return path;
}

static const char *take_watch(const char *word)
{
    if (word && strcmp(word, "off") != 0)
        refuse("--watch: '%s' is not allowed; --watch or --watch=off is", word);
    return word ? "off" : "on";
}

static void take_pattern(struct comparison *comparison, const char *word)
{
    if (comparison->pattern_count == COMPARISON_MAX_PATTERNS)
        refuse("--pattern: '%s' is one too many; %d at most", word, COMPARISON_MAX_PATTERNS);
    regex_t *pattern = &comparison->patterns[comparison->pattern_count];
    int error = regcomp(pattern, word, REG_EXTENDED | REG_NEWLINE);
    if (error) {
        char reason[128];
        regerror(error, pattern, reason, sizeof reason);
        refuse("--pattern: '%s': %s", word, reason);
    }
    if (pattern->re_nsub < 1)
        refuse("--pattern: '%s' has no group: put the number in brackets, as in 'rate: ([0-9.]+)'", word);
    comparison->words[comparison->pattern_count++] = word;
}

static const struct option_field fields[] = {
    {KEY_COMPARE, FIELD_LOCKS, offsetof(struct request, comparison.locks), 0, 0},
    {'r', FIELD_COUNT, offsetof(struct request, comparison.runs), 1, MAX_RUNS},
    {0},
};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    if (option_store(options, fields, key, word, request))
        return 0;
    switch (key) {
    case 'l':
        request->lock = take_lock("--lock", word);
        return 0;
    case KEY_STATS:
        request->statistics = word ? take_file("--stats", word) : "-";
        return 0;
    case KEY_TRACE:
        request->trace = take_file("--trace", word);
        return 0;
    case KEY_WATCH:
        request->watch = take_watch(word);
        return 0;
    case KEY_SUPPRESSIONS:
        request->suppressions = take_suppressions(word);
        return 0;
    case KEY_PATTERN:
        take_pattern(&request->comparison, word);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .args_doc = "-- PROGRAM [ARGUMENT...]",
    .doc = "Runs a program with its pthread mutexes and condition variables on a lock of ours, by LD_PRELOAD. The "
           "lock 'pthread' is the system's own.\v"
           "docs/run.md says what holds for the program, and what the statistics mean.",
};

/* Options that do not go together. */
static void refuse_contradictions(const struct request *request)
{
    bool compares = request->comparison.locks.size;
    for (size_t i = 0; i < request->comparison.locks.size; i++)
        launch_check("--compare", request->comparison.locks.values[i]);
    const char *looks = request->watch        ? "--watch"
                        : request->trace      ? "--trace"
                        : request->statistics ? "--stats"
                                              : NULL;
    if (compares && looks)
        refuse("%s does not go with --compare", looks);
    if (request->suppressions && !request->watch)
        refuse("--suppressions goes with --watch only");
    if (!compares && (request->comparison.pattern_count || request->comparison.runs))
        refuse("--runs and --pattern go with --compare only");
    if (compares && request->lock)
        refuse("--lock does not go with --compare, which names the locks");
    if (looks && request->lock && strcmp(request->lock->id, "pthread") == 0)
        refuse("%s: the lock 'pthread' is the system's own, and cannot be looked into", looks);
    if (request->trace && request->statistics && strcmp(request->trace, request->statistics) == 0)
        refuse("--trace: '%s' is the file of --stats already", request->trace);
}

/* Checked before the program runs, when it can still be refused. The file is removed again: the program may not even
 * start. */
static void check_writable(const char *option, const char *path)
{
    struct stat about;
    bool is_new = lstat(path, &about) != 0;
    if (!is_new && S_ISFIFO(about.st_mode))
        return; /* opening and closing a pipe would end its reader */
    if (!is_new && S_ISLNK(about.st_mode))
        refuse("%s: '%s' is a symbolic link; name the file itself", option, path);
    if (!is_new && S_ISREG(about.st_mode) && (about.st_uid != geteuid() || about.st_nlink != 1))
        refuse("%s: '%s' belongs to another user, or has another name as well", option, path);
    int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        refuse("%s: '%s' cannot be written: %s", option, path, strerror(errno));
    close(file);
    if (is_new)
        unlink(path);
}

int command_run(int argc, char **argv)
{
    int end = 1;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    struct request request = {0};
    parse_options(&argp, end, argv, &request, "options, then -- PROGRAM");
    if (end + 1 >= argc)
        refuse("a program is missing: recip run [OPTION...] -- PROGRAM [ARGUMENT...]");
    refuse_contradictions(&request);
    char **program = argv + end + 1;
    if (request.comparison.locks.size)
        return compare(&request.comparison, program);
    if (!request.lock)
        request.lock = take_lock("--lock", "mutex");
    if (request.statistics && strcmp(request.statistics, "-") != 0)
        check_writable("--stats", request.statistics);
    if (request.trace)
        check_writable("--trace", request.trace);
    launch_prepare(request.lock, request.statistics);
    if (request.trace)
        launch_trace(request.trace);
    launch_watch(request.watch, request.suppressions);
    return launch(program);
}
