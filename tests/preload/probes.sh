#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh SUPPORT LIBRARY PROGRAM: the preload library has the probes that glibc has, with as many arguments; and a tracer sees what
# PROGRAM (probes.c) does.
exec "$1/probes.sh" "$2" "$3" preload mutex recursive <<'TABLE'
mutex_init                1  1 1
mutex_destroy             1  1 1
mutex_entry               1 11 2
mutex_acquired            1 11 1
mutex_release             1 13 1
mutex_timedlock_entry     2  1 0
mutex_clocklock_entry     3  1 0
mutex_timedlock_acquired  1  2 0
cond_init                 2  1 0
cond_destroy              1  1 0
cond_wait                 2  1 0
cond_signal               1  3 0
cond_broadcast            1  2 0
TABLE
