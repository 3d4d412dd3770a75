/* SPDX-License-Identifier: MIT */
/* The page: the template, with {{NAME}} replaced by the part of that name, {{documents}} by the results, and
 * {{registry}} by what is known of the locks. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "zoo/algorithm.h"

/* In a script element nothing but "</" ends the text, and "<!--" starts trouble: '<' is written as JSON's escape. */
static int write_escaped(const char *buffer, size_t size, void *to)
{
    for (size_t i = 0; i < size; i++)
        if (buffer[i] == '<')
            fputs("\\u003c", to);
        else
            putc(buffer[i], to);
    return 0;
}

/* What the page has to know of every lock. The parking form of a lock is shown if it is asked for. */
static json_t *registry(void)
{
    json_t *locks = json_array();
    for (size_t i = 0; i < recip_algorithm_count; i++) {
        const struct recip_algorithm *lock = recip_algorithms[i];
        bool second_form = recip_algorithm_is_second_form(lock);
        bool featured = lock->traits & RECIP_FEATURED && !second_form;
        json_array_append_new(locks, json_pack("{s:s, s:s, s:b}", "id", lock->id, "family",
                                               recip_family_word(lock->family), "featured", featured));
    }
    return locks;
}

static void write_json(const json_t *json, FILE *to)
{
    json_dump_callback(json, write_escaped, to, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

static void write_registry(FILE *to)
{
    json_t *locks = registry();
    write_json(locks, to);
    json_decref(locks);
}

static bool is_named(const char *name, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(name, wanted, length) == 0;
}

static void write_part(const char *name, size_t length, const json_t *documents, FILE *to)
{
    size_t size;
    const char *part = part_find(name, length, &size);
    if (is_named(name, length, "version")) {
        fputs(RECIP_VERSION, to);
    } else if (is_named(name, length, "documents")) {
        write_json(documents, to);
    } else if (is_named(name, length, "registry")) {
        write_registry(to);
    } else if (part && is_named(name, length, "trace.json")) {
        write_escaped(part, size, to);
    } else if (part) {
        fwrite(part, 1, size, to);
    } else {
        fprintf(stderr, "recip: the page has no part '%.*s'\n", (int)length, name);
        abort();
    }
}

void page_write(const json_t *documents, FILE *to)
{
    size_t size;
    const char *at = part_find("template.html", strlen("template.html"), &size), *end = at + size;
    const char *open, *close;
    while ((open = memmem(at, (size_t)(end - at), "{{", 2)) && (close = memmem(open, (size_t)(end - open), "}}", 2))) {
        fwrite(at, 1, (size_t)(open - at), to);
        write_part(open + 2, (size_t)(close - open) - 2, documents, to);
        at = close + 2;
    }
    fwrite(at, 1, (size_t)(end - at), to);
}
