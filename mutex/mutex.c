/* The mutex's slow path: the reciprocating order of the paper's gated formulation, where what is handed over is not
 * the mutex but leadership, which is the right to compete for it with newcomers, who may pass by `bound` times.
 *
 * Arrivals are pushed by exchange. Whoever finds 0 there leads; all others follow, each waiting at its own gate. The
 * leader that has won the mutex passes leadership on at once: to its successor in the segment, else to the newest of
 * those who have arrived, whom it detaches whole; else nobody waits and the arrivals go to 0.
 *
 * Who changes the state word (its bits are beside recip_mutex_t):
 *
 * | who               | from                       | to                                                            |
 * |-------------------|----------------------------|---------------------------------------------------------------|
 * | newcomer          | free, not BARRED           | + LOCKED; if LED, count + 1                                   |
 * | leader            | free                       | LOCKED; neither LED nor count                                 |
 * | leader            | LOCKED, not LED            | + LED, count for the bound; then the barrier, then look again |
 * | leader            | LOCKED and LED             | + LEADER_SLEEPS; then the barrier, look again, sleep          |
 * | leader, resigning | LED, nobody else waits     | - LED, LEADER_SLEEPS, count; the barrier if LOCKED, look again |
 * | owner, was leader | LOCKED, not LED            | + LED, count: before it opens the gate of the next leader     |
 * | owner             | LOCKED                     | + WAKE_DUE                                                    |
 * | owner             | no LEADER_SLEEPS, WAKE_DUE | - LOCKED, by the release that is no atomic operation          |
 * | owner             | any                        | - LOCKED, LEADER_SLEEPS, WAKE_DUE; then the wake-ups          |
 * | anyone            | an old epoch               | repaired, see below                                           |
 *
 * So a locked word is written by its owner and by the one leader, and while nobody leads by its owner alone. The plain
 * release may overwrite what the leader has just written into a locked word. Hence the barrier after each such write:
 * once it has returned, the write has either been overwritten, and a second look shows that, or stays. Only the leader
 * pays for this, when contention begins and when it goes to sleep.
 *
 * Destruction: the release of the state word is the releaser's last access to the mutex; wake-ups name an address.
 */
#define RECIP_UNANNOTATED
#include "locks/port.h"

#include "mutex/tunables.h"
#include "mutex/waiter.h"

#define LOCKED RECIP_LOCKED_
#define LED RECIP_LED_
#define LEADER_SLEEPS RECIP_LEADER_SLEEPS_
#define WAKE_DUE RECIP_WAKE_DUE_
#define BARRED RECIP_BARRED_
#define COUNT_LIMIT (BARRED >> RECIP_COUNT_SHIFT_)

static inline _Atomic(uint32_t) *state_of(recip_mutex_t *mutex)
{
    return (_Atomic(uint32_t) *)&mutex->state;
}

static inline _Atomic(uint32_t) *lasting_of(recip_mutex_t *mutex)
{
    return (_Atomic(uint32_t) *)&mutex->lasting;
}

static inline _Atomic(uintptr_t) *arrivals_of(recip_mutex_t *mutex)
{
    return (_Atomic(uintptr_t) *)&mutex->arrivals;
}

static inline uint32_t state_look(recip_mutex_t *mutex)
{
    return atomic_load_explicit(state_of(mutex), memory_order_relaxed);
}

/* relaxed: says something about the waiters, hands nothing over. */
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

static inline uint32_t bound_of(recip_mutex_t *mutex)
{
    /* relaxed: never changes. */
    uint32_t lasting = atomic_load_explicit(lasting_of(mutex), memory_order_relaxed);
    uint32_t chosen = lasting & ((UINT32_C(1) << RECIP_EPOCH_SHIFT_) - 1);
    return chosen ? chosen - 1 : RECIP_DEFAULT_BOUND;
}

/* The word with a leader that nobody has passed by yet. */
static inline uint32_t with_leader(recip_mutex_t *mutex, uint32_t state)
{
    return state | LED | (COUNT_LIMIT - bound_of(mutex)) << RECIP_COUNT_SHIFT_;
}

static inline uint32_t without_leader(uint32_t state)
{
    return state & (LOCKED | WAKE_DUE);
}

/* ---- Newcomers ---- */

