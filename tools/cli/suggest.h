/* SPDX-License-Identifier: MIT */
/* "Did you mean": the word that is nearest to one that nobody knows. */
#ifndef RECIP_CLI_SUGGEST_H
#define RECIP_CLI_SUGGEST_H

struct suggestion {
    const char *word;    /* as it was typed */
    const char *nearest; /* null: none was near enough */
    unsigned distance;
};

/* Offers a word that would have been right. The first of those that are equally near stays. */
void suggest(struct suggestion *suggestion, const char *candidate);

/* " (did you mean 'mcs'?)", or "" if none was near enough. */
const char *suggestion_text(const struct suggestion *suggestion, char text[128]);

#endif
