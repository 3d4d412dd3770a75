/* SPDX-License-Identifier: MIT */
/* The standard clients. This file is instrumented, as the locks are: a race in a critical section is seen. */
#include <stdatomic.h>
#include <string.h>

#include "check/clients.h"
#include "zoo/algorithm.h"
#include "port/thread.h"

enum { LOCKS = 2 };

static const struct recip_algorithm *algorithm;
static const struct lock_client *client;

static _Alignas(RECIP_LINE) char storage[LOCKS][RECIP_LOCK_SIZE_MAX];
static struct {
    _Alignas(RECIP_LINE) int first, second; /* equal, and changed by owners only */
} guarded[LOCKS];
static int left;       /* the acquisitions still to come, where that matters */
static bool destroyed; /* the first lock, by a thread */
static _Atomic(int) flag;

void lock_client_use(const struct recip_algorithm *lock, const struct lock_client *with)
{
    algorithm = lock;
    client = with;
    check_port_name();
    for (int i = 0; i < LOCKS; i++)
        check_name(storage[i], sizeof storage[i], i ? "lock2" : "lock");
}

static int promised_overtakes(const struct recip_algorithm *lock)
{
    switch (lock->admission) {
    case RECIP_ADMITS_FIFO:
        return 0;
    case RECIP_ADMITS_RECIPROCATING:
    case RECIP_ADMITS_SEGMENTS:
    case RECIP_ADMITS_GATED:
        return 1;
    default:
        return -1;
    }
}

/* What is in memory that a lock is made in: no two words are the same. */
static char rubbish[RECIP_LOCK_SIZE_MAX];

__attribute__((constructor)) static void make_rubbish(void)
{
    for (size_t i = 0; i < sizeof rubbish; i++)
        rubbish[i] = (char)(255 - i * 37);
}

/* The second lock is zeroes, if that is an unlocked one; the first is initialised. */
static void make_locks(bool ordered)
{
    check_port_reset();
    if (!(algorithm->traits & RECIP_SOCKETS))
        check_alike();
    for (int i = 0; i < LOCKS; i++) {
        bool zeroes_do = !(algorithm->traits & RECIP_NEEDS_INIT);
        if (i && zeroes_do)
            memset(storage[i], 0, sizeof storage[i]);
        else
            memcpy(storage[i], rubbish, sizeof storage[i]);
        check_max_overtakes(storage[i], ordered ? promised_overtakes(algorithm) : -1);
        if (!i || !zeroes_do)
            algorithm->init(storage[i]);
    }
}

struct held {
    struct recip_any_context context;
};

static void enter(int lock, struct held *held)
{
    check_forget(held, sizeof *held);
    check_arriving(storage[lock], algorithm->lock_size);
    algorithm->acquire(storage[lock], &held->context);
    check_owned(storage[lock]);
}

static bool try_enter(int lock, struct held *held)
{
    check_forget(held, sizeof *held);
    if (!algorithm->try_acquire(storage[lock], &held->context))
        return false;
    check_owned(storage[lock]);
    return true;
}

static void use(int lock)
{
    check_assert(guarded[lock].first == guarded[lock].second);
    guarded[lock].first++;
    guarded[lock].second++;
}

static void leave(int lock, struct held *held)
{
    check_leaving(storage[lock]);
    algorithm->release(storage[lock], &held->context);
    check_released(storage[lock]);
}

static void setup_two(void);

/* At the end of each client: the locks are free, where one was used, and can be destroyed, also where none was. What
 * was allocated is in the stacks of free nodes. */
static void finish(void)
{
    for (int i = destroyed; i < LOCKS; i++) {
        struct recip_any_context context;
        if (i == 0 || client->setup == setup_two) {
            bool is_free = algorithm->try_acquire(storage[i], &context);
            check_assert(is_free);
            algorithm->release(storage[i], &context);
        }
        algorithm->destroy(storage[i]);
    }
    check_nodes_are_free();
}

static void acquire_and_release(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        struct held held;
        enter(0, &held);
        use(0);
        leave(0, &held);
    }
}

/* One thread wants the lock once, the other for as long as it has not had it. */
static void touch(void)
{
    struct held held;
    enter(0, &held);
    guarded[0].first = 1;
    leave(0, &held);
}

