#include "sim/source.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RECIP_HAS_DW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

static Dwfl *debugging_information(void)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    static Dwfl *own;
    if (!own && (own = dwfl_begin(&callbacks))) {
        dwfl_linux_proc_report(own, getpid());
        dwfl_report_end(own, NULL, NULL);
    }
    return own;
}

/* False if the file is no part of the source tree: generated, or the system's. */
static bool note_line(struct source_line *line, const char *file, int number)
{
    static const char tree[] = RECIP_SOURCE_TREE "/", built[] = RECIP_BUILD_TREE "/";
    if (!file || strncmp(file, tree, strlen(tree)) != 0 || strncmp(file, built, strlen(built)) == 0)
        return false;
    line->number = number;
    return snprintf(line->file, sizeof line->file, "%s", file + strlen(tree)) < (int)sizeof line->file;
}

/* Where an inlined function was called. */
static bool note_call(struct source_line *line, Dwarf_Die *unit, Dwarf_Die *call)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, number;
    Dwarf_Files *files;
    size_t count;
    return dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) == 0 &&
           dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) == 0 &&
           dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count &&
           note_line(line, dwarf_filesrc(files, file, NULL, NULL), (int)number);
}

static unsigned note_calls(struct source_line *lines, Dwarf_Die *unit, Dwarf_Die *innermost)
{
    Dwarf_Die *scopes = NULL;
    unsigned size = 0;
    int count = dwarf_getscopes_die(innermost, &scopes);
    for (int i = 0; i < count && size < SOURCE_DEPTH - 1; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine && note_call(&lines[size], unit, &scopes[i]))
            size++;
    free(scopes);
    return size;
}

unsigned source_lines(const void *site, struct source_line *lines)
{
    Dwfl *own = site ? debugging_information() : NULL;
    /* The call's last byte: what follows it may be another line's. */
    Dwarf_Addr address = (uintptr_t)site - 1, bias;
    Dwfl_Line *line = own ? dwfl_getsrc(own, address) : NULL;
    Dwarf_Die *unit = line ? dwfl_addrdie(own, address, &bias) : NULL, *scopes = NULL;
    int number, count = unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
    if (!line || !note_line(&lines[0], dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL), 0)) {
        free(scopes);
        return 0;
    }
    lines[0].number = number;
    unsigned size = 1;
    if (count > 0)
        size += note_calls(&lines[1], unit, &scopes[0]);
    free(scopes);
    return size;
}

#else

unsigned source_lines(const void *site, struct source_line *lines)
{
    (void)site;
    (void)lines;
    return 0;
}

#endif
