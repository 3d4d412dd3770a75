/* SPDX-License-Identifier: MIT */
#include "run/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/statistics.h"
#include "cli/launch.h"
#include "cli/progress.h"
#include "cli/terminal.h"

enum { DEFAULT_RUNS = 7 };

/* Runs the program with stdout and stderr in `output`. Returns the status from waitpid. */
static int run_once(const struct recip_algorithm *lock, char **program, int output, double *seconds)
{
    int status;
    double start = seconds_now();
    pid_t child = fork();
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        launch_prepare(lock, NULL);
        _exit(launch(program));
    }
    if (child < 0) {
        perror("recip: fork");
        exit(STATUS_FAILED);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *seconds = seconds_now() - start;
    return status;
}

/* What the file holds, and a zero byte. */
static char *read_all(int file, size_t *length)
{
    off_t size = lseek(file, 0, SEEK_END), done = 0;
    char *text = malloc((size_t)size + 1);
    while (text && done < size) {
        ssize_t part = pread(file, text + done, (size_t)(size - done), done);
        if (part <= 0)
            break;
        done += part;
    }
    if (text)
        text[done] = '\0';
    *length = (size_t)done;
    return text;
}

/* Reads the number that the group matched, and nothing after it. */
static bool read_figure(const char *text, const regmatch_t *group, double *figure)
{
    char number[64], *end;
    size_t size = (size_t)(group->rm_eo - group->rm_so);
    if (group->rm_so < 0 || size >= sizeof number)
        return false;
    memcpy(number, text + group->rm_so, size);
    number[size] = '\0';
    double value = strtod(number, &end);
    if (end == number || !isfinite(value))
        return false;
    *figure = value;
    return true;
}

/* The number in the last match that has one; false if there is none. */
static bool find_figure(const regex_t *pattern, const char *text, size_t length, double *figure)
{
    bool found = false;
    regmatch_t match[2] = {{.rm_eo = (regoff_t)length}};
    while (regexec(pattern, text, 2, match, REG_STARTEND) == 0) {
        found |= read_figure(text, &match[1], figure);
        bool empty = match[0].rm_eo == match[0].rm_so;
        match[0] = (regmatch_t){match[0].rm_eo + empty, (regoff_t)length};
        if (match[0].rm_so > match[0].rm_eo)
            break;
    }
    return found;
}

static int report_failure(const struct recip_algorithm *lock, int status, const char *text)
{
    if (WIFSIGNALED(status))
        fprintf(stderr, "recip: on '%s' the command was ended by signal %d; its output:\n", lock->id, WTERMSIG(status));
    else
        fprintf(stderr, "recip: on '%s' the command ended with status %d; its output:\n", lock->id,
                WEXITSTATUS(status));
    fputs(text, stderr);
    return STATUS_FAILED;
}

/* How many figures a run has. */
static size_t figure_count(const struct comparison *comparison)
{
    return comparison->pattern_count ? comparison->pattern_count : 1;
}

/* Those of the patterns; false, after a line on stderr, if one is not there. */
static bool find_figures(const struct comparison *comparison, const struct recip_algorithm *lock, const char *text,
                         size_t length, double *figures)
{
    for (size_t i = 0; i < comparison->pattern_count; i++)
        if (!find_figure(&comparison->patterns[i], text, length, &figures[i])) {
            fprintf(stderr, "recip: on '%s' the output has no number where '%s' expects one; it is:\n%s", lock->id,
                    comparison->words[i], text);
            return false;
        }
    return true;
}

/* One run: the patterns' figures, or the time. */
static int measure(const struct comparison *comparison, const struct recip_algorithm *lock, char **program,
                   double *figures)
{
    double seconds;
    int output = memfd_create("output", MFD_CLOEXEC);
    if (output < 0) {
        perror("recip: memfd_create");
        return STATUS_FAILED;
    }
    int status = run_once(lock, program, output, &seconds), result = STATUS_OK;
    size_t length;
    char *text = need_memory(read_all(output, &length));
    close(output);
    figures[0] = seconds;
    if (status != 0)
        result = report_failure(lock, status, text);
    else if (!find_figures(comparison, lock, text, length, figures))
        result = STATUS_FAILED;
    free(text);
    return result;
}

