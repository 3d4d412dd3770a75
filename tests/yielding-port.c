#include "locks/port.h"

_Thread_local _Atomic(bool) *test_waits;
