/* recip check mutex: the mutex's slow path in every execution, with the release that is no atomic operation and without
 * it; its condition variable and semaphore. Whoever is last destroys what was used, so late accesses are found too.
 *
 * A ghost follows the state word and the arrivals: whoever leads is passed by no more often than the bound says. At the
 * end nobody is left in the arrivals, no wake-up is owed and no element of a timed waiter is left over.
 */
#include <stdatomic.h>
#include <string.h>

#include "check/clients.h"
#include "src/tunables.h"
#include "src/waiter.h"

static recip_mutex_t mutex;
static uint32_t bound;
static recip_cond_t cond;
static recip_sem_t sem;
static struct deadline deadline;

static int first, second; /* equal, and changed by owners only */
static int left;          /* the acquisitions still to come; whoever makes the last one destroys the mutex */

/* ---- The bound ---- */

static struct {
    uint32_t queued; /* a bit for each thread: its next acquisition is that of a waiter who leads */
    uint32_t admits; /* what the thread pushes now is not its own element but that of a waiter whom it moves */
    uint32_t leads;  /* somebody does, by the contract of docs/mutex.md */
    uint32_t passed; /* by so many newcomers since */
} ghost;

static void note_acquisition(uint32_t thread)
{
    if (ghost.queued & thread) {
        check_outcome(ghost.passed);
        ghost.queued &= ~thread;
        ghost.passed = 0;
        ghost.leads = 1; /* who is next does; if nobody is, the arrivals go to 0 before the release */
    } else if (ghost.leads) {
        ghost.passed++;
        check_assert(ghost.passed <= bound);
    }
}

static uintptr_t arrivals_of_this_epoch(uint64_t word)
{
    return word >> 48 == recip_check_world.epoch ? word << 16 >> 16 : 0;
}

static void note_arrivals(uint32_t thread, uintptr_t before, uintptr_t now)
{
    bool resigns = now == SEGMENT_EMPTY && before && ghost.queued & thread;
    if (now > SEGMENT_EMPTY && !(ghost.admits & thread))
        ghost.queued |= thread;
    if (now == 0 || before == 0 || resigns)
        ghost.passed = 0;
    if (now == 0)
        ghost.leads = 0;
    else if (before == 0 || resigns)
        ghost.leads = bound > 0; /* otherwise from its mark on */
}

static void note(unsigned number, const volatile void *word, uint64_t before, uint64_t now)
{
    uint32_t thread = 1u << number;
    if (word == &mutex.arrivals)
        note_arrivals(thread, arrivals_of_this_epoch(before), arrivals_of_this_epoch(now));
    else if (!(before & RECIP_LOCKED_) && now & RECIP_LOCKED_)
        note_acquisition(thread);
    else if (now & ~before & RECIP_LEADER_SLEEPS_)
        check_assert(bound > 0 || now & RECIP_BARRED_); /* which comes first */
}

/* A barrier has returned: the mark before it stays, if it is there. */
static void note_settled(unsigned number)
{
    if (ghost.queued >> number & 1 && check_newest(&mutex.state, sizeof mutex.state) & RECIP_BARRED_)
        ghost.leads = 1;
}

static void note_admits(unsigned number)
{
    ghost.admits |= 1u << number;
}

static void note_admitted(unsigned number)
{
    ghost.admits &= ~(1u << number);
}

/* By the owner: it has barred newcomers before it opened the gate. */
static void note_admitted_by_owner(unsigned number)
{
    note_admitted(number);
    ghost.leads = 1;
}

static void note_waits(unsigned number)
{
    ghost.queued |= 1u << number;
}

/* Where the ghost follows. */
static void aside(void (*note)(unsigned number))
{
    if (recip_check_world.settled)
        check_aside(note);
}

/* ---- What every client starts with and what it ends with ---- */

static void begin(unsigned rseq_threads, uint32_t chosen_bound, int acquisitions)
{
    check_port_reset();
    recip_check_world.rseq_threads = rseq_threads;
    bound = chosen_bound;
    mutex = (recip_mutex_t)RECIP_MUTEX_INIT_BOUND(chosen_bound);
    cond = (recip_cond_t)RECIP_COND_INIT;
    sem = (recip_sem_t)RECIP_SEM_INIT(0);
    atomic_store_explicit(&deadline.passed, 1, memory_order_relaxed);
    first = second = 0;
    memset(&ghost, 0, sizeof ghost);
    left = acquisitions;
#ifdef RECIP_CHECK_TUNED
    recip_tuning = (struct recip_tuning){0};
#endif
    check_promise(&mutex, -1);
    /* Sections are known by the numbers of their threads. */
    if (rseq_threads == 0)
        check_alike();
    check_name(&mutex.state, 4, "state");
    check_name(&mutex.passes, 2, "passes");
    check_name(&mutex.arrivals, 8, "arrivals");
    check_name(&cond, sizeof cond, "cond");
    check_name(&sem, sizeof sem, "sem");
    check_name(&deadline, sizeof deadline, "deadline");
}

