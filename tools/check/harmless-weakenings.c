/* SPDX-License-Identifier: MIT */
/* The weakenings that change nothing, each with the reason. */
#include "check/weakening.h"

#include <stddef.h>

#define SECOND_SWAP                                                                                                    \
    "the second atomic of the same thread acquires what the unlocking one released, and carries on from it"
#define TICKETS "what the lock protects is carried by the ticket lock around the lanes"
#define GLOBAL "a local lock that was free protects nothing: the global one carries what the lock protects"
#define PASSIVE "the queue of passive threads protects nothing: the words that its first reads are hints"
#define FOR_FAILURE                                                                                                    \
    "on success the thread reads what it wrote; it acquires on failure, which C wants no stronger than success"
#define A_NAME "an element is a name here; nothing is written to it"

const struct harmless_weakening harmless_weakenings[] = {
    {"reciprocating-relay", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-doubleswap", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-relay-cas", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-doubleswap-cas", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-fetchadd", "tagged_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-fetchadd-eos", "tagged_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-lanes", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"reciprocating-lanes", "arrivals_try_lock", 'c', __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, TICKETS},
    {"reciprocating-lanes", "arrivals_unlock_or_detach", 'c', __ATOMIC_RELEASE, __ATOMIC_RELAXED, TICKETS},
    {"clh", "clh_destroy", 'l', __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, "who destroys a lock knows that nobody uses it"},
    {"hemlock", "hemlock_try_acquire", 'c', __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
     "the swap carries on the unlocking one, whose thread knows this grant cleared"},
    {"hemlock-ctr", "hemlock_enter", 'x', __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
     "the wait is a compare-and-swap, which an old grant does not satisfy"},
    {"hemlock-ctr", "hemlock_try_acquire", 'c', __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
     "the wait is a compare-and-swap, which an old grant does not satisfy"},
    {"chen", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, A_NAME},
    {"chen", "arrivals_detach", 'x', __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, A_NAME},
    {"fissile-lanes", "arrivals_push", 'x', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, SECOND_SWAP},
    {"fissile-lanes", "arrivals_unlock_or_detach", 'c', __ATOMIC_RELEASE, __ATOMIC_RELAXED, TICKETS},
    {"gcr-ticket", "mcs_release", 'c', __ATOMIC_RELEASE, __ATOMIC_RELAXED, PASSIVE},
    {"cohort-bo-mcs", "mcs_try_acquire", 'c', __ATOMIC_ACQ_REL, __ATOMIC_RELEASE, GLOBAL},
    {"cohort-bo-mcs", "mcs_release", 'c', __ATOMIC_RELEASE, __ATOMIC_RELAXED, GLOBAL},
    {"mutex", "recip_mutex_bound_reached_", 'x', __ATOMIC_RELEASE, __ATOMIC_RELAXED,
     "the release is for nobody: without it a compiler makes a load of this"},
    {"mutex", "take_back", 'c', __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, FOR_FAILURE},
    {"mutex", "follow", 'c', __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, FOR_FAILURE},
};

const size_t harmless_weakening_count = sizeof harmless_weakenings / sizeof *harmless_weakenings;
