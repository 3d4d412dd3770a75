/* SPDX-License-Identifier: MIT */
/* leveldb: reads from a LevelDB, in a helper on the lock by the preload library. */
#include "bench/command/bench.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_KEYS = 1000000 };

/* Of the database, which is the same for all locks. */
static char folder[PATH_MAX];

static void complete(struct bench *bench)
{
    bench_add_preload_locks(bench);
    bench_default_threads_by_cpus(bench);
    bench_add_workload(bench, (struct bench_column){.workload = "readrandom", .section = SECTION_NOTHING});
    bench_refuse_too_many_threads(bench);
}

static bool begin(struct bench *bench)
{
    const char *place = getenv("TMPDIR");
    char keys[16];
    snprintf(keys, sizeof keys, "%u", bench->keys ? bench->keys : DEFAULT_KEYS);
    int length = snprintf(folder, sizeof folder, "%s/recip-leveldb-XXXXXX", place && *place ? place : "/tmp");
    if (length >= (int)sizeof folder || !mkdtemp(folder)) {
        perror("recip: a folder for the database");
        *folder = '\0';
        return false;
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kwriting %s keys", keys);
    const char *const arguments[] = {"fill", folder, keys, NULL};
    json_t *said = bench_run_helper(bench_helper(bench->kind), NULL, arguments);
    json_decref(said);
    return said;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static void end(struct bench *bench)
{
    (void)bench;
    if (*folder)
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static json_t *measure(const struct bench *bench, const struct bench_lock *lock, const struct mutexbench *settings,
                       const struct bench_column *column)
{
    (void)column;
    return bench_measure_by_helper(bench_helper_of(bench, lock), lock->algorithm, folder, settings);
}

const struct bench_kind bench_kind_leveldb = {
    .name = "leveldb",
    .help = "LevelDB's readrandom on what fillseq has written.",
    .program = "recip-bench-leveldb",
    .package = "libleveldb-dev",
    .options = TAKES_THREADS | TAKES_KEYS,
    .seconds = 0.2,
    .complete = complete,
    .begin = begin,
    .end = end,
    .measure = measure,
};
