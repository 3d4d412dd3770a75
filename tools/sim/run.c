/* SPDX-License-Identifier: MIT */
#include "sim/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "port/node.h"
#include "sim/must.h"
#include "sim/random.h"

/* The state of std::mt19937 as libstdc++ lays it out: 624 words and the position. The words of mutexbench's own take
 * half as much. */
enum { STATE_WORDS = 624, MODERATE_STEPS = 250, MEASURED_WORD = sizeof(uint32_t) };

enum { NESTED_LOCKS = 4 };

/* One access of an acquiring thread in so many is stalled: about every fourth acquire. */
enum { STALL_ODDS = 20 };

struct generator {
    uint64_t state[STATE_WORDS];
    uint64_t position;
};

/* A thread that is not admitted for so long, in virtual time, hangs. */
#define HANGS (10 * 1000 * 1000 * (1000 * SIM_NANOSECOND))

/* With more threads than CPUs every thread is to have so many slices at least, or the run would end within the first.
 */
enum { SLICES = 10 };

/* Where the measurement lasts for a given time, this part of it is spent before it. */
enum { WARM_UP_PART = 5 };

struct episode {
    uint64_t random;
    uint64_t admitted;              /* in the measurement */
    uint64_t doorway;               /* how many admissions there had been when it passed its doorway */
    uint64_t latest, second_latest; /* the numbers of its admissions */
    uint64_t remote_before;
    sim_time release_began;
    unsigned accesses; /* in this release */
    bool noted;        /* its doorway */
    sim_time due;      /* if it comes by the clock, */
    sim_time came;     /* and from when it waits for the lock; 0: not now */
    bool sleeps;       /* until it is due, or until it runs after that */
};

static struct {
    const struct settings *settings;
    struct result *result;
    char *lock; /* NESTED_LOCKS of them, RECIP_LOCK_SIZE_MAX apart, for the nested workload */
    struct generator *generator;
    uint64_t *counter;
    struct episode *episodes;
    uint64_t total, warm_up, trace_room;
    sim_time least_warm_up, least; /* what they last at least */
    struct waits from_due, late, waits;
    bool measuring;
    sim_time started, last;
    int last_socket;
    uint64_t migrations;
    uint64_t most_remote, unwaited;
} now;

/* The shared generator, one step: its position is written, a word of its state is read; all of the state is made anew
 * when it is used up. */
static void advance_generator(void)
{
    struct generator *generator = now.generator;
    char *state = (char *)generator->state;
    size_t word = now.settings->as_measured ? MEASURED_WORD : sizeof *generator->state;
    world_read(&generator->position, sizeof generator->position);
    if (generator->position == STATE_WORDS) {
        for (size_t at = 0; at < STATE_WORDS * word; at += world.machine->line) {
            world_read(state + at, word);
            world_written(state + at);
        }
        generator->position = 0;
        world_advance(world.machine->renewal);
    }
    world_read(state + generator->position * word, word);
    world_written(&generator->position);
    generator->position++;
    world_advance(world.machine->step);
}

/* What mutexbench keeps in its own stack and record in each turn: how many turns, until the next sample, the sum of
 * what was drawn. Their lines are its own; but the next read-modify-write waits for them. */
enum { STORES_OF_TURN = 3 };

/* Under the lock mutexbench counts the admissions, in a line of their own; and it times one acquisition in so many. */
static void count_admission(struct sim_thread *thread)
{
    thread->stores += STORES_OF_TURN;
    world_read(now.counter, sizeof *now.counter);
    world_written(now.counter);
    world_advance(2 * world.machine->counter / MEASURED_SAMPLE_EVERY);
}

/* A word is read, worked on, and written. */
static void change_shared_word(void)
{
    world_read(&now.generator->position, sizeof now.generator->position);
    world_advance_unevenly(now.settings->critical);
    world_written(&now.generator->position);
}

static void critical_section(struct sim_thread *thread)
{
    switch (now.settings->workload) {
    case WORKLOAD_MAX:
    case WORKLOAD_MODERATE:
        advance_generator();
        if (now.settings->as_measured)
            count_admission(thread);
        break;
    case WORKLOAD_DEGENERATE:
    case WORKLOAD_NESTED:
        world_advance(now.settings->critical);
        break;
    case WORKLOAD_TIMES:
        change_shared_word();
        break;
    }
}

