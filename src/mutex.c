/* SPDX-License-Identifier: MIT */
/* The mutex's slow path: the reciprocating order of the paper's gated formulation, where what is handed over is not
 * the mutex but leadership, which is the right to compete for it with newcomers, who may pass by `bound` times.
 *
 * Arrivals are pushed by exchange. Whoever finds 0 there leads; all others follow, each waiting at its own gate. The
 * leader that has won the mutex passes leadership on at once: to its successor in the segment, else to the newest of
 * those who have arrived, whom it detaches whole; else nobody waits and the arrivals go to 0. Unless the bound is 0,
 * the sleepers at the top of such a segment, up to MAX_REVERSED, come in the order in which they arrived, not from the
 * newest.
 *
 * Who changes the state word (its bits are beside recip_mutex_t):
 *
 * | who               | from                       | to                                                              |
 * |-------------------|----------------------------|-----------------------------------------------------------------|
 * | newcomer          | 0                          | LOCKED; then it counts itself                                   |
 * | leader            | free                       | LOCKED                                                          |
 * | leader            | LOCKED                     | + BARRED, if it waited long or the bound is 0; then the barrier |
 * | leader            | LOCKED                     | + LEADER_SLEEPS; then the barrier, look again, sleep            |
 * | leader, resigning | any                        | - LEADER_SLEEPS, BARRED, if nobody follows; the bound 0 keeps   |
 * |                   |                            | BARRED                                                          |
 * | owner             | LOCKED                     | + BARRED, if it counted the last pass and somebody waits        |
 * | owner             | LOCKED                     | + BARRED, if the bound is 0: before it opens the leader's gate; |
 * |                   |                            | - BARRED, if nobody is behind that                              |
 * | owner             | LOCKED                     | + WAKE_DUE                                                      |
 * | owner             | no LEADER_SLEEPS, WAKE_DUE | - LOCKED, by the release that is no atomic operation            |
 * | owner             | any                        | - LOCKED, LEADER_SLEEPS, WAKE_DUE; then the wake-ups            |
 *
 * So a locked word is written by its owner and by the one leader, and while nobody leads by its owner alone. The plain
 * release may overwrite what the leader has just written into a locked word. Hence the barrier after each such write:
 * once it has returned, the write has either been overwritten, and a second look shows that, or stays. Only the leader
 * pays for this, when it goes to sleep and when it bars.
 *
 * The bound: owners count newcomers, in plain memory beside the word. The count starts when an owner passes leadership
 * on; where somebody leads because nobody else waited, it has started before. In a new mutex it starts one lower: the
 * first owner counts itself, and passes nobody. Whoever counts the last pass looks for a leader.
 *
 * A mark that has no leader, since an owner bars while the leader resigns, or the bound is 0, or a parent's did not
 * come along, costs one slow path and goes away by it: whoever comes then leads, be it for a try. No newcomer takes a
 * mutex that is barred, also if it has seen nobody in the arrivals: before its compare-and-swap the mutex may have had
 * owners, and be barred again for somebody.
 *
 * Fork: the arrivals carry the number of forks of their process. Those of a parent stand for nobody.
 *
 * Destruction: the release of the state word is the releaser's last access to the mutex; wake-ups name an address.
 */
#define RECIP_UNANNOTATED
#include "port/port.h"

#include "src/tunables.h"
#include "src/waiter.h"

#define LOCKED RECIP_LOCKED_
#define LEADER_SLEEPS RECIP_LEADER_SLEEPS_
#define WAKE_DUE RECIP_WAKE_DUE_
#define BARRED RECIP_BARRED_

static inline _Atomic(uint32_t) *state_of(recip_mutex_t *mutex)
{
    return (_Atomic(uint32_t) *)&mutex->state;
}

/* relaxed: a hint. */
static inline uint32_t state_load(recip_mutex_t *mutex)
{
    return atomic_load_explicit(state_of(mutex), memory_order_relaxed);
}

