/* SPDX-License-Identifier: MIT */
/* A cell measured by `recip bench mutexbench`, a process for each round: the locks of this program are the simulator's.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/own-files.h"
#include "sim/calibrate/calibrate.h"

static const char *recip_program(void)
{
    static char path[2 * PATH_MAX];
    if (!path[0] && !own_file("recip", RECIP_TO_BIN, path)) {
        fputs("recip: --calibrate: there is no program 'recip' beside this one\n", stderr);
        exit(STATUS_FAILED);
    }
    return path;
}

/* Of the CPU time that threads could have had, they lose less to the system itself. */
#define UNDISTURBED 0.95

/* A thread for each CPU, at most: then each has its own, as in the model. */
static bool has_cpu_for_each(const struct calibrate_cell *cell)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && cell->threads <= (unsigned)CPU_COUNT(&allowed);
}

static _Noreturn void become_bench(const struct calibrate_cell *cell, int output)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%u", cell->threads);
    const char *const words[] = {"recip",
                                 "bench",
                                 "mutexbench",
                                 "--lock",
                                 cell->lock->id,
                                 "--threads",
                                 threads,
                                 "--inside",
                                 "1",
                                 "--outside",
                                 cell->workload == WORKLOAD_MAX ? "0" : "250",
                                 "--runs",
                                 "1",
                                 "--csv",
                                 "--duration",
                                 cell->threads <= 2 ? "0.03" : "0.1",
                                 has_cpu_for_each(cell) ? "--pinned" : NULL,
                                 NULL};
    if (dup2(output, STDOUT_FILENO) >= 0)
        execv(recip_program(), (char **)words);
    fprintf(stderr, "recip: --calibrate: %s: %s\n", recip_program(), strerror(errno));
    _exit(STATUS_FAILED);
}

/* The number in the column of that name; 0 if there is none. */
static double read_column(const char *head, const char *row, const char *name)
{
    size_t length = strlen(name);
    for (;;) {
        size_t heading = strcspn(head, ",\n"), field = strcspn(row, ",\n");
        if (heading == length && memcmp(head, name, length) == 0)
            return strtod(row, NULL);
        if (head[heading] != ',' || row[field] != ',')
            return 0;
        head += heading + 1;
        row += field + 1;
    }
}

/* Threads that spin have all of their CPUs, unless other programs had them for a while. Of threads that sleep it is not
 * known. */
static bool was_disturbed(const struct calibrate_cell *cell, double cpu_seconds, double seconds)
{
    return cell->threads > 1 && !cell->lock->parks && has_cpu_for_each(cell) &&
           cpu_seconds < UNDISTURBED * cell->threads * seconds;
}

/* Nanoseconds for an episode; 0 if there are none, or others disturbed it. One thread's are of its own CPU time, so
 * that it does not matter whether other programs had its CPU meanwhile. */
static double read_episode(FILE *csv, const struct calibrate_cell *cell)
{
    char head[2048], row[2048];
    if (!fgets(head, sizeof head, csv) || !fgets(row, sizeof row, csv))
        return 0;
    double rate = read_column(head, row, "value"), cpu_seconds = read_column(head, row, "cpu_seconds");
    if (was_disturbed(cell, cpu_seconds, read_column(head, row, "seconds")))
        return 0;
    if (cell->threads == 1 && cpu_seconds > 0)
        rate = read_column(head, row, "operations") / cpu_seconds;
    return rate > 0 ? 1e9 / rate : 0;
}

double calibrate_measure(const struct calibrate_cell *cell)
{
    int ends[2], status = -1;
    double episode = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_bench(cell, ends[1]);
    }
    close(ends[1]);
    FILE *csv = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (csv) {
        episode = read_episode(csv, cell);
        fclose(csv);
    } else {
        close(ends[0]);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != STATUS_OK)
        exit(STATUS_FAILED);
    return episode;
}
