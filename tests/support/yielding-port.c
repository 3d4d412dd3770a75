/* SPDX-License-Identifier: MIT */
#include "port/port.h"

_Thread_local _Atomic(bool) *test_waits;
_Atomic(unsigned) test_wakes;
