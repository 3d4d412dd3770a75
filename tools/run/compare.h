/* SPDX-License-Identifier: MIT */
/* recip run --compare: one command on several locks. */
#ifndef RECIP_RUN_COMPARE_H
#define RECIP_RUN_COMPARE_H

#include <regex.h>
#include <stdbool.h>

#include "cli/command.h"

struct comparison {
    struct algorithm_list locks;
    unsigned runs; /* of each; 0 for the default */
    bool has_pattern;
    regex_t pattern; /* its first group matches the figure */
};

/* The exit status. */
int compare(const struct comparison *comparison, char **program);

#endif
