/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/report-lines.h"

#include <string.h>

#include "preload/report.h"

static void print_name(int file, const char *label, const struct place_name *name)
{
    char text[PLACE_TEXT];
    int room = REPORT_COLUMNS - (int)strlen(label);
    place_name_text(name, text);
    int length = (int)strlen(text), source = name->function[0] ? (int)strlen(name->source) + 3 : 0;
    if (length <= room)
        report_print(file, "%s%s\n", label, text);
    else if (source + 3 < room)
        report_print(file, "%s%.*s...%s\n", label, room - source - 3, text, text + length - source);
    else
        report_print(file, "%s%.*s\n", label, room, text);
}

void report_print_place(int file, const char *label, const struct place *place)
{
    static const struct place_name unknown = {"", "unknown"};
    print_name(file, label, place ? &place->name : &unknown);
}

/* The last is shown in any case, if nothing is. */
static bool is_shown(const struct place *place, bool is_only)
{
    return place && ((!place->is_library && strcmp(place->name.function, "_start") != 0) || is_only);
}

void report_print_stack(int file, const char *first, const char *others, const struct stack *stack, int max)
{
    int shown = 0;
    for (uint32_t frame = 0; stack && frame < stack->count && shown < max; frame++) {
        const struct place *place = place_of(stack->frames[frame]);
        if (!is_shown(place, !shown && frame + 1 == stack->count))
            continue;
        report_print_place(file, shown++ ? others : first, place);
        if (place->outermost.function[0] && shown++ < max)
            print_name(file, others, &place->outermost);
    }
}