/* Where times are over, whose turn it is does not follow from the two words alone. */
static void watch_bound(void)
{
    recip_check_world.settled = note_settled;
    check_ghost(&ghost, sizeof ghost, note);
    /* With a ghost those who are alike differ in who comes first, and in nothing else; with more than two sections, the
     * order in which a barrier comes to the others depends on their numbers. */
    if (recip_check_world.rseq_threads <= 2)
        check_alike();
    check_watch(&mutex.state);
    check_watch(&mutex.arrivals);
}

/* Not new: its first owner has counted itself. */
static void find(uint32_t state)
{
    mutex.state = state;
    mutex.passes = (uint16_t)(1 - mutex.bound);
}

static void nobody_is_left(void)
{
    check_assert(arrivals_of_this_epoch(check_newest(&mutex.arrivals, sizeof mutex.arrivals)) == 0);
    check_assert(recip_check_elements() == 0);
    check_assert(recip_check_wakes_due() == 0);
}

static void nothing_is_left(void)
{
    nobody_is_left();
    check_assert(check_newest(&mutex.state, sizeof mutex.state) == 0);
}

/* A mark stays that the owner sets while the leader resigns, or a leader with bound 0; and those of a parent. */
static void marks_are_left(void)
{
    nobody_is_left();
    check_assert(!(check_newest(&mutex.state, sizeof mutex.state) & (RECIP_LOCKED_ | RECIP_WAKE_DUE_)));
}

/* ---- The mutex ---- */

static void use(void)
{
    check_owned(&mutex);
    check_assert(first == second);
    first++;
    second++;
    bool last = --left == 0;
    check_leaving(&mutex);
    recip_mutex_unlock(&mutex);
    if (last)
        check_gone(&mutex, sizeof mutex);
}

static void lock(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        recip_mutex_lock(&mutex);
        use();
    }
}

static void try(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        if (recip_mutex_trylock(&mutex) == 0)
            use();
}

/* The first thread of a client that starts HELD: it has locked before. */
static void unlock_held(void *tries)
{
    use();
    try(tries);
}

/* The first thread of a client that starts LEADS(0): it has queued before, and leads. Whoever comes follows it. */
static waiter leader;

static void lead_on(void *tries)
{
    recip_mutex_lock_admitted(&mutex, &leader, SEGMENT_EMPTY);
    use();
    try(tries);
}

static void start_led(uintptr_t tries)
{
    find(mutex.state);
    leader.successor = mutex.arrivals = SEGMENT_EMPTY;
    ghost.queued = 1u << check_thread(lead_on, (void *)tries);
    ghost.leads = 1;
}

static void lock_in_time(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        if (recip_take_(&mutex) || recip_mutex_lock_until(&mutex, &deadline) == 0)
            use();
    recip_left_behind_release(port_thread());
}

/* Without this thread the deadline is in the past: a waiter that is slow, or one whose time comes, is the same then. */
static void pass_deadline(void *unused)
{
    (void)unused;
    atomic_store_explicit(&deadline.passed, 1, memory_order_relaxed);
}

static void try_alone(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        check_assert(recip_mutex_trylock(&mutex) == 0);
        check_assert(recip_mutex_trylock(&mutex) == EBUSY);
        check_assert(recip_mutex_destroy(&mutex) == EBUSY);
        recip_mutex_unlock(&mutex);
        recip_mutex_lock(&mutex);
        recip_mutex_unlock(&mutex);
        check_assert(recip_mutex_destroy(&mutex) == 0);
    }
}

/* ---- Moved by the owner, as the preload library's condition variables do ---- */

static waiter *moving; /* guarded by the mutex */
static _Atomic(int) to_move;

