/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/report-mutexes.h"

#include <stdio.h>

#include "preload/report-modules.h"
#include "preload/report-names.h"
#include "preload/statistics.h"

static const struct record *record_at(uint32_t index)
{
    uint32_t count;
    uint64_t uncounted;
    const struct record *records = statistics_records(&count, &uncounted);
    return records && index ? &records[index] : NULL;
}

void mutex_name_ask(uint32_t index)
{
    const struct record *record = record_at(index);
    if (record && record->created)
        place_of(record->created);
    if (record)
        places_of_stack(stack_of(record->first));
}

const char *mutex_name(uint32_t index, char name[MUTEX_NAME])
{
    struct symbol variable;
    char text[PLACE_TEXT];
    const struct record *record = record_at(index);
    if (!record) {
        snprintf(name, MUTEX_NAME, "one that is not known");
    } else if (module_variable(record->mutex, &variable)) {
        size_t offset = (size_t)((const char *)record->mutex - (const char *)variable.start);
        name_of_variable(variable.name, text, sizeof text);
        if (offset)
            snprintf(name, MUTEX_NAME, "'%.150s' + %zu", text, offset);
        else
            snprintf(name, MUTEX_NAME, "'%.150s'", text);
    } else if (record->created) {
        snprintf(name, MUTEX_NAME, "one created in %s", place_text(place_of(record->created), text));
    } else {
        snprintf(name, MUTEX_NAME, "one first locked in %s", place_text(place_in_stack(stack_of(record->first)), text));
    }
    return name;
}
