#include "check/engine/futex.h"

enum { MOST_FUTEXES = 64, FACT_QUEUED = 16 };

static struct futex {
    uintptr_t address;
    struct clock known;
    uint64_t last; /* the name of the last event here */
} futexes[MOST_FUTEXES];

static unsigned futex_count;

void futex_reset(void)
{
    futex_count = 0;
}

static struct futex *futex_at(uintptr_t address)
{
    for (unsigned i = 0; i < futex_count; i++)
        if (futexes[i].address == address)
            return &futexes[i];
    if (futex_count == MOST_FUTEXES) {
        engine_fail(FAILURE_LIMIT, NULL, NULL, "more than %d addresses are parked at", MOST_FUTEXES);
        return &futexes[0];
    }
    futexes[futex_count] = (struct futex){.address = address};
    return &futexes[futex_count++];
}

void futex_seen(uintptr_t address, struct clock *now)
{
    clock_join(now, &futex_at(address)->known);
}

void futex_enter(uintptr_t address, struct task *task)
{
    struct futex *futex = futex_at(address);
    uint64_t name = event_name(task->number, task->events);
    clock_join(&task->now, &futex->known);
    graph_add(FACT_QUEUED, address, futex->last, name);
    futex->last = name;
}

void futex_leave(uintptr_t address, struct task *task)
{
    clock_join(&futex_at(address)->known, &task->now);
}