static void wait_to_be_moved(void *unused)
{
    (void)unused;
    waiter self = {.mutex = &mutex};
    gate_close(&self.gate);
    recip_mutex_lock(&mutex);
    moving = &self;
    atomic_store_explicit(&to_move, 1, memory_order_relaxed);
    check_owned(&mutex);
    check_leaving(&mutex);
    aside(note_waits);
    recip_mutex_unlock(&mutex);
    recip_mutex_lock_admitted(&mutex, &self, recip_waiter_await(&self, NULL));
    use();
}

static void move(void *tries)
{
    while (!atomic_load_explicit(&to_move, memory_order_relaxed))
        check_relax();
    recip_mutex_lock(&mutex);
    check_owned(&mutex);
    aside(note_admits);
    recip_mutex_admit_by_owner(&mutex, moving);
    aside(note_admitted_by_owner);
    use();
    try(tries);
}

/* Two who wait at their gates from the start, one for each of two mutexes that a third thread holds. */
static recip_mutex_t other;
static waiter gated[2];

static void move_both(void *unused)
{
    (void)unused;
    recip_mutex_admit_by_owner(&mutex, &gated[0]);
    recip_mutex_admit_by_owner(&other, &gated[1]);
    recip_mutex_unlock(&mutex);
    recip_mutex_unlock(&other);
}

static void wait_at_gate(void *element)
{
    waiter *self = element;
    recip_mutex_lock_admitted(self->mutex, self, recip_waiter_await(self, NULL));
    recip_mutex_unlock(self->mutex);
}

static void start_two_moved(void)
{
    recip_mutex_t *mutexes[] = {&mutex, &other};
    for (int i = 0; i < 2; i++) {
        gate_close(&gated[i].gate);
        gated[i].mutex = mutexes[i];
        check_thread(wait_at_gate, &gated[i]);
    }
    other = mutex;
    find(RECIP_LOCKED_);
    other.state = RECIP_LOCKED_;
    check_thread(move_both, NULL);
}

/* ---- The condition variable ---- */

static bool happened;
static int waiting; /* whoever is last to come back destroys the condition variable and the mutex */

static void come_back(void)
{
    check_assert(first == second);
    first++;
    second++;
    bool last = --waiting == 0;
    recip_mutex_unlock(&mutex);
    if (last) {
        check_gone(&cond, sizeof cond);
        check_gone(&mutex, sizeof mutex);
    }
}

static void lock_and_come_back(void *unused)
{
    (void)unused;
    recip_mutex_lock(&mutex);
    come_back();
}

static void wait_for_it_when_held(void *unused)
{
    (void)unused;
    while (!happened)
        recip_cond_wait_until(&cond, &mutex, NULL);
    come_back();
}

static void wait_for_it(void *in_time)
{
    recip_mutex_lock(&mutex);
    while (!happened) {
        aside(note_waits);
        if (recip_cond_wait_until(&cond, &mutex, in_time ? &deadline : NULL) != 0)
            break;
    }
    come_back();
}

static void call(void *signal)
{
    aside(note_admits);
    ((void (*)(recip_cond_t *))(uintptr_t)signal)(&cond);
    aside(note_admitted);
}

static void make_it_happen(void *signal)
{
    recip_mutex_lock(&mutex);
    happened = true;
    call(signal);
    come_back();
}

/* The signal comes after the mutex was released: the waiter may have come and gone, so only the signaller destroys. */
static void make_it_happen_outside(void *signal)
{
    recip_mutex_lock(&mutex);
    happened = true;
    recip_mutex_unlock(&mutex);
    call(signal);
}

/* Nobody waits after a broadcast: the condition variable may go, even while somebody whose time was over is still about
 * to leave. */
static void make_it_happen_and_destroy(void *unused)
{
    (void)unused;
    recip_mutex_lock(&mutex);
    happened = true;
    recip_cond_broadcast(&cond);
    check_assert(recip_cond_destroy(&cond) == 0);
    check_gone(&cond, sizeof cond);
    recip_mutex_unlock(&mutex);
}

static void wait_in_time_when_held(void *unused)
{
    (void)unused;
    recip_cond_wait_until(&cond, &mutex, &deadline);
    recip_mutex_unlock(&mutex);
}

/* Two who wait from the start. */
static waiter listed[2];

static void list_waiters(void)
{
    for (int i = 0; i < 2; i++) {
        gate_close(&listed[i].gate);
        atomic_store_explicit(&listed[i].status, WAITER_LISTED, memory_order_relaxed);
        listed[i].mutex = &mutex;
        listed[i].next = i == 0 ? &listed[1] : NULL;
        listed[i].previous = i == 0 ? NULL : &listed[0];
    }
    cond.first = &listed[0];
    cond.last = &listed[1];
}

