/* SPDX-License-Identifier: MIT */
#include "instrument/symbolise.h"

#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RECIP_HAS_DW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* The program or shared object that has the address. If none of the known ones has it, the list is read again: one may
 * have been loaded since. */
static Dwfl_Module *module_at(Dwarf_Addr address)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    static Dwfl *own;
    Dwfl_Module *module = own ? dwfl_addrmodule(own, address) : NULL;
    if (module)
        return module;
    if (own)
        dwfl_report_begin(own);
    else if (!(own = dwfl_begin(&callbacks)))
        return NULL;
    dwfl_linux_proc_report(own, getpid());
    dwfl_report_end(own, NULL, NULL);
    return dwfl_addrmodule(own, address);
}

/* By a look at every unit: not all compilers write the table (.debug_aranges) that would save it. */
static Dwarf_Die *unit_at(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text(const char *format, ...)
{
    char *made;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&made, format, arguments) < 0)
        abort();
    va_end(arguments);
    return made;
}

static void add_line(struct symbol *symbol, const char *path, int number)
{
    static const char tree[] = RECIP_SOURCE_TREE "/", built[] = RECIP_BUILD_TREE "/";
    if (!path)
        return;
    bool ours = strncmp(path, tree, sizeof tree - 1) == 0 && strncmp(path, built, sizeof built - 1) != 0;
    const char *file = ours ? path + sizeof tree - 1 : strrchr(path, '/');
    if (!file || file == path)
        file = path;
    while (!ours && file > path && file[-1] != '/')
        file--;
    if (symbol->depth == SYMBOL_DEPTH)
        free((char *)symbol->lines[--symbol->depth].file);
    symbol->lines[symbol->depth++] = (struct source_line){text("%s", file), number, ours};
}

/* Where an inlined function was called. */
static void add_call(struct symbol *symbol, Dwarf_Die *unit, Dwarf_Die *call)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, number;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) == 0 &&
        dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
        add_line(symbol, dwarf_filesrc(files, file, NULL, NULL), (int)number);
}

/* The functions around an address, the innermost first, as far as they are inlined. */
static void add_calls(struct symbol *symbol, Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    if (dwarf_getscopes(unit, address, &innermost) <= 0)
        return;
    int count = dwarf_getscopes_die(innermost, &scopes);
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        bool inlined = tag == DW_TAG_inlined_subroutine;
        if ((inlined || tag == DW_TAG_subprogram) && !symbol->function && dwarf_diename(&scopes[i]))
            symbol->function = text("%s", dwarf_diename(&scopes[i]));
        if (inlined)
            add_call(symbol, unit, &scopes[i]);
    }
    free(scopes);
    free(innermost);
}

static bool look_up(const void *place, struct symbol *symbol)
{
    /* The call's last byte: what follows it may be another line's. */
    Dwarf_Addr address = (uintptr_t)place - 1, bias;
    Dwfl_Module *module = module_at(address);
    Dwarf_Die *unit = module ? unit_at(module, address, &bias) : NULL;
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    int number;
    if (!line || dwarf_lineno(line, &number) != 0)
        return false;
    add_line(symbol, dwarf_linesrc(line, NULL, NULL), number);
    add_calls(symbol, unit, address - bias);
    if (!symbol->depth)
        return false;
    const char *name = symbol->function ? NULL : dwfl_module_addrname(module, address);
    if (!symbol->function)
        symbol->function = text("%s", name ? name : "?");
    symbol->line = text("%s:%d", symbol->lines[0].file, symbol->lines[0].number);
    symbol->unit = symbol->lines[symbol->depth - 1].file;
    return true;
}

#else

static bool look_up(const void *place, struct symbol *symbol)
{
    (void)place;
    (void)symbol;
    return false;
}

#endif

/* What has been looked up, found or not. */
struct known {
    const void *place;
    bool found;
    struct symbol symbol;
};

static int by_place(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t)((const struct known *)a)->place, second = (uintptr_t)((const struct known *)b)->place;
    return first < second ? -1 : first > second;
}

const struct symbol *symbol_of(const void *place)
{
    static void *root;
    struct known key = {.place = place}, **kept = tfind(&key, &root, by_place);
    if (!place)
        return NULL;
    if (!kept) {
        struct known *made = calloc(1, sizeof *made);
        if (!made)
            abort();
        made->place = place;
        made->found = look_up(place, &made->symbol);
        kept = tsearch(made, &root, by_place);
        if (!kept)
            abort();
    }
    return (*kept)->found ? &(*kept)->symbol : NULL;
}

const char *symbol_line(const void *place)
{
    static char addresses[4][32];
    static unsigned turn;
    const struct symbol *symbol = symbol_of(place);
    if (symbol)
        return symbol->line;
    snprintf(addresses[++turn % 4], sizeof addresses[0], "%p", place);
    return addresses[turn % 4];
}
