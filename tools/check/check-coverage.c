/* SPDX-License-Identifier: MIT */
/* recip check --coverage: what of a lock was reached, over all executions of the clients that apply: the basic blocks
 * of its source, and for the locks with an arrivals word the four things that make it reciprocating. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/engine/admission.h"
#include "check/runtime.h"
#include "check/verdict.h"
#include "instrument/symbolise.h"
#include "src/waiter.h"

extern const char etext[];
void __sanitizer_cov_trace_pc(void);

struct places {
    const void **values;
    size_t size, room;
};

static void add_place(struct places *places, const void *place)
{
    if (places->size == places->room) {
        places->room = places->room ? places->room * 2 : 1024;
        places->values = realloc(places->values, places->room * sizeof *places->values);
        if (!places->values)
            abort();
    }
    places->values[places->size++] = place;
}

/* Where the code of a lock's translation unit is, about: from its first function to some way behind its last. */
static void find_code(const struct recip_algorithm *lock, const char **start, const char **end)
{
    enum { LONGEST_FUNCTION = 4096 };
    const uintptr_t functions[] = {
        (uintptr_t)lock->acquire,      (uintptr_t)lock->try_acquire,   (uintptr_t)lock->release,
        (uintptr_t)lock->mutex_lock,   (uintptr_t)lock->mutex_trylock, (uintptr_t)lock->mutex_unlock,
        (uintptr_t)recip_waiter_await, (uintptr_t)recip_mutex_destroy, (uintptr_t)recip_cond_wait_until,
        (uintptr_t)recip_cond_destroy, (uintptr_t)recip_sem_trywait_,  (uintptr_t)recip_sem_destroy,
    };
    uintptr_t first = functions[0], last = functions[0];
    for (size_t i = 1; i < (lock_is_mutex(lock) ? 12 : 6); i++) {
        first = functions[i] < first ? functions[i] : first;
        last = functions[i] > last ? functions[i] : last;
    }
    *start = (const char *)first;
    *end = (uintptr_t)etext - last < LONGEST_FUNCTION ? etext : (const char *)last + LONGEST_FUNCTION;
}

/* Every block of instrumented code begins with a call of the coverage hook: the places behind those calls. */
static struct places find_blocks(const struct recip_algorithm *lock)
{
    struct places blocks = {0};
    const char *start, *end;
    find_code(lock, &start, &end);
    const char *hook = (const char *)(uintptr_t)__sanitizer_cov_trace_pc;
#if defined(__x86_64__)
    for (const char *at = start; at + 5 <= end; at++) {
        int32_t distance;
        memcpy(&distance, at + 1, sizeof distance);
        if ((unsigned char)at[0] == 0xe8 && at + 5 + distance == hook)
            add_place(&blocks, at + 5);
    }
#elif defined(__aarch64__)
    for (const char *at = start; at + 4 <= end; at += 4) {
        uint32_t instruction;
        memcpy(&instruction, at, sizeof instruction);
        int32_t distance = (int32_t)(instruction << 6) >> 4;
        if (instruction >> 26 == 0x25 && at + distance == hook)
            add_place(&blocks, at + 4);
    }
#endif
    return blocks;
}

static bool is_reached(const void *block)
{
    const void *const *reached;
    size_t count = runtime_blocks(&reached);
    for (size_t i = 0; i < count; i++)
        if (reached[i] == block)
            return true;
    return false;
}

/* What a lock has to have done, by its line in the registry. */
static unsigned expected_paths(const struct recip_algorithm *lock)
{
    if (!(lock->traits & RECIP_ARRIVALS))
        return 0;
    return PATH_HANDOVER | PATH_DETACH | PATH_ONSET_RACE | (lock->traits & RECIP_SEGMENT_END ? PATH_SEGMENT_END : 0);
}

static bool tell_paths(const struct recip_algorithm *lock, json_t *json)
{
    static const char *const words[] = {"in-segment handover", "detach path", "onset race", "end-of-segment match"};
    unsigned expected = expected_paths(lock), done = admission_paths();
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(expected >> i & 1))
            continue;
        bool reached = done >> i & 1;
        if (json)
            json_object_set_new(json, words[i], json_boolean(reached));
        else
            printf("  %-24s %s\n", words[i], reached ? "reached" : "NOT REACHED");
    }
    return !(expected & ~done);
}

/* Of the blocks of the lock's own translation unit, those from the lock headers; of the mutex those of its sources. */
static bool is_of(const struct recip_algorithm *lock, const struct symbol *symbol)
{
    static const char constructors[] = "_sub_I_"; /* the compiler's */
    if (strncmp(symbol->function, constructors, sizeof constructors - 1) == 0)
        return false;
    char unit[64];
    snprintf(unit, sizeof unit, "zoo/%s.c", lock->id);
    if (lock_is_mutex(lock))
        return strncmp(symbol->unit, "src/", 4) == 0 && strncmp(symbol->line, "src/", 4) == 0;
    return strcmp(symbol->unit, unit) == 0 &&
           (strncmp(symbol->line, "zoo/", 4) == 0 || strncmp(symbol->line, "port/", 5) == 0);
}

