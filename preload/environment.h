/* SPDX-License-Identifier: MIT */
/* The environment, also before the C library has started. */
#ifndef RECIP_PRELOAD_ENVIRONMENT_H
#define RECIP_PRELOAD_ENVIRONMENT_H

/* The value of a variable, or null; always null in a program that runs with more rights than its user (set-uid). */
const char *preload_environment(const char *name);

#endif
