/* SPDX-License-Identifier: MIT */
/* The parts of the page, as they are in page/ and in the packages, in this program. */
#include "report/report.h"

#include <string.h>

/* The assembler takes the file as it is; the folders are in the build's options. */
#define PART(symbol, file)                                                                                             \
    __asm__(".section .rodata\n"                                                                                       \
            ".globl part_" #symbol "\n"                                                                                \
            "part_" #symbol ":\n"                                                                                      \
            ".incbin \"" file "\"\n"                                                                                   \
            ".globl part_" #symbol "_end\n"                                                                            \
            "part_" #symbol "_end:\n"                                                                                  \
            ".previous\n");                                                                                            \
    extern const char part_##symbol[], part_##symbol##_end[];

#define PARTS(P)                                                                                                       \
    P(template, "template.html")                                                                                       \
    P(style, "style.css")                                                                                              \
    P(uplot_style, "uPlot.min.css")                                                                                    \
    P(uplot, "uPlot.iife.min.js")                                                                                      \
    P(document, "document.js")                                                                                         \
    P(locks, "locks.js")                                                                                               \
    P(plot, "plot.js")                                                                                                 \
    P(findings, "findings.js")                                                                                         \
    P(measured, "measured.js")                                                                                         \
    P(pareto, "pareto.js")                                                                                             \
    P(waiting, "waiting.js")                                                                                           \
    P(fairness, "fairness.js")                                                                                         \
    P(simulated, "simulated.js")                                                                                       \
    P(calibrated, "calibrated.js")                                                                                     \
    P(table, "table.js")                                                                                               \
    P(checked, "checked.js")                                                                                           \
    P(locked, "locked.js")                                                                                             \
    P(steps, "steps.js")                                                                                               \
    P(page, "page.js")                                                                                                 \
    P(trace, "trace.json")

PARTS(PART)

static const struct {
    const char *name, *start, *end;
} parts[] = {
#define ENTRY(symbol, file) {file, part_##symbol, part_##symbol##_end},
    PARTS(ENTRY)
#undef ENTRY
};

const char *part_find(const char *name, size_t name_length, size_t *length)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == name_length && memcmp(parts[i].name, name, name_length) == 0) {
            *length = (size_t)(parts[i].end - parts[i].start);
            return parts[i].start;
        }
    return NULL;
}