static void wait_listed(void *element)
{
    aside(note_waits);
    recip_mutex_lock_admitted(&mutex, element, recip_waiter_await(element, NULL));
    use();
}

static void broadcast_held(void *unused)
{
    (void)unused;
    call((void *)(uintptr_t)recip_cond_broadcast_);
    check_gone(&cond, sizeof cond);
    use();
}

/* One who waits at its gate and is moved by somebody who does not hold the mutex; or who moves itself. */
static waiter outsider;

static void admit_outsider(void *unused)
{
    (void)unused;
    recip_mutex_admit(&mutex, &outsider);
}

static void admit_itself(void *unused)
{
    admit_outsider(unused);
    wait_listed(&outsider);
}

/* ---- The semaphore ---- */

static void use_permit(void *in_time)
{
    if (recip_sem_wait_until(&sem, in_time ? &deadline : NULL) != 0)
        return;
    /* There is one: whoever has it is alone. */
    check_assert(first == second);
    first++;
    second++;
    recip_sem_post(&sem);
}

static int posted; /* written before the only post, read after the only wait */

static void post(void *times)
{
    posted = 1;
    for (uintptr_t i = 0; i < (uintptr_t)times; i++)
        recip_sem_post(&sem);
}

static void wait_for_post(void *unused)
{
    (void)unused;
    recip_sem_wait_until(&sem, NULL);
    check_assert(posted == 1);
}

static void wait_and_destroy(void *unused)
{
    (void)unused;
    recip_sem_wait_until(&sem, NULL);
    check_assert(posted == 1);
    check_gone(&sem, sizeof sem);
}

static bool timed_out;

static void wait_for_post_in_time(void *unused)
{
    (void)unused;
    timed_out = recip_sem_wait_until(&sem, &deadline) != 0;
}

/* ---- After a fork ---- */

/* The child of a thread that held the mutex while others waited: one leads, asleep or not, one follows. None of them
 * exists here. */
static void find_after_fork(uint32_t state)
{
    recip_check_world.epoch = 1;
    find(state);
    mutex.arrivals = 0x1000;
}

/* The same for what has a mutex inside: held and waited for by threads that do not exist. */
static void find_others_after_fork(void)
{
    recip_check_world.epoch = 1;
    cond.inner.state = sem.inner.state = RECIP_LOCKED_;
    cond.first = cond.last = sem.arrivals = (waiter *)0x1000;
    sem.value = 1;
}

static void signal_nobody(void *unused)
{
    (void)unused;
    recip_cond_signal(&cond);
}

static void post_to_nobody(void *unused)
{
    (void)unused;
    recip_sem_post(&sem);
}

static void unlock_inherited(void *unused)
{
    (void)unused;
    first++;
    second++;
    recip_mutex_unlock(&mutex);
}

/* ---- The table ---- */

#define SETUP(name, rseq_threads, bound, acquisitions, ...)                                                            \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        begin(rseq_threads, bound, acquisitions);                                                                      \
        __VA_ARGS__                                                                                                    \
    }
#define BOUND watch_bound();
#define HELD(tries)                                                                                                    \
    find(RECIP_LOCKED_);                                                                                               \
    check_thread(unlock_held, (void *)(tries));
#define LEADS(tries) start_led(tries);
#define LOCK(times) check_thread(lock, (void *)(times));
#define TRY(times) check_thread(try, (void *)(times));
#define TIMED(times) check_thread(lock_in_time, (void *)(times));
#define CLOCK                                                                                                          \
    atomic_store_explicit(&deadline.passed, 0, memory_order_relaxed);                                                  \
    check_thread(pass_deadline, NULL);
#define WAIT(in_time) check_thread(wait_for_it, in_time);
#define SIGNAL(from) check_thread(make_it_happen##from, (void *)(uintptr_t)recip_cond_signal_);
#define BROADCAST(from) check_thread(make_it_happen##from, (void *)(uintptr_t)recip_cond_broadcast_);
#define RUN(body) check_thread(body, NULL);

#ifdef RECIP_CHECK_TUNED
struct recip_tuning recip_tuning;

