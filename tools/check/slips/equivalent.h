/* SPDX-License-Identifier: MIT */
/* Slips after which everything still holds, and why: tools/check/mutants/equivalent. Lines of that file:
 *
 *     Harmless: REASON                 for all lines up to the next
 *     LOCK,LOCK FILE FUNCTION: EDIT    a slip as `recip check --mutants` prints it, without its line number
 *     *,!*-park FILE FUNCTION: EDIT    the same for every lock that has the file, but those that park
 *     source FILE FUNCTION: EDIT       one of `recip check --source ... --damage FILE`
 *     # COMMENT
 */
#ifndef RECIP_CHECK_SLIPS_EQUIVALENT_H
#define RECIP_CHECK_SLIPS_EQUIVALENT_H

#include "check/slips/slips.h"

/* In place of a lock, for slips of a file that is none's. */
#define EQUIVALENT_SOURCE "source"

/* The reason, or null. */
const char *equivalent_reason(const char *lock, const struct slip *slip);

/* Calls for each entry of the lock that none of the slips is: it names what is not there. */
void equivalent_each_stale(const char *lock, const struct slips *slips, void (*call)(const char *entry, void *to),
                           void *to);

#endif
