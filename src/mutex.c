/* SPDX-License-Identifier: MIT */
/* The mutex's slow path: who waits how, and who is next.
 *
 * Lock and unlock are inline (recip-inline.h) as long as the state has no marks: one compare-and-swap, and a store. A
 * thread that finds the mutex locked comes here, and waits in one of three ways.
 *
 * 1. Express (express.c). It has credit, since it has not waited much lately: it marks the state, and is next.
 * 2. As a newcomer (newcomer.c). It looks for some microseconds, seldom if the mutex changes hands every few
 * nanoseconds.
 * 3. In the queue: here. The queue has the reciprocating order of the paper's gated formulation. One thread leads it,
 * and the others follow, each waiting at its own gate. What goes from one to the next is leadership.
 *
 * What an owner does at release depends on whether the next waiter is awake.
 *
 * - It is awake: the owner hands it the mutex itself, and leadership with it, by opening its gate. The state is not
 * touched, stays locked, and is marked HANDS_OVER. Newcomers that see this mark queue at once. So where threads have
 * CPUs of their own the mutex works as the paper's lock does: the release is a write to one cache line, which only the
 * next owner looks at. That owner keeps leadership until its own release.
 * - It sleeps, or is about to: then the owner has passed leadership to it when it got the mutex itself, and the release
 * frees the mutex for all. The leader competes for it with newcomers. So the mutex never waits for a thread to wake up.
 *
 * A waiter stays awake if its CPU is its own (own-cpu.c). One handover in HANDOVERS is left out, to see whether the
 * mutex is hot: then one thread that passes the others by gets more done than all of them in turns.
 *
 * Why nobody waits long. Who is handed the mutex has been passed by nobody but those before it in the queue. Newcomers
 * may pass a leader that competes, but it counts its sleeps. When it has slept a few times and found the mutex taken
 * after each, it marks the state BARRED, and the next release leaves the mutex to it. The owner that has to release for
 * a leader queues the next time: otherwise it would be back before the leader's first release, and the leader would
 * have had one section. Besides, newcomers count their passes, and one that reaches the bound bars newcomers by itself:
 * the bound is exact. A bound of 0 bars from the start.
 *
 * A leader counts sleeps, and not the time: where many threads share a CPU a sleeper may run again only after
 * milliseconds, though the mutex is free most of the time. Were it barred then, it would be free and nobody's until the
 * leader runs.
 *
 * Arrivals are pushed by exchange. A thread that finds 0 there leads; all others follow. The owner that passes
 * leadership on, or hands over, goes to its successor in the segment, else to the newest of those who have arrived,
 * and takes them all; else nobody waits and the arrivals go to 0. Unless the bound is 0, the sleepers at the top of
 * such a segment, up to MAX_REVERSED, come in the order in which they arrived, not from the newest.
 *
 * The state: its first byte is the lock, its second byte has the marks. Free is 0 in the first byte, whatever the
 * marks.
 *
 * | who               | from                     | to                                                                |
 * |-------------------|--------------------------|-------------------------------------------------------------------|
 * | newcomer          | free                     | LOCKED, in the first byte only; then it counts itself             |
 * | express waiter    | LOCKED                   | + EXPRESS, while it is awake; + EXPRESS_SLEEPS when it naps, and  |
 * |                   |                          | EXPRESS_INSISTS if it has been woken in vain                      |
 * | express waiter    | free or RESERVED, not    | LOCKED, - RESERVED, EXPRESS, its nap; then it counts itself       |
 * |                   | BARRED                   |                                                                   |
 * | leader            | free, RESERVED + BARRED, | LOCKED, - RESERVED, EXPRESS, BARRED, LEADER_SLEEPS                |
 * |                   | RESERVED for too long    |                                                                   |
 * | leader            | LOCKED                   | + BARRED, if it waited long or the bound is 0                     |
 * | leader            | LOCKED                   | + LEADER_SLEEPS; it naps; then the barrier, look again, sleep     |
 * | leader, resigning | any                      | - LEADER_SLEEPS, BARRED, if nobody follows; the bound 0 keeps     |
 * |                   |                          | BARRED                                                            |
 * | owner             | LOCKED                   | + BARRED, if it counted the last pass and somebody waits          |
 * | owner             | LOCKED                   | + BARRED, if the bound is 0: before it opens the leader's gate;   |
 * |                   |                          | - BARRED, if nobody is behind that                                |
 * | owner             | LOCKED                   | + WAKE_DUE                                                        |
 * | owner             | LOCKED                   | + HANDS_OVER: it keeps leadership, and the next waiter is awake   |
 * | owner             | LOCKED, HANDS_OVER       | the same, another thread's: by opening that one's gate            |
 * | owner             | LOCKED without marks     | free, by the release that is no atomic operation                  |
 * | owner             | any                      | free, or RESERVED if EXPRESS, EXPRESS_INSISTS or BARRED stands;   |
 * |                   |                          | - LEADER_SLEEPS, WAKE_DUE, HANDS_OVER, and EXPRESS_SLEEPS if it   |
 * |                   |                          | wakes one of those; then the wake-ups                             |
 *
 * The release that is no atomic operation compares the second byte and stores the first. So it never overwrites a mark,
 * but may miss one that is set in between, and leave the mutex free. That is harmless to a waiter that looks again.
 * Before a waiter sleeps without an end it calls the barrier: once that has returned, such a release has either stored,
 * and a second look shows that, or starts again and sees the mark. Most waits of a leader end within its nap, and need
 * no barrier. For a bound of 0 the barrier comes after BARRED too: from then on no newcomer passes.
 *
 * RESERVED without BARRED is a courtesy, for an express waiter. A leader takes such a mutex when it has slept once and
 * nobody has come: the express waiter may not be running, or be one of the parent's before a fork.
 *
 * The bound: owners count newcomers, in plain memory beside the state. The count starts when an owner passes leadership
 * on; where somebody leads because nobody else waited, it has started before. In a new mutex it starts one lower: the
 * first owner counts itself, and passes nobody. The owner that counts the last pass looks for a leader.
 *
 * A stale BARRED is harmless: the next thread that locks or tries takes the slow path, leads, and clears it. It arises
 * when an owner bars while the leader resigns, with a bound of 0, or from the parent of a fork. No newcomer takes a
 * mutex that is reserved and barred, even if it has seen nobody in the arrivals: before its compare-and-swap the mutex
 * may have had owners, and be barred again for somebody.
 *
 * Fork: the arrivals carry the number of forks of their process. Those of a parent stand for nobody.
 *
 * Destruction: the release of the state word is the releaser's last access to the mutex; wake-ups name an address. An
 * owner that hands the mutex over does not touch it at all from then on.
 */
