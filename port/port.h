/* SPDX-License-Identifier: MIT */
/* The seam between the locks and the world that runs them.
 *
 * A lock is plain C11 over <stdatomic.h>. Five things cannot be written that way, and they are all that a world
 * supplies for the zoo:
 *
 *     struct thread *port_thread(void)              who am I: the calling thread's record
 *     void port_relax(void)                         one turn of a spin loop
 *     void port_park(word, expected)                sleep while *word == expected; may return early
 *     void port_wake(word)                          wake the thread asleep on word, if there is one
 *     unsigned port_socket(void)                    which socket it runs on, from 0, as far as is known: for speed only
 *
 * and some that a world need not have. PORT_HAS_CLUSTERS and PORT_HAS_MONITOR say that it has (plain-cpu.h makes do):
 *
 *     unsigned port_cluster(void)                   as port_socket: which of the groups of CPUs that have a cache in
 *                                                   common, a part of a socket or a whole one
 *     void port_relax_at(word, seen)                as port_relax, where the turn waits for *word to be other than
 *                                                   `seen`: the CPU may rest until somebody writes to its line
 *
 * PORT_HAS_CACHE_CONTROL, these two (hand-over.h makes do):
 *
 *     void port_demote(word)                        a hint: another thread will want the line of that word, which may
 *                                                   be gone
 *     void port_store_past_caches(word, value)      a store (release) that leaves the line in no cache
 *
 * The mutex (src/) needs these in addition:
 *
 *     bool port_park_until(word, expected, deadline) as port_park; false when the deadline has passed; a null one never
 *                                                   does
 *     bool port_park32_until(word, expected, deadline), void port_wake32(word)
 *                                                   the same for a word of 32 bits
 *     bool port_release_fast(word, expected, desired)
 *                                                   store `desired` (release) if *word == expected, and say whether it
 *                                                   did. Two steps, not one: others may write in between and be
 *                                                   overwritten, unless they call
 *     void port_barrier(void)                       on return no other thread is between those two steps on account of
 *                                                   what it read before: it has stored, or starts again and sees all
 *                                                   that the caller wrote
 *     unsigned port_epoch(void)                     how often this process has forked from itself, modulo 65536
 *     void port_yield(void)                         let others have the CPU
 *     bool port_nap(nanoseconds)                    sleep that long; false, at once, if this thread is not
 *                                                   one to nap
 *     int64_t port_now(void)                        the time, in nanoseconds; for how long to wait, nothing else
 *
 *     unsigned port_turns(nanoseconds)              how many turns of port_relax take that long; for the tuning
 *
 * A world that has them defines PORT_HAS_MUTEX; for one that has not, plain.h makes do.
 *
 * A world that follows every draw of a random number instead of making one defines PORT_HAS_CHOICE and supplies
 *
 *     unsigned port_choose(unsigned n)              a number below n; zoo/parts/random.h asks for it
 *
 * Native is the world below. Another world names its own header in RECIP_PORT and is built from the same lock sources.
 * Functions beside the seam that have a body of their own in each world: recip_node_new and recip_node_delete (node.h),
 * recip_waiter_new and recip_waiter_delete (src/waiter.h).
 */
#ifndef RECIP_PORT_PORT_H
#define RECIP_PORT_PORT_H

#include "port/thread.h"

#ifdef RECIP_PORT
#ifdef RECIP_H
#error "port/port.h comes before <recip.h>, whose release it chooses"
#endif
#include RECIP_PORT
#define RECIP_RELEASE_BY_ port_release_fast
#else
#include "port/native.h"
#endif

#ifndef PORT_HAS_CACHE_CONTROL
#include "port/hand-over.h"
#endif

#include "port/plain-cpu.h"

#ifndef PORT_HAS_MUTEX
#include "port/plain.h"
#endif

#endif
