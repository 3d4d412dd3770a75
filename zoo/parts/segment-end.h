/* SPDX-License-Identifier: MIT */
/* The end of segment in a field of the element, for the formulations that need it at the onset of contention only: null
 * says that the segment ends by itself. Relaxed throughout: an owner writes it before it opens that gate (release), and
 * the element's thread reads it after its gate has opened (acquire). */
#ifndef RECIP_ZOO_PARTS_SEGMENT_END_H
#define RECIP_ZOO_PARTS_SEGMENT_END_H

#include "zoo/parts/element.h"

static inline void segment_end_clear(struct element *self)
{
    atomic_store_explicit(&self->eos, NULL, memory_order_relaxed);
}

static inline void segment_end_set(struct element *successor, struct element *eos)
{
    atomic_store_explicit(&successor->eos, eos, memory_order_relaxed);
}

/* After one's gate has opened: the successor, or null if it is the end; the end is passed on to it otherwise. */
static inline struct element *segment_end_pass(struct element *self, struct element *successor)
{
    struct element *eos = atomic_load_explicit(&self->eos, memory_order_relaxed);
    if (!eos)
        return successor;
    if (eos == successor)
        return NULL;
    segment_end_set(successor, eos);
    return successor;
}

#endif
