/* SPDX-License-Identifier: MIT */
/* The probes for tracing tools, with the names, arguments and moments that glibc gives them, twice: the provider is
 * libpthread in glibc before 2.34, libc since. Each is a nop; without the header, or with RECIP_NO_PROBES, nothing. */
#ifndef RECIP_SRC_PROBES_H
#define RECIP_SRC_PROBES_H

#if !defined(RECIP_NO_PROBES) && __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define PROBE(count, name, ...)                                                                                        \
    do {                                                                                                               \
        STAP_PROBE##count(libpthread, name, __VA_ARGS__);                                                              \
        STAP_PROBE##count(libc, name, __VA_ARGS__);                                                                    \
    } while (0)
#define PROBE1(name, a) PROBE(1, name, a)
#define PROBE2(name, a, b) PROBE(2, name, a, b)
#define PROBE3(name, a, b, c) PROBE(3, name, a, b, c)
#else
#define PROBE1(name, a) ((void)(a))
#define PROBE2(name, a, b) ((void)(a), (void)(b))
#define PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif
