/* SPDX-License-Identifier: MIT */
/* Wait elements: where a thread gets its own. */
#ifndef RECIP_ZOO_PARTS_ELEMENT_H
#define RECIP_ZOO_PARTS_ELEMENT_H

#include "port/gate.h"

static inline struct element *element_self(void)
{
    return &port_thread()->element;
}

/* Declares `name`, the element to wait at in this acquire. -DRECIP_ELEMENTS_ON_STACK puts it in the frame of acquire,
 * for the locks whose registry line says STACK: those that tolerate the reuse of its address as soon as acquire
 * returns. */
#ifdef RECIP_ELEMENTS_ON_STACK
#define ELEMENT_HERE(name)                                                                                             \
    struct element name##_storage;                                                                                     \
    struct element *const name = &name##_storage
#else
#define ELEMENT_HERE(name) struct element *const name = element_self()
#endif

#endif