static void acquire_once(void *unused)
{
    (void)unused;
    touch();
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void acquire_on_and_on(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        touch();
}

static void setup_starve(void)
{
    make_locks(false);
    check_endless();
    check_thread(acquire_once, NULL);
    check_thread(acquire_on_and_on, NULL);
}

static const char *refuses_starve(const struct recip_algorithm *lock)
{
    if (lock->waits == RECIP_WAITS_LEADER)
        return "its own clients count how often others pass by a waiter";
    if (!(lock->traits & RECIP_NUMBERED))
        return NULL;
    return lock_promises_turn(lock) ? "its numbers grow, so no state comes twice; how often threads overtake is checked"
                                    : "its numbers grow, so no state comes twice; and it promises no turn";
}

static void setup_plain(void)
{
    make_locks(true);
    for (unsigned i = 0; i < client->threads; i++)
        check_thread(acquire_and_release, (void *)(uintptr_t)client->acquisitions[i]);
}

/* Nobody is overtaken for ever: of two that arrive at the same word, in a lane or a cohort, the later comes first at
 * most once before the other. */
static void setup_overtaken(void)
{
    setup_plain();
    for (int i = 0; i < LOCKS; i++)
        check_max_overtakes(storage[i], 1);
}

static const char *refuses_overtaken(const struct recip_algorithm *lock)
{
    if (!(lock->traits & RECIP_NUMBERED))
        return "no numbers grow in it: starve asks the same";
    if (!lock_promises_turn(lock))
        return "it promises no turn";
    return promised_overtakes(lock) < 0 ? NULL : "the other clients check how often threads overtake";
}

/* For locks that ask for sockets, 3x2 is long: this is the part of it in which a lock around a queue, fissile, is held
 * as two threads of different sockets get into its queue. */
static const char *refuses_sockets(const struct recip_algorithm *lock)
{
    return lock->traits & RECIP_SOCKETS ? NULL : "it asks for no socket: 3x2 has all that this has";
}

static void try_and_release(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        struct held held;
        if (!try_enter(0, &held))
            continue;
        use(0);
        leave(0, &held);
    }
}

static void setup_try(void)
{
    make_locks(false);
    check_thread(acquire_and_release, (void *)1);
    check_thread(acquire_and_release, (void *)1);
    check_thread(try_and_release, (void *)2);
}

/* A lock that was used and is free again is had by a try, and then wanted by who used it before. */
static void setup_try_between(void)
{
    make_locks(false);
    check_thread(acquire_and_release, (void *)2);
    check_thread(acquire_and_release, (void *)1);
    check_thread(try_and_release, (void *)1);
}

/* A try that comes when the lock has been used for long: where slots are used again (anderson), they are. */
static void setup_try_late(void)
{
    make_locks(false);
    check_thread(acquire_and_release, (void *)5);
    check_thread(try_and_release, (void *)1);
}

/* The same, and it comes again. */
static void try_then_acquire(void *unused)
{
    (void)unused;
    try_and_release((void *)1);
    acquire_and_release((void *)1);
}

static const char *refuses_try_first(const struct recip_algorithm *lock)
{
    return lock->max_threads ? NULL : "it has no slots that are used again";
}

static void setup_try_first(void)
{
    make_locks(false);
    check_thread(acquire_and_release, (void *)5);
    check_thread(try_then_acquire, NULL);
}

/* One that comes first to a lock which another has had often, by trying. */
static void setup_try_often(void)
{
    make_locks(false);
    check_thread(try_and_release, (void *)5);
    check_thread(acquire_and_release, (void *)1);
}

/* A thread that has used the lock tries for it again. */
static void acquire_then_try(void *unused)
{
    (void)unused;
    acquire_and_release((void *)1);
    try_and_release((void *)1);
}

static void setup_try_after(void)
{
    make_locks(false);
    check_thread(acquire_then_try, NULL);
    check_thread(acquire_and_release, (void *)1);
    check_thread(acquire_and_release, (void *)1);
}

static void fail_to_enter(int lock)
{
    bool had = algorithm->try_acquire(storage[lock], &(struct recip_any_context){{0}});
    check_assert(!had);
}

