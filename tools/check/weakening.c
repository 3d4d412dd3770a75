/* SPDX-License-Identifier: MIT */
#include "check/weakening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/clients.h"
#include "cli/command.h"
#include "instrument/symbolise.h"

static const char *const order_words[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Of a parking form the gate only: the rest is the spinning form's. Of the mutex all that it has of its own. */
static bool is_source_of(const struct recip_algorithm *lock, const struct symbol *symbol)
{
    if (lock_is_mutex(lock))
        return starts_with(symbol->line, "src/") || starts_with(symbol->line, "include/");
    if (recip_algorithm_is_second_form(lock))
        return starts_with(symbol->line, "port/gate.h:");
    return starts_with(symbol->line, "zoo/") || starts_with(symbol->line, "port/");
}

static struct ordered_access *access_of(struct weakenings *found, const struct site *site, const struct symbol *symbol)
{
    for (size_t i = 0; i < found->access_count; i++) {
        struct ordered_access *access = &found->accesses[i];
        if (strcmp(access->line, symbol->line) == 0 && access->kind == site->kind && access->order == site->order)
            return access;
    }
    found->accesses = need_memory(realloc(found->accesses, (found->access_count + 1) * sizeof *found->accesses));
    struct ordered_access *access = &found->accesses[found->access_count++];
    *access = (struct ordered_access){symbol->line, symbol->function, site->order, site->kind, NULL, 0};
    return access;
}

static void add_place(struct ordered_access *access, const void *place)
{
    access->places = need_memory(realloc(access->places, (access->place_count + 1) * sizeof *access->places));
    access->places[access->place_count++] = place;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(((const struct ordered_access *)a)->line, ((const struct ordered_access *)b)->line);
}

static const char *harmless_reason(const struct recip_algorithm *lock, const struct ordered_access *access, int to)
{
    for (size_t i = 0; i < harmless_weakening_count; i++) {
        const struct harmless_weakening *harmless = &harmless_weakenings[i];
        if (strcmp(harmless->lock, lock->id) == 0 && strcmp(harmless->function, access->function) == 0 &&
            harmless->kind == access->kind && harmless->from == access->order && harmless->to == to)
            return harmless->reason;
    }
    return NULL;
}

static void add(struct weakenings *found, const struct recip_algorithm *lock, const struct ordered_access *access,
                int to)
{
    found->values = need_memory(realloc(found->values, (found->count + 1) * sizeof *found->values));
    struct weakening *weakening = &found->values[found->count++];
    *weakening = (struct weakening){.access = access, .to = to, .harmless = harmless_reason(lock, access, to)};
    snprintf(weakening->text, sizeof weakening->text, "%s %s%s, %s -> %s", access->line, access->function,
             access->kind == 'f' ? ", failing" : "", order_words[access->order], order_words[to]);
}

/* One step weaker, of the orders that such an access can have. */
static unsigned weaker_orders(const struct ordered_access *access, int weaker[2])
{
    bool loads = access->kind == 'l' || access->kind == 'f', stores = access->kind == 's';
    unsigned count = 0;
    if (access->kind == 'g') { /* a signal fence: to a compiler it is one or none */
        weaker[count++] = __ATOMIC_RELAXED;
    } else if (access->order == __ATOMIC_SEQ_CST) {
        weaker[count++] = loads ? __ATOMIC_ACQUIRE : stores ? __ATOMIC_RELEASE : __ATOMIC_ACQ_REL;
    } else if (access->order == __ATOMIC_ACQ_REL) {
        weaker[count++] = __ATOMIC_ACQUIRE;
        weaker[count++] = __ATOMIC_RELEASE;
    } else {
        weaker[count++] = __ATOMIC_RELAXED;
    }
    return count;
}

struct weakenings weakenings_find(const struct recip_algorithm *lock, const struct site *sites, size_t count)
{
    struct weakenings found = {0};
    for (size_t i = 0; i < count; i++) {
        const struct symbol *symbol = symbol_of(sites[i].place);
        if (symbol && sites[i].order != __ATOMIC_RELAXED && is_source_of(lock, symbol))
            add_place(access_of(&found, &sites[i], symbol), sites[i].place);
    }
    if (found.access_count)
        qsort(found.accesses, found.access_count, sizeof *found.accesses, by_line);
    for (size_t i = 0; i < found.access_count; i++) {
        int weaker[2];
        unsigned steps = weaker_orders(&found.accesses[i], weaker);
        for (unsigned step = 0; step < steps; step++)
            add(&found, lock, &found.accesses[i], weaker[step]);
    }
    return found;
}

void weakenings_free(struct weakenings *weakenings)
{
    for (size_t i = 0; i < weakenings->access_count; i++)
        free(weakenings->accesses[i].places);
    free(weakenings->accesses);
    free(weakenings->values);
}

void weakening_apply(const struct weakening *weakening)
{
    const struct ordered_access *access = weakening->access;
    runtime_weaken(access->places, access->place_count, access->kind, weakening->to);
}
