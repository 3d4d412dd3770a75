/* The probes for tracing tools, with the names and arguments that glibc gives them. Each is one nop. */
#ifndef RECIP_PRELOAD_PROBES_H
#define RECIP_PRELOAD_PROBES_H

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define PROBE1(name, a) STAP_PROBE1(libpthread, name, a)
#define PROBE2(name, a, b) STAP_PROBE2(libpthread, name, a, b)
#define PROBE3(name, a, b, c) STAP_PROBE3(libpthread, name, a, b, c)
#else
#define PROBE1(name, a) ((void)0)
#define PROBE2(name, a, b) ((void)0)
#define PROBE3(name, a, b, c) ((void)0)
#endif

#endif
