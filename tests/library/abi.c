/* SPDX-License-Identifier: MIT */
/* Prints what programs that were compiled with <recip.h> have in them: sizes, fields, constants, initialisers, and what
 * the inline code of the mutex does to each state. abi.sh compares it. The slow paths are stand-ins that say their
 * name; the library is not linked.
 *
 * constants.h is made by abi.sh: CONSTANT(NAME) for each constant of the header. */
#include <recip.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layout ---- */

static size_t listed; /* bytes of the fields of a type so far */

static void field(const char *type, const char *name, size_t offset, size_t size)
{
    printf("field %s.%s offset %zu size %zu\n", type, name, offset, size);
    listed += size;
}

static void type(const char *name, size_t size, size_t alignment)
{
    printf("type %s size %zu alignment %zu\n", name, size, alignment);
    if (listed != size) {
        fprintf(stderr, "abi.c: list all fields of %s: those that are listed have %zu bytes of %zu\n", name, listed,
                size);
        exit(1);
    }
    listed = 0;
}

#define FIELD(of, name) field(#of, #name, offsetof(of, name), sizeof((of){0}.name))
#define TYPE(name) type(#name, sizeof(name), _Alignof(name))

static void print_types(void)
{
    FIELD(recip_mutex_t, state);
    FIELD(recip_mutex_t, bound);
    FIELD(recip_mutex_t, passes);
    FIELD(recip_mutex_t, arrivals);
    TYPE(recip_mutex_t);
    FIELD(recip_cond_t, inner);
    FIELD(recip_cond_t, first);
    FIELD(recip_cond_t, last);
    FIELD(recip_cond_t, epoch);
    TYPE(recip_cond_t);
    FIELD(recip_sem_t, value);
    FIELD(recip_sem_t, inner);
    FIELD(recip_sem_t, entry);
    FIELD(recip_sem_t, arrivals);
    FIELD(recip_sem_t, epoch);
    TYPE(recip_sem_t);
    FIELD(recip_lock_t, arrivals);
    TYPE(recip_lock_t);
    FIELD(recip_lock_context_t, successor);
    FIELD(recip_lock_context_t, end_of_segment);
    TYPE(recip_lock_context_t);
}

/* ---- Constants and initialisers ---- */

#define CONSTANT(name) printf("constant %s %" PRIu64 "\n", #name, (uint64_t)(name));

static void print_constants(void)
{
#include "constants.h"
}

static void print_bytes(const char *name, const void *object, size_t size)
{
    printf("initialiser %s", name);
    for (size_t i = 0; i < size; i++)
        printf("%s%02x", i % 8 ? "" : " ", ((const unsigned char *)object)[i]);
    puts("");
}

#define INITIALISER(type, ...) print_bytes(#__VA_ARGS__, &(type)__VA_ARGS__, sizeof(type))

static void print_initialisers(void)
{
    INITIALISER(recip_mutex_t, RECIP_MUTEX_INIT);
    INITIALISER(recip_mutex_t, RECIP_MUTEX_INIT_BOUND(0));
    INITIALISER(recip_mutex_t, RECIP_MUTEX_INIT_BOUND(7));
    INITIALISER(recip_mutex_t, RECIP_MUTEX_INIT_BOUND(RECIP_BOUND_MAX));
    INITIALISER(recip_cond_t, RECIP_COND_INIT);
    INITIALISER(recip_sem_t, RECIP_SEM_INIT(3));
    INITIALISER(recip_lock_t, RECIP_LOCK_INIT);
}

/* ---- The inline code of the mutex ---- */

enum { STATES = 256 };

ptrdiff_t recip_rseq_offset_;
__thread struct recip_leadership_ recip_kept_;
ptrdiff_t recip_kept_offset_;
static const char *called; /* by the inline code, or null */

void recip_mutex_lock_slow_(recip_mutex_t *mutex)
{
    (void)mutex;
    called = "recip_mutex_lock_slow_";
}

int recip_mutex_trylock_slow_(recip_mutex_t *mutex)
{
    (void)mutex;
    called = "recip_mutex_trylock_slow_";
    return EBUSY;
}

int recip_mutex_clocklock_slow_(recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
    (void)mutex, (void)deadline;
    called = clock ? "recip_mutex_clocklock_slow_" : "recip_mutex_clocklock_slow_ with clock 0";
    return ETIMEDOUT;
}

void recip_mutex_unlock_slow_(recip_mutex_t *mutex)
{
    (void)mutex;
    called = "recip_mutex_unlock_slow_";
}

void recip_mutex_bound_reached_(recip_mutex_t *mutex)
{
    (void)mutex;
    called = "recip_mutex_bound_reached_";
}

static void trylock(recip_mutex_t *mutex)
{
    recip_mutex_trylock(mutex);
}

static void clocklock(recip_mutex_t *mutex)
{
    recip_mutex_clocklock(mutex, 1, NULL);
}

static void timedlock(recip_mutex_t *mutex)
{
    recip_mutex_timedlock(mutex, NULL);
}

static void print_step(const char *name, void (*call)(recip_mutex_t *), recip_mutex_t mutex)
{
    printf("inline %s, state %" PRIu32 ", passes %u:", name, mutex.state, mutex.passes);
    called = NULL;
    call(&mutex);
    printf(" state %" PRIu32 ", passes %u%s%s\n", mutex.state, mutex.passes, called ? ", " : "", called ? called : "");
}

static bool is_left_to_slow_path(void (*call)(recip_mutex_t *), uint32_t state)
{
    recip_mutex_t mutex = {.state = state}, before = mutex;
    called = NULL;
    call(&mutex);
    return called && memcmp(&mutex, &before, sizeof mutex) == 0;
}

static void print_steps(const char *name, void (*call)(recip_mutex_t *))
{
    for (uint32_t state = 0; state < STATES; state++)
        if (!is_left_to_slow_path(call, state))
            print_step(name, call, (recip_mutex_t){.state = state});
    print_step(name, call, (recip_mutex_t){.passes = UINT16_MAX});
    const char *slow = NULL;
    for (uint32_t state = 0; state < STATES; state++)
        if (is_left_to_slow_path(call, state) && called != slow)
            printf("inline %s, other states from %" PRIu32 ": %s\n", name, state, slow = called);
}

int main(void)
{
    print_types();
    print_constants();
    print_initialisers();
    print_steps("lock", recip_mutex_lock);
    print_steps("trylock", trylock);
    print_steps("clocklock", clocklock);
    print_steps("timedlock", timedlock);
    print_steps("unlock", recip_mutex_unlock);
}
