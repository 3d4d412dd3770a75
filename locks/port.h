/* The seam between the locks and the world that runs them.
 *
 * A lock is plain C11 over <stdatomic.h>. Four things cannot be written that way, and they are all that a world
 * supplies:
 *
 *     struct thread *port_thread(void)              who am I: the calling thread's record
 *     void port_relax(void)                         one turn of a spin loop
 *     void port_park(word, expected)                sleep while *word == expected; may return early
 *     void port_wake(word)                          wake the thread asleep on word, if there is one
 *
 * Native is the world below. Another world names its own header in RECIP_PORT and is built from the same lock sources.
 * Two functions beside the seam have a body of their own in each world: recip_node_new and recip_node_delete (node.h).
 */
#ifndef RECIP_LOCKS_PORT_H
#define RECIP_LOCKS_PORT_H

#include "thread.h"

#ifdef RECIP_PORT
#include RECIP_PORT
#else
#include "port-native.h"
#endif

#endif
