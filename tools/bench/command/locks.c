/* SPDX-License-Identifier: MIT */
/* Which locks are measured. */
#include "bench/command/bench.h"

#include <stdlib.h>
#include <string.h>

#include "bench/measure/threads.h"
#include "cli/launch.h"
#include "zoo/cpu-fit.h"
#include "zoo/pthread-fit.h"

/* Threads for each CPU that a lock which only spins is measured with at most: more of them hardly make progress, and
 * take very long to end. */
enum { MAX_SPINNERS_ASKED = 16, MAX_SPINNERS = 4 };

static unsigned max_threads(const struct bench_lock *lock, bool spins)
{
    unsigned spinners = lock->asked ? MAX_SPINNERS_ASKED : MAX_SPINNERS;
    unsigned max = spins ? spinners * threads_cpus() : BENCH_MAX_THREADS;
    unsigned own = lock->algorithm ? lock->algorithm->max_threads : 0;
    return own && own < max ? own : max;
}

void bench_append_lock(struct bench *bench, const struct bench_lock *lock)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        if (strcmp(bench->locks[i].id, lock->id) == 0)
            return;
    bench->locks = need_memory(realloc(bench->locks, (bench->lock_count + 1) * sizeof *bench->locks));
    bench->locks[bench->lock_count++] = *lock;
}

void bench_add_lock(struct bench *bench, const struct bench_lock *lock, bool spins)
{
    struct bench_lock one = *lock;
    one.max_threads = max_threads(lock, spins);
    one.subject = lock->algorithm ? lock->algorithm->id : lock->id;
    bench_append_lock(bench, &one);
}

void bench_add_algorithm(struct bench *bench, const struct recip_algorithm *lock, bool asked)
{
    struct bench_lock one = {.id = lock->id, .algorithm = lock, .asked = asked};
    bench_add_lock(bench, &one, !lock->parks && lock->waits != RECIP_WAITS_SYSTEM);
}

static void add_asked_locks(struct bench *bench)
{
    struct algorithm_list asked = option_locks("--lock", bench->asked_locks);
    for (size_t i = 0; i < asked.size; i++) {
        const struct recip_algorithm *lock = asked.values[i];
        if (recip_cpu_fits(lock))
            bench_add_algorithm(bench, lock, true);
        else if (option_names_lock(bench->asked_locks, lock))
            refuse("--lock: '%s' needs %s, which this CPU does not have", lock->id, recip_cpu_instruction(lock));
    }
    free(asked.values);
}

/* Many locks make a long run and an unreadable table: these families are measured only if they are named. */
static bool is_measured_by_default(const struct recip_algorithm *lock)
{
    return lock->family != RECIP_FAMILY_NUMA && lock->family != RECIP_FAMILY_FEW && recip_cpu_fits(lock);
}

void bench_add_locks(struct bench *bench)
{
    if (!bench->asked_locks) {
        for (size_t i = 0; i < recip_algorithm_count; i++)
            if (is_measured_by_default(recip_algorithms[i]))
                bench_add_algorithm(bench, recip_algorithms[i], false);
    } else if (strcmp(bench->asked_locks, mutexbench_no_lock.id) == 0) {
        bench_add_lock(bench, &(struct bench_lock){.id = mutexbench_no_lock.id, .algorithm = &mutexbench_no_lock},
                       false);
    } else {
        add_asked_locks(bench);
    }
}

static bool fits_preload(const struct recip_algorithm *lock)
{
    return strcmp(lock->id, "pthread") == 0 || !recip_pthread_unfit_reason(lock);
}

void bench_add_preload_locks(struct bench *bench)
{
    if (bench->asked_locks)
        add_asked_locks(bench);
    for (size_t i = 0; !bench->asked_locks && i < recip_algorithm_count; i++)
        if (fits_preload(recip_algorithms[i]))
            bench_add_algorithm(bench, recip_algorithms[i], false);
    for (size_t i = 0; i < bench->lock_count; i++)
        launch_check("--lock", bench->locks[i].algorithm);
}

bool bench_fits(const struct bench_lock *lock, const struct bench_column *column)
{
    return lock->pair != (column->section == SECTION_PAIR ? WITHOUT_PAIR : ONLY_PAIR);
}

void bench_refuse_too_many_threads(const struct bench *bench)
{
    for (size_t i = 0; i < bench->lock_count; i++)
        for (size_t j = 0; j < bench->column_count; j++) {
            const struct bench_lock *lock = &bench->locks[i];
            const struct bench_column *column = &bench->columns[j];
            if (lock->asked && bench_fits(lock, column) && column->threads + column->others > lock->max_threads)
                refuse("--%s: '%u' is too many for the lock '%s', which takes %u%s at most here",
                       bench->kind->options & TAKES_WAITING ? "hogs" : "threads", column->threads, lock->id,
                       lock->max_threads, column->others ? " with those that lock seldom" : "");
        }
}