/* relaxed: a mark says nothing about anything else. */
static inline bool state_mark(recip_mutex_t *mutex, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(state_of(mutex), &from, to, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* acquire: with the release of the owner before, in recip_release_ and in release_and_wake. */
static inline bool state_take(recip_mutex_t *mutex, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(state_of(mutex), &from, to, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* ---- Arrivals ---- */

/* What the word holds below the epoch: user addresses have 48 bits at most. */
#define EPOCH_SHIFT 48

static inline _Atomic(uintptr_t) *arrivals_of(recip_mutex_t *mutex)
{
    return (_Atomic(uintptr_t) *)&mutex->arrivals;
}

static inline uintptr_t in_this_epoch(uintptr_t arrivals)
{
    return arrivals | (uintptr_t)port_epoch() << EPOCH_SHIFT;
}

static inline uintptr_t arrivals_in(uintptr_t word)
{
    return word >> EPOCH_SHIFT == port_epoch() ? word & ((UINT64_C(1) << EPOCH_SHIFT) - 1) : 0;
}

/* ---- The bound ---- */

/* relaxed, as all accesses: owners are ordered by the mutex, and waiters only look. */
static inline uint16_t passes_load(recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->passes, __ATOMIC_RELAXED);
}

/* + 1. Nobody writes it; atomic, because a plain read makes `recip check` record every access to its neighbours. */
static inline uint16_t bound_of(recip_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->bound, __ATOMIC_RELAXED);
}

static inline bool bound_is_below(recip_mutex_t *mutex, unsigned limit)
{
    return (uint16_t)(bound_of(mutex) - 1) < limit;
}

static inline bool never_passed(recip_mutex_t *mutex)
{
    return bound_is_below(mutex, 1);
}

/* By the owner. */
static inline void start_count(recip_mutex_t *mutex)
{
    __atomic_store_n(&mutex->passes, (uint16_t)(1 - bound_of(mutex)), __ATOMIC_RELAXED);
}

void recip_mutex_bound_reached_(recip_mutex_t *mutex)
{
    start_count(mutex);
    /* An RMW, so that it reads the newest. release, for nobody: without it clang makes a load of this. */
    uintptr_t word = atomic_fetch_or_explicit(arrivals_of(mutex), 0, memory_order_release);
    /* relaxed: as state_mark. */
    if (arrivals_in(word))
        atomic_fetch_or_explicit(state_of(mutex), BARRED, memory_order_relaxed);
}

/* ---- Newcomers ---- */

/* What a waiter saw when it last read how often others have passed. */
struct observation {
    uint16_t passes; /* 0 where nobody naps: then it is not read */
    unsigned turns;  /* spent awake since */
};

static struct observation observe(recip_mutex_t *mutex)
{
    return (struct observation){.passes = recip_tuning.nap ? passes_load(mutex) : 0};
}

static unsigned stay_awake(unsigned turns, struct observation *last)
{
    for (unsigned i = 0; i < turns; i++)
        port_relax();
    last->turns += turns;
    return turns;
}

/* Whether others have passed by so often since the last look that the mutex had better stay with them for a while. */
static bool is_hot(recip_mutex_t *mutex, struct observation *last)
{
    struct observation now = {.passes = passes_load(mutex)};
    uint32_t many = last->turns > HOT_TURNS ? last->turns / HOT_TURNS * HOT_PASSES : HOT_PASSES;
    bool hot = (uint16_t)(now.passes - last->passes) >= many;
    *last = now;
    return hot;
}

enum attempt { TAKEN, BUSY, HOT, HOPELESS };

static enum attempt try_as_newcomer(recip_mutex_t *mutex, struct observation *last)
{
    if (recip_tuning.nap && is_hot(mutex, last))
        return HOT;
    if (recip_take_if_free_(mutex))
        return TAKEN;
    return state_load(mutex) & BARRED ? HOPELESS : BUSY;
}

/* Looks for a while, first awake, then with its CPU given up to others: an owner that has been preempted may need it.
 * At a mutex that is hot it looks less often, and if it is hot to the last, queues without giving up its CPU. Whoever
 * has a deadline does not nap: it might sleep through that. */
static bool spin_as_newcomer(recip_mutex_t *mutex, unsigned naps)
{
    enum attempt attempt = BUSY;
    struct observation last = observe(mutex);
    unsigned turns = 0, pause = NEWCOMER_PAUSE;
    while ((attempt == BUSY || attempt == HOT) && turns < recip_tuning.newcomer_turns) {
        turns += stay_awake(attempt == HOT ? HOT_PAUSE : pause, &last);
        attempt = try_as_newcomer(mutex, &last);
        if (pause < NEWCOMER_LONGEST_PAUSE)
            pause *= 2;
    }
    for (unsigned i = 0; attempt == BUSY && i < recip_tuning.yields; i++) {
        port_yield();
        attempt = try_as_newcomer(mutex, &last);
    }
    for (unsigned i = 0; attempt == BUSY && i < naps; i++) {
        port_nap(1); /* as short as the kernel can: about 50 microseconds */
        attempt = try_as_newcomer(mutex, &last);
    }
    return attempt == TAKEN;
}

/* ---- Gates ---- */

uintptr_t recip_waiter_await(waiter *self, const struct deadline *deadline)
{
    uintptr_t value;
    for (unsigned turn = 0; turn < recip_tuning.follower_turns; turn++) {
        /* acquire, here and below: with the release of whoever opens; state and segment as it left them. */
        value = atomic_load_explicit(&self->gate, memory_order_acquire);
        if (!gate_is_shut(value))
            return value;
        port_relax();
    }
    value = GATE_CLOSED;
    /* release: self->successor, to reverse_sleepers, and if this waiter leaves to grant. If the gate is open instead,
     * the load below sees it. */
    atomic_compare_exchange_strong_explicit(&self->gate, &value, GATE_PARKED, memory_order_release,
                                            memory_order_relaxed);
    while ((value = atomic_load_explicit(&self->gate, memory_order_acquire)) == GATE_PARKED)
        if (!port_park_until(&self->gate, GATE_PARKED, deadline))
            return atomic_load_explicit(&self->gate, memory_order_acquire);
    return value;
}

void recip_waiter_open(waiter *element, uintptr_t message)
{
    /* release: with the acquire in recip_waiter_await. */
    if (atomic_exchange_explicit(&element->gate, message, memory_order_release) == GATE_PARKED)
        port_wake(&element->gate);
}

/* ---- Leadership ---- */

/* Open the gate of the first from `successor` on who still waits; false if there is none up to the end of the segment.
 * If that one sleeps, *sleeper is whom to wake. */
static bool grant(uintptr_t successor, uintptr_t end, _Atomic(uintptr_t) **sleeper)
{
    *sleeper = NULL;
    while (successor != end) {
        waiter *element = (waiter *)successor;
        /* acquire, here and on failure: with the release in recip_waiter_await, for the successor of one who left. */
        uintptr_t before = atomic_load_explicit(&element->gate, memory_order_acquire);
        do {
            if (before >= GATE_LEFT)
                successor = element->successor;
            /* release: with the acquire in recip_waiter_await; and what was read above is read, with take_back. */
        } while (!atomic_compare_exchange_strong_explicit(&element->gate, &before, end, memory_order_release,
                                                          memory_order_acquire));
        if (before < GATE_LEFT) {
            if (before == GATE_PARKED)
                *sleeper = &element->gate;
            return true;
        }
        if (before == GATE_ORPHANED)
            recip_waiter_delete(element);
    }
    return false;
}

/* The whole stack; its end is what the word held before the first of them came. */
static inline uintptr_t detach(recip_mutex_t *mutex)
{
    /* acquire: with the release of every push (each continues the release sequence of those before it), so that gates
     * are seen closed before they are opened. */
    return arrivals_in(
        atomic_exchange_explicit(arrivals_of(mutex), in_this_epoch(SEGMENT_EMPTY), memory_order_acquire));
}

/* By the owner: the sleepers at the top of a segment, down to the first who is awake, are to come in the order in which
 * they arrived. In the reciprocating order, of threads that come back at once, those at the ends of a segment would
 * come half as often as those in the middle. Who is awake may not have written its successor yet. */
static uintptr_t reverse_sleepers(uintptr_t top, uintptr_t end)
{
    uintptr_t reversed = top, rest = top;
    for (unsigned i = 0; i < MAX_REVERSED && rest != end; i++) {
        waiter *element = (waiter *)rest;
        /* acquire: with the release in recip_waiter_await. */
        if (atomic_load_explicit(&element->gate, memory_order_acquire) == GATE_CLOSED)
            break;
        uintptr_t below = element->successor;
        element->successor = reversed;
        reversed = rest;
        rest = below;
    }
    if (rest != top)
        ((waiter *)top)->successor = rest;
    return reversed;
}

static inline bool disband(recip_mutex_t *mutex, uintptr_t empty)
{
    empty = in_this_epoch(empty);
    /* release: with the acquire of the next push, whose thread leads. */
    return atomic_compare_exchange_strong_explicit(arrivals_of(mutex), &empty, 0, memory_order_release,
                                                   memory_order_relaxed);
}

/* The wake-up of a leader is put off until release: it could not get the mutex before. Under a small bound nobody else
 * could either, so there it wakes up while the owner works. One at a time; a second one is not put off. */
static void wake_at_release(recip_mutex_t *mutex, _Atomic(uintptr_t) *sleeper)
{
    struct thread *thread = port_thread();
    if (thread->wake_due_for || bound_is_below(mutex, SMALL_BOUND)) {
        port_wake(sleeper);
        return;
    }
    thread->wake_due_for = mutex;
    atomic_signal_fence(memory_order_seq_cst); /* a signal handler that locks finds it taken */
    thread->wake_due = sleeper;
    /* relaxed: for this thread only. An RMW, because the leader may be awake and write too. */
    atomic_fetch_or_explicit(state_of(mutex), WAKE_DUE, memory_order_relaxed);
}

/* By the owner of a mutex that nobody leads: nobody else writes it. relaxed: a leader sees it by its gate, everybody
 * else by the release of the mutex. */
static void set_state(recip_mutex_t *mutex, uint32_t state)
{
    atomic_store_explicit(state_of(mutex), state, memory_order_relaxed);
}

/* By the owner, before it opens the gate of a leader. */
static void prepare_leader(recip_mutex_t *mutex)
{
    start_count(mutex);
    if (never_passed(mutex))
        set_state(mutex, state_load(mutex) | BARRED);
}

/* By the owner, who has led. `empty` is what the arrivals word holds if nobody has come. */
static void pass_on(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty)
{
    for (;;) {
        if (successor == end) {
            if (disband(mutex, empty))
                return;
            successor = detach(mutex);
            end = empty;
            empty = SEGMENT_EMPTY;
            if (!never_passed(mutex))
                successor = reverse_sleepers(successor, end);
        }
        prepare_leader(mutex);
        _Atomic(uintptr_t) *sleeper;
        if (grant(successor, end, &sleeper)) {
            if (sleeper)
                wake_at_release(mutex, sleeper);
            return;
        }
        successor = end;
        set_state(mutex, state_load(mutex) & ~BARRED); /* that leader was nobody */
    }
}

/* By the leader: mark the word, and make sure that no release overwrites the mark unseen. */
static inline void mark_and_settle(recip_mutex_t *mutex, uint32_t state, uint32_t mark)
{
    if (state_mark(mutex, state, state | mark))
        port_barrier();
}

static void bar(recip_mutex_t *mutex)
{
    uint32_t state;
    while (!((state = state_load(mutex)) & BARRED))
        mark_and_settle(mutex, state, BARRED);
}

/* By the leader, before the arrivals go to 0: afterwards the marks may be another leader's. With bound 0 nobody passes
 * who comes behind it meanwhile, so there BARRED stays; and it may stay if it is the owner who has barred, or is about
 * to. relaxed: as state_mark. */
static void take_marks_back(recip_mutex_t *mutex)
{
    uint32_t marks = never_passed(mutex) ? LEADER_SLEEPS : BARRED | LEADER_SLEEPS, state = state_load(mutex);
    while ((state & marks) && !atomic_compare_exchange_weak_explicit(state_of(mutex), &state, state & ~marks,
                                                                     memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* By the leader whose time is over. */
static void resign(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty)
{
    for (;;) {
        _Atomic(uintptr_t) *sleeper;
        if (grant(successor, end, &sleeper)) {
            if (sleeper)
                port_wake(sleeper);
            return;
        }
        take_marks_back(mutex);
        if (disband(mutex, empty))
            return;
        if (never_passed(mutex))
            bar(mutex); /* it is, unless this leader did not wait */
        successor = detach(mutex);
        end = empty;
        empty = SEGMENT_EMPTY;
    }
}

/* What the leader knows of its wait. */
struct wait {
    unsigned turns, yields; /* awake, since it last slept or napped */
    uint16_t first;         /* passes when it began to lead */
    struct observation last;
    int64_t start;
};

/* Sleep for a while, without asking to be woken; false, at once, if this thread is not one to nap. Where passes are
 * frequent, whoever is woken by release finds the mutex taken again, and has cost the owner a system call. */
static bool nap(struct wait *wait, bool hot)
{
    int64_t nanoseconds = recip_tuning.nap, waited = port_now() - wait->start;
    if (!hot && nanoseconds < waited / 2)
        nanoseconds = waited / 2;
    return port_nap(nanoseconds < LONGEST_NAP ? nanoseconds : LONGEST_NAP);
}

static bool has_been_passed(recip_mutex_t *mutex, const struct wait *wait)
{
    return (uint16_t)(passes_load(mutex) - wait->first) >= FEW_PASSES;
}

/* Compete until the mutex is won, or the deadline has passed. `may_nap`: from the start. */
static bool lead(recip_mutex_t *mutex, const struct deadline *deadline, bool may_nap)
{
    struct wait wait = {.last = observe(mutex), .start = port_now()};
    wait.first = wait.last.passes;
    bool bars = never_passed(mutex), naps = recip_tuning.nap && !bars && may_nap;
    for (;;) {
        uint32_t state = state_load(mutex);
        bool hot = naps && is_hot(mutex, &wait.last);
        if (!(state & LOCKED) && !hot) {
            if (state_take(mutex, state, LOCKED))
                return true;
        } else if (bars && !(state & BARRED)) {
            mark_and_settle(mutex, state, BARRED);
        } else if (wait.turns < recip_tuning.leader_turns) {
            wait.turns += stay_awake(hot ? HOT_PAUSE : LEADER_PAUSE, &wait.last);
        } else if (!hot && wait.yields < recip_tuning.yields) {
            port_yield();
            wait.yields++;
        } else if (hot || (naps && has_been_passed(mutex, &wait))) {
            bool napped = nap(&wait, hot);
            wait.turns = wait.yields = 0;
            bars = napped && port_now() - wait.start >= (hot ? recip_tuning.hot_patience : recip_tuning.long_patience);
            naps = napped && !bars;
        } else if (!(state & LEADER_SLEEPS)) {
            mark_and_settle(mutex, state, LEADER_SLEEPS);
        } else {
            if (!port_park32_until(state_of(mutex), state, deadline))
                return false;
            wait.turns = wait.yields = 0;
            /* Who may not nap and has been woken in vain for so long naps after all, and then bars. */
            naps |= recip_tuning.nap && !bars && !deadline && port_now() - wait.start >= recip_tuning.long_patience;
        }
    }
}

static bool lead_and_pass_on(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty,
                             const struct deadline *deadline, bool may_nap)
{
    bool won = lead(mutex, deadline, may_nap);
    if (won)
        pass_on(mutex, successor, end, empty);
    else
        resign(mutex, successor, end, empty);
    return won;
}

/* ---- Waiting ---- */

enum outcome { WON, RESIGNED, LEFT };

/* Wait in the arrivals, where `self` is now. */
static enum outcome follow(recip_mutex_t *mutex, waiter *self, const struct deadline *deadline)
{
    uintptr_t message = recip_waiter_await(self, deadline);
    /* acquire, for failure, which C wants no stronger than success: the gate has just been opened. */
    while (gate_is_shut(message))
        if (atomic_compare_exchange_strong_explicit(&self->gate, &message, GATE_LEFT, memory_order_acquire,
                                                    memory_order_acquire))
            return LEFT;
    return lead_and_pass_on(mutex, self->successor, message, SEGMENT_EMPTY, deadline, !deadline) ? WON : RESIGNED;
}

static enum outcome queue(recip_mutex_t *mutex, waiter *self, const struct deadline *deadline)
{
    gate_close(&self->gate);
    /* acq_rel. Release: the closed gate, to detach. Acquire: with disband. */
    self->successor =
        arrivals_in(atomic_exchange_explicit(arrivals_of(mutex), in_this_epoch((uintptr_t)self), memory_order_acq_rel));
    if (self->successor)
        return follow(mutex, self, deadline);
    uintptr_t end = (uintptr_t)self;
    return lead_and_pass_on(mutex, end, end, end, deadline, !deadline) ? WON : RESIGNED;
}

/* Take the mutex if it is free, as a leader who does not wait. False if it is not, or somebody leads. */
static bool lead_if_nobody_does(recip_mutex_t *mutex)
{
    waiter self;
    uintptr_t end = (uintptr_t)&self, word = atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed);
    /* relaxed: whoever comes next follows, and looks at its own gate; the release of disband goes on through this. */
    if (arrivals_in(word) || !atomic_compare_exchange_strong_explicit(arrivals_of(mutex), &word, in_this_epoch(end),
                                                                      memory_order_relaxed, memory_order_relaxed))
        return false;
    uint32_t state = state_load(mutex);
    bool won = !(state & LOCKED) && state_take(mutex, state, LOCKED);
    if (won)
        pass_on(mutex, end, end, end);
    else
        resign(mutex, end, end, end);
    return won;
}

/* False if nobody leads: then the element does, and stands for nobody in the stack. */
static bool push_admitted(recip_mutex_t *mutex, waiter *element)
{
    /* relaxed: the compare-and-swap reads it again. */
    uintptr_t word = atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed);
    for (;;) {
        uintptr_t below = arrivals_in(word);
        element->successor = below ? below : SEGMENT_EMPTY;
        /* acq_rel: as the exchange of queue. */
        if (atomic_compare_exchange_weak_explicit(arrivals_of(mutex), &word,
                                                  in_this_epoch(below ? (uintptr_t)element : SEGMENT_EMPTY),
                                                  memory_order_acq_rel, memory_order_relaxed))
            return below;
    }
}

bool recip_mutex_is_busy(recip_mutex_t *mutex)
{
    /* relaxed: a hint. */
    return arrivals_in(atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed)) &&
           !(state_load(mutex) & LEADER_SLEEPS);
}

void recip_mutex_admit(recip_mutex_t *mutex, waiter *element)
{
    if (!push_admitted(mutex, element))
        recip_waiter_open(element, SEGMENT_EMPTY);
}

void recip_mutex_admit_by_owner(recip_mutex_t *mutex, waiter *element)
{
    if (push_admitted(mutex, element))
        return;
    prepare_leader(mutex);
    /* release: with the acquire in recip_waiter_await. */
    if (atomic_exchange_explicit(&element->gate, SEGMENT_EMPTY, memory_order_release) == GATE_PARKED)
        wake_at_release(mutex, &element->gate);
}

void recip_mutex_lock_admitted(recip_mutex_t *mutex, waiter *self, uintptr_t message)
{
    /* No nap: what it waited for has happened, and soon the others may wait for it, with the mutex free. */
    lead_and_pass_on(mutex, self->successor, message, SEGMENT_EMPTY, NULL, false);
}

/* ---- After a fork ---- */

static _Atomic(uintptr_t) repairing;

void recip_repair_begin(void)
{
    /* acquire: with recip_repair_end. */
    while (atomic_exchange_explicit(&repairing, 1, memory_order_acquire))
        port_relax();
}

void recip_repair_end(void)
{
    /* release: with recip_repair_begin. */
    atomic_store_explicit(&repairing, 0, memory_order_release);
}

/* ---- What a timed waiter left behind ---- */

/* Frees what has been skipped since, and takes back this thread's place in that mutex's queue, if it still has one. At
 * most one element for each pair of thread and mutex is ever left. */
static waiter *take_back(recip_mutex_t *mutex)
{
    waiter **link = &port_thread()->left_behind;
    while (*link) {
        waiter *element = *link;
        uintptr_t gate = GATE_LEFT;
        bool wanted = element->mutex == mutex;
        /* acquire, for failure: with grant, which has read its successor. */
        bool queued = atomic_compare_exchange_strong_explicit(&element->gate, &gate, wanted ? GATE_CLOSED : GATE_LEFT,
                                                              memory_order_acquire, memory_order_acquire);
        if (queued && !wanted) {
            link = &element->next;
            continue;
        }
        *link = element->next;
        if (queued)
            return element;
        recip_waiter_delete(element);
    }
    return NULL;
}

void recip_left_behind_release(struct thread *thread)
{
    while (thread->left_behind) {
        waiter *element = thread->left_behind;
        thread->left_behind = element->next;
        uintptr_t gate = GATE_LEFT;
        /* acquire, for failure: as in take_back. release: this thread's last access, to whoever skips and frees it. */
        if (!atomic_compare_exchange_strong_explicit(&element->gate, &gate, GATE_ORPHANED, memory_order_release,
                                                     memory_order_acquire))
            recip_waiter_delete(element);
    }
}

/* ---- The calls, for whom recip_take_ has failed ---- */

void recip_mutex_lock_slow_(recip_mutex_t *mutex)
{
    if (spin_as_newcomer(mutex, recip_tuning.newcomer_naps))
        return;
    waiter self = {.mutex = mutex};
    queue(mutex, &self, NULL);
}

int recip_mutex_trylock_slow_(recip_mutex_t *mutex)
{
    return state_load(mutex) == BARRED && lead_if_nobody_does(mutex) ? 0 : EBUSY;
}

int recip_mutex_lock_until(recip_mutex_t *mutex, const struct deadline *deadline)
{
    if (spin_as_newcomer(mutex, 0))
        return 0;
    enum outcome outcome;
    waiter *self = take_back(mutex);
    if (self) {
        outcome = follow(mutex, self, deadline);
    } else {
        self = recip_waiter_new();
        if (!self)
            return ENOMEM;
        self->mutex = mutex;
        outcome = queue(mutex, self, deadline);
    }
    if (outcome == LEFT) {
        struct thread *thread = port_thread();
        self->next = thread->left_behind;
        thread->left_behind = self;
    } else {
        recip_waiter_delete(self);
    }
    return outcome == WON ? 0 : ETIMEDOUT;
}

_Atomic(uintptr_t) *recip_wake_due_take(recip_mutex_t *mutex)
{
    struct thread *thread = port_thread();
    if (thread->wake_due_for != mutex)
        return NULL;
    _Atomic(uintptr_t) *sleeper = thread->wake_due;
    atomic_signal_fence(memory_order_seq_cst); /* until it has been read it stays taken */
    thread->wake_due_for = NULL;
    return sleeper;
}

static void release_and_wake(recip_mutex_t *mutex)
{
    uint32_t state = state_load(mutex);
    _Atomic(uintptr_t) *sleeper = state & WAKE_DUE ? recip_wake_due_take(mutex) : NULL;
    /* release: with state_take and recip_take_. The last access: after it the mutex may be gone. */
    while (!atomic_compare_exchange_weak_explicit(state_of(mutex), &state, state & ~(LOCKED | LEADER_SLEEPS | WAKE_DUE),
                                                  memory_order_release, memory_order_relaxed)) {
    }
    if (state & LEADER_SLEEPS)
        port_wake32(state_of(mutex));
    if (sleeper)
        port_wake(sleeper);
}

void recip_mutex_unlock_slow_(recip_mutex_t *mutex)
{
    uint32_t state = state_load(mutex);
    if ((state & (LEADER_SLEEPS | WAKE_DUE)) || !recip_release_(&mutex->state, state, state & ~LOCKED))
        release_and_wake(mutex);
}

void recip_mutex_init(recip_mutex_t *mutex)
{
    *mutex = (recip_mutex_t)RECIP_MUTEX_INIT;
}

int recip_mutex_init_bound(recip_mutex_t *mutex, unsigned bound)
{
    if (bound > RECIP_BOUND_MAX)
        return EINVAL;
    *mutex = (recip_mutex_t)RECIP_MUTEX_INIT_BOUND(bound);
    return 0;
}

int recip_mutex_destroy(recip_mutex_t *mutex)
{
    /* relaxed: whoever destroys knows that nobody uses it; this is for those who are mistaken. */
    uintptr_t arrivals = arrivals_in(atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed));
    bool used = (state_load(mutex) & LOCKED) || arrivals;
    return used ? EBUSY : 0;
}
