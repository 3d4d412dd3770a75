/* The weakenings that change nothing, each with the reason. */
#include "check/mutants.h"

#include <stddef.h>

#define SECOND_SWAP                                                                                                    \
    "the second atomic of the same thread acquires what the unlocking one released, and carries on from it"
#define TICKETS "what the lock protects is carried by the ticket lock around the lanes"

const struct harmless harmless_mutants[] = {
    {"reciprocating-relay", "arrivals_push", __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-doubleswap", "arrivals_push", __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-fetchadd", "tagged_push", __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-fetchadd-eos", "tagged_push", __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-lanes", "arrivals_push", __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-lanes", "arrivals_try_lock", __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, TICKETS},
    {"reciprocating-lanes", "arrivals_unlock_or_detach", __ATOMIC_RELEASE, __ATOMIC_RELAXED, TICKETS},
    {"clh", "clh_destroy", __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, "who destroys a lock knows that nobody uses it"},
    {"clh", "clh_try_acquire", __ATOMIC_RELEASE, __ATOMIC_RELAXED,
     "the swap reads this thread's own exchange, a release, and carries it on"},
    {"hemlock-ctr", "hemlock_ctr_acquire", __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
     "the wait is a compare-and-swap, which an old grant does not satisfy"},
    {"hemlock-ctr", "hemlock_ctr_try_acquire", __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
     "the wait is a compare-and-swap, which an old grant does not satisfy"},
    {"chen", "arrivals_push", __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
     "an element is a name here; nothing is written to it"},
    {"chen", "arrivals_detach", __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
     "an element is a name here; nothing is written to it"},
};

const size_t harmless_mutant_count = sizeof harmless_mutants / sizeof *harmless_mutants;