static bool take_as_newcomer(recip_mutex_t *mutex)
{
    uint32_t state = state_look(mutex);
    while (!(state & (LOCKED | BARRED))) {
        if (state_take(mutex, state, state + LOCKED + ((state & LED) << (RECIP_COUNT_SHIFT_ - 1))))
            return true;
        state = state_look(mutex);
    }
    return false;
}

/* Looks for a while, ever less often, so that the owner keeps its cache line. */
static bool spin_as_newcomer(recip_mutex_t *mutex)
{
    unsigned pause = NEWCOMER_PAUSE;
    for (unsigned turn = 0; turn < recip_tuning.newcomer_turns; turn += pause, pause *= 2) {
        for (unsigned i = 0; i < pause; i++)
            port_relax();
        if (take_as_newcomer(mutex))
            return true;
        if (state_look(mutex) & LED)
            return false;
    }
    return false;
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
    /* acquire, for failure, when the gate is open; success says "asleep" and nothing else. */
    if (!atomic_compare_exchange_strong_explicit(&self->gate, &value, GATE_PARKED, memory_order_acquire,
                                                 memory_order_acquire) &&
        value != GATE_PARKED)
        return value;
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
        /* acquire: with the release in leave, for the successor of one who left. */
        uintptr_t before = atomic_load_explicit(&element->gate, memory_order_acquire);
        do {
            if (before >= GATE_LEFT)
                successor = element->successor;
            /* release: with the acquire in recip_waiter_await; and what was read above is read, with left_behind. */
        } while (!atomic_compare_exchange_strong_explicit(&element->gate, &before, end, memory_order_acq_rel,
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
    return atomic_exchange_explicit(arrivals_of(mutex), SEGMENT_EMPTY, memory_order_acquire);
}

static inline bool disband(recip_mutex_t *mutex, uintptr_t empty)
{
    /* release: with the acquire of the next push, whose thread leads and must not see LED from before. */
    return atomic_compare_exchange_strong_explicit(arrivals_of(mutex), &empty, 0, memory_order_release,
                                                   memory_order_relaxed);
}

/* The wake-up of a leader is put off until release: it could not get the mutex before. Under a small bound nobody else
 * could either, so there it wakes up while the owner works. One at a time; a second one is not put off. */
static void wake_at_release(recip_mutex_t *mutex, _Atomic(uintptr_t) *sleeper)
{
    struct thread *thread = port_thread();
    if (thread->wake_due_for || bound_of(mutex) < SMALL_BOUND) {
        port_wake(sleeper);
        return;
    }
    thread->wake_due = sleeper;
    thread->wake_due_for = mutex;
    /* relaxed: for this thread only. An RMW, because the leader may be awake and write too. */
    atomic_fetch_or_explicit(state_of(mutex), WAKE_DUE, memory_order_relaxed);
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
        }
        /* relaxed stores: nobody else writes a locked word that nobody leads; the new leader sees it by its gate. */
        uint32_t state = state_look(mutex);
        atomic_store_explicit(state_of(mutex), with_leader(mutex, state), memory_order_relaxed);
        _Atomic(uintptr_t) *sleeper;
        if (grant(successor, end, &sleeper)) {
            if (sleeper)
                wake_at_release(mutex, sleeper);
            return;
        }
        atomic_store_explicit(state_of(mutex), state, memory_order_relaxed);
        successor = end;
    }
}

/* After writing `state` or more into a word that was `before`: make sure that no release overwrites it unseen. */
static inline void settle(uint32_t before)
{
    if (before & LOCKED)
        port_barrier();
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
        uint32_t state;
        /* Before the arrivals go to 0: afterwards the word may be another leader's. */
        while ((state = state_look(mutex)) & LED)
            if (state_mark(mutex, state, without_leader(state)))
                settle(state);
        if (disband(mutex, empty))
            return;
        while (!((state = state_look(mutex)) & LED))
            if (state_mark(mutex, state, with_leader(mutex, state)))
                settle(state);
        successor = detach(mutex);
        end = empty;
        empty = SEGMENT_EMPTY;
    }
}

/* How the leader waits between two looks at a locked word. */
struct patience {
    unsigned turns; /* so far, of recip_tuning.leader_turns */
    unsigned pause; /* the last one, in turns */
    uint32_t last;  /* the word as it was */
};

