/* SPDX-License-Identifier: MIT */
/* The virtual clock: events happen in order of time, and at one time in the order in which they were asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/events.h"
#include "sim/random.h"

enum { EVENTS = 20000, AT_FIRST = 100, MOST_FOLLOWERS = 4, SPREAD = 50 };

/* Each has its number, in the order in which they were asked for, and when it is to happen. */
static struct {
    struct events events;
    sim_time due[EVENTS];
    bool happened[EVENTS];
    unsigned asked, count, last;
    uint64_t random;
} now;

static void happen(void *subject);

static void ask(sim_time time)
{
    if (now.asked == EVENTS)
        return;
    now.due[now.asked] = time;
    events_add(&now.events, time, happen, &now.due[now.asked++]);
}

static sim_time earliest_to_come(void)
{
    sim_time earliest = SIM_NEVER;
    for (unsigned i = 0; i < now.asked; i++)
        if (!now.happened[i] && now.due[i] < earliest)
            earliest = now.due[i];
    return earliest;
}

/* None, one or several follow, some of them at once. The next one is known in between, too. */
static void happen(void *subject)
{
    unsigned number = (unsigned)((sim_time *)subject - now.due);
    now.happened[number] = true;
    assert_int_equal(now.events.now, now.due[number]);
    if (now.count++ > 0 && now.due[now.last] == now.due[number])
        assert_true(now.last < number);
    now.last = number;
    for (uint64_t followers = random_below(&now.random, MOST_FOLLOWERS); followers > 0; followers--) {
        ask(now.events.now + random_below(&now.random, SPREAD));
        if (number % 16 == 0)
            assert_int_equal(events_next(&now.events), earliest_to_come());
    }
    if (number % 16 == 0)
        assert_int_equal(events_next(&now.events), earliest_to_come());
}

static void events_happen_in_order(void **state)
{
    (void)state;
    now.random = 1;
    assert_false(events_step(&now.events));
    for (unsigned i = 0; i < AT_FIRST; i++)
        ask(random_below(&now.random, SPREAD));
    sim_time before = 0;
    while (events_step(&now.events)) {
        assert_true(now.events.now >= before);
        before = now.events.now;
    }
    assert_int_equal(now.asked, EVENTS);
    assert_int_equal(now.count, EVENTS);
    assert_true(events_next(&now.events) == SIM_NEVER);
    events_free(&now.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_happen_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
