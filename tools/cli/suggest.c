/* SPDX-License-Identifier: MIT */
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 };

static unsigned least(unsigned left, unsigned right)
{
    return left < right ? left : right;
}

/* How many letters are missing, too many, wrong or swapped with their neighbour. */
static unsigned distance_between(const char *left, size_t left_size, const char *right, size_t right_size)
{
    unsigned rows[3][LONGEST + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= right_size; j++)
        above[j] = j;
    for (unsigned i = 1; i <= left_size; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= right_size; j++) {
            unsigned wrong = left[i - 1] != right[j - 1];
            row[j] = least(above[j - 1] + wrong, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[right_size];
}

void suggest(struct suggestion *suggestion, const char *candidate)
{
    size_t size = strlen(suggestion->word), other = strlen(candidate);
    if (!size || size > LONGEST || other > LONGEST)
        return;
    /* Two thirds of the letters have to be right; the beginning of a longer word is near, however long that is. */
    unsigned far = (unsigned)(size > other ? size : other) / 3 + 1;
    unsigned distance = distance_between(suggestion->word, size, candidate, other);
    if (size >= 3 && size < other && strncmp(suggestion->word, candidate, size) == 0)
        distance = least(distance, 1);
    if (distance >= far || (suggestion->nearest && distance >= suggestion->distance))
        return;
    suggestion->nearest = candidate;
    suggestion->distance = distance;
}

const char *suggestion_text(const struct suggestion *suggestion, char text[128])
{
    text[0] = '\0';
    if (suggestion->nearest)
        snprintf(text, 128, " (did you mean '%s'?)", suggestion->nearest);
    return text;
}