/* mutexbench draws the number of steps by another one. */
static void advance_own_generator(uint64_t steps)
{
    if (now.settings->as_measured)
        steps++;
    world_advance(steps * (world.machine->step + world.machine->renewal / STATE_WORDS));
}

static void between_sections(struct episode *episode)
{
    if (now.settings->workload == WORKLOAD_MODERATE)
        advance_own_generator(random_below(&episode->random, MODERATE_STEPS));
    else if (now.settings->workload == WORKLOAD_TIMES && now.settings->outside)
        world_advance(random_below(&episode->random, 2 * now.settings->outside + 1));
}

static void begin_measurement(void)
{
    for (unsigned i = 0; i < world.thread_count; i++) {
        world.threads[i].counts = (struct counts){0};
        world.threads[i].doings = (struct doings){0};
    }
    for (unsigned i = 0; i < machine_cpus(world.machine); i++) {
        schedule_count_busy(&world.cpus[i]);
        world.cpus[i].busy = 0;
    }
    memset(world.coherence.invalidations, 0,
           world.machine->sockets * world.machine->cores * sizeof *world.coherence.invalidations);
    world.coherence_event_count = 0;
    now.measuring = true;
    now.started = world.events.now;
    now.migrations = 0;
    now.most_remote = now.unwaited = 0;
}

/* A first-come-first-served lock admits no thread twice while another waits past its doorway. */
static void note_overtaking(const struct sim_thread *thread)
{
    const struct episode *episode = &now.episodes[thread->index];
    if (!episode->noted || now.result->overtaken)
        return;
    for (unsigned i = 0; i < world.thread_count; i++)
        if (i != thread->index && now.episodes[i].second_latest > episode->doorway)
            now.result->overtaken = true;
}

static void note_admission(struct sim_thread *thread)
{
    struct result *result = now.result;
    if (result->episodes == now.trace_room) {
        now.trace_room *= 2;
        result->trace = must(realloc(result->trace, now.trace_room * sizeof *result->trace));
    }
    result->trace[result->episodes++] = (uint16_t)thread->index;
    now.episodes[thread->index].admitted++;
    now.unwaited += !thread->waited_in_acquire;
    note_overtaking(thread);
}

static bool comes_by_clock(const struct sim_thread *thread)
{
    return thread->index >= now.settings->threads;
}

static void admit(struct sim_thread *thread)
{
    int socket = (int)thread->cpu->socket;
    now.migrations += now.last_socket >= 0 && socket != now.last_socket;
    now.last_socket = socket;
    now.last = world.events.now;
    thread->woken = false;
    if (comes_by_clock(thread))
        return;
    if (now.measuring)
        note_admission(thread);
    now.total++;
    struct episode *episode = &now.episodes[thread->index];
    episode->second_latest = episode->latest;
    episode->latest = now.total;
    bool lasted = now.last - now.started >= (now.measuring ? now.least : now.least_warm_up);
    if (!now.measuring && now.total >= now.warm_up && lasted) {
        begin_measurement();
    } else if (now.result->episodes >= now.settings->episodes && lasted) {
        world.stopped = true;
        schedule_leave();
    }
}

/* The counts start anew with the measurement: an episode that was under way then is not one to judge. */
static void episode_done(struct sim_thread *thread)
{
    struct episode *episode = &now.episodes[thread->index];
    uint64_t before = episode->remote_before, remote = thread->counts.remote;
    if (now.measuring && remote >= before && remote - before > now.most_remote)
        now.most_remote = remote - before;
    episode->remote_before = remote;
}

/* The first read-modify-write that succeeds is the doorway. */
static void pass_doorway(struct sim_thread *thread)
{
    struct episode *episode = &now.episodes[thread->index];
    if (thread->phase != PHASE_ACQUIRE || episode->noted)
        return;
    episode->noted = true;
    episode->doorway = now.total;
}

static void enter(struct sim_thread *thread, enum phase phase)
{
    thread->phase = phase;
    thread->site = (struct site){0};
}

/* Only if there are stalls: an acquiring thread may stop here, a releasing one is counted. */
static void stall(struct sim_thread *thread)
{
    struct episode *episode = &now.episodes[thread->index];
    episode->accesses++;
    if (thread->phase == PHASE_ACQUIRE && random_below(&episode->random, STALL_ODDS) == 0)
        thread->clock += now.settings->stall;
}

static void begin_release(struct sim_thread *thread)
{
    enter(thread, PHASE_RELEASE);
    now.episodes[thread->index].release_began = thread->clock;
    now.episodes[thread->index].accesses = 0;
}

static void note_release(struct sim_thread *thread)
{
    const struct episode *episode = &now.episodes[thread->index];
    double took = (double)(thread->clock - episode->release_began) / (1e9 * SIM_NANOSECOND);
    if (took > now.result->longest_release)
        now.result->longest_release = took;
    if (episode->accesses > now.result->most_release_accesses)
        now.result->most_release_accesses = episode->accesses;
}

/* ---- Threads that come by the clock ---- */

static void draw_due(struct episode *episode)
{
    double uniform = (double)(random_word(&episode->random) >> 11) * 0x1p-53;
    episode->due += (sim_time)(-log1p(-uniform) * (double)now.settings->period);
}

/* It waits for the lock from when it runs, or, if it was busy until later than that, from when it was due. */
static void wait_until_due(struct sim_thread *thread)
{
    struct episode *episode = &now.episodes[thread->index];
    draw_due(episode);
    episode->came = episode->due;
    if (episode->due <= thread->clock)
        return;
    episode->sleeps = true;
    sleep_until(episode->due, world.machine->wake_latency);
    episode->sleeps = false;
    episode->came = thread->clock;
}

/* From when it was due until then, in two parts: until it ran, and from then on. */
static void note_times(sim_time due, sim_time came, sim_time until)
{
    waits_add(&now.from_due, until - due);
    waits_add(&now.late, came - due);
    waits_add(&now.waits, until - came);
}

static void note_wait(struct episode *episode)
{
    if (now.measuring && episode->due >= now.started)
        note_times(episode->due, episode->came, world.events.now);
    episode->came = 0;
}

/* At the end: those that are due and have not been admitted have waited at least so long. */
static void note_unfinished_waits(void)
{
    sim_time end = world.events.now;
    for (unsigned i = now.settings->threads; i < world.thread_count; i++) {
        struct episode *episode = &now.episodes[i];
        if (episode->came && episode->came < end)
            note_times(episode->due, episode->sleeps ? end : episode->came, end);
        for (draw_due(episode); episode->due < end; draw_due(episode))
            note_times(episode->due, episode->due, end);
    }
}

/* ---- Episodes ---- */

/* It stores where to return to. */
static void call(struct sim_thread *thread)
{
    if (world.machine->call)
        world_advance(world.machine->call);
    thread->stores++;
}

static void one_episode(struct sim_thread *thread)
{
    const struct recip_algorithm *lock = now.settings->lock;
    bool body = now.settings->context == CONTEXT_BODY;
    struct episode *episode = &now.episodes[thread->index];
    struct recip_any_context context;
    episode->noted = thread->waited_in_acquire = false;
    enter(thread, PHASE_ACQUIRE);
    call(thread);
    if (body)
        lock->mutex_lock(now.lock);
    else
        lock->acquire(now.lock, &context);
    enter(thread, PHASE_CRITICAL);
    admit(thread);
    if (comes_by_clock(thread))
        note_wait(episode);
    critical_section(thread);
    begin_release(thread);
    call(thread);
    if (body)
        lock->mutex_unlock(now.lock);
    else
        lock->release(now.lock, &context);
    note_release(thread);
    enter(thread, PHASE_ELSEWHERE);
    episode_done(thread);
}

static void come_by_clock(struct sim_thread *thread)
{
    now.episodes[thread->index].due = thread->clock;
    for (;;) {
        wait_until_due(thread);
        one_episode(thread);
    }
}

static void lock_all_the_time(struct sim_thread *thread)
{
    for (;;) {
        one_episode(thread);
        between_sections(&now.episodes[thread->index]);
    }
}

static void thread_loop(struct sim_thread *thread)
{
    if (comes_by_clock(thread))
        come_by_clock(thread);
    else
        lock_all_the_time(thread);
}

/* Two of the locks, in the order of their addresses. Admissions are those of the first. */
static void nested_loop(struct sim_thread *thread)
{
    const struct recip_algorithm *lock = now.settings->lock;
    struct recip_any_context first_context, second_context;
    for (;;) {
        uint64_t *random = &now.episodes[thread->index].random;
        uint64_t first = random_below(random, NESTED_LOCKS - 1);
        uint64_t second = first + 1 + random_below(random, NESTED_LOCKS - 1 - first);
        enter(thread, PHASE_ACQUIRE);
        lock->acquire(now.lock + first * RECIP_LOCK_SIZE_MAX, &first_context);
        lock->acquire(now.lock + second * RECIP_LOCK_SIZE_MAX, &second_context);
        enter(thread, PHASE_CRITICAL);
        admit(thread);
        critical_section(thread);
        enter(thread, PHASE_RELEASE);
        lock->release(now.lock + second * RECIP_LOCK_SIZE_MAX, &second_context);
        lock->release(now.lock + first * RECIP_LOCK_SIZE_MAX, &first_context);
        enter(thread, PHASE_ELSEWHERE);
    }
}

static void prepare_times(const struct settings *settings)
{
    unsigned rounds = (world.thread_count - 1) / machine_cpus(settings->machine);
    now.warm_up = settings->threads * 20 + 200;
    now.least = now.least_warm_up = rounds ? SLICES * (rounds + 1) * settings->machine->slice : 0;
    if (settings->least) {
        now.least = settings->least;
        now.least_warm_up = settings->least / WARM_UP_PART;
    }
}

static void prepare(const struct settings *settings, struct result *result)
{
    memset(&now, 0, sizeof now);
    now.settings = settings;
    now.result = result;
    now.last_socket = -1;
    prepare_times(settings);
    now.lock = memory_new(OBJECT_LOCK, 0, 0, NESTED_LOCKS * RECIP_LOCK_SIZE_MAX, RECIP_LINE);
    now.generator = memory_new(OBJECT_DATA, 0, 0, sizeof *now.generator, RECIP_LINE);
    if (settings->as_measured)
        now.counter = memory_new(OBJECT_DATA, 0, 0, sizeof *now.counter, RECIP_LINE);
    for (unsigned i = 0; i < NESTED_LOCKS; i++)
        settings->lock->init(now.lock + i * RECIP_LOCK_SIZE_MAX);
    now.episodes = must(calloc(world.thread_count, sizeof *now.episodes));
    uint64_t random = settings->seed;
    for (unsigned i = 0; i < world.thread_count; i++)
        now.episodes[i].random = random_word(&random);
    now.trace_room = settings->episodes;
    result->trace = must(calloc(now.trace_room, sizeof *result->trace));
}

static void hangs(void)
{
    fprintf(stderr, "recip: %s hangs with %u threads after %llu admissions: no thread can go on\n",
            now.settings->lock->id, world.thread_count, (unsigned long long)now.total);
    exit(1);
}

static bool circulated(void)
{
    for (unsigned i = 0; i < world.thread_count; i++)
        for (struct node *node = world.threads[i].record->nodes; node; node = *(struct node **)&node->next)
            if (memory_find((uintptr_t)node).owner != i)
                return true;
    return false;
}

static void sum_up_doings(struct doings *all, const struct doings *one)
{
    all->parks += one->parks;
    all->wakes += one->wakes;
    all->wakes_of_nobody += one->wakes_of_nobody;
    all->woken_in_vain += one->woken_in_vain;
    all->naps += one->naps;
    all->yields += one->yields;
    all->barriers += one->barriers;
    all->preempted += one->preempted;
    all->preempted_owner += one->preempted_owner;
    all->migrations += one->migrations;
}