SETUP(two_polls, 2, 1, 2, recip_tuning.yields = recip_tuning.newcomer_naps = 1; LOCK(1) LOCK(1))
SETUP(admitted_spins, 0, 1, 2, recip_tuning.follower_turns = 1; gate_close(&outsider.gate);
      LEADS(0) RUN(admit_outsider) check_thread(wait_listed, &outsider);)
SETUP(patience, 0, 64, -1, recip_tuning.nap = 1; LOCK(1) HELD(3))
#else
SETUP(alone, 1, 1, -1, RUN(try_alone))
SETUP(two, 2, 1, 2, BOUND LOCK(1) LOCK(1))
SETUP(bound_0, 2, 0, -1, BOUND LOCK(1) HELD(2))
SETUP(bound_1, 2, 1, -1, BOUND LOCK(1) HELD(3))
SETUP(bound_2, 0, 2, -1, BOUND LOCK(1) HELD(3))
SETUP(barred_for_nobody, 0, 0, -1, BOUND find(RECIP_BARRED_); LOCK(1) TRY(1) TRY(1))
SETUP(bound_1_passed_on, 0, 1, -1, BOUND HELD(3) LOCK(1) LOCK(1))
SETUP(two_and_one_0, 2, 0, 3, BOUND LOCK(2) LOCK(1))
SETUP(two_and_one, 2, 1, 3, BOUND LOCK(2) LOCK(1))
SETUP(two_and_one_2, 2, 2, 3, BOUND LOCK(2) LOCK(1))
SETUP(two_and_two, 2, 1, 4, LOCK(2) LOCK(2))
SETUP(led, 2, 1, 2, BOUND LEADS(0) LOCK(1))
SETUP(led_bound_0, 2, 0, -1, BOUND find(RECIP_BARRED_); LEADS(2) LOCK(1))
SETUP(led_bound_1, 0, 1, -1, BOUND LEADS(2) LOCK(1))
SETUP(led_bound_2, 0, 2, -1, BOUND LEADS(3) LOCK(1))
SETUP(led_twice, 2, 1, 3, BOUND LEADS(0) LOCK(2))
SETUP(led_two, 0, 1, 3, BOUND LEADS(0) LOCK(1) LOCK(1))
SETUP(led_two_0, 0, 0, 3, BOUND find(RECIP_BARRED_); LEADS(0) LOCK(1) LOCK(1))
SETUP(led_timed, 2, 1, -1, LEADS(0) TIMED(1))
SETUP(led_timed_again, 0, 1, -1, LEADS(0) TIMED(2))
SETUP(led_two_timed, 0, 1, -1, LEADS(0) LOCK(1) TIMED(1))
SETUP(led_two_timed_again, 0, 1, -1, LEADS(0) LOCK(1) TIMED(2))
SETUP(led_timed_0, 2, 0, -1, find(RECIP_BARRED_); LEADS(0) TIMED(1))
SETUP(held_atomic, 0, 1, 3, HELD(0) LOCK(1) LOCK(1))
SETUP(held, 3, 1, 3, HELD(0) LOCK(1) LOCK(1))
SETUP(held_loose, 0, 64, 3, HELD(0) LOCK(1) LOCK(1))
SETUP(held_timed, 0, 1, -1, HELD(0) LOCK(1) TIMED(1))
SETUP(held_timed_again, 0, 1, -1, HELD(0) LOCK(1) TIMED(2))
SETUP(three_atomic, 0, 1, 3, LOCK(1) LOCK(1) LOCK(1))
SETUP(three, 3, 1, 3, LOCK(1) LOCK(1) LOCK(1))
SETUP(three_0, 3, 0, 3, LOCK(1) LOCK(1) LOCK(1))
SETUP(timed, 2, 1, -1, LOCK(1) TIMED(1) CLOCK)
SETUP(timed_0, 2, 0, -1, LOCK(1) TIMED(1))
SETUP(timed_again, 0, 1, -1, LOCK(1) TIMED(2))
SETUP(timed_follower, 0, 1, -1, LOCK(1) LOCK(1) TIMED(1))
SETUP(moved, 2, 64, 2, BOUND RUN(wait_to_be_moved) RUN(move))
SETUP(moved_0, 2, 0, -1, BOUND RUN(wait_to_be_moved) check_thread(move, (void *)1);)
SETUP(admitted, 0, 1, 2, gate_close(&outsider.gate); LEADS(0) RUN(admit_outsider) check_thread(wait_listed, &outsider);)
SETUP(admitted_timed, 0, 1, -1, gate_close(&outsider.gate); HELD(0) TIMED(1) RUN(admit_itself))
SETUP(two_moved, 0, 64, -1, start_two_moved();)
SETUP(signalled, 0, 1, -1, BOUND waiting = 2; WAIT(NULL) SIGNAL())
SETUP(signalled_rseq, 2, 1, -1, BOUND waiting = 2; WAIT(NULL) SIGNAL())
SETUP(signalled_outside, 0, 1, -1, BOUND waiting = -1; WAIT(NULL) SIGNAL(_outside))
SETUP(signalled_busy, 0, 1, -1, waiting = 3; find(RECIP_LOCKED_);
      RUN(wait_for_it_when_held) SIGNAL() RUN(lock_and_come_back))
