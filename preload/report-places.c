/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/report-places.h"

#include <stdio.h>
#include <string.h>

#include "preload/report-modules.h"

enum { MAX_PLACES = 2048 };

static struct place places[MAX_PLACES];
static struct place *used[MAX_PLACES]; /* most pages of the table are never touched */
static int place_count;

struct place *place_of(const void *address)
{
    uint32_t first = (uint32_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 53);
    for (uint32_t i = 0; i < MAX_PLACES; i++) {
        struct place *place = &places[(first + i) % MAX_PLACES];
        if (place->address == address)
            return place;
        if (place->address)
            continue;
        if (place_count == MAX_PLACES - 1)
            return NULL;
        used[place_count++] = place;
        place->address = address;
        return place;
    }
    return NULL;
}

void places_of_stack(const struct stack *stack)
{
    for (uint32_t i = 0; stack && i < stack->count; i++)
        place_of(stack->frames[i]);
}

int places_count(void)
{
    return place_count;
}

void places_end(void)
{
    while (place_count)
        *used[--place_count] = (struct place){0};
}

/* ---- By symbols ---- */

static bool begins_with(const char *text, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(text, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* The libraries that wrap mutexes for everybody. */
static bool is_library_module(const char *name)
{
    static const char *const names[] = {"libstdc++.", "libc++.", "libc.", "libpthread", "ld-linux", NULL};
    return begins_with(name, names);
}

/* The C library has only frames outside those that anybody looks for, and takes addr2line a tenth of a second where its
 * debug information is installed. */
static bool is_c_library(const char *name)
{
    static const char *const names[] = {"libc.", "libpthread", "ld-linux", NULL};
    return begins_with(name, names);
}

/* Of the C++ library: namespaces std and __gnu_cxx, and what they call. */
static bool is_library_function(const char *name)
{
    static const char *const names[] = {"_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx", "_ZN9__gthread", NULL};
    return begins_with(name, names) || (strncmp(name, "_ZL", 3) == 0 && strstr(name, "__gthread"));
}

static bool is_library_address(const void *address)
{
    struct symbol symbol;
    const void *call = (const char *)address - 1;
    const struct module *module = module_of(call);
    return module &&
           (is_library_module(module->name) || (module_function(call, &symbol) && is_library_function(symbol.name)));
}

uint32_t stack_own_frame(const struct stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i++)
        if (!is_library_address(stack->frames[i]))
            return i;
    return 0;
}

static void resolve_by_symbols(struct place *place)
{
    struct symbol symbol;
    const void *call = (const char *)place->address - 1;
    const struct module *module = module_of(call);
    place->is_resolved = true;
    if (!module) {
        snprintf(place->name.source, sizeof place->name.source, "%p", place->address);
        return;
    }
    place->is_library = is_library_address(place->address);
    if (!place->name.function[0] && module_function(call, &symbol))
        snprintf(place->name.function, sizeof place->name.function, "%s", symbol.name);
    snprintf(place->name.source, sizeof place->name.source, "%.40s+0x%lx", module->name,
             (unsigned long)((uintptr_t)call - module->bias));
}

/* ---- By addr2line ---- */

/* Those of one module that are not resolved, from `from` on, as many as can be asked for at once. */
static int collect(const struct module *module, int *from, struct place **chosen)
{
    int count = 0;
    for (; *from < place_count && count < ADDR2LINE_AT_ONCE; ++*from) {
        struct place *place = used[*from];
        if (!place->is_resolved && module_of((const char *)place->address - 1) == module)
            chosen[count++] = place;
    }
    return count;
}

static void resolve_module(const struct module *module)
{
    struct place *chosen[ADDR2LINE_AT_ONCE];
    int from = 0, count;
    while ((count = collect(module, &from, chosen)) > 0) {
        addr2line_ask(module->path, module->bias, chosen, count);
        for (int i = 0; i < count; i++)
            if (!chosen[i]->name.source[0])
                resolve_by_symbols(chosen[i]);
            else
                chosen[i]->is_library |= is_library_module(module->name);
    }
}

/* Of every stack of the first thread, and shown in none. It may be the only place in a program whose threads run in
 * libraries. */
static bool is_start(const void *address)
{
    struct symbol symbol;
    return module_function((const char *)address - 1, &symbol) && strcmp(symbol.name, "_start") == 0;
}

void places_resolve(bool use_addr2line)
{
    for (int i = 0; i < place_count; i++)
        if (!used[i]->is_resolved && is_start(used[i]->address))
            resolve_by_symbols(used[i]);
    for (int i = 0; i < place_count; i++) {
        if (used[i]->is_resolved)
            continue;
        const struct module *module = module_of((const char *)used[i]->address - 1);
        if (module && use_addr2line && !is_c_library(module->name) && module_has_lines(module))
            resolve_module(module);
        else
            resolve_by_symbols(used[i]);
    }
}

/* ---- As text ---- */

const struct place *place_in_stack(const struct stack *stack)
{
    for (uint32_t i = 0; stack && i < stack->count; i++) {
        const struct place *place = place_of(stack->frames[i]);
        if (place && !place->is_library)
            return place;
    }
    return stack && stack->count ? place_of(stack->frames[0]) : NULL;
}

const char *place_name_text(const struct place_name *name, char text[PLACE_TEXT])
{
    if (name->function[0])
        snprintf(text, PLACE_TEXT, "%s (%s)", name->function, name->source);
    else
        snprintf(text, PLACE_TEXT, "%s", name->source);
    return text;
}

const char *place_text(const struct place *place, char text[PLACE_TEXT])
{
    if (place)
        return place_name_text(&place->name, text);
    snprintf(text, PLACE_TEXT, "unknown");
    return text;
}
