/* The page: the template, with {{NAME}} replaced by the part of that name, and {{documents}} by the results. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

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

static void write_part(const char *name, size_t length, const json_t *documents, FILE *to)
{
    static const char version[] = "version", results[] = "documents", trace[] = "trace.json";
    size_t size;
    const char *part = part_find(name, length, &size);
    if (length == strlen(version) && memcmp(name, version, length) == 0) {
        fputs(RECIP_VERSION, to);
    } else if (length == strlen(results) && memcmp(name, results, length) == 0) {
        json_dump_callback(documents, write_escaped, to, JSON_COMPACT | JSON_REAL_PRECISION(9));
    } else if (part && length == strlen(trace) && memcmp(name, trace, length) == 0) {
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
