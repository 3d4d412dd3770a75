/* SPDX-License-Identifier: MIT */
/* The probes for tracing tools, with the names, arguments and moments that glibc gives them. The provider is libc, as
 * in glibc since 2.34. Not also libpthread, as before that: bcc and bpftrace refuse a name that two providers have.
 * Each is a nop; without the header, or with RECIP_NO_PROBES, nothing. */
#ifndef RECIP_SRC_PROBES_H
#define RECIP_SRC_PROBES_H

#if !defined(RECIP_NO_PROBES) && __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define PROBE1(name, a) STAP_PROBE1(libc, name, a)
#define PROBE2(name, a, b) STAP_PROBE2(libc, name, a, b)
#define PROBE3(name, a, b, c) STAP_PROBE3(libc, name, a, b, c)
#else
#define PROBE1(name, a) ((void)(a))
#define PROBE2(name, a, b) ((void)(a), (void)(b))
#define PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif
