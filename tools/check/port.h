/* SPDX-License-Identifier: MIT */
/* The check world's side of the seam (port/port.h): named in RECIP_PORT when the locks are compiled for it. */
#ifndef RECIP_CHECK_PORT_H
#define RECIP_CHECK_PORT_H

#include <stdlib.h>

#include <recip-check.h>
#include "port/thread.h"

struct thread *recip_check_thread(void);
void recip_check_relax(void);
void recip_check_park(_Atomic(uintptr_t) *word, uintptr_t expected);
void recip_check_wake(_Atomic(uintptr_t) *word);
unsigned recip_check_socket(void);
unsigned recip_check_choose(unsigned n);

#define port_thread() recip_check_thread()
#define port_relax() recip_check_relax()
#define port_park(word, expected) recip_check_park(word, expected)
#define port_wake(word) recip_check_wake(word)
#define port_socket() recip_check_socket()

#define PORT_HAS_CHOICE
#define port_choose(n) recip_check_choose(n)

#include "check/port-mutex.h"

#endif
