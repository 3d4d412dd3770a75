/* SPDX-License-Identifier: MIT */
/* The barrier of the mutex's release, which is membarrier's: alone, while one other CPU runs a thread of this process,
 * while all do; and what such a thread loses. */
#include <linux/membarrier.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include "cli/clock.h"
#include "port/port.h"
#include "sim/measure/measure.h"

enum { SAMPLES = 51, APART = 30 * 1000, MAX_OTHERS = 15 };

static struct {
    atomic_uint running;
    atomic_bool over;
    double lost[SAMPLES];
    unsigned lost_count;
} spinning;

/* Whether the C library has registered restartable sequences, and the kernel has a barrier for them. */
static bool is_restartable(void)
{
#ifdef RSEQ_SIG
    return __rseq_size > 0 && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) == 0;
#else
    return false;
#endif
}

static void barrier(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

/* Reads the clock all the time: a gap is what it lost. The first thread notes them. */
static void *spin(void *first)
{
    uint64_t before = nanoseconds_now(), usual = 1000;
    atomic_fetch_add(&spinning.running, 1);
    while (!atomic_load_explicit(&spinning.over, memory_order_relaxed)) {
        uint64_t now = nanoseconds_now(), gap = now - before;
        if (gap < usual)
            usual = gap > 0 ? gap : 1;
        if (first && gap > 5 * usual + 100 && spinning.lost_count < SAMPLES)
            spinning.lost[spinning.lost_count++] = (double)gap;
        before = now;
    }
    return NULL;
}

static double one_barrier(void)
{
    double taken[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t before = nanoseconds_now();
        while (nanoseconds_now() - before < APART)
            port_relax();
        before = nanoseconds_now();
        barrier();
        taken[i] = (double)(nanoseconds_now() - before);
    }
    return measure_median(taken, SAMPLES);
}

static double barrier_beside(const struct layout *layout, unsigned others)
{
    pthread_t threads[MAX_OTHERS];
    atomic_store(&spinning.running, 0);
    atomic_store(&spinning.over, false);
    spinning.lost_count = 0;
    for (unsigned i = 0; i < others; i++)
        threads[i] = measure_start(layout->cpus[i + 1], spin, i == 0 ? &spinning : NULL);
    while (atomic_load(&spinning.running) < others)
        port_relax();
    double taken = one_barrier();
    atomic_store(&spinning.over, true);
    for (unsigned i = 0; i < others; i++)
        pthread_join(threads[i], NULL);
    return taken;
}

/* Two CPUs cannot tell what one more takes: it is in barrier_wait then. */
void barrier_measure(struct barrier_times *times, const struct layout *layout)
{
    *times = (struct barrier_times){.restartable = is_restartable()};
    measure_stay_on(layout->cpus[0]);
    if (!times->restartable)
        return;
    unsigned others = layout->cpu_count - 1 < MAX_OTHERS ? layout->cpu_count - 1 : MAX_OTHERS;
    times->barrier = one_barrier();
    double all = others > 1 ? barrier_beside(layout, others) : 0, one = barrier_beside(layout, 1);
    times->interrupt = spinning.lost_count ? measure_median(spinning.lost, spinning.lost_count) : 0;
    times->barrier_each = others > 1 ? fmax(0, (all - one) / (others - 1)) : 0;
    times->barrier_wait = fmax(0, one - times->barrier - times->barrier_each);
}