/* A free lock that nobody else wants must be had; a held one is not, and trying again takes no more memory. */
static void try_alone(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct held held, second;
        bool had = try_enter(0, &held);
        check_assert(had);
        bool again = try_enter(1, &second);
        check_assert(again);
        fail_to_enter(1);
        unsigned allocated = check_allocated();
        fail_to_enter(1);
        check_assert(check_allocated() == allocated);
        leave(1, &second);
        leave(0, &held);
        enter(0, &held);
        leave(0, &held);
    }
}

/* What was acquired before is acquired without memory from the heap. CLH leaves the node of the first time behind. */
static void again_alone(void *unused)
{
    acquire_and_release((void *)2);
    unsigned allocated = check_allocated();
    struct held held;
    enter(0, &held);
    check_assert(check_allocated() == allocated);
    use(0);
    leave(0, &held);
    (void)unused;
}

static void setup_again_alone(void)
{
    make_locks(true);
    check_thread(again_alone, NULL);
}

static void setup_try_alone(void)
{
    make_locks(false);
    check_thread(try_alone, NULL);
}

static void use_form(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        check_arriving(storage[0], algorithm->lock_size);
        algorithm->mutex_lock(storage[0]);
        check_owned(storage[0]);
        use(0);
        check_leaving(storage[0]);
        algorithm->mutex_unlock(storage[0]);
        check_released(storage[0]);
    }
}

static void try_form(void *unused)
{
    (void)unused;
    if (!algorithm->mutex_trylock(storage[0]))
        return;
    check_owned(storage[0]);
    use(0);
    check_leaving(storage[0]);
    algorithm->mutex_unlock(storage[0]);
}

static void setup_form(void)
{
    make_locks(true);
    for (int i = 0; i < 3; i++)
        check_thread(use_form, (void *)1);
}

static void setup_form_try(void)
{
    make_locks(false);
    check_thread(use_form, (void *)1);
    check_thread(use_form, (void *)1);
    check_thread(try_form, NULL);
}

static void both_nested(void *unused)
{
    (void)unused;
    struct held outer, inner;
    enter(0, &outer);
    enter(1, &inner);
    use(0);
    use(1);
    leave(1, &inner);
    leave(0, &outer);
}

static void both_crossed(void *unused)
{
    (void)unused;
    struct held outer, inner;
    enter(0, &outer);
    enter(1, &inner);
    use(1);
    leave(0, &outer);
    use(1);
    leave(1, &inner);
}

static void inner_only(void *unused)
{
    (void)unused;
    struct held held;
    enter(1, &held);
    use(1);
    leave(1, &held);
}

static void setup_two(void)
{
    make_locks(true);
    check_thread(both_nested, NULL);
    check_thread(both_crossed, NULL);
    check_thread(inner_only, NULL);
}

/* One thread ends and another lives on at the same wait element, with the lock in use by others. */
static void setup_reuse(void)
{
    make_locks(true);
    unsigned first = check_thread(acquire_and_release, (void *)1);
    check_thread(acquire_and_release, (void *)1);
    check_thread(acquire_and_release, (void *)1);
    unsigned heir = check_thread_after(first, acquire_and_release, (void *)1);
    check_use_record(heir, first);
}

static const char *refuses_reuse(const struct recip_algorithm *lock)
{
    if (lock->waits == RECIP_WAITS_LEADER)
        return "an element is made for one wait, on the waiter's stack; no thread keeps one";
    bool elements = lock->traits & RECIP_STACK || lock->admission == RECIP_ADMITS_RECIPROCATING;
    switch (lock->waits) {
    case RECIP_WAITS_OWN:
    case RECIP_WAITS_FIRST:
    case RECIP_WAITS_NEIGHBOUR:
        return NULL;
    default:
        return elements ? NULL : "no thread has an element or a node";
    }
}

/* The owner's element goes to another thread as soon as acquire has returned. */
static void lend_element(void *unused)
{
    (void)unused;
    struct held held;
    enter(0, &held);
    atomic_store_explicit(&flag, 1, memory_order_release);
    use(0);
    leave(0, &held);
}

static void borrow_element(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        check_relax();
    acquire_and_release((void *)1);
}