#define RECIP_UNANNOTATED
#include "port/port.h"

#include "src/diagnosis.h"
#include "src/state.h"
#include "src/waiter.h"

#ifndef RECIP_RELEASE_BY_
__thread struct recip_leadership_ recip_kept_;
#endif

#define MARKS_OF_LEADER (BARRED | LEADER_SLEEPS)

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

void recip_mutex_bound_reached_(recip_mutex_t *mutex)
{
    if (diagnose_passed(mutex))
        return;
    start_count(mutex);
    /* An RMW, so that it reads the newest. release, for nobody: without it clang makes a load of this. */
    uintptr_t word = atomic_fetch_or_explicit(arrivals_of(mutex), 0, memory_order_release);
    if (arrivals_in(word))
        state_set(mutex, BARRED);
}

/* ---- Gates ---- */

/* Looks for so long at most, and no longer than the CPU is its own. The clock is not read at every look. */
static uintptr_t look_at_gate(waiter *self, int64_t patience)
{
    struct awake awake = awake_from_now();
    do
        for (unsigned i = 0; i < LOOKS_AT_ONCE; i++) {
            /* acquire: with the release of the opener; state and segment as it left them. */
            uintptr_t value = atomic_load_explicit(&self->gate, memory_order_acquire);
            if (!gate_is_shut(value))
                return value;
            port_relax();
        }
    while (recip_is_patient(&awake, patience, recip_tuning.between_yields) && recip_has_own_cpu());
    return GATE_CLOSED;
}

