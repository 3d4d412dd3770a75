/* SPDX-License-Identifier: MIT */
/* Every execution that C11 allows of a small program of your own: `recip check --source FILE.c`.
 *
 * A client is one C file. It says which threads there are and what must hold; it has no main.
 *
 *     #include <stdatomic.h>
 *     #include <recip-check.h>
 *
 *     static _Atomic(int) ready;
 *     static int data;
 *
 *     static void writer(void *argument)
 *     {
 *         data = 42;
 *         atomic_store_explicit(&ready, 1, memory_order_release);
 *     }
 *
 *     static void reader(void *argument)
 *     {
 *         if (atomic_load_explicit(&ready, memory_order_acquire))
 *             check_assert(data == 42);
 *     }
 *
 *     static void setup(void)
 *     {
 *         check_thread(writer, NULL);
 *         check_thread(reader, NULL);
 *     }
 *
 *     CHECK_CLIENT("message passing", setup, NULL)
 *
 * Modelled are relaxed, acquire, release, acq_rel and seq_cst accesses and fences, as RC11 has them, and plain
 * accesses, which must not race; not load buffering. Every execution starts from the same memory: static variables are
 * given back the values that they had. A loop that waits for another thread calls check_relax in each turn; a loop that
 * retries need not. docs/check.md has the rest.
 */
#ifndef RECIP_CHECK_H
#define RECIP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The client ------------------------------------------------------------------------------------------------------ */

/* Declares a client, at file level, any number of times. `setup` is called before each execution and makes its
 * threads. `finish` is called when all of them have ended, knows all that they did, and may be null. */
#define CHECK_CLIENT(name, setup, finish) CHECK_CLIENT_AT_(name, setup, finish, __LINE__)

/* In setup: a thread that runs body(argument). Its number, from 1; at most 7. */
unsigned check_thread(void (*body)(void *argument), void *argument);

/* In setup: a thread that starts when thread `other` has ended, and knows what that one did. */
unsigned check_thread_after(unsigned other, void (*body)(void *argument), void *argument);

/* In setup: a signal handler of a thread that has been made. It runs in that thread once, between any two accesses, or
 * never. The thread's plain stores since its last fence (atomic_signal_fence) or releasing access may come after it, as
 * a compiler may turn them round; with signal handlers, executions are not counted. */
void check_handler(unsigned thread, void (*handler)(void *argument), void *argument);

/* In setup: threads made with the same function and argument, after whose end no other starts, are interchangeable.
 * Nothing may depend on which of them is which: neither on their numbers, nor on the order of the addresses of their
 * memory. Saves time with many executions. */
void check_alike(void);

/* In setup: some threads go on for as long as others have not got what they want, so that executions have no end. It
 * is an error if a thread can be kept waiting for ever although every thread gets its turns. Then accesses are
 * sequentially consistent and races are not looked for: have another client for those. Nothing may count without end.
 */
void check_endless(void);

/* The number of the calling thread. */
unsigned check_self(void);

/* A number below n, at most 64: the exploration makes every choice. The loop around a choice may come out the same way
 * for ever, as if no luck ever changed. */
unsigned check_choose(unsigned n);

/* What must hold, and what was seen ------------------------------------------------------------------------------- */

/* Must hold in every execution. */
#define check_assert(condition) ((condition) ? (void)0 : check_failed(#condition))
void check_failed(const char *condition);

/* In finish: a number from 0 to 63 for how this execution came out. The report lists the numbers that were seen. */
void check_outcome(unsigned outcome);

/* A name for memory, in the execution that is shown with a failure. */
void check_name(const void *memory, size_t size, const char *name);

/* Waiting --------------------------------------------------------------------------------------------------------- */

/* One turn of a loop that waits: the thread goes on when something that it has read in this turn has changed. */
void check_relax(void);

/* Sleep while *word == expected, as futex(2); may return early. Wake one sleeper. `word` has four or eight bytes. */
void check_park(const volatile void *word, size_t size, uint64_t expected);
void check_wake(const volatile void *word);

/* Memory ---------------------------------------------------------------------------------------------------------- */

/* malloc, calloc, realloc, aligned_alloc and free work: memory is at the same address in every execution and has no
 * value until it is written, and an access after free is an error. So is a block that is allocated when all threads
 * have ended and finish has returned, if no pointer in static memory leads to it. These are the same. */
void *check_allocate(size_t alignment, size_t size);
void check_free(void *memory);

/* In finish: how many blocks have been allocated and not freed. */
unsigned check_allocated(void);

/* The life of an object that is not from check_allocate has ended: an access from here on is an error. */
void check_destroyed(void *memory, size_t size);

/* Locks ----------------------------------------------------------------------------------------------------------- */

/* Around what a lock's owner does: check_owned when it has acquired the lock, check_leaving before it releases it. Two
 * owners at a time are an error. */
void check_owned(const void *lock);
void check_leaving(const void *lock);

/* For how often threads overtake each other also: before a thread acquires the lock, an object of `size` bytes, and
 * after it has released it. In setup, check_max_overtakes says how often one later arrival may overtake a waiting
 * thread: 0 is FIFO. */
void check_arriving(const void *lock, size_t size);
void check_released(const void *lock);
void check_max_overtakes(const void *lock, int overtakes);

/* Ghost memory ---------------------------------------------------------------------------------------------------- */

/* In setup: memory, a multiple of eight bytes, in which a client keeps what it has to know about an execution for its
 * assertions. It is no part of the threads: no access to it is an event, and nothing races with it. It may change in
 * two ways only: by `written`, which is told of every store to the atomics that are watched (by which thread, where,
 * from which value in modification order to which), and by what a thread calls through check_ghost_call. With ghost
 * memory, executions are not counted. */
void check_ghost(void *memory, size_t size,
                 void (*written)(unsigned thread, const volatile void *word, uint64_t before, uint64_t now));
void check_ghost_watch(const volatile void *word);
void check_ghost_call(void (*call)(unsigned thread));

/* For ghosts, and in finish: the last value of an atomic in modification order, even if its memory is gone. */
uint64_t check_last_value(const volatile void *word, size_t size);

/* What CHECK_CLIENT is made of ------------------------------------------------------------------------------------ */

struct check_client {
    const char *name;
    void (*setup)(void);
    void (*finish)(void);
    struct check_client *next;
};

void check_register(struct check_client *client);

#define CHECK_CLIENT_AT_(name, setup, finish, line) CHECK_CLIENT_REGISTER_(name, setup, finish, line)
#define CHECK_CLIENT_REGISTER_(name, setup, finish, line)                                                              \
    __attribute__((constructor)) static void check_register_##line(void)                                               \
    {                                                                                                                  \
        static struct check_client client = {name, setup, finish, NULL};                                               \
        check_register(&client);                                                                                       \
    }

#ifdef __cplusplus
}
#endif

#endif