/* One pause: long while the mutex changes hands quickly, so that it costs its users little to be looked at, and short
 * otherwise. */
static void pause_as_leader(uint32_t state, struct patience *patience)
{
    uint32_t passed = ((state - patience->last) & (BARRED - 1)) >> RECIP_COUNT_SHIFT_;
    patience->last = state;
    if ((state & BARRED) || passed < 2)
        patience->pause = 1;
    else if (patience->pause < recip_tuning.leader_pause)
        patience->pause *= 2;
    /* An owner that stays is waited for asleep. */
    patience->turns += passed ? patience->pause : IDLE_LOOK_COST * patience->pause;
    for (unsigned i = 0; i < patience->pause; i++)
        port_relax();
}

/* Compete until the mutex is won, or the deadline has passed. */
static bool lead(recip_mutex_t *mutex, const struct deadline *deadline)
{
    struct patience patience = {.pause = 1};
    for (;;) {
        uint32_t state = state_look(mutex);
        if (!(state & LOCKED)) {
            if (state_take(mutex, state, LOCKED))
                return true;
        } else if (!(state & LED)) {
            if (state_mark(mutex, state, with_leader(mutex, state)))
                settle(state);
        } else if (patience.turns < recip_tuning.leader_turns) {
            pause_as_leader(state, &patience);
        } else if (!(state & LEADER_SLEEPS)) {
            if (state_mark(mutex, state, state | LEADER_SLEEPS))
                settle(state);
        } else {
            if (!port_park32_until(state_of(mutex), state, deadline))
                return false;
            patience.turns = 0;
        }
    }
}

static bool lead_and_pass_on(recip_mutex_t *mutex, uintptr_t successor, uintptr_t end, uintptr_t empty,
                             const struct deadline *deadline)
{
    bool won = lead(mutex, deadline);
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
    /* release: self->successor, to whoever skips. On failure the gate has just been opened: acquire. */
    while (gate_is_shut(message))
        if (atomic_compare_exchange_strong_explicit(&self->gate, &message, GATE_LEFT, memory_order_acq_rel,
                                                    memory_order_acquire))
            return LEFT;
    return lead_and_pass_on(mutex, self->successor, message, SEGMENT_EMPTY, deadline) ? WON : RESIGNED;
}

static enum outcome queue(recip_mutex_t *mutex, waiter *self, const struct deadline *deadline)
{
    gate_close(&self->gate);
    /* acq_rel. Release: the closed gate, to detach. Acquire: with disband. */
    self->successor = atomic_exchange_explicit(arrivals_of(mutex), (uintptr_t)self, memory_order_acq_rel);
    if (self->successor)
        return follow(mutex, self, deadline);
    uintptr_t end = (uintptr_t)self;
    return lead_and_pass_on(mutex, end, end, end, deadline) ? WON : RESIGNED;
}

static inline void enter(recip_mutex_t *mutex);