static void setup_lend(void)
{
    make_locks(true);
    unsigned lender = check_thread(lend_element, NULL);
    unsigned borrower = check_thread(borrow_element, NULL);
    check_thread(acquire_and_release, (void *)1);
    check_use_record(borrower, lender);
}

static const char *refuses_lend(const struct recip_algorithm *lock)
{
    const char *reason = refuses_reuse(lock);
    return reason || lock->traits & RECIP_STACK ? reason : "its elements are reserved until release returns";
}

/* One thread acquires, another releases, and the first acquires again meanwhile. */
static struct held passed;

static void acquire_for_another(void *unused)
{
    (void)unused;
    enter(0, &passed);
    use(0);
    atomic_store_explicit(&flag, 1, memory_order_release);
    acquire_and_release((void *)1);
}

static void release_for_another(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        check_relax();
    leave(0, &passed);
}

static void setup_oblivious(void)
{
    make_locks(true);
    check_thread(acquire_for_another, NULL);
    check_thread(release_for_another, NULL);
    check_thread(acquire_and_release, (void *)1);
}

static const char *refuses_oblivious(const struct recip_algorithm *lock)
{
    return lock->traits & RECIP_OBLIVIOUS ? NULL : "release is for the thread that acquired";
}

/* A thread ends with its release, and its wait element goes with it: nobody may touch that any more, but a wake may
 * still name it. */
static void acquire_and_end(void *unused)
{
    acquire_and_release((void *)1);
    check_record_gone();
    (void)unused;
}

static void setup_end(void)
{
    make_locks(true);
    for (int i = 0; i < 3; i++)
        check_thread(acquire_and_end, NULL);
}

/* Threads that arrive one after another while the lock is held: in which order they are admitted. The owner lets the
 * next one come when it has seen the word change that an arrival changes: the lock's first, as a rule. */
enum { LINE = 4 };
static unsigned admitted_in_line; /* a digit for each, 1 came first */

/* What one lock admits, where that does not follow from the word that it has for it; and where the word is that an
 * arrival changes, if it is not the first. */
struct line_of_lock {
    const char *lock;
    unsigned orders[8]; /* as admitted_in_line; up to 0 */
    size_t arrivals;
};

static const struct line_of_lock lines_of_locks[] = {
    {"retrograde-random", {1234, 1243, 1423}, 0}, /* the oldest first, again after at most one of the newest */
    {"retrograde-direction", {1234, 4321}, 0},
    /* Each but the last may give way; those come behind the others, the last of them first. */
    {"reciprocating-fair", {4321, 3214, 4213, 4312, 2134, 3124, 4123, 1234}, 0},
    /* One of the two newest that are left, and at the end those set aside, the last one first, in the same way. */
    {"reciprocating-shuffled", {4321, 4312, 4213, 3214, 3142, 3124}, 0},
    {"reciprocating-numa", {4231}, 0}, /* the owner's neighbours are on the other socket */
    /* The first in line may be in time to move the third, who is on its socket, in front of the second. */
    {"shfl", {1234, 1324}, sizeof(uint64_t)},
};

static const struct line_of_lock *line_of(const struct recip_algorithm *lock)
{
    for (size_t i = 0; i < sizeof lines_of_locks / sizeof *lines_of_locks; i++) {
        size_t length = strlen(lines_of_locks[i].lock);
        if (strncmp(lock->id, lines_of_locks[i].lock, length) == 0 &&
            (lock->id[length] == '\0' || strcmp(lock->id + length, lock->form) == 0))
            return &lines_of_locks[i];
    }
    return NULL;
}

static void let_come(int next)
{
    const struct line_of_lock *line = line_of(algorithm);
    _Atomic(uint64_t) *word = (_Atomic(uint64_t) *)(storage[0] + (line ? line->arrivals : 0));
    uint64_t before = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(&flag, next, memory_order_relaxed);
    while (atomic_load_explicit(word, memory_order_relaxed) == before)
        check_relax();
}

static void hold_until_all_wait(void *unused)
{
    struct held held;
    (void)unused;
    enter(0, &held);
    for (int next = 1; next <= LINE; next++)
        let_come(next);
    leave(0, &held);
}

