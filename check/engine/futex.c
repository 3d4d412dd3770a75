#include "check/engine/futex.h"

#include <stddef.h>

#include "check/engine/engine.h"

enum { MOST_FUTEXES = 64 };

static struct futex {
    uintptr_t address;
    struct clock known;
} futexes[MOST_FUTEXES];

static unsigned futex_count;

/* Who has slept where, over all executions. */
static struct bed {
    uintptr_t address;
    unsigned threads; /* a bit for each */
} beds[MOST_FUTEXES];

static unsigned bed_count;

void futex_forget(void)
{
    bed_count = 0;
}

static bool several(unsigned threads)
{
    return threads & (threads - 1);
}

bool futex_park(uintptr_t address, unsigned thread, bool *restart)
{
    unsigned i = 0;
    while (i < bed_count && beds[i].address != address)
        i++;
    if (i == MOST_FUTEXES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d addresses are parked at", MOST_FUTEXES);
        return true;
    }
    if (i == bed_count)
        beds[bed_count++] = (struct bed){.address = address};
    unsigned before = beds[i].threads;
    beds[i].threads |= 1u << thread;
    *restart |= several(beds[i].threads) && !several(before);
    return several(beds[i].threads);
}

void futex_reset(void)
{
    futex_count = 0;
}

static struct futex *futex_at(uintptr_t address)
{
    for (unsigned i = 0; i < futex_count; i++)
        if (futexes[i].address == address)
            return &futexes[i];
    return NULL;
}

void futex_seen(uintptr_t address, struct clock *now)
{
    const struct futex *futex = futex_at(address);
    if (futex)
        clock_join(now, &futex->known);
}

void futex_wake(uintptr_t address, const struct clock *now)
{
    struct futex *futex = futex_at(address);
    if (!futex && futex_count == MOST_FUTEXES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d addresses are woken", MOST_FUTEXES);
        return;
    }
    if (!futex) {
        futex = &futexes[futex_count++];
        *futex = (struct futex){.address = address};
    }
    clock_join(&futex->known, now);
}
