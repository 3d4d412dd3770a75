/* SPDX-License-Identifier: MIT */
#include "port/port.h"

_Thread_local _Atomic(bool) *test_waits;
_Atomic(unsigned) test_wakes;
_Thread_local int test_socket = -1;

int test_next_socket(void)
{
    static _Atomic(unsigned) threads;
    return (int)(atomic_fetch_add(&threads, 1) % 2);
}