/* Awake for so long at first. */
static uintptr_t await(waiter *self, int64_t awake, const struct deadline *deadline)
{
    uintptr_t value = awake > 0 ? look_at_gate(self, awake) : GATE_CLOSED;
    if (value != GATE_CLOSED)
        return value;
    /* release: self->successor, to reverse_sleepers, and if this waiter leaves to grant. If the gate is open instead,
     * the load below sees it. */
    atomic_compare_exchange_strong_explicit(&self->gate, &value, GATE_PARKED, memory_order_release,
                                            memory_order_relaxed);
    /* acquire: as above. */
    while ((value = atomic_load_explicit(&self->gate, memory_order_acquire)) == GATE_PARKED)
        if (!port_park_until(&self->gate, GATE_PARKED, deadline))
            return atomic_load_explicit(&self->gate, memory_order_acquire);
    return value;
}

uintptr_t recip_waiter_await(waiter *self, const struct deadline *deadline)
{
    return await(self, recip_tuning.signalled, deadline);
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
static bool grant(uintptr_t successor, uintptr_t end, uintptr_t flag, _Atomic(uintptr_t) **sleeper)
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
        } while (!atomic_compare_exchange_strong_explicit(&element->gate, &before, end | flag, memory_order_release,
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

/* The whole stack; its end is what the word held before the first of them came. */
static inline uintptr_t detach(recip_mutex_t *mutex)
{
    /* acquire: with the release of every push (each continues the release sequence of those before it), so that gates
     * are seen closed before they are opened. */
    return arrivals_in(
        atomic_exchange_explicit(arrivals_of(mutex), in_this_epoch(SEGMENT_EMPTY), memory_order_acquire));
}

/* The same by the owner, and in the order in which they come. */
static uintptr_t next_segment(recip_mutex_t *mutex, uintptr_t end)
{
    uintptr_t top = detach(mutex);
    return never_passed(mutex) ? top : reverse_sleepers(top, end);
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
    state_set(mutex, WAKE_DUE);
}

/* By the owner, before it opens the gate of a leader. */
static void prepare_leader(recip_mutex_t *mutex)
{
    start_count(mutex);
    if (never_passed(mutex))
        state_set(mutex, BARRED);
}

/* By the owner, who has led: leadership stays with it until release. False: it keeps that of another mutex. */
static bool keep(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end)
{
    struct recip_leadership_ *kept = recip_leadership_kept();
    if (kept->mutex)
        return false;
    kept->mutex = mutex;
    atomic_signal_fence(memory_order_seq_cst); /* a signal handler that locks finds it taken */
    kept->successor = successor;
    kept->end = end;
    return true;
}

static struct recip_leadership_ keep_no_longer(struct recip_leadership_ *kept)
{
    struct recip_leadership_ leadership = *kept;
    atomic_signal_fence(memory_order_seq_cst); /* until it has been read it stays taken */
    kept->mutex = NULL;
    return leadership;
}

static bool is_awake(uintptr_t successor)
{
    /* relaxed: a hint. */
    return atomic_load_explicit(&((waiter *)successor)->gate, memory_order_relaxed) == GATE_CLOSED;
}

/* Whether the owner keeps leadership if the next waiter is awake; whether that one is to find out if the mutex is hot.
 */
enum leaving { KEEP, PASS, PROBE };

/* By the owner, who has led. `empty` is what the arrivals word holds if nobody has come. */
static void pass_on(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty, enum leaving how)
{
    for (;;) {
        if (successor == end) {
            if (disband(mutex, empty))
                return;
            successor = next_segment(mutex, empty);
            end = empty;
            empty = SEGMENT_EMPTY;
        }
        if (how == KEEP && !(state_load(mutex) & (EXPRESS | EXPRESS_SLEEPS)) && successor != end &&
            is_awake(successor) && keep(mutex, successor, end)) {
            state_set(mutex, HANDS_OVER);
            return;
        }
        prepare_leader(mutex);
        _Atomic(uintptr_t) *sleeper;
        if (grant(successor, end, how == PROBE ? MESSAGE_PROBE : 0, &sleeper)) {
            if (sleeper)
                wake_at_release(mutex, sleeper);
            return;
        }
        successor = end;
        state_clear(mutex, BARRED); /* that leader was nobody */
    }
}

/* By a waiter that has been handed the mutex, and leadership with it. */
static void take_over(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end)
{
    if (keep(mutex, successor, end))
        return;
    state_clear(mutex, HANDS_OVER);
    pass_on(mutex, successor, end & ~MESSAGE_PROBE, SEGMENT_EMPTY, PASS);
}

/* Hand the mutex to the first who waits, if that one is awake. True: then it is not the caller's any more. */
static bool give(waiter *element, uintptr_t end)
{
    uintptr_t closed = GATE_CLOSED;
    /* release: with the acquire in await. */
    return atomic_compare_exchange_strong_explicit(&element->gate, &closed, end | MESSAGE_OWNED, memory_order_release,
                                                   memory_order_relaxed);
}

/* By the owner, at release. False: the mutex is still its own, and leadership has been passed on. */
static bool hand_over(recip_mutex_t *mutex)
{
    struct recip_leadership_ kept = keep_no_longer(recip_leadership_kept());
    bool probes = kept.end & MESSAGE_PROBE;
    kept.end &= ~MESSAGE_PROBE;
    if (!probes && kept.successor == kept.end) {
        if (disband(mutex, SEGMENT_EMPTY))
            return false;
        kept.successor = next_segment(mutex, SEGMENT_EMPTY);
        kept.end = SEGMENT_EMPTY;
    }
    if (!probes && give((waiter *)kept.successor, kept.end))
        return true;
    pass_on(mutex, kept.successor, kept.end, SEGMENT_EMPTY, probes ? PROBE : PASS);
    return false;
}

void recip_mutex_pass_on_kept(recip_mutex_t *mutex, struct recip_leadership_ *of_owner)
{
    struct recip_leadership_ kept = keep_no_longer(of_owner);
    state_clear(mutex, HANDS_OVER);
    pass_on(mutex, kept.successor, kept.end & ~MESSAGE_PROBE, SEGMENT_EMPTY, PASS);
}

/* By the leader. With a bound of 0, no newcomer passes from when the barrier has returned. */
static void bar(recip_mutex_t *mutex)
{
    state_set(mutex, BARRED);
    if (never_passed(mutex))
        port_barrier();
}

/* By the leader, before the arrivals go to 0: afterwards the marks may be another leader's. With bound 0 nobody passes
 * who comes behind it meanwhile, so there BARRED stays; and it may stay if it is the owner who has barred, or is about
 * to. */
static void take_marks_back(recip_mutex_t *mutex)
{
    state_clear(mutex, never_passed(mutex) ? LEADER_SLEEPS : MARKS_OF_LEADER);
}

/* By the leader whose time is over. */
static void resign(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty)
{
    for (;;) {
        _Atomic(uintptr_t) *sleeper;
        if (grant(successor, end, 0, &sleeper)) {
            if (sleeper)
                port_wake(sleeper);
            return;
        }
        take_marks_back(mutex);
        if (disband(mutex, empty))
            return;
        if (never_passed(mutex) && !(state_load(mutex) & BARRED))
            bar(mutex); /* it is barred, unless this leader did not wait */
        successor = detach(mutex);
        end = empty;
        empty = SEGMENT_EMPTY;
    }
}

/* What the leader knows of its wait. */
struct wait {
    const struct deadline *deadline;
    struct awake awake; /* since it last slept or napped */
    unsigned yields;    /* since then, when that was over */
    unsigned sleeps;    /* naps among them; each has ended with the mutex taken */
    uint16_t first;     /* passes when it began to lead */
    struct observation last;
    bool naps, bars;                         /* what it does in a long wait: first the one, then the other */
    enum { MARKED, NAPPED, SETTLED } asleep; /* how far it has come since LEADER_SLEEPS was set */
};

static void begin_awake(struct wait *wait)
{
    wait->awake = awake_from_now();
    wait->yields = 0;
    /* No further than matters: a thread that sleeps again and again changes nothing, and `recip check` can end. */
    if (wait->sleeps <= recip_tuning.sleeps)
        wait->sleeps++;
}

static bool may_take(uint32_t state, const struct wait *wait, bool hot)
{
    if (state & LOCKED)
        return false;
    if (state & BARRED)
        return true;
    return !hot && (!(state & RESERVED) || wait->sleeps > 0);
}

/* Express waiters for whom it is reserved, and who have not come, are forgotten; one that still naps marks again. */
static bool take_as_leader(recip_mutex_t *mutex, uint32_t state)
{
    bool nobody_came = (state & RESERVED) && !(state & BARRED);
    return state_take(mutex, state, state & ~(MARKS_OF_LEADER | (nobody_came ? EXPRESS_NAPPING : 0)));
}

/* It has found the mutex taken after so many sleeps that it had better bar newcomers. */
static bool has_slept_enough(const struct wait *wait, bool hot)
{
    return wait->sleeps >= (hot ? recip_tuning.sleeps_hot : recip_tuning.sleeps);
}

/* Sleep for a while, without asking to be woken. Where passes are frequent, a leader that is woken by release finds the
 * mutex taken again, and has cost the owner a system call. Threads of real-time classes do not nap: they ask. */
static void nap_as_leader(struct wait *wait, bool hot)
{
    bool napped = port_nap(recip_tuning.nap);
    begin_awake(wait);
    wait->bars = napped && has_slept_enough(wait, hot);
    wait->naps = napped && !wait->bars;
}

/* Sleep until release: at first for a while only, because most such waits end soon, and one that a release has missed
 * ends by itself. Then the barrier, another look, and sleep without an end. False if the deadline has passed. */
static bool sleep_as_leader(recip_mutex_t *mutex, uint32_t state, struct wait *wait)
{
    if (!(state & LEADER_SLEEPS)) {
        wait->asleep = MARKED;
        state_change(mutex, state, state | LEADER_SLEEPS);
        return true;
    }
    if (wait->asleep == NAPPED || (wait->asleep == MARKED && wait->deadline)) {
        wait->asleep = SETTLED;
        port_barrier();
        return true;
    }
    if (wait->asleep == MARKED) {
        wait->asleep = NAPPED;
        port_nap_at(state_of(mutex), state, LEADER_KIND, recip_tuning.leader_nap);
    } else if (!port_park_as(state_of(mutex), state, LEADER_KIND, wait->deadline)) {
        return false;
    }
    begin_awake(wait);
    /* A leader that may not nap, and has been woken in vain so often, naps after all, and then bars. */
    wait->naps |= recip_tuning.nap && !wait->bars && !wait->deadline && has_slept_enough(wait, false);
    return true;
}

static bool has_been_passed(recip_mutex_t *mutex, const struct wait *wait)
{
    bool counts = !(state_load(mutex) & RECIP_CHECKED_); /* RECIP_DEBUG has the count elsewhere */
    return counts && (uint16_t)(passes_load(mutex) - wait->first) >= FEW_PASSES;
}

/* A hot mutex is left alone, and a waiter with a deadline may not be late. */
static int64_t patience_to_lead(bool hot, const struct deadline *deadline)
{
    return hot || deadline ? recip_tuning.leader : recip_patience(recip_tuning.leader);
}

/* Compete until the mutex is won, or the deadline has passed. `may_nap`: from the start. */
static bool lead(recip_mutex_t *mutex, const struct deadline *deadline, bool may_nap)
{
    struct wait wait = {.deadline = deadline, .last = observe(mutex), .bars = never_passed(mutex)};
    wait.awake = awake_from_now();
    wait.first = wait.last.passes;
    wait.naps = recip_tuning.nap && !wait.bars && may_nap;
    for (;;) {
        uint32_t state = state_load(mutex);
        bool hot = wait.naps && is_hot(mutex, &wait.last);
        if (may_take(state, &wait, hot)) {
            if (take_as_leader(mutex, state))
                return true;
        } else if (wait.bars && !(state & BARRED)) {
            bar(mutex);
        } else if (recip_is_patient(&wait.awake, patience_to_lead(hot, deadline), recip_tuning.between_yields)) {
            wait_awake(hot ? recip_tuning.long_look : recip_tuning.look);
        } else if (!hot && wait.yields < recip_tuning.yields) {
            recip_yield();
            wait.yields++;
        } else if (hot || (wait.naps && has_been_passed(mutex, &wait))) {
            nap_as_leader(&wait, hot);
        } else if (!sleep_as_leader(mutex, state, &wait)) {
            return false;
        }
    }
}

static bool lead_and_pass_on(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty,
                             const struct deadline *deadline, bool may_nap)
{
    bool won = lead(mutex, deadline, may_nap);
    if (won)
        pass_on(mutex, successor, end, empty, port_thread()->trial.hot ? PASS : KEEP);
    else
        resign(mutex, successor, end, empty);
    return won;
}

/* ---- Waiting ---- */

enum outcome { WON, HANDED, RESIGNED, LEFT };

/* Wait in the arrivals, where `self` is now. */
static enum outcome follow(recip_mutex_t *mutex, waiter *self, const struct deadline *deadline)
{
    struct thread *thread = port_thread();
    bool awake = recip_has_own_cpu() && !thread->trial.hot && !deadline;
    uintptr_t probe = awake && ++thread->handovers == recip_tuning.handovers ? MESSAGE_PROBE : 0;
    if (probe)
        thread->handovers = 0;
    uintptr_t message = await(self, awake ? recip_tuning.awake : recip_tuning.follower, deadline);
    /* acquire, for failure, which C wants no stronger than success: the gate has just been opened. */
    while (gate_is_shut(message))
        if (atomic_compare_exchange_strong_explicit(&self->gate, &message, GATE_LEFT, memory_order_acquire,
                                                    memory_order_acquire))
            return LEFT;
    if (message & MESSAGE_OWNED) {
        take_over(mutex, self->successor, (message & ~MESSAGE_OWNED) | probe);
        return HANDED;
    }
    if (message & MESSAGE_PROBE)
        recip_find_out_if_hot(mutex);
    message &= ~MESSAGE_PROBE;
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
    /* relaxed: the next arrival follows, and looks at its own gate; the release of disband goes on through this. */
    if (arrivals_in(word) || !atomic_compare_exchange_strong_explicit(arrivals_of(mutex), &word, in_this_epoch(end),
                                                                      memory_order_relaxed, memory_order_relaxed))
        return false;
    uint32_t state = state_load(mutex);
    bool won = !(state & LOCKED) && take_as_leader(mutex, state);
    if (won)
        pass_on(mutex, end, end, end, PASS);
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
    if (message & MESSAGE_OWNED) {
        take_over(mutex, self->successor, message & ~MESSAGE_OWNED);
        return;
    }
    message &= ~MESSAGE_PROBE;
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
        /* acquire, for failure: as in take_back. release: this thread's last access, to the thread that skips and frees
         * it. */
        if (!atomic_compare_exchange_strong_explicit(&element->gate, &gate, GATE_ORPHANED, memory_order_release,
                                                     memory_order_acquire))
            recip_waiter_delete(element);
    }
}

/* ---- The calls, for whom recip_take_ has failed ---- */

/* Whether this thread is the owner whose release was for a leader. Once. */
static bool is_displaced_from(recip_mutex_t *mutex)
{
    struct thread *thread = port_thread();
    bool displaced = thread->displaced_from == mutex;
    thread->displaced_from = NULL;
    return displaced;
}

static void lock_by_waiting(recip_mutex_t *mutex)
{
    bool handed = state_load(mutex) & HANDS_OVER;
    if (!handed && recip_mutex_take_express(mutex))
        return;
    int64_t start = port_ticks();
    recip_give_way_now_and_then();
    if (handed || is_displaced_from(mutex) || !recip_mutex_take_as_newcomer(mutex)) {
        waiter self;
        self.mutex = mutex;
        if (queue(mutex, &self, NULL) == HANDED)
            return;
    }
    recip_credit_waited(start);
}

void recip_mutex_lock_slow_(recip_mutex_t *mutex)
{
    diagnose_locking(mutex);
    lock_by_waiting(mutex);
    diagnose_locked(mutex);
}

/* A mutex that is reserved as a courtesy is free for those who do not wait. One that is barred is its leader's, unless
 * there is none. */
int recip_mutex_trylock_slow_(recip_mutex_t *mutex)
{
    diagnose_trying(mutex);
    uint32_t state = state_load(mutex);
    bool won = false;
    if ((state & RESERVED) && (state & BARRED))
        won = lead_if_nobody_does(mutex);
    else if ((state & RESERVED) && state_take(mutex, state, state)) {
        recip_count_(mutex);
        won = true;
    }
    if (won)
        diagnose_locked(mutex);
    return won ? 0 : EBUSY;
}

int recip_mutex_lock_until(recip_mutex_t *mutex, const struct deadline *deadline)
{
    if (!(state_load(mutex) & HANDS_OVER) && recip_mutex_take_as_newcomer(mutex))
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
    return outcome == WON || outcome == HANDED ? 0 : ETIMEDOUT;
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

void recip_mutex_unlock_slow_(recip_mutex_t *mutex)
{
    diagnose_unlocking(mutex);
    if (recip_leadership_kept()->mutex == mutex && hand_over(mutex)) {
        recip_credit_lose();
        diagnose_unlocked(mutex);
        return;
    }
    uint32_t state = state_load(mutex), next;
    bool wakes;
    _Atomic(uintptr_t) *sleeper = state & WAKE_DUE ? recip_wake_due_take(mutex) : NULL;
    if (state & (EXPRESS | EXPRESS_SLEEPS | BARRED))
        recip_credit_lose();
    if (state & BARRED)
        port_thread()->displaced_from = mutex;
    do {
        next = state & ~(LOCKED | LEADER_SLEEPS | WAKE_DUE | HANDS_OVER);
        if (state & (EXPRESS | EXPRESS_INSISTS | BARRED))
            next |= RESERVED;
        wakes = (state & EXPRESS_SLEEPS) && !(state & (EXPRESS | BARRED));
        if (wakes)
            next &= ~EXPRESS_SLEEPS;
        /* release: with state_take and recip_take_. The last access: after it the mutex may be gone. */
    } while (!atomic_compare_exchange_weak_explicit(state_of(mutex), &state, next, memory_order_release,
                                                    memory_order_relaxed));
    if (wakes)
        port_wake_as(state_of(mutex), EXPRESS_KIND);
    if (state & LEADER_SLEEPS)
        port_wake_as(state_of(mutex), LEADER_KIND);
    if (sleeper)
        port_wake(sleeper);
    diagnose_unlocked(mutex);
}

void recip_mutex_init(recip_mutex_t *mutex)
{
    *mutex = (recip_mutex_t)RECIP_MUTEX_INIT;
    diagnose_initialised(mutex);
}

int recip_mutex_init_bound(recip_mutex_t *mutex, unsigned bound)
{
    if (bound > RECIP_BOUND_MAX)
        return EINVAL;
    *mutex = (recip_mutex_t)RECIP_MUTEX_INIT_BOUND(bound);
    diagnose_initialised(mutex);
    return 0;
}

int recip_mutex_destroy(recip_mutex_t *mutex)
{
    /* relaxed: a caller that destroys knows that nobody uses it; this is for callers that are mistaken. */
    uintptr_t arrivals = arrivals_in(atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed));
    bool used = (state_load(mutex) & LOCKED) || arrivals;
    diagnose_destroying(mutex, used);
    return used ? EBUSY : 0;
}
