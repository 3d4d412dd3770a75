/* SPDX-License-Identifier: MIT */
/* The protocol engine alone: known sequences of loads, stores and exchanges, with the states, events and times that
 * they have to have. Three caches: 0 and 1 on the first socket, 2 on the second; no jitter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/coherence.h"

#define NS(n) ((n)*SIM_NANOSECOND)

static const struct machine base = {
    .sockets = 2,
    .clusters = 1,
    .cores = 2,
    .threads = 1,
    .line = 64,
    .hit = NS(1),
    .atomic = NS(8),
    .shared = NS(30),
    .transfer = NS(60),
    .upgrade = NS(50),
    .memory = NS(100),
    .hop = NS(40),
    .invalidate = NS(2),
    .read_occupancy = NS(5),
    .link_occupancy = NS(3),
};

static struct machine machine;
static struct events events;
static struct coherence coherence;

static unsigned home_of(uintptr_t address)
{
    return address >= 4096;
}

static void make_caches(void)
{
    events = (struct events){0};
    coherence_init(&coherence, &machine, &events, home_of, 1);
}

static int make(void **state)
{
    (void)state;
    machine = base;
    make_caches();
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    coherence_free(&coherence);
    events_free(&events);
    return 0;
}

static void nothing(struct request *request)
{
    request->subject = &events;
}

/* One access, to its end. What it met; its time in nanoseconds is left in *taken. */
static enum outcome does(unsigned cache, enum access access, uintptr_t address, unsigned *taken)
{
    struct line *line = coherence_line(&coherence, address);
    struct request request = {.access = access, .cache = cache, .done = nothing};
    sim_time before = events.now;
    *taken = 0;
    if (coherence_hit(line, cache, access))
        return OUTCOME_HIT;
    coherence_request(&coherence, line, &request);
    while (events_step(&events))
        ;
    assert_ptr_equal(request.subject, &events);
    *taken = (unsigned)((events.now - before) / SIM_NANOSECOND);
    return request.outcome;
}

static void expect(unsigned cache, enum access access, uintptr_t address, enum outcome outcome, unsigned takes,
                   const char *states)
{
    unsigned taken;
    assert_int_equal(does(cache, access, address, &taken), outcome);
    assert_int_equal(taken, takes);
    for (unsigned i = 0; states[i]; i++)
        assert_int_equal(coherence_state(coherence_line(&coherence, address), i), states[i]);
}

static void first_load_is_exclusive_and_a_store_then_free(void **state)
{
    (void)state;
    expect(0, ACCESS_LOAD, 64, OUTCOME_MISS, 100, "EII");
    expect(0, ACCESS_LOAD, 64, OUTCOME_HIT, 0, "EII");
    expect(0, ACCESS_STORE, 64, OUTCOME_HIT, 0, "MII");
}

