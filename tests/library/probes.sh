#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh SUPPORT LIBRARY PROGRAM: librecip has the probes that glibc has, with as many arguments; and a tracer sees which calls of
# PROGRAM (probes.c) took a slow path. 77: the library was built without <sys/sdt.h>.
readelf -n "$2" | grep -q NT_STAPSDT || exit 77
exec "$1/probes.sh" "$2" "$3" linked mutex <<'TABLE'
mutex_init                1 1
mutex_destroy             1 1
mutex_entry               1 1
mutex_acquired            1 1
mutex_release             1 3
mutex_timedlock_entry     2 1
mutex_clocklock_entry     3 1
mutex_timedlock_acquired  1 2
cond_init                 2 1
cond_destroy              1 1
cond_wait                 2 1
cond_signal               1 3
cond_broadcast            1 2
TABLE
