/* recip bench: MutexBench over the locks, interleaved, with a table of medians at the end. */
#include "recip/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/mutexbench.h"
#include "recip/progress.h"

static const struct workload {
    const char *name;
    unsigned outside;
} workloads[] = {{"max", 0}, {"moderate", MODERATE_STEPS}};

enum { WORKLOADS = sizeof workloads / sizeof *workloads, MOST_THREADS = 10000, MOST_ROUNDS = 1000 };

struct request {
    struct algorithm_list locks;
    struct count_list threads;
    double seconds;
    unsigned rounds;
};

/* One column of the table: a workload with a number of threads. */
struct column {
    const struct workload *workload;
    unsigned threads;
};

static const struct argp_option options[] = {
    {"lock", 'l', "ID,...", 0, "the locks to compare (default: all)", 0},
    {"threads", 't', "N,...", 0, "numbers of threads (default: 1, the CPUs, and twice the CPUs)", 0},
    {"duration", 'd', "SECONDS", 0, "length of one measurement (default: 0.1)", 0},
    {"runs", 'r', "N", 0, "measurements of each, interleaved; their median is shown (default: 3)", 0},
    {0},
};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'l':
        free(request->locks.values);
        request->locks = option_locks("--lock", word);
        return 0;
    case 't':
        free(request->threads.values);
        request->threads = option_counts("--threads", word, 1, MOST_THREADS);
        return 0;
    case 'd':
        request->seconds = option_seconds("--duration", word, 0.001, 3600);
        return 0;
    case 'r':
        request->rounds = option_count("--runs", word, 1, MOST_ROUNDS);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .doc =
        "Compares locks on this machine with MutexBench: threads acquire one lock, advance a shared mt19937 by a step "
        "and "
        "release it. Under maximum contention they do nothing else; under moderate contention they advance a private "
        "mt19937 by 0 to 249 steps in between. The locks take turns within a round, so that noise hits all alike.\v"
        "The table shows millions of operations per second, by all threads together. Locks that only spin collapse "
        "where "
        "threads exceed CPUs: that is what they do, not a fault of the measurement.",
};

static void set_defaults(struct request *request)
{
    if (!request->locks.size) {
        request->locks.values = malloc(recip_algorithm_count * sizeof(void *));
        memcpy(request->locks.values, recip_algorithms, recip_algorithm_count * sizeof(void *));
        request->locks.size = recip_algorithm_count;
    }
    if (!request->threads.size) {
        unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
        unsigned defaults[] = {1, cpus, 2 * cpus};
        request->threads.values = malloc(sizeof defaults);
        for (int i = 0; i < 3; i++)
            if (i == 0 || defaults[i] != request->threads.values[request->threads.size - 1])
                request->threads.values[request->threads.size++] = defaults[i];
    }
}

static void refuse_unfit(const struct request *request)
{
    for (size_t lock = 0; lock < request->locks.size; lock++) {
        unsigned most = request->locks.values[lock]->most_threads;
        for (size_t i = 0; most && i < request->threads.size; i++)
            if (request->threads.values[i] > most)
                refuse("--threads: '%u' is too many for the lock '%s', which takes %u at most",
                       request->threads.values[i], request->locks.values[lock]->id, most);
    }
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t size)
{
    qsort(values, size, sizeof *values, compare_doubles);
    return size % 2 ? values[size / 2] : (values[size / 2 - 1] + values[size / 2]) / 2;
}

/* rates[(lock * columns + column) * rounds + round], in operations per second. */
static int measure(const struct request *request, const struct column *columns, size_t column_count, double *rates)
{
    size_t locks = request->locks.size;
    struct progress progress;
    progress_start(&progress, request->rounds * column_count * locks);
    for (unsigned round = 0; round < request->rounds; round++)
        for (size_t column = 0; column < column_count; column++)
            for (size_t lock = 0; lock < locks; lock++) {
                struct mutexbench bench = {
                    .lock = request->locks.values[lock],
                    .threads = columns[column].threads,
                    .outside = columns[column].workload->outside,
                    .seconds = request->seconds,
                };
                struct mutexbench_result result;
                progress_step(&progress, "round %u of %u, %s, %u threads, %s", round + 1, request->rounds,
                              columns[column].workload->name, bench.threads, bench.lock->id);
                if (!mutexbench_run(&bench, &result)) {
                    progress_end(&progress);
                    fprintf(stderr, "recip: %u threads cannot be had on this system\n", bench.threads);
                    return STATUS_FAILED;
                }
                if (!result.excluded) {
                    progress_end(&progress);
                    fprintf(stderr, "recip: the lock '%s' let two threads in at once\n", bench.lock->id);
                    return STATUS_FAILED;
                }
                rates[(lock * column_count + column) * request->rounds + round] =
                    (double)result.operations / result.seconds;
            }
    progress_end(&progress);
    return STATUS_OK;
}

static void print_table(const struct request *request, const struct column *columns, size_t column_count, double *rates)
{
    printf("Millions of operations per second, median of %u runs of %g s\n\n%-31s", request->rounds, request->seconds,
           "");
    for (size_t column = 0; column < column_count; column++)
        printf(" %9s", columns[column].workload->name);
    printf("\n%-31s", "threads");
    for (size_t column = 0; column < column_count; column++)
        printf(" %9u", columns[column].threads);
    putchar('\n');
    for (size_t lock = 0; lock < request->locks.size; lock++) {
        printf("%-31s", request->locks.values[lock]->id);
        for (size_t column = 0; column < column_count; column++)
            printf(" %9.3f", median(&rates[(lock * column_count + column) * request->rounds], request->rounds) / 1e6);
        putchar('\n');
    }
}

int command_bench(int argc, char **argv)
{
    struct request request = {.seconds = 0.1, .rounds = 3};
    parse_options(&argp, argc, argv, &request, NULL);
    set_defaults(&request);
    refuse_unfit(&request);

    size_t column_count = WORKLOADS * request.threads.size;
    struct column *columns = calloc(column_count, sizeof *columns);
    double *rates = calloc(request.locks.size * column_count * request.rounds, sizeof *rates);
    for (size_t i = 0; i < column_count; i++)
        columns[i] =
            (struct column){&workloads[i / request.threads.size], request.threads.values[i % request.threads.size]};
    int status = measure(&request, columns, column_count, rates);
    if (status == STATUS_OK)
        print_table(&request, columns, column_count, rates);
    free(rates);
    free(columns);
    free(request.locks.values);
    free(request.threads.values);
    return status;
}
