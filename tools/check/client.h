/* Checking code of your own: its threads, the memory that they share, and what must hold.
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
 * Then `recip check --source FILE.c`. docs/check.md says what is modelled and what is not. In short: relaxed, acquire,
 * release and acq_rel accesses and fences; plain accesses, which must not race; no seq_cst, no load buffering.
 *
 * Every execution starts from the same memory: static variables are given back the values that they had. A loop that
 * waits for another thread calls check_relax in each turn; a loop that retries does not have to.
 */
#ifndef RECIP_CHECK_CLIENT_H
#define RECIP_CHECK_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In setup: a thread. Its number, from 1; at most 7. */
unsigned check_thread(void (*body)(void *argument), void *argument);

/* In setup: a thread that starts when another has ended, and knows what that one did. */
unsigned check_thread_after(unsigned other, void (*body)(void *argument), void *argument);

/* In setup: threads made with the same function and argument, after whose end no other starts, are interchangeable.
 * Nothing may depend on which of them is which, be it their numbers or how the addresses of what belongs to them
 * compare. Saves time with many executions.
 */
void check_alike(void);

/* The number of the calling thread. */
unsigned check_self(void);

/* Must hold in every execution. */
#define check_assert(condition) ((condition) ? (void)0 : check_failed(#condition))
void check_failed(const char *condition);

/* One turn of a loop that waits: go on when something that was read in it has changed. */
void check_relax(void);

/* Sleep while *word == expected, as futex(2); may return early. Wake one sleeper. `word` has four or eight bytes. */
void check_park(const volatile void *word, size_t size, uint64_t expected);
void check_wake(const volatile void *word);

/* Memory that is the same in every execution; an access after check_free is an error. */
void *check_allocate(size_t alignment, size_t size);
void check_free(void *memory);

/* An object that is not from check_allocate is gone: an access from here on is an error. */
void check_gone(void *memory, size_t size);

/* A name for memory, in traces. */
void check_name(const void *memory, size_t size, const char *name);

/* At the end: a number that stands for how this execution came out. Which numbers were seen is part of the report. */
void check_outcome(unsigned outcome);

/* A ghost, in setup: memory, a multiple of eight bytes, in which a client keeps what it has to know about an execution,
 * for its assertions. It is no part of the threads: no access to it is an event, and nothing races with it. It changes
 * in two ways only: by `written`, which is told of every store to the atomics that are watched (by whom, where, from
 * which value in modification order to which), and by what a thread calls through check_aside. With one, executions are
 * not counted. */
void check_ghost(void *memory, size_t size,
                 void (*written)(unsigned thread, const volatile void *word, uint64_t before, uint64_t now));
void check_watch(const volatile void *word);
void check_aside(void (*call)(unsigned thread));

/* For ghosts, and at the end: the last value of an atomic in modification order, be its memory gone or not. */
uint64_t check_newest(const volatile void *word, size_t size);

/* For a lock: before acquiring it, as its owner, before releasing it, after. Two owners at a time are an error.
 * check_promise, in setup, says how often one later arrival may overtake a waiting thread: 0 is FIFO. */
void check_arriving(const void *lock, size_t size);
void check_owned(const void *lock);
void check_leaving(const void *lock);
void check_released(const void *lock);
void check_promise(const void *lock, int overtakes);

struct check_client {
    const char *name;
    void (*setup)(void);
    void (*finish)(void); /* when all threads have ended; may be null */
    struct check_client *next;
};

void check_register(struct check_client *client);

#define CHECK_CLIENT(name, setup, finish)                                                                              \
    __attribute__((constructor)) static void check_register_this(void)                                                 \
    {                                                                                                                  \
        static struct check_client client = {name, setup, finish, NULL};                                               \
        check_register(&client);                                                                                       \
    }

#ifdef __cplusplus
}
#endif

#endif
