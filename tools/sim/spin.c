/* SPDX-License-Identifier: MIT */
/* Spinning by a loop that counts its turns, or looks at the clock, and gives up in the end.
 *
 * To execute every turn would take hours. So when some turns have been alike, loads of the same words with the same
 * values and nothing else, the thread rests until one of their lines is taken from its cache, or for an eighth of the
 * time that it has spun, LONGEST_REST at most. Then it makes up for the turns that it has slept through: at their
 * times, behind the world, with the values that the words had. So it counts as many as it would have counted, and sees
 * a change when it would have seen it. Only if it gives up within a rest it is late, by what was left of the rest.
 */
#include "sim/port.h"
#include "sim/world.h"

#define LONGEST_REST (256 * SIM_NANOSECOND)
#define SHORTEST_REST (16 * SIM_NANOSECOND)
enum { ALIKE = 3, SHARE_OF_SPIN = 8 };

/* ---- What a turn is ---- */

static void begin_turn(struct spin *spin)
{
    if (!spin->turn_over)
        return;
    spin->turn_over = false;
    spin->looked = 0;
}

void spin_look(struct sim_thread *thread, struct line *line, uintptr_t address, size_t size, uint64_t value)
{
    struct spin *spin = &thread->spin;
    begin_turn(spin);
    if (spin->looked == MAX_LOOKS) {
        spin->alike = 0;
        return;
    }
    struct look *look = &spin->looks[spin->looked++];
    bool same =
        spin->looked <= spin->look_count && look->address == address && look->size == size && look->value == value;
    *look = (struct look){line, line->version, address, size, value};
    if (!same) {
        spin->look_count = spin->looked;
        spin->alike = 0;
    }
}

void spin_unlike(struct sim_thread *thread)
{
    thread->spin.alike = 0;
}

static void end_turn(struct sim_thread *thread)
{
    struct spin *spin = &thread->spin;
    if (spin->turn_over)
        return;
    if (spin->looked < spin->look_count)
        spin->alike = 0;
    spin->look_count = spin->looked;
    if (spin->alike++ == 0)
        spin->began = thread->clock;
    spin->turn_over = true;
}

/* ---- Rest ---- */

static void unwatch(struct spin *spin)
{
    for (unsigned i = 0; i < spin->look_count; i++) {
        if (spin->watchers[i].subject)
            coherence_unwatch(spin->looks[i].line, &spin->watchers[i]);
        spin->watchers[i].subject = NULL;
    }
}

static void end_rest(struct sim_thread *thread)
{
    unwatch(&thread->spin);
    thread->spin.resting = false;
    thread->spin.known_until = world.events.now;
}

static void line_changed(struct watcher *watcher)
{
    struct sim_thread *thread = watcher->subject;
    if (!thread->spin.resting)
        return;
    end_rest(thread);
    events_add(&world.events, world.events.now, schedule_continue, thread);
}

static void rest_over(void *subject)
{
    struct sim_thread *thread = subject;
    if (!thread->spin.resting || thread->spin.rest_ends != world.events.now)
        return;
    end_rest(thread);
    if (events_next(&world.events) > world.events.now)
        schedule_continue(thread);
    else
        events_add(&world.events, world.events.now, schedule_continue, thread);
}

void spin_stop(struct sim_thread *thread)
{
    if (!thread->spin.resting)
        return;
    end_rest(thread);
    thread->due = true;
}

static bool is_first_of_its_line(const struct spin *spin, unsigned nth)
{
    for (unsigned i = 0; i < nth; i++)
        if (spin->looks[i].line == spin->looks[nth].line)
            return false;
    return true;
}

static bool watch_look(struct sim_thread *thread, unsigned nth)
{
    struct look *look = &thread->spin.looks[nth];
    struct watcher *watcher = &thread->spin.watchers[nth];
    if (look->version != look->line->version)
        return false;
    if (!is_first_of_its_line(&thread->spin, nth))
        return true;
    *watcher = (struct watcher){.cache = thread->cpu->core, .wake = line_changed, .subject = thread};
    unsigned watchers = coherence_watch(look->line, watcher, look->version);
    if (watchers > world.most_watchers)
        world.most_watchers = watchers;
    return watchers > 0;
}

/* False, and nothing is watched, if a line has changed already. */
static bool watch(struct sim_thread *thread)
{
    for (unsigned i = 0; i < thread->spin.look_count; i++)
        if (!watch_look(thread, i)) {
            unwatch(&thread->spin);
            return false;
        }
    return true;
}

static sim_time rest_of(const struct sim_thread *thread)
{
    sim_time rest = (thread->clock - thread->spin.began) / SHARE_OF_SPIN;
    return rest < LONGEST_REST ? rest : LONGEST_REST;
}

static void rest(struct sim_thread *thread)
{
    struct spin *spin = &thread->spin;
    sim_time own = thread->clock, time = rest_of(thread);
    if (spin->alike < ALIKE || !spin->look_count || thread->buffer_size || time < SHORTEST_REST || !watch(thread))
        return;
    spin->resting = true;
    spin->rest_ends = own + time;
    events_add(&world.events, spin->rest_ends, rest_over, thread);
    schedule_leave();
    spin->lost = thread->clock - (own > spin->known_until ? own : spin->known_until);
    thread->clock = own;
    spin->behind = true;
    if (own >= spin->known_until)
        spin_catch_up(thread);
}

/* ---- Making up ---- */

void spin_catch_up(struct sim_thread *thread)
{
    struct spin *spin = &thread->spin;
    if (!spin->behind)
        return;
    if (thread->clock < spin->known_until)
        thread->clock = spin->known_until;
    thread->clock += spin->lost;
    spin->began += spin->lost;
    spin->behind = false;
}

static inline bool is_behind(struct sim_thread *thread)
{
    if (thread->spin.behind && thread->clock >= thread->spin.known_until)
        spin_catch_up(thread);
    return thread->spin.behind;
}

const void *spin_known(struct sim_thread *thread, uintptr_t address, size_t size)
{
    struct spin *spin = &thread->spin;
    if (!is_behind(thread))
        return NULL;
    for (unsigned i = 0; i < spin->look_count; i++) {
        const struct look *look = &spin->looks[i];
        if (look->address == address && look->size == size) {
            spin->looked = i + 1;
            spin->turn_over = false;
            return &look->value;
        }
    }
    return NULL;
}

bool spin_private(struct sim_thread *thread, uintptr_t address, enum access access)
{
    if (!is_behind(thread))
        return false;
    char state = coherence_state(coherence_line(&world.coherence, address), thread->cpu->core);
    return access == ACCESS_LOAD ? state != 'I' : state == 'M' || state == 'E';
}

/* ---- The port ---- */

__attribute__((noinline)) static void turn(struct sim_thread *thread)
{
    end_turn(thread);
    rest(thread);
}

/* Time in which the thread looks at nothing. */
static void pass_time(struct sim_thread *thread, sim_time time)
{
    thread->waited_in_acquire |= thread->phase == PHASE_ACQUIRE;
    thread->computed = 0;
    thread->clock += time;
    if (is_behind(thread))
        thread->spin.turn_over = true;
    else
        turn(thread);
}

/* When the loop looks the next time, from now on; at once, if the machine does not say how long a turn takes. */
static sim_time next_look(const struct sim_thread *thread)
{
    const struct machine *machine = world.machine;
    sim_time now = world.events.now, first = thread->clock;
    sim_time turn = machine->turn + (thread->looked_to_write ? machine->atomic : 0);
    if (machine->turn == 0 || now < first)
        return now;
    return first + (now - first + turn - 1) / turn * turn;
}

static void watched_line_changed(struct watcher *watcher)
{
    struct sim_thread *thread = watcher->subject;
    thread->watching = false;
    events_add(&world.events, next_look(thread), schedule_continue, thread);
}

/* Sleeps until the line that the spin loop looks at changes. False: it is not one line, or it has changed already. */
static bool watch_line(struct sim_thread *thread)
{
    thread->watcher = (struct watcher){
        .cache = thread->cpu->core, .writes = thread->looked_to_write, .wake = watched_line_changed, .subject = thread};
    if (thread->looked_elsewhere || !thread->looked_at)
        return false;
    unsigned watchers = coherence_watch(thread->looked_at, &thread->watcher, thread->looked_version);
    if (watchers > world.most_watchers)
        world.most_watchers = watchers;
    return watchers > 0;
}

/* A turn of a loop that spins for as long as it takes. What a real one would see while its line stays as it is, it has
 * seen. */
static void spin_for_ever(struct sim_thread *thread)
{
    thread->waited_in_acquire |= thread->phase == PHASE_ACQUIRE;
    world_drain();
    thread->computed = 0;
    world_advance(world.machine->pause);
    if (watch_line(thread)) {
        thread->watching = true;
        schedule_leave();
    }
    thread->looked_at = NULL;
    thread->looked_elsewhere = false;
}

void sim_port_relax(void)
{
    world.current->turned = true;
    if (world.counts_turns)
        pass_time(world.current, world.machine->pause);
    else
        spin_for_ever(world.current);
}

void sim_port_wait(int64_t nanoseconds)
{
    pass_time(world.current, (sim_time)(nanoseconds < 0 ? 0 : nanoseconds) * SIM_NANOSECOND);
}

static int64_t read_clock(sim_time cost)
{
    struct sim_thread *thread = world.current;
    thread->clock += cost;
    is_behind(thread);
    return (int64_t)(thread->clock / SIM_NANOSECOND);
}

int64_t sim_port_now(void)
{
    return read_clock(world.machine->clock);
}

int64_t sim_port_ticks(void)
{
    return read_clock(world.machine->counter);
}