/* The ratio of each run to the first lock's run in the same round, so that drift between rounds does not count. */
static struct estimate ratio_of(const double *figures, const double *first, unsigned runs, double *scratch)
{
    for (unsigned run = 0; run < runs; run++)
        scratch[run] = first[run] != 0 ? figures[run] / first[run] : 0;
    return estimate_median(scratch, runs);
}

/* Of the column of names. */
static int name_width(const struct algorithm_list *locks)
{
    size_t width = 0;
    for (size_t i = 0; i < locks->size; i++)
        width = strlen(locks->values[i]->id) > width ? strlen(locks->values[i]->id) : width;
    return (int)width;
}

/* The figures of one pattern: all runs of the first lock, of the second, and so on. */
static void print_table(const struct comparison *comparison, const char *title, unsigned runs, const double *figures,
                        double *scratch)
{
    bool confident = false;
    const int names = name_width(&comparison->locks);
    print_folded(stdout, 0, "%s, %u runs each, taking turns\n", title, runs);
    printf("\n%-*s %11s %11s %11s %8s\n", names, "", "median", "least", "most", "ratio");
    for (size_t lock = 0; lock < comparison->locks.size; lock++) {
        const double *own = figures + lock * runs;
        memcpy(scratch, own, runs * sizeof *own);
        double median = estimate_median(scratch, runs).median;
        double least = scratch[0], most = scratch[runs - 1];
        struct estimate ratio = ratio_of(own, figures, runs, scratch);
        char interval[48] = "";
        confident = ratio.confident;
        if (lock > 0)
            snprintf(interval, sizeof interval, "  %.3f..%.3f", ratio.low, ratio.high);
        print_folded(stdout, (unsigned)names + 1, "%-*s %11.6g %11.6g %11.6g %8.3f%s\n", names,
                     comparison->locks.values[lock]->id, median, least, most, ratio.median, interval);
    }
    print_folded(stdout, 0, "\nratio: to the first line's run of the same round, median and %s\n",
                 confident ? "95 % interval" : "range (6 runs or more give a 95 % interval)");
}

/* Each run gets the same input: a file from its current offset; or nothing in place of a pipe or a terminal, which the
 * first run would use up. */
static off_t input_start(void)
{
    off_t start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (start >= 0 || errno != ESPIPE)
        return start;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    return 0;
}

static void print_tables(const struct comparison *comparison, unsigned runs, const double *figures, double *scratch)
{
    size_t size = comparison->locks.size * runs;
    for (size_t i = 0; i < figure_count(comparison); i++) {
        const char *title = comparison->pattern_count ? comparison->words[i] : "seconds";
        if (i > 0)
            putchar('\n');
        print_table(comparison, title, runs, figures + i * size, scratch);
    }
}

int compare(const struct comparison *comparison, char **program)
{
    off_t input = input_start();
    unsigned runs = comparison->runs ? comparison->runs : DEFAULT_RUNS;
    size_t locks = comparison->locks.size, size = locks * runs, count = figure_count(comparison);
    double *figures = need_memory(calloc(count * size + runs, sizeof *figures));
    double one[COMPARISON_MAX_PATTERNS] = {0};
    struct progress progress;
    int status = STATUS_OK;
    progress_start(&progress, locks * runs);
    for (unsigned run = 0; run < runs && status == STATUS_OK; run++)
        for (size_t lock = 0; lock < locks && status == STATUS_OK; lock++) {
            const struct recip_algorithm *algorithm = comparison->locks.values[lock];
            progress_step(&progress, "run %u of %u, %s", run + 1, runs, algorithm->id);
            lseek(STDIN_FILENO, input, SEEK_SET);
            status = measure(comparison, algorithm, program, one);
            for (size_t i = 0; i < count; i++)
                figures[i * size + lock * runs + run] = one[i];
        }
    progress_end(&progress);
    if (status == STATUS_OK)
        print_tables(comparison, runs, figures, figures + count * size);
    free(figures);
    return status;
}
