/* SPDX-License-Identifier: MIT */
/* Simulated memory: real memory at addresses that are the same in every run, because locks hash them, with a home node
 * for every address and a name for every object. */
#ifndef RECIP_SIM_MEMORY_H
#define RECIP_SIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum object {
    OBJECT_LOCK,
    OBJECT_THREAD, /* struct thread */
    OBJECT_NODE,   /* struct node */
    OBJECT_STACK,
    OBJECT_DATA,   /* what the lock protects */
    OBJECT_KERNEL, /* its queues of sleepers */
    OBJECT_OTHER,
};

struct range {
    uintptr_t address;
    size_t size;
    enum object object;
    unsigned owner; /* the thread whose it is */
};

/* Forgets all objects of the run before. */
void memory_reset(void);

/* Zeroes; homed at that socket. */
void *memory_new(enum object object, unsigned owner, unsigned home, size_t size, size_t alignment);

unsigned memory_home(uintptr_t address);

/* The object at an address; OBJECT_OTHER with size 0 if there is none. */
struct range memory_find(uintptr_t address);

#endif