SETUP(signalled_or_not, 0, 1, -1, waiting = 2; WAIT(&deadline) SIGNAL())
SETUP(broadcast, 0, 1, -1, waiting = 3; WAIT(NULL) WAIT(NULL) BROADCAST())
SETUP(broadcast_to_two, 0, 1, 3, list_waiters(); find(RECIP_LOCKED_);
      RUN(broadcast_held) check_thread(wait_listed, &listed[0]); check_thread(wait_listed, &listed[1]);)
SETUP(cond_destroyed, 0, 1, -1, find(RECIP_LOCKED_); RUN(wait_in_time_when_held) RUN(make_it_happen_and_destroy))
SETUP(permits, 0, 1, -1, sem.value = 2; check_thread(use_permit, NULL); check_thread(use_permit, NULL);)
SETUP(permits_in_time, 0, 1, -1, sem.value = 2; check_thread(use_permit, NULL); check_thread(use_permit, &deadline);)
SETUP(posted_once, 0, 1, -1, RUN(wait_and_destroy) check_thread(post, (void *)1);)
SETUP(posted_twice, 0, 1, -1, RUN(wait_for_post) RUN(wait_for_post) check_thread(post, (void *)2);)
SETUP(posted_in_time, 0, 1, -1, RUN(wait_for_post_in_time) check_thread(post, (void *)1);)
SETUP(forked, 2, 1, -1, find_after_fork(RECIP_LOCKED_ | RECIP_LEADER_SLEEPS_ | RECIP_BARRED_);
      RUN(unlock_inherited) LOCK(1))
SETUP(forked_awake, 2, 1, -1, find_after_fork(RECIP_LOCKED_); RUN(unlock_inherited) LOCK(1))
SETUP(forked_cond, 2, 1, -1, find_others_after_fork(); RUN(signal_nobody) RUN(signal_nobody))
SETUP(forked_sem, 2, 1, -1, find_others_after_fork(); RUN(post_to_nobody) RUN(post_to_nobody))
SETUP(forked_free, 2, 1, -1, find_after_fork(RECIP_BARRED_); LOCK(1) LOCK(1))
SETUP(forked_try, 2, 1, -1, find_after_fork(RECIP_BARRED_); TRY(1) TRY(1))

#endif

#define CLIENT(client, its_setup, its_finish, its_pace, what, ...)                                                     \
    {                                                                                                                  \
        .name = client, .summary = what, .setup = its_setup, .finish = its_finish, .pace = PACE_##its_pace,            \
        __VA_ARGS__                                                                                                    \
    }
/* How often a leader is passed by. */
#define SEEN(...) .outcomes = (__VA_ARGS__)
#define TIMES(n) (UINT64_C(1) << (n))

#ifdef RECIP_CHECK_TUNED
static const struct lock_client clients[] = {
    CLIENT("two-polls", two_polls, nothing_is_left, AT_ONCE, "the same, who look once more before they queue or sleep"),
    CLIENT("admitted-spins", admitted_spins, nothing_is_left, AT_ONCE,
           "a thread leads, another moves a third to the arrivals, which looks before it sleeps"),
    CLIENT("patience", patience, nothing_is_left, SECONDS,
           "a leader naps when it has been passed often, and bars; atomic release"),
};

const struct client_set mutex_tuned_clients = {clients, sizeof clients / sizeof *clients};
#else
static int permits_left(void)
{
    int value;
    recip_sem_getvalue(&sem, &value);
    return value;
}

static void two_permits_are_there(void)
{
    check_assert(permits_left() == 2);
    check_assert(recip_sem_destroy(&sem) == 0);
}

static void all_permits_are_there(void)
{
    nothing_is_left();
    check_assert(permits_left() == 1);
    check_assert(recip_sem_destroy(&sem) == 0);
}