/* False if nobody leads: then the element does, and stands for nobody in the stack. */
static bool push_admitted(recip_mutex_t *mutex, waiter *element)
{
    enter(mutex);
    uintptr_t below = atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed);
    for (;;) {
        element->successor = below ? below : SEGMENT_EMPTY;
        uintptr_t pushed = below ? (uintptr_t)element : SEGMENT_EMPTY;
        /* acq_rel: as the exchange of queue. */
        if (atomic_compare_exchange_weak_explicit(arrivals_of(mutex), &below, pushed, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return below;
    }
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
    /* As in pass_on: nobody else writes the word now, and the new leader sees it by its gate. */
    atomic_store_explicit(state_of(mutex), with_leader(mutex, state_look(mutex)), memory_order_relaxed);
    /* release: with the acquire in recip_waiter_await. */
    if (atomic_exchange_explicit(&element->gate, SEGMENT_EMPTY, memory_order_release) == GATE_PARKED)
        wake_at_release(mutex, &element->gate);
}

void recip_mutex_lock_admitted(recip_mutex_t *mutex, waiter *self, uintptr_t message)
{
    lead_and_pass_on(mutex, self->successor, message, SEGMENT_EMPTY, NULL);
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
    atomic_store_explicit(&repairing, 0, memory_order_release);
}

static inline bool epoch_is_current(recip_mutex_t *mutex)
{
    /* acquire: with the store in repair; the arrivals are 0. */
    return atomic_load_explicit(lasting_of(mutex), memory_order_acquire) >> RECIP_EPOCH_SHIFT_ == port_epoch();
}

/* In a child the waiters of its parent do not exist. First the word is frozen: BARRED keeps newcomers off,
 * LEADER_SLEEPS brings the owner here as well. Then they are forgotten. */
static void repair(recip_mutex_t *mutex)
{
    uint32_t state, frozen = BARRED | LEADER_SLEEPS;
    recip_repair_begin();
    if (!epoch_is_current(mutex)) {
        while (((state = state_look(mutex)) & frozen) != frozen)
            if (state_mark(mutex, state, state | frozen))
                settle(state);
        atomic_store_explicit(arrivals_of(mutex), 0, memory_order_relaxed);
        atomic_store_explicit(state_of(mutex), without_leader(state), memory_order_relaxed);
        uint32_t bound = atomic_load_explicit(lasting_of(mutex), memory_order_relaxed) << (32 - RECIP_EPOCH_SHIFT_) >>
                         (32 - RECIP_EPOCH_SHIFT_);
        /* release: with the acquire in epoch_is_current. */
        atomic_store_explicit(lasting_of(mutex), port_epoch() << RECIP_EPOCH_SHIFT_ | bound, memory_order_release);
    }
    recip_repair_end();
}

/* Before one queues or releases with care; a newcomer takes a free word whatever its epoch. */
static inline void enter(recip_mutex_t *mutex)
{
    if (!epoch_is_current(mutex))
        repair(mutex);
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
        /* acquire, for failure: with grant, which has read its successor. On success the place is as it was. */
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
        /* As in take_back; release: this thread's last access. */
        if (!atomic_compare_exchange_strong_explicit(&element->gate, &gate, GATE_ORPHANED, memory_order_acq_rel,
                                                     memory_order_acquire))
            recip_waiter_delete(element);
    }
}

/* ---- The calls ---- */

void recip_mutex_lock_slow_(recip_mutex_t *mutex)
{
    if (take_as_newcomer(mutex))
        return;
    enter(mutex);
    if (spin_as_newcomer(mutex))
        return;
    waiter self = {.mutex = mutex};
    queue(mutex, &self, NULL);
}

int recip_mutex_trylock_slow_(recip_mutex_t *mutex)
{
    enter(mutex);
    return take_as_newcomer(mutex) ? 0 : EBUSY;
}

int recip_mutex_lock_until(recip_mutex_t *mutex, const struct deadline *deadline)
{
    if (take_as_newcomer(mutex))
        return 0;
    enter(mutex);
    if (spin_as_newcomer(mutex))
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

/* The put-off wake-up of this mutex, if there is one. */
static _Atomic(uintptr_t) *take_wake_due(recip_mutex_t *mutex)
{
    struct thread *thread = port_thread();
    if (thread->wake_due_for != mutex)
        return NULL;
    thread->wake_due_for = NULL;
    return thread->wake_due;
}

static void release_and_wake(recip_mutex_t *mutex)
{
    enter(mutex);
    uint32_t state = state_look(mutex);
    _Atomic(uintptr_t) *sleeper = state & WAKE_DUE ? take_wake_due(mutex) : NULL;
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
    uint32_t state = state_look(mutex);
    if ((state & (LEADER_SLEEPS | WAKE_DUE)) || !recip_release_(&mutex->state, state, state & ~LOCKED))
        release_and_wake(mutex);
}

int recip_mutex_init(recip_mutex_t *mutex, const recip_mutexattr_t *attributes)
{
    *mutex = (recip_mutex_t)RECIP_MUTEX_INIT;
    if (!attributes)
        return 0;
    if (attributes->bound > RECIP_MOST_BOUND)
        return EINVAL;
    *mutex = (recip_mutex_t)RECIP_MUTEX_INIT_BOUND(attributes->bound);
    return 0;
}

int recip_mutex_destroy(recip_mutex_t *mutex)
{
    enter(mutex);
    bool used = (state_look(mutex) & LOCKED) || atomic_load_explicit(arrivals_of(mutex), memory_order_relaxed);
    return used ? EBUSY : 0;
}
