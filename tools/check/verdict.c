/* SPDX-License-Identifier: MIT */
#include "check/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "check/engine/trace.h"
#include "cli/terminal.h"
#include "instrument/symbolise.h"

const char *verdict_word(const struct result *result)
{
    static const char *const words[] = {
        [VERDICT_PASSED] = "ok", [VERDICT_FAILED] = "FAILED", [VERDICT_INCOMPLETE] = "not complete"};
    return words[result->verdict];
}

const char *verdict_kind(enum failure_kind kind)
{
    static const char *const words[] = {
        [FAILURE_NONE] = "none",
        [FAILURE_OWNERS] = "two owners",
        [FAILURE_RACE] = "data race",
        [FAILURE_WAITS] = "waits for ever",
        [FAILURE_LIVELOCK] = "livelock",
        [FAILURE_STARVED] = "starvation",
        [FAILURE_ASSERTION] = "assertion",
        [FAILURE_OVERTAKEN] = "overtaken",
        [FAILURE_GONE] = "bad memory",
        [FAILURE_LEAKED] = "leak",
        [FAILURE_UNMODELLED] = "not modelled",
        [FAILURE_LIMIT] = "limit",
    };
    return words[kind];
}

static bool progress_shown;

void verdict_progress(const struct result *so_far)
{
    static double last;
    if (so_far->seconds < last)
        last = 0;
    if (so_far->seconds - last < 0.2 || !isatty(STDERR_FILENO))
        return;
    last = so_far->seconds;
    fputs("\r\033[K", stderr);
    if (!so_far->merged)
        fprintf(stderr, "  %" PRIu64 " executions,", so_far->executions);
    fprintf(stderr, "  %" PRIu64 " %s, %.0f s", so_far->graphs, so_far->merged ? "states" : "graphs", so_far->seconds);
    fflush(stderr);
    progress_shown = true;
}

void verdict_print(const char *name, const struct result *result)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
    char executions[24] = "many";
    if (!result->merged)
        snprintf(executions, sizeof executions, "%" PRIu64, result->executions);
    print_folded(stdout, 23, "  %-20s %9s executions %9" PRIu64 " %s %8.2f s  %s%s%s\n", name, executions,
                 result->graphs, result->merged ? "states" : "graphs", result->seconds, verdict_word(result),
                 result->remark ? ": " : "", result->remark ? result->remark : "");
    fflush(stdout);
}

/* With where that was inlined. */
static void print_place(const char *word, const void *place)
{
    printf("    %s %s", word, symbol_line(place));
    const struct symbol *symbol = symbol_of(place);
    for (unsigned i = 1; symbol && i < symbol->depth; i++)
        printf("%s%s:%d%s", i == 1 ? " (in " : ", ", symbol->lines[i].file, symbol->lines[i].number,
               i + 1 == symbol->depth ? ")" : "");
    putchar('\n');
}

void verdict_explain(const struct result *result)
{
    if (result->verdict == VERDICT_PASSED)
        return;
    if (result->verdict == VERDICT_INCOMPLETE) {
        printf("  not complete: the limit of %s was reached%s%s\n", result->limit,
               result->failure.kind == FAILURE_LIMIT ? ": " : "", result->failure.text);
        return;
    }
    printf("  %s\n", result->failure.text);
    if (result->failure.place)
        print_place("at ", result->failure.place);
    if (result->failure.other)
        print_place("and", result->failure.other);
    puts("  how it came to that (a load names the event that it read from):");
    trace_print(stdout);
    fflush(stdout);
}
