/* SPDX-License-Identifier: MIT */
/* The accesses are instrumented like the locks; what chooses them is not. Each is made from several places of the code,
 * because the explorer learns where a thread looks and parks. */
#include "tests/check/random/program.h"

#include <stdatomic.h>
#include <stddef.h>

#include <recip-check.h>

#define UNSEEN __attribute__((no_sanitize("thread")))
#define APART __attribute__((noinline))

struct program_text text;

/* ---- The memory that they share ---- */

static _Alignas(8) _Atomic(uint32_t) narrow[2];
static _Atomic(uint64_t) wide;
static _Alignas(8) uint32_t plain[2];
static struct heap {
    _Atomic(uint32_t) word;
    uint32_t plain;
} * heap;
static int lock;
static uint64_t results[THREADS + 1]; /* the last is the signal handler's */

APART UNSEEN static _Atomic(uint32_t) *narrow_at(unsigned word)
{
    return word == HEAP ? &heap->word : word == HALF ? (_Atomic(uint32_t) *)&wide : &narrow[word / 2];
}

APART UNSEEN static const volatile void *address_of(unsigned word)
{
    return word == WIDE ? (const volatile void *)&wide : narrow_at(word);
}

APART UNSEEN static uint32_t *plain_at(unsigned word)
{
    return word == 2 ? &heap->plain : word == 3 ? (uint32_t *)&narrow[0] : &plain[word];
}

static size_t size_of(unsigned word)
{
    return word == WIDE ? 8 : 4;
}

/* ---- The accesses ---- */

#define ACCESSES(n)                                                                                                    \
    APART static uint64_t load_##n(unsigned word, int order)                                                           \
    {                                                                                                                  \
        if (word == WIDE)                                                                                              \
            return atomic_load_explicit(&wide, order);                                                                 \
        return atomic_load_explicit(narrow_at(word), order);                                                           \
    }                                                                                                                  \
    APART static void store_##n(unsigned word, uint64_t value, int order)                                              \
    {                                                                                                                  \
        if (word == WIDE)                                                                                              \
            atomic_store_explicit(&wide, value, order);                                                                \
        else                                                                                                           \
            atomic_store_explicit(narrow_at(word), (uint32_t)value, order);                                            \
    }                                                                                                                  \
    APART static void park_##n(unsigned word, uint64_t value)                                                          \
    {                                                                                                                  \
        check_park(address_of(word), size_of(word), value);                                                            \
        __asm__ volatile("" : : : "memory");                                                                           \
    }

ACCESSES(0)
ACCESSES(1)
ACCESSES(2)
ACCESSES(3)

static uint64_t (*const loads[])(unsigned, int) = {load_0, load_1, load_2, load_3};
static void (*const stores[])(unsigned, uint64_t, int) = {store_0, store_1, store_2, store_3};
static void (*const parks[])(unsigned, uint64_t) = {park_0, park_1, park_2, park_3};

APART static uint64_t exchange(unsigned word, uint64_t value, int order)
{
    if (word == WIDE)
        return atomic_exchange_explicit(&wide, value, order);
    return atomic_exchange_explicit(narrow_at(word), (uint32_t)value, order);
}

APART static uint64_t add(unsigned word, uint64_t value, int order)
{
    if (word == WIDE)
        return atomic_fetch_add_explicit(&wide, value, order);
    return atomic_fetch_add_explicit(narrow_at(word), (uint32_t)value, order);
}

/* What it found. */
#define COMPARISON(how)                                                                                                \
    APART static uint64_t compare_##how(const struct step *step, bool *swapped)                                        \
    {                                                                                                                  \
        uint64_t found = step->value;                                                                                  \
        uint32_t narrow_found = step->value;                                                                           \
        if (step->word == WIDE) {                                                                                      \
            *swapped = atomic_compare_exchange_##how##_explicit(&wide, &found, step->other_value, step->order,         \
                                                                step->other_order);                                    \
            return found;                                                                                              \
        }                                                                                                              \
        *swapped = atomic_compare_exchange_##how##_explicit(narrow_at(step->word), &narrow_found, step->other_value,   \
                                                            step->order, step->other_order);                           \
        return narrow_found;                                                                                           \
    }
