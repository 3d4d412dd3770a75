/* SPDX-License-Identifier: MIT */
/* recip run --compare: one command on several locks. */
#ifndef RECIP_RUN_COMPARE_H
#define RECIP_RUN_COMPARE_H

#include <regex.h>

#include "cli/command.h"

enum { COMPARISON_MAX_PATTERNS = 8 };

struct comparison {
    struct algorithm_list locks;
    unsigned runs;                              /* of each; 0 for the default */
    size_t pattern_count;                       /* if it is 0, the time is the figure */
    regex_t patterns[COMPARISON_MAX_PATTERNS];  /* the first group of each matches a figure */
    const char *words[COMPARISON_MAX_PATTERNS]; /* as they were given */
};

/* The exit status. */
int compare(const struct comparison *comparison, char **program);

#endif
