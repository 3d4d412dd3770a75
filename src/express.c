/* SPDX-License-Identifier: MIT */
/* Express: how a thread that locks seldom gets in beside threads that lock all the time.
 *
 * Such a thread has credit. Credit is time: it grows while the thread does not wait for a mutex, up to a limit, and
 * each use costs a part of it. A thread that fails to lock and has credit does not queue. It marks the state EXPRESS
 * and keeps looking; the next release then leaves the mutex reserved, which no newcomer takes, and the express waiter
 * has it within some 100 nanoseconds. Threads that lock all the time have no credit to do the same: they spend it in
 * their first waits, it does not grow while they wait, and a thread that has to give way to an express waiter loses all
 * of it.
 *
 * An express waiter that has looked in vain, since the section is long or the owner does not run, naps at the state
 * word, and the next release wakes it. That release leaves the mutex free for all: a server's threads all have credit,
 * and if the mutex were kept for each of them while it wakes up, it would be idle most of the time. A waiter that has
 * been woken in vain insists, and the release after that keeps the mutex for it. A nap ends by itself, so it does no
 * harm if a release in two steps (recip-inline.h) has overlooked the mark: no barrier is needed. After a few naps the
 * waiter gives up and queues like any other; so it is never worse off than those, and the bound of a leader holds: an
 * express acquisition counts as a pass.
 *
 * The number of those that nap is part of the state, so that a release wakes, or keeps the mutex for, those who are
 * there. After a fork the child has it from its parent. There nobody comes; the next leader takes the mutex all the
 * same, and resets it.
 */
#define RECIP_UNANNOTATED
#include "src/state.h"

/* Whether the calling thread has credit; then it has paid. */
static bool spend_credit(void)
{
    struct thread *thread = port_thread();
    int64_t now = port_ticks(), earliest = now - recip_tuning.credit_max;
    int64_t since = thread->credit_since < earliest ? earliest : thread->credit_since;
    if (recip_tuning.credit_price == 0 || now - since < recip_tuning.credit_price)
        return false;
    thread->credit_since = since + recip_tuning.credit_price;
    return true;
}

void recip_credit_waited(int64_t since)
{
    port_thread()->credit_since += port_ticks() - since;
}

void recip_credit_lose(void)
{
    port_thread()->credit_since = port_ticks();
}

/* ---- Those that nap ---- */

static bool somebody_naps(uint32_t state)
{
    return state & EXPRESS_SLEEPERS_MAX;
}

/* The release that woke this one has taken the mark for all: it stands again for those who are left. */
static uint32_t with_one_less(uint32_t state)
{
    state -= somebody_naps(state) ? EXPRESS_SLEEPER : 0;
    return somebody_naps(state) ? state | EXPRESS_SLEEPS : state & ~EXPRESS_NAPPING;
}

static bool is_full(uint32_t state)
{
    return (state & EXPRESS_SLEEPERS_MAX) == EXPRESS_SLEEPERS_MAX;
}

/* ---- Waiting ---- */

struct express {
    struct awake awake;
    int64_t nap; /* the length of the next one, in nanoseconds */
    unsigned naps;
    bool counted; /* in the state, among those that nap */
};

static bool take(recip_mutex_t *mutex, uint32_t state, bool counted)
{
    if (!state_take(mutex, state, counted ? with_one_less(state) : state))
        return false;
    recip_count_(mutex);
    return true;
}

static void ask(recip_mutex_t *mutex, uint32_t state)
{
    if ((state & LOCKED) && !(state & (EXPRESS | BARRED)))
        state_change(mutex, state, state | EXPRESS);
    else
        wait_awake(recip_tuning.look);
}

/* What the state has to say while this one naps. EXPRESS is for those who are awake: a release that finds it wakes
 * nobody. */
static uint32_t while_napping(uint32_t state, const struct express *self)
{
    state += self->counted ? 0 : EXPRESS_SLEEPER;
    return (state & ~EXPRESS) | EXPRESS_SLEEPS | (self->naps ? EXPRESS_INSISTS : 0);
}

static void nap(recip_mutex_t *mutex, uint32_t state, struct express *self)
{
    uint32_t napping = while_napping(state, self);
    if (state != napping) {
        self->counted |= state_change(mutex, state, napping);
        return;
    }
    port_nap_at(state_of(mutex), state, EXPRESS_KIND, self->nap);
    self->nap *= 2;
    self->naps++;
    self->awake = awake_from_now();
}

static void give_up(recip_mutex_t *mutex, bool counted)
{
    uint32_t state;
    do
        state = state_load(mutex);
    while (!state_change(mutex, state, (counted ? with_one_less(state) : state) & ~EXPRESS));
}

bool recip_mutex_take_express(recip_mutex_t *mutex)
{
    if (never_passed(mutex) || (state_load(mutex) & HANDS_OVER) || !spend_credit())
        return false;
    struct express self = {.awake = awake_from_now(), .nap = recip_tuning.express_nap};
    for (;;) {
        uint32_t state = state_load(mutex);
        self.counted = self.counted && somebody_naps(state); /* a leader may have reset it */
        if (!(state & (LOCKED | BARRED))) {
            if (take(mutex, state, self.counted))
                return true;
        } else if (!(state & HANDS_OVER) &&
                   recip_is_patient(&self.awake, recip_patience(recip_tuning.express), recip_tuning.between_yields)) {
            ask(mutex, state);
        } else if (!(state & HANDS_OVER) && self.naps < recip_tuning.express_naps && !is_full(state)) {
            nap(mutex, state, &self);
        } else {
            give_up(mutex, self.counted);
            return false;
        }
    }
}
