/* SPDX-License-Identifier: MIT */
/* The entry segment of a ticket lock as a range that can be used up from either end: for the retrograde locks that
 * choose. The range belongs to the owner; what `ticket` and `grant` mean is in ticket.h. */
#ifndef RECIP_ZOO_PARTS_RETROGRADE_SEGMENT_H
#define RECIP_ZOO_PARTS_RETROGRADE_SEGMENT_H

#include "zoo/ticket.h"

struct retrograde_segment {
    struct ticket_lock tickets;
    int64_t oldest; /* the tickets oldest .. newest - 1 wait in the entry segment */
    int64_t newest;
    int64_t entered; /* every ticket below has been in an entry segment */
};

/* True if the entry segment was used up and is now what has arrived since: at least one ticket, for with nobody waiting
 * the segment is the ticket that is drawn next, and to admit that is to unlock. */
static inline bool retrograde_segment_refill(struct retrograde_segment *segment)
{
    if (segment->oldest < segment->newest)
        return false;
    /* The owner's own ticket was never in a segment if it found the lock free. */
    int64_t first = segment->entered;
    int64_t granted = ticket_granted(&segment->tickets);
    if (first == granted)
        first++;
    /* relaxed: who drew a ticket waits for grant, and who draws one after this load is not in the segment. */
    int64_t drawn = atomic_load_explicit(&segment->tickets.ticket, memory_order_relaxed);
    segment->oldest = first;
    segment->newest = drawn > first ? drawn : first + 1;
    segment->entered = drawn > first ? drawn : first;
    return true;
}

static inline int64_t retrograde_segment_take(struct retrograde_segment *segment, bool oldest)
{
    return oldest ? segment->oldest++ : --segment->newest;
}

#endif