COMPARISON(strong)
COMPARISON(weak)

APART static uint32_t read_plain(unsigned word)
{
    return *plain_at(word);
}

APART static void write_plain(unsigned word, uint32_t value)
{
    *plain_at(word) = value;
}

/* ---- The steps ---- */

UNSEEN static uint64_t spin(const struct step *step)
{
    uint64_t found;
    while (((found = loads[step->site](step->word, step->order)) == step->value) != (step->kind == SPIN_UNTIL))
        check_relax();
    return found;
}

/* As spin; what it gives also says whether it had to wait. */
UNSEEN static uint64_t spin_noting(const struct step *step)
{
    uint64_t found, waited = 0;
    for (; (found = loads[step->site](step->word, step->order)) == step->value; check_relax())
        waited = 1;
    return found * 2 + waited;
}

UNSEEN static void spin_for_both(const struct step *step)
{
    while (loads[step->site](step->word, step->order) != step->value ||
           loads[(step->site + 1) % SITES](step->other_word, step->other_order) != step->other_value)
        check_relax();
}

/* What it gives says which was chosen when it went on. */
UNSEEN static uint64_t spin_choosing(const struct step *step)
{
    for (;; check_relax()) {
        uint64_t found = loads[step->site](step->word, step->order);
        unsigned chosen = check_choose(2);
        if (chosen || found == step->value)
            return found * 2 + chosen;
    }
}

UNSEEN static void spin_exchanging(const struct step *step)
{
    while (exchange(step->word, step->value, step->order) == step->value)
        check_relax();
}

UNSEEN static void spin_comparing(const struct step *step)
{
    bool swapped = false;
    while (compare_strong(step, &swapped), !swapped)
        check_relax();
}

UNSEEN static uint64_t retry(const struct step *step)
{
    bool swapped = false;
    uint64_t found = 0;
    for (int i = 0; i < 2 && !swapped; i++)
        found = compare_strong(step, &swapped);
    return found * 2 + swapped;
}

UNSEEN static void park_while(const struct step *step)
{
    while (loads[step->site](step->word, step->order) == step->value)
        parks[step->site](step->word, step->value);
}

UNSEEN static void park_until(const struct step *step)
{
    uint64_t found;
    while ((found = loads[step->site](step->word, step->order)) != step->value)
        parks[step->site](step->word, found);
}

UNSEEN static uint64_t park_times(const struct step *step, unsigned times)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < times; i++) {
        found = loads[step->site](step->word, step->order);
        if (found != step->value)
            return found;
        parks[(step->site + 1) % SITES](step->word, found);
    }
    return found + 8;
}

/* As a lock that says with a compare-and-swap that it sleeps. */
UNSEEN static void park_comparing(const struct step *step)
{
    bool swapped = false;
    while (compare_strong(step, &swapped) == step->other_value || swapped)
        parks[(step->site + 2) % SITES](step->word, step->other_value);
}

