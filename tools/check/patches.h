/* SPDX-License-Identifier: MIT */
/* Damaged copies of a lock, as patches: tools/check/mutants/LOCK/NAME.patch, each a unified diff of one file of the
 * source tree. Above the diff a line says what is damaged; a second one, "Harmless: REASON", why nothing comes of it.
 */
#ifndef RECIP_CHECK_PATCHES_H
#define RECIP_CHECK_PATCHES_H

#include <stdbool.h>
#include <stddef.h>

struct patch {
    char *path;     /* of the patch itself */
    char *text;     /* what is damaged */
    char *harmless; /* the reason, or null */
    char *file;     /* what it changes, from the top of the source tree */
};

struct patch_list {
    struct patch *values;
    size_t count;
};

/* Those of a lock, in the order of their names. One that cannot be read is refused, by name. */
struct patch_list patches_of(const char *lock);

/* A list of the one at that path. */
struct patch_list patch_at(const char *path);
void patches_free(struct patch_list *patches);

/* Writes the changed copy of its file. False if it does not apply, with what patch(1) says in `output`. */
bool patch_apply(const struct patch *patch, const char *copy, int output);

#endif