static void sum_up_thread(struct result *result, unsigned index)
{
    const struct sim_thread *thread = &world.threads[index];
    double n = (double)result->episodes;
    result->misses += (double)thread->counts.misses / n;
    result->upgrades += (double)thread->counts.upgrades / n;
    result->remote += (double)thread->counts.remote / n;
    for (unsigned home = 0; home < world.machine->sockets; home++)
        result->remote_by_home[home] += (double)thread->counts.remote_by_home[home] / n;
    if (!comes_by_clock(thread))
        result->admissions[index] = now.episodes[index].admitted;
    sum_up_doings(&result->doings, &thread->doings);
}

static void sum_up_fairness(struct result *result)
{
    double sum = 0, squares = 0, most = 0, least = (double)result->episodes;
    unsigned threads = now.settings->threads;
    for (unsigned i = 0; i < threads; i++) {
        double admitted = (double)result->admissions[i];
        sum += admitted;
        squares += admitted * admitted;
        most = admitted > most ? admitted : most;
        least = admitted < least ? admitted : least;
    }
    result->fairness = sum * sum / (threads * squares);
    result->unfairness = most / least;
}

static void sum_up(struct result *result)
{
    double n = (double)result->episodes;
    result->seconds = (double)(now.last - now.started) / (1e9 * SIM_NANOSECOND);
    result->throughput = n / result->seconds;
    result->admissions = must(calloc(now.settings->threads, sizeof *result->admissions));
    for (unsigned i = 0; i < world.thread_count; i++)
        sum_up_thread(result, i);
    sum_up_fairness(result);
    note_unfinished_waits();
    result->from_due = waits_figures(&now.from_due);
    result->late = waits_figures(&now.late);
    result->waits = waits_figures(&now.waits);
    for (unsigned i = 0; i < machine_cpus(world.machine); i++) {
        schedule_count_busy(&world.cpus[i]);
        result->cpus_busy += (double)world.cpus[i].busy / (double)(now.last - now.started);
    }
    for (unsigned i = 0; i < world.machine->sockets * world.machine->cores; i++)
        result->invalidations += (double)world.coherence.invalidations[i] / n;
    result->migrations = (double)now.migrations / n;
    result->unwaited = (double)now.unwaited / n;
    result->most_remote = (unsigned)now.most_remote;
    result->most_watchers = world.most_watchers;
    result->nodes_circulate = circulated();
    result->events_taken = world.events.sequence;
}

struct result run(const struct settings *settings)
{
    struct result result = {0};
    bool nested = settings->workload == WORKLOAD_NESTED;
    world_make(settings->machine, settings->threads + settings->seldom_threads, settings->seed,
               nested ? nested_loop : thread_loop);
    port_begin();
    prepare(settings, &result);
    world.counts_turns = settings->lock->parks;
    world.modified = nested ? NULL : pass_doorway;
    world.accessing = settings->stall ? stall : NULL;
    world.listing = settings->list_events;
    world_start();
    while (!world.stopped)
        if (!events_step(&world.events) || world.events.now > now.last + HANGS)
            hangs();
    sum_up(&result);
    result.coherence_events = world.coherence_events;
    result.coherence_event_count = world.coherence_event_count;
    world.coherence_events = NULL;
    for (unsigned i = 0; i < NESTED_LOCKS && settings->lock->traits & RECIP_NEEDS_INIT; i++)
        settings->lock->destroy(now.lock + i * RECIP_LOCK_SIZE_MAX);
    free(now.episodes);
    waits_free(&now.from_due);
    waits_free(&now.late);
    waits_free(&now.waits);
    world_free();
    return result;
}

void result_free(struct result *result)
{
    free(result->admissions);
    free(result->trace);
    free(result->coherence_events);
}

unsigned result_period(const struct result *result, unsigned most)
{
    uint64_t end = result->episodes;
    for (unsigned period = 1; period <= most && 4 * (uint64_t)period <= end; period++) {
        uint64_t same = 0;
        while (same < 3 * (uint64_t)period && result->trace[end - 1 - same] == result->trace[end - 1 - same - period])
            same++;
        if (same == 3 * (uint64_t)period)
            return period;
    }
    return 0;
}

double result_events(const struct result *result)
{
    return result->misses + result->upgrades;
}