static void a_modified_line_is_shared_then_upgraded(void **state)
{
    (void)state;
    expect(0, ACCESS_STORE, 64, OUTCOME_MISS, 100, "MII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "SSI");
    expect(0, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50, "MII");
    expect(1, ACCESS_RMW, 64, OUTCOME_MISS, 60, "IMI");
    expect(0, ACCESS_RMW, 64, OUTCOME_MISS, 60, "MII");
    assert_int_equal(coherence.invalidations[0], 1);
    assert_int_equal(coherence.invalidations[1], 2);
}

/* The first reader of a modified line takes it over and may write; the reader of one that it has not written shares. */
static void a_migratory_line_goes_to_its_first_reader(void **state)
{
    (void)state;
    machine.protocol = PROTOCOL_MIGRATORY;
    expect(0, ACCESS_STORE, 64, OUTCOME_MISS, 100, "MII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "IEI");
    expect(0, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "SSI");
    expect(1, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50, "IMI");
    expect(0, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "EII");
    expect(0, ACCESS_STORE, 64, OUTCOME_HIT, 0, "MII");
}

/* What has been under way before is shorter by that, but no longer than its line has been free, and never less than
 * nothing. */
static void a_head_start_shortens(void **state)
{
    (void)state;
    const struct {
        unsigned since, takes;
    } cases[] = {{980, 40}, {900, 0}, {1000, 60}};
    for (unsigned i = 0; i < 3; i++) {
        uintptr_t address = 64 * (1 + i);
        struct line *line = coherence_line(&coherence, address);
        struct request request = {.access = ACCESS_LOAD, .done = nothing, .since = NS(cases[i].since)};
        *line = (struct line){.number = line->number, .owner = 1, .owner_state = 'M', .copies = {2}};
        sim_time now = events.now = NS(1000);
        coherence_request(&coherence, line, &request);
        while (events_step(&events))
            ;
        assert_int_equal((events.now - now) / SIM_NANOSECOND, cases[i].takes);
        assert_int_equal(coherence_state(line, 0), 'S');
    }
    struct line *line = coherence_line(&coherence, 64 * 9);
    struct request request = {.access = ACCESS_LOAD, .done = nothing, .since = NS(900)};
    *line = (struct line){.number = line->number, .owner = 1, .owner_state = 'M', .copies = {2}, .free = NS(990)};
    events.now = NS(1000);
    coherence_request(&coherence, line, &request);
    while (events_step(&events))
        ;
    assert_int_equal(events.now / SIM_NANOSECOND, 1050);
}

/* Without a latency of its own, taking copies away takes what fetching a modified line takes. */
static void an_upgrade_is_a_transfer_unless_told(void **state)
{
    (void)state;
    machine.upgrade = 0;
    expect(0, ACCESS_STORE, 64, OUTCOME_MISS, 100, "MII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "SSI");
    expect(0, ACCESS_STORE, 64, OUTCOME_UPGRADE, 60, "MII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "SSI");
    expect(3, ACCESS_STORE, 64, OUTCOME_MISS, 60 + 2 + 80, "IIIM");
}

static void moesi_keeps_an_owner(void **state)
{
    (void)state;
    machine.protocol = PROTOCOL_MOESI;
    expect(0, ACCESS_STORE, 64, OUTCOME_MISS, 100, "MII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "OSI");
    expect(0, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50, "MII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "OSI");
    expect(1, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50, "IMI");
}

/* Home at socket 0. Two hops of 40 as soon as one of requester, home and holder is elsewhere. */
static void sockets_cost_hops(void **state)
{
    (void)state;
    expect(0, ACCESS_STORE, 64, OUTCOME_MISS, 100, "MII");
    expect(2, ACCESS_STORE, 64, OUTCOME_MISS, 60 + 80, "IIM");
    expect(3, ACCESS_STORE, 64, OUTCOME_MISS, 60 + 80, "IIIM");
    expect(2, ACCESS_LOAD, 64, OUTCOME_MISS, 60 + 80, "IISS");
    expect(2, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50 + 80, "IIMI");
    /* Without a home that settles it, what is on the socket stays there. */
    machine.adjudication = ADJUDICATION_SOCKET;
    expect(3, ACCESS_STORE, 64, OUTCOME_MISS, 60, "IIIM");
    expect(0, ACCESS_LOAD, 64, OUTCOME_MISS, 60 + 80, "SIIS");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 30, "SSIS");
}

/* Two clusters of two cores in each socket, and 7 for a way between clusters. */
static void clusters_settle_what_is_theirs(void **state)
{
    unmake(state);
    machine.clusters = 2;
    machine.cores = 4;
    machine.cluster_hop = NS(7);
    make_caches();
    expect(0, ACCESS_STORE, 64, OUTCOME_MISS, 100, "MIIII");
    expect(1, ACCESS_STORE, 64, OUTCOME_MISS, 60, "IMIII");
    expect(2, ACCESS_STORE, 64, OUTCOME_MISS, 60 + 14, "IIMII");
    expect(3, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "IISSI");
    expect(3, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50, "IIIMI");
    expect(0, ACCESS_LOAD, 64, OUTCOME_MISS, 60 + 14, "SIISI");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 30, "SSISI");
    expect(1, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50 + 2 + 14, "IMIII");
    /* From the other socket, and there: its cores 4 and 5 are one cluster, 6 is of another. */
    expect(4, ACCESS_STORE, 64, OUTCOME_MISS, 60 + 14 + 80, "IIIIM");
    expect(5, ACCESS_STORE, 64, OUTCOME_MISS, 60, "IIIIIM");
    expect(6, ACCESS_STORE, 64, OUTCOME_MISS, 60 + 14 + 80, "IIIIIIM");
}

static void every_further_copy_costs(void **state)
{
    (void)state;
    expect(0, ACCESS_LOAD, 64, OUTCOME_MISS, 100, "EII");
    expect(1, ACCESS_LOAD, 64, OUTCOME_MISS, 60, "SSI");
    expect(2, ACCESS_LOAD, 64, OUTCOME_MISS, 30 + 80, "SSS");
    expect(3, ACCESS_LOAD, 64, OUTCOME_MISS, 30 + 80, "SSSS");
    expect(0, ACCESS_STORE, 64, OUTCOME_UPGRADE, 50 + 2 * 2 + 80, "MIII");
}

/* Three at once: served in order of arrival, the writes one after the other, the reads pipelined behind the first. */
static void requests_for_a_line_wait_for_each_other(void **state)
{
    (void)state;
    struct line *line = coherence_line(&coherence, 64);
    struct request write = {.access = ACCESS_RMW, .cache = 0, .done = nothing};
    struct request first = {.access = ACCESS_LOAD, .cache = 1, .done = nothing};
    struct request last = {.access = ACCESS_STORE, .cache = 1, .done = nothing};
    coherence_request(&coherence, line, &write);
    coherence_request(&coherence, line, &first);
    coherence_request(&coherence, line, &last);
    while (events_step(&events))
        ;
    assert_int_equal(events.now, NS(100 + 60 + 50));
    assert_int_equal(write.outcome, OUTCOME_MISS);
    assert_int_equal(first.outcome, OUTCOME_MISS);
    assert_int_equal(last.outcome, OUTCOME_UPGRADE);
    assert_int_equal(coherence_state(line, 1), 'M');
}

static void reads_are_pipelined(void **state)
{
    (void)state;
    machine.cores = 128;
    machine.sockets = 1;
    coherence_free(&coherence);
    coherence_init(&coherence, &machine, &events, home_of, 1);
    struct line *line = coherence_line(&coherence, 64);
    struct request requests[64];
    unsigned taken;
    does(0, ACCESS_STORE, 64, &taken);
    sim_time start = events.now;
    for (unsigned i = 0; i < 64; i++) {
        requests[i] = (struct request){.access = ACCESS_LOAD, .cache = i + 1, .done = nothing};
        coherence_request(&coherence, line, &requests[i]);
    }
    while (events_step(&events))
        ;
    assert_true(events.now - start < NS(60 + 64 * 5));
    assert_int_equal(coherence_state(line, 0), 'S');
    assert_int_equal(coherence_state(line, 64), 'S');
}

static unsigned woken;

static void count_wake(struct watcher *watcher)
{
    (void)watcher;
    woken++;
}

/* A reader sleeps through other reads and wakes when its copy goes; one that spins by exchanges wakes for a read too.
 */
static void watchers_wake_when_their_right_goes(void **state)
{
    (void)state;
    unsigned taken;
    struct line *line = coherence_line(&coherence, 64);
    struct watcher reader = {.cache = 0, .wake = count_wake}, writer = {.cache = 0, .writes = true, .wake = count_wake};
    woken = 0;
    does(0, ACCESS_RMW, 64, &taken);
    assert_int_equal(coherence_watch(line, &reader, line->version), 1);
    assert_int_equal(coherence_watch(line, &writer, line->version), 2);
    does(1, ACCESS_LOAD, 64, &taken);
    assert_int_equal(woken, 1);
    assert_int_equal(coherence_watch(line, &writer, line->version), 0);
    does(1, ACCESS_STORE, 64, &taken);
    assert_int_equal(woken, 2);
    assert_int_equal(coherence_watch(line, &reader, line->version), 0);
}

/* A hardware thread of the same core writes: the line stays, its value does not. */
static void watchers_wake_for_their_own_cache(void **state)
{
    (void)state;
    unsigned taken;
    struct line *line = coherence_line(&coherence, 64);
    struct watcher reader = {.cache = 0, .wake = count_wake};
    woken = 0;
    does(0, ACCESS_STORE, 64, &taken);
    uint32_t version = line->version;
    assert_int_equal(coherence_watch(line, &reader, version), 1);
    assert_true(coherence_hit(line, 0, ACCESS_STORE));
    assert_int_equal(woken, 1);
    assert_int_equal(coherence_watch(line, &reader, version), 0);
}

static void the_link_is_shared(void **state)
{
    (void)state;
    struct request one = {.access = ACCESS_STORE, .cache = 2, .done = nothing};
    struct request other = {.access = ACCESS_STORE, .cache = 3, .done = nothing};
    coherence_request(&coherence, coherence_line(&coherence, 64), &one);
    coherence_request(&coherence, coherence_line(&coherence, 128), &other);
    while (events_step(&events))
        ;
    assert_int_equal(one.latency, NS(100 + 80));
    assert_int_equal(other.latency, NS(100 + 80 + 2 * 3));
    assert_true(one.remote);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(first_load_is_exclusive_and_a_store_then_free),
        TEST(a_modified_line_is_shared_then_upgraded),
        TEST(a_migratory_line_goes_to_its_first_reader),
        TEST(a_head_start_shortens),
        TEST(an_upgrade_is_a_transfer_unless_told),
        TEST(moesi_keeps_an_owner),
        TEST(sockets_cost_hops),
        TEST(clusters_settle_what_is_theirs),
        TEST(every_further_copy_costs),
        TEST(requests_for_a_line_wait_for_each_other),
        TEST(reads_are_pipelined),
        TEST(watchers_wake_when_their_right_goes),
        TEST(watchers_wake_for_their_own_cache),
        TEST(the_link_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
