/* Mutants: locks with one fault each, which the explorer has to find. */
#ifndef RECIP_CHECK_MUTANTS_H
#define RECIP_CHECK_MUTANTS_H

#include "check/clients.h"
#include "zoo/algorithm.h"

/* Made from the shipped headers by the build, with one piece of text replaced: mutants/CMakeLists.txt. */
struct made_mutant {
    const char *name;
    const char *what;
    const char *harmless; /* the reason, if nothing comes of it; otherwise null */
    const struct recip_algorithm *lock;
    const struct client_set *clients; /* of the mutex: they are compiled together with the damaged source */
};

extern const struct made_mutant made_mutants[];
extern const size_t made_mutant_count;

/* A weakening after which everything still holds, and why. */
struct harmless {
    const char *lock;     /* null: any */
    const char *function; /* where the access is */
    char kind;            /* of the access: runtime.h */
    int from, to;         /* __ATOMIC_ constants */
    const char *reason;
};

extern const struct harmless harmless_mutants[];
extern const size_t harmless_mutant_count;

#endif