static void await_number(_Atomic(int) *number, int wanted)
{
    while (atomic_load_explicit(number, memory_order_relaxed) < wanted)
        check_relax();
}

static void come_in_line(void *number)
{
    struct held held;
    await_number(&flag, (int)(uintptr_t)number);
    enter(0, &held);
    admitted_in_line = admitted_in_line * 10 + (unsigned)(uintptr_t)number;
    leave(0, &held);
}

static void setup_line(void)
{
    make_locks(true);
    check_thread(hold_until_all_wait, NULL);
    for (uintptr_t i = 1; i <= LINE; i++)
        check_thread(come_in_line, (void *)i);
}

/* A thread that may have waited twice waits a third time, and another comes behind it: what it has left over from then
 * is not taken for new. */
enum { TURNS = 3 };
static _Atomic(int) turns_over;

static void hold_for_turns(void *unused)
{
    struct held held;
    (void)unused;
    for (int turn = 1; turn < TURNS; turn++) {
        enter(0, &held);
        atomic_store_explicit(&flag, turn, memory_order_relaxed);
        leave(0, &held);
        await_number(&turns_over, turn);
    }
    enter(0, &held);
    let_come(TURNS);
    let_come(TURNS + 1);
    leave(0, &held);
}

static void come_at(int turn)
{
    struct held held;
    await_number(&flag, turn);
    enter(0, &held);
    use(0);
    leave(0, &held);
}

static void come_in_turns(void *unused)
{
    (void)unused;
    for (int turn = 1; turn <= TURNS; turn++) {
        come_at(turn);
        atomic_store_explicit(&turns_over, turn, memory_order_relaxed);
    }
}

static void come_behind(void *unused)
{
    (void)unused;
    come_at(TURNS + 1);
}

static void setup_third(void)
{
    make_locks(true);
    check_thread(hold_for_turns, NULL);
    check_thread(come_in_turns, NULL);
    check_thread(come_behind, NULL);
}

static const char *refuses_third(const struct recip_algorithm *lock)
{
    if (!(lock->traits & RECIP_SOCKETS))
        return "a waiter has one record only: 3x2 has all that this has";
    return lock->traits & RECIP_ARRIVALS ? NULL : "its first word does not tell of an arrival";
}

static const unsigned *orders_of(const struct recip_algorithm *lock)
{
    static const unsigned fifo[] = {1234, 0}, newest_first[] = {4321, 0}, gated[] = {1432, 0};
    const struct line_of_lock *line = line_of(lock);
    if (line)
        return line->orders;
    return lock->admission == RECIP_ADMITS_FIFO            ? fifo
           : lock->admission == RECIP_ADMITS_RECIPROCATING ? newest_first
           : lock->admission == RECIP_ADMITS_GATED         ? gated
                                                           : NULL;
}

static const char *refuses_line(const struct recip_algorithm *lock)
{
    if (lock->max_threads)
        return "it has fewer slots here than threads come";
    return orders_of(lock) ? NULL : "it promises no order of its own";
}

static uint64_t outcomes_of_line(const struct recip_algorithm *lock)
{
    const unsigned *orders = orders_of(lock);
    uint64_t outcomes = 0;
    for (unsigned i = 0; i < 8 && orders[i]; i++)
        outcomes |= UINT64_C(1) << i;
    return outcomes;
}

static void finish_line(void)
{
    const unsigned *orders = orders_of(algorithm);
    unsigned order = 0;
    while (order < 8 && orders[order] && orders[order] != admitted_in_line)
        order++;
    bool is_promised = order < 8 && orders[order];
    check_assert(is_promised);
    check_outcome(order);
    finish();
}

/* The last thread destroys the lock: no thread may touch it after that, not even in a release that is not over. */
static void last_destroys(void *unused)
{
    (void)unused;
    struct held held;
    enter(0, &held);
    bool last = --left == 0;
    leave(0, &held);
    if (last) {
        destroyed = true;
        algorithm->destroy(storage[0]);
        check_destroyed(storage[0], sizeof storage[0]);
    }
}

/* The same, with nobody who uses the lock again before it is destroyed. */
static void finish_at_once(void)
{
    algorithm->destroy(storage[0]);
    destroyed = true;
    finish();
}