APART static void fence_signals(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

UNSEEN static uint64_t take_step(const struct step *step, uint64_t last)
{
    bool swapped = false;
    switch ((enum kind)step->kind) {
    case LOAD:
        return loads[step->site](step->word, step->order);
    case STORE:
        stores[step->site](step->word, step->value, step->order);
        return last;
    case EXCHANGE:
        return exchange(step->word, step->value, step->order);
    case ADD:
        return add(step->word, step->value, step->order);
    case COMPARE:
        last = compare_strong(step, &swapped);
        return last * 2 + swapped;
    case COMPARE_WEAK:
        last = compare_weak(step, &swapped);
        return last * 2 + swapped;
    case RETRY:
        return retry(step);
    case FENCE:
        if (step->order == memory_order_acquire)
            atomic_thread_fence(memory_order_acquire);
        else if (step->order == memory_order_release)
            atomic_thread_fence(memory_order_release);
        else if (step->order == memory_order_acq_rel)
            atomic_thread_fence(memory_order_acq_rel);
        else
            atomic_thread_fence(memory_order_seq_cst);
        return last;
    case READ:
        return read_plain(step->word);
    case WRITE:
        write_plain(step->word, step->value);
        return last;
    case SPIN_UNTIL:
    case SPIN_WHILE:
        return spin(step);
    case SPIN_NOTING:
        return spin_noting(step);
    case SPIN_FOR_BOTH:
        spin_for_both(step);
        return last;
    case SPIN_EXCHANGING:
        spin_exchanging(step);
        return last;
    case SPIN_COMPARING:
        spin_comparing(step);
        return last;
    case PARK_WHILE:
        park_while(step);
        return last;
    case PARK_UNTIL:
        park_until(step);
        return last;
    case PARK_ONCE:
        return park_times(step, 1);
    case PARK_TWICE:
        return park_times(step, 2);
    case PARK_BLINDLY:
        parks[step->site](step->word, step->value);
        return last;
    case PARK_COMPARING:
        park_comparing(step);
        return last;
    case WAKE:
        check_wake(address_of(step->word));
        return last;
    case FREE:
        check_free(heap);
        return last;
    case OWN:
        check_owned(&lock);
        return last;
    case LEAVE:
        check_leaving(&lock);
        return last;
    case ASSERT:
        check_assert(last != step->value);
        return last;
    case CHOOSE:
        return check_choose(2 + step->value % 2);
    case SPIN_CHOOSING:
        return spin_choosing(step);
    case SIGNAL_FENCE:
        fence_signals();
        return last;
    default:
        return last;
    }
}

APART static void put_result(unsigned thread, uint64_t result)
{
    results[thread] = result;
}

UNSEEN static bool needs_last(const struct step *step)
{
    return step->kind == SKIP_IF_ZERO || step->kind == SKIP_UNLESS_ZERO || step->kind == ASSERT;
}

/* What is not kept is forgotten: states that differ in nothing else are one. */
UNSEEN static uint64_t take_all(const struct step *step)
{
    uint64_t last = 0, kept = 0;
    for (unsigned i = 0; i < MAX_OPERATIONS; i++, step++) {
        bool skips = (step->kind == SKIP_IF_ZERO && last == 0) || (step->kind == SKIP_UNLESS_ZERO && last != 0);
        last = take_step(step, last);
        if (step->kept)
            kept = kept * 37 + last + 1;
        if (i + 1 < MAX_OPERATIONS && !needs_last(step + 1))
            last = 0;
        i += skips;
        step += skips;
    }
    return kept;
}

UNSEEN static void take_steps(void *steps)
{
    put_result(check_self() - 1, take_all(steps));
}

UNSEEN static void handle(void *steps)
{
    put_result(THREADS, take_all(steps) + 1);
}

/* Seen: what points to it, so that it does not leak. */
APART static void make_heap(void)
{
    heap = check_allocate(8, sizeof *heap);
}

UNSEEN void set_up(void *unused)
{
    (void)unused;
    make_heap();
    store_0(HEAP, 0, memory_order_relaxed);
    write_plain(2, 0);
    if (text.alike)
        check_alike();
    for (unsigned i = 0; i < text.threads; i++)
        check_thread_after(text.after[i], take_steps, text.steps[text.same[i]]);
    if (text.handled)
        check_handler(1, handle, text.handler);
}

/* Threads that are alike are one another's. */
UNSEEN uint64_t outcome(void)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < text.threads; i++)
        hash += mix(text.alike ? text.same[i] : i, results[i]);
    hash = mix(hash, results[THREADS]);
    for (unsigned i = 0; i < WORDS; i++)
        hash = mix(hash, check_last_value(address_of(i), size_of(i)));
    return mix(mix(hash, plain[0]), plain[1]);
}