/* Branches that no client reaches, or none that --quick has: how many of a function, and why. */
struct unreached {
    const char *lock, *function;
    unsigned count;
    const char *reason;
};

static const struct unreached unreached[] = {
#define UNREACHED(lock, function, count, reason) {lock, function, count, reason},
#include "check/unreached.def"
    {NULL, NULL, 0, NULL},
};

/* Why a branch is not reached, once for each that is listed; null if it has to be. */
static const char *reason_for(const struct recip_algorithm *lock, const char *function, unsigned *used)
{
    for (size_t i = 0; unreached[i].lock; i++)
        if (strcmp(unreached[i].lock, lock->id) == 0 && strcmp(unreached[i].function, function) == 0 &&
            used[i] < unreached[i].count) {
            used[i]++;
            return unreached[i].reason;
        }
    return NULL;
}

/* What is listed and reached all the same had better not be listed. */
static void print_superfluous(const struct recip_algorithm *lock, const unsigned *used)
{
    for (size_t i = 0; unreached[i].lock; i++)
        if (strcmp(unreached[i].lock, lock->id) == 0 && used[i] < unreached[i].count)
            printf("    reached, though listed: %s, %u of %u\n", unreached[i].function, unreached[i].count - used[i],
                   unreached[i].count);
}

static void print_lines(const char *words, const json_t *lines)
{
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line) printf("    %s: %s\n", words, json_string_value(line));
}

/* Whether the branch was reached in another copy of its function, which is compiled into each of its callers. */
static bool is_reached_elsewhere(const struct places *blocks, const struct symbol *symbol)
{
    for (size_t i = 0; symbol->depth > 1 && i < blocks->size; i++) {
        const struct symbol *other = symbol_of(blocks->values[i]);
        if (other && strcmp(other->line, symbol->line) == 0 && strcmp(other->function, symbol->function) == 0 &&
            strcmp(other->unit, symbol->unit) == 0 && is_reached(blocks->values[i]))
            return true;
    }
    return false;
}

/* True if all branches were reached but those that are listed. */
static bool tell_blocks(const struct recip_algorithm *lock, const struct places *blocks, json_t *json)
{
    size_t all = 0, reached = 0;
    unsigned used[sizeof unreached / sizeof *unreached] = {0};
    json_t *missed = json_array(), *listed = json_array();
    for (size_t i = 0; i < blocks->size; i++) {
        const struct symbol *symbol = symbol_of(blocks->values[i]);
        if (!symbol || !is_of(lock, symbol))
            continue;
        all++;
        if (is_reached(blocks->values[i]) || is_reached_elsewhere(blocks, symbol)) {
            reached++;
            continue;
        }
        const char *reason = reason_for(lock, symbol->function, used);
        json_array_append_new(reason ? listed : missed, json_sprintf("%s %s%s%s", symbol->line, symbol->function,
                                                                     reason ? ": " : "", reason ? reason : ""));
    }
    bool good = json_array_size(missed) == 0;
    if (json) {
        json_object_set_new(json, "blocks", json_integer((json_int_t)all));
        json_object_set_new(json, "reached", json_integer((json_int_t)reached));
        json_object_set(json, "not reached", missed);
        json_object_set(json, "not to be reached", listed);
    } else {
        printf("  %zu of %zu branches reached\n", reached, all);
        print_lines("NOT REACHED", missed);
        print_lines("not reached", listed);
        print_superfluous(lock, used);
    }
    json_decref(missed);
    json_decref(listed);
    return good;
}

static bool run_clients(const struct recip_algorithm *lock, const struct request *request)
{
    bool passed = true;
    runtime_forget_blocks();
    admission_forget_paths();
    runtime_cover(true);
    const struct client_set *set;
    for (unsigned s = 0; (set = lock_client_set(lock, s)) != NULL; s++) {
        for (size_t i = 0; i < set->count; i++) {
            const struct lock_client *client = &set->clients[i];
            if ((request->client && client != request->client) || lock_client_refuses(client, lock) ||
                (request->quick && check_takes_long(lock, client)))
                continue;
            passed &= check_client(lock, client, &request->limits).verdict == VERDICT_PASSED;
        }
    }
    if (request->client == &request->made)
        passed &= check_client(lock, request->client, &request->limits).verdict == VERDICT_PASSED;
    runtime_cover(false);
    return passed;
}

int check_coverage(const struct request *request)
{
    bool good = true;
    json_t *locks = json_array();
    for (size_t i = 0; i < request->locks.size; i++) {
        const struct recip_algorithm *lock = request->locks.values[i];
        json_t *json = request->json ? json_pack("{s:s}", "lock", lock->id) : NULL;
        bool passed = run_clients(lock, request);
        if (!json)
            printf("%s%s\n", lock->id, passed ? "" : ": FAILED or not complete: see 'recip check' for why");
        good &= passed & tell_paths(lock, json);
        struct places blocks = find_blocks(lock);
        good &= tell_blocks(lock, &blocks, json);
        free(blocks.values);
        if (json)
            json_array_append_new(locks, json);
    }
    if (request->json) {
        json_dumpf(locks, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(locks);
    return good ? STATUS_OK : STATUS_FAILED;
}