static void permit_is_there_or_was_given(void)
{
    nothing_is_left();
    check_assert(permits_left() == (timed_out ? 1 : 0));
    check_assert(recip_sem_destroy(&sem) == 0);
}

static const struct lock_client clients[] = {
    CLIENT("alone", alone, nothing_is_left, AT_ONCE, "one thread: a free mutex is had, a held one is not"),
    CLIENT("two", two, nothing_is_left, AT_ONCE, "two threads lock once"),
    CLIENT("led", led, nothing_is_left, AT_ONCE, "a thread leads, another follows"),
    CLIENT("led-timed", led_timed, nothing_is_left, AT_ONCE, "a thread leads, another follows in time or not"),
    CLIENT("led-timed-again", led_timed_again, nothing_is_left, AT_ONCE,
           "the same twice: it takes its place back; atomic release"),
    CLIENT("led-timed-0", led_timed_0, marks_are_left, AT_ONCE,
           "bound 0: a thread leads, another follows in time or not"),
    CLIENT("timed", timed, nothing_is_left, AT_ONCE, "one thread locks, another in time or not"),
    CLIENT("timed-0", timed_0, marks_are_left, AT_ONCE, "the same with bound 0"),
    CLIENT("forked", forked, marks_are_left, AT_ONCE, "child of the owner, a leader asleep: unlock and lock"),
    CLIENT("forked-awake", forked_awake, marks_are_left, AT_ONCE, "the same, a leader awake"),
    CLIENT("forked-free", forked_free, marks_are_left, AT_ONCE, "the same, the mutex free and at the bound"),
    CLIENT("forked-try", forked_try, marks_are_left, AT_ONCE, "the same; two try"),
    CLIENT("forked-cond", forked_cond, nothing_is_left, AT_ONCE, "the same, a condition variable that was waited for"),
    CLIENT("forked-sem", forked_sem, two_permits_are_there, AT_ONCE, "the same, a semaphore that was waited for"),
    CLIENT("admitted", admitted, nothing_is_left, AT_ONCE, "a thread leads, another moves a third to the arrivals"),
    CLIENT("signalled", signalled, nothing_is_left, AT_ONCE, "a waiter and a signal; the last back destroys"),
    CLIENT("signalled-outside", signalled_outside, nothing_is_left, AT_ONCE, "the signal comes after unlock"),
    CLIENT("posted-once", posted_once, nothing_is_left, AT_ONCE, "a post; who waited destroys the semaphore"),
    CLIENT("broadcast-to-two", broadcast_to_two, nothing_is_left, AT_ONCE, "two who wait already, and a broadcast"),
    CLIENT("held-timed", held_timed, marks_are_left, AT_ONCE, "a thread unlocks, one locks, one in time or not"),
    CLIENT("admitted-timed", admitted_timed, nothing_is_left, AT_ONCE,
           "a thread unlocks, one locks in time or not, one moves itself to the arrivals"),
    CLIENT("signalled-rseq", signalled_rseq, nothing_is_left, AT_ONCE, "a waiter and a signal, release in two steps"),
    CLIENT("permits", permits, all_permits_are_there, AT_ONCE, "two threads, one permit"),
    CLIENT("moved", moved, nothing_is_left, AT_ONCE,
           "the owner moves a waiter to the arrivals, and wakes it at release"),
    CLIENT("bound-0", bound_0, nothing_is_left, AT_ONCE, "bound 0: one locks, the owner unlocks and tries twice",
           SEEN(TIMES(0))),
    CLIENT("bound-2", bound_2, nothing_is_left, AT_ONCE, "bound 2: the same, three times; atomic release",
           SEEN(TIMES(0) | TIMES(1) | TIMES(2))),
    CLIENT("moved-0", moved_0, nothing_is_left, AT_ONCE,
           "bound 0: the owner moves a waiter to the arrivals, wakes it at once, unlocks and tries"),
    CLIENT("led-bound-0", led_bound_0, nothing_is_left, AT_ONCE,
           "bound 0: one leads, unlocks and tries twice, another follows", SEEN(TIMES(0))),
    CLIENT("led-bound-1", led_bound_1, nothing_is_left, AT_ONCE, "bound 1: the same; atomic release",
           SEEN(TIMES(0) | TIMES(1))),
    CLIENT("bound-1", bound_1, nothing_is_left, AT_ONCE, "bound 1: one locks, the owner unlocks and tries three times",
           SEEN(TIMES(0) | TIMES(1))),
    CLIENT("barred-for-nobody", barred_for_nobody, marks_are_left, AT_ONCE,
           "bound 0: a leader has resigned and left its mark; one locks, two try", SEEN(TIMES(0))),
    CLIENT("led-two-bound-0", led_two_0, nothing_is_left, SECONDS,
           "bound 0: a thread leads, two follow; atomic release", SEEN(TIMES(0))),
    CLIENT("two-moved", two_moved, nothing_is_left, AT_ONCE, "the owner of two mutexes moves a waiter to each"),
    CLIENT("led-twice", led_twice, nothing_is_left, AT_ONCE, "a thread leads, another follows and locks again"),
    CLIENT("2+1", two_and_one, nothing_is_left, AT_ONCE, "two threads lock, one of them twice, bound 1"),
    CLIENT("2+1-bound-0", two_and_one_0, nothing_is_left, AT_ONCE, "the same, bound 0"),
    CLIENT("2+1-bound-2", two_and_one_2, nothing_is_left, AT_ONCE, "the same, bound 2"),
    CLIENT("timed-again", timed_again, marks_are_left, AT_ONCE, "one thread locks, another in time or not, twice"),
    CLIENT("cond-destroyed", cond_destroyed, nothing_is_left, SECONDS,
           "a timed waiter; who broadcasts destroys the condition variable"),
    CLIENT("signalled-or-not", signalled_or_not, nothing_is_left, SECONDS, "a timed waiter and a signal"),
    CLIENT("signalled-busy", signalled_busy, nothing_is_left, SECONDS,
           "a waiter and a signal, and a third who locks; the last back destroys"),
    CLIENT("posted-in-time", posted_in_time, permit_is_there_or_was_given, AT_ONCE,
           "a timed wait and a post: no permit is lost"),
    CLIENT("permits-in-time", permits_in_time, all_permits_are_there, AT_ONCE,
           "two threads, one permit, one of them in time or not"),
    CLIENT("held-atomic", held_atomic, nothing_is_left, AT_ONCE, "a thread unlocks, two lock, atomic release"),
    CLIENT("held-64", held_loose, nothing_is_left, AT_ONCE, "the same with bound 64, where wake-ups wait for release"),
    CLIENT("led-bound-2", led_bound_2, nothing_is_left, SECONDS,
           "bound 2: one leads, unlocks and tries three times, another follows; atomic release",
           SEEN(TIMES(0) | TIMES(1) | TIMES(2))),
    CLIENT("held", held, nothing_is_left, SECONDS, "a thread unlocks, two lock"),
    CLIENT("2+2", two_and_two, nothing_is_left, SECONDS, "two threads lock twice"),
    CLIENT("led-two", led_two, nothing_is_left, SECONDS, "a thread leads, two follow; bound 1, atomic release",
           SEEN(TIMES(0) | TIMES(1))),
    CLIENT("led-two-timed", led_two_timed, marks_are_left, SECONDS,
           "a thread leads, two follow, one of them in time or not; atomic release"),
    CLIENT("led-two-timed-again", led_two_timed_again, marks_are_left, MINUTES,
           "the same, twice: it takes its place back"),
    CLIENT("bound-1-passed-on", bound_1_passed_on, marks_are_left, MINUTES,
           "bound 1: two lock, the owner unlocks and tries three times; atomic release", SEEN(TIMES(0) | TIMES(1))),
    CLIENT("held-timed-again", held_timed_again, marks_are_left, SECONDS,
           "a thread unlocks, one locks, one tries in time twice"),
    CLIENT("three-atomic", three_atomic, nothing_is_left, SECONDS, "three threads lock once, atomic release"),
    CLIENT("three", three, nothing_is_left, SECONDS, "three threads lock once"),
    CLIENT("three-bound-0", three_0, nothing_is_left, MINUTES, "the same, bound 0"),
    CLIENT("timed-follower", timed_follower, marks_are_left, SECONDS,
           "two threads lock, a third in time or not, atomic release"),
    CLIENT("posted-twice", posted_twice, nothing_is_left, MINUTES, "two waiters, two posts"),
    CLIENT("broadcast", broadcast, nothing_is_left, SECONDS, "two waiters and a broadcast; the last back destroys"),
};

const struct client_set mutex_clients = {clients, sizeof clients / sizeof *clients};
#endif
