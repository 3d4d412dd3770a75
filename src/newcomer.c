/* SPDX-License-Identifier: MIT */
/* What a thread does that cannot lock at once and has no credit, before it queues: it looks whether the mutex is free.
 *
 * How often it looks decides how much gets done. If others pass by every few nanoseconds the mutex is hot: a look takes
 * its cache line away, and a thread that has it undisturbed for two microseconds gets a hundred sections done. So there
 * the looks are LONG_LOOK apart. Where threads work for some 100 nanoseconds between their sections that would be
 * wrong: two of them fit side by side, and the next look had better come soon. Which it is depends on the CPU, and is
 * found out by a trial: one long look, then some waits with short ones, and how far apart the passes were in each. The
 * thread goes on with the better of the two in its next waits for the same mutex.
 *
 * Then it lets others run, by yields, and looks after each. Where threads exceed CPUs
 * that is better than the queue, whose members sleep: they all get their turns from the kernel, and the mutex never
 * waits for a thread to wake up.
 *
 * A thread that always finds the mutex free after a few looks would never come to that. Two such threads keep two CPUs
 * to themselves until the kernel's slices end, which is milliseconds, while others who have long been woken wait: a
 * leader, or one that locks seldom. So a thread that has not yielded for a while does so before it looks.
 */
#define RECIP_UNANNOTATED
#include "src/state.h"

enum attempt { TAKEN, BUSY, HOPELESS };

static enum attempt try_once(recip_mutex_t *mutex)
{
    if (recip_take_if_free_(mutex))
        return TAKEN;
    return state_load(mutex) & (BARRED | HANDS_OVER) ? HOPELESS : BUSY;
}

static enum attempt look_after(recip_mutex_t *mutex, int64_t ticks)
{
    wait_awake(ticks);
    return try_once(mutex);
}

/* Between two passes, on average. Where there were hardly any the mutex is not hot, and where there seem to be very
 * many the count has been started anew in between. */
static int64_t ticks_between_passes(struct observation before, struct observation now)
{
    uint16_t passes = (uint16_t)(now.passes - before.passes);
    return passes < FEW_PASSES || passes > UINT16_MAX / 2 ? INT64_MAX : (now.ticks - before.ticks) / passes;
}

static enum attempt start_trial(recip_mutex_t *mutex)
{
    struct observation before = observe(mutex);
    wait_awake(recip_tuning.long_look);
    struct observation now = observe(mutex);
    port_thread()->trial = (struct trial){.mutex = mutex,
                                          .waits = TRIAL_WAITS,
                                          .passes = now.passes,
                                          .ticks = now.ticks,
                                          .alone = ticks_between_passes(before, now)};
    return try_once(mutex);
}

/* What a leader does that has been asked to: the others have the mutex for a long look. */
void recip_find_out_if_hot(recip_mutex_t *mutex)
{
    struct observation before = observe(mutex);
    wait_awake(recip_tuning.long_look);
    bool hot = ticks_between_passes(before, observe(mutex)) < recip_tuning.hot_gap;
    port_thread()->trial = (struct trial){.mutex = mutex, .waits = TRUSTED_WAITS, .hot = hot, .decided = true};
}

static void decide(recip_mutex_t *mutex, struct trial *trial)
{
    struct observation start = {trial->passes, trial->ticks};
    trial->hot = trial->alone < recip_tuning.hot_gap && trial->alone < ticks_between_passes(start, observe(mutex));
    trial->decided = true;
    trial->waits = TRUSTED_WAITS;
}

/* Before a wait: one more of those that the trial takes, or that its outcome holds for. */
static enum attempt try_and_decide(recip_mutex_t *mutex)
{
    struct trial *trial = &port_thread()->trial;
    if (trial->mutex != mutex || (trial->waits == 0 && trial->decided))
        return start_trial(mutex);
    if (trial->waits == 0)
        decide(mutex, trial);
    trial->waits--;
    return BUSY;
}

/* The clock is not read at every short look: that would slow it down by a tenth. */
static enum attempt look_for_a_while(recip_mutex_t *mutex, enum attempt attempt, bool hot)
{
    int64_t start = port_ticks(), pause = hot ? recip_tuning.long_look : recip_tuning.look;
    int64_t patience = recip_has_own_cpu() && !hot ? recip_tuning.newcomer_alone : recip_tuning.newcomer;
    unsigned looks = hot ? 1 : LOOKS_AT_ONCE;
    while (attempt == BUSY && port_ticks() - start < patience)
        for (unsigned i = 0; attempt == BUSY && i < looks; i++)
            attempt = look_after(mutex, pause);
    return attempt;
}

/* With its CPU given up to others: an owner that has been preempted may need it. */
static enum attempt look_aside(recip_mutex_t *mutex, enum attempt attempt)
{
    /* Yields that take very long show that the CPU is shared with threads that compute: a sleeper that is woken gets it
     * sooner than one that yields. One that is over at once shows that nobody waits for this CPU. Where that is so,
     * many may be looking, each on a CPU of its own, and the queue is better. */
    unsigned quick = 0;
    int64_t spent = 0;
    while (attempt == BUSY && quick < recip_tuning.quick_yields && spent <= recip_tuning.yielding) {
        int64_t took = recip_yield();
        quick += took < recip_tuning.quick_yield;
        spent += took;
        attempt = try_once(mutex);
    }
    return attempt;
}

bool recip_mutex_take_as_newcomer(recip_mutex_t *mutex)
{
    enum attempt attempt = BUSY;
    if (recip_tuning.long_look > 0)
        attempt = try_and_decide(mutex);
    bool hot = port_thread()->trial.hot;
    attempt = look_for_a_while(mutex, attempt, hot);
    if (hot || !recip_has_own_cpu())
        attempt = look_aside(mutex, attempt);
    return attempt == TAKEN;
}