static void try_and_end(void *unused)
{
    try_and_release((void *)1);
    check_record_gone();
    (void)unused;
}

/* Two that give up at the same time, and end. */
static void setup_tries(void)
{
    make_locks(false);
    check_thread(acquire_and_release, (void *)1);
    check_thread(try_and_end, NULL);
    check_thread(try_and_end, NULL);
}

static void setup_destroy(void)
{
    make_locks(true);
    left = 3;
    for (int i = 0; i < 3; i++)
        check_thread(last_destroys, NULL);
}

#define CLIENT(client, what, its_setup, ...) CLIENT_ENDING(client, what, its_setup, finish, __VA_ARGS__)
#define CLIENT_ENDING(client, what, its_setup, its_finish, ...)                                                        \
    {                                                                                                                  \
        .name = client, .summary = what, .setup = its_setup, .finish = its_finish, __VA_ARGS__                         \
    }
#define PLAIN(client, what, count, ...)                                                                                \
    CLIENT(client, what, setup_plain, .threads = count, .acquisitions = {__VA_ARGS__})

static const struct lock_client clients[] = {
    PLAIN("3x1", "three threads, one acquisition each", 3, 1, 1, 1),
    PLAIN("3x2", "three threads, two acquisitions each", 3, 2, 2, 2),
    CLIENT("3x2,1,1", "three threads on two sockets, the first acquires twice", setup_plain, .threads = 3,
           .acquisitions = {2, 1, 1}, .refuses = refuses_sockets),
    PLAIN("4x1", "four threads, one acquisition each", 4, 1, 1, 1, 1),
    PLAIN("4x2,1,1,1", "four threads, the first acquires twice", 4, 2, 1, 1, 1),
    CLIENT("try", "two threads acquire, a third tries twice", setup_try),
    CLIENT("try-between", "one thread acquires twice, another once, a third tries", setup_try_between),
    CLIENT("try-after", "two threads acquire, a third acquires and then tries", setup_try_after),
    CLIENT("try-late", "one thread acquires five times, another tries", setup_try_late),
    CLIENT("try-first", "one thread acquires five times, another tries and then acquires", setup_try_first,
           .refuses = refuses_try_first),
    CLIENT("try-often", "one thread tries five times, another acquires", setup_try_often),
    CLIENT_ENDING("tries", "one thread acquires, two try and end; then the lock is destroyed", setup_tries,
                  finish_at_once),
    CLIENT("try-alone", "one thread: a free lock is had, a held one is not", setup_try_alone),
    CLIENT("again-alone", "one thread acquires three times, at last without new memory", setup_again_alone),
    CLIENT("mutex", "three threads on the form that keeps the context in its body", setup_form),
    CLIENT("mutex-try", "the same: two threads lock, a third tries", setup_form_try),
    CLIENT("starve", "a thread wants the lock once, another again and again until then", setup_starve,
           .refuses = refuses_starve),
    CLIENT("overtaken", "three threads, one acquires twice; instead of starve, where numbers grow", setup_overtaken,
           .threads = 3, .acquisitions = {1, 2, 1}, .refuses = refuses_overtaken),
    CLIENT("two-locks", "two threads hold two locks, nested and crossed; a third wants one", setup_two),
    CLIENT("reuse", "a thread ends and another takes over its wait element", setup_reuse, .refuses = refuses_reuse),
    CLIENT("reuse-held", "the owner's wait element is used by another thread", setup_lend, .refuses = refuses_lend),
    CLIENT("oblivious", "one thread acquires, another releases", setup_oblivious, .refuses = refuses_oblivious),
    CLIENT_ENDING("line", "four threads come one after another: in which order they are admitted", setup_line,
                  finish_line, .refuses = refuses_line, .outcomes_of = outcomes_of_line),
    CLIENT("third", "one thread comes three times, another behind it the third time", setup_third,
           .refuses = refuses_third),
    CLIENT("exit", "three threads, each takes its wait element along when it ends", setup_end),
    CLIENT("destroy", "three threads, the last owner destroys the lock", setup_destroy),
};

const struct client_set standard_clients = {"every lock", clients, sizeof clients / sizeof *clients};
