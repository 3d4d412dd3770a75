/* SPDX-License-Identifier: MIT */
/* Included before anything else in code that is explored: the functions of the C library that such code may call and
 * that the explorer has to know of (explored.c). By their names in the object file, so that no declaration is in the
 * way and nothing but a call changes. */
#ifndef RECIP_CHECK_EXPLORED_H
#define RECIP_CHECK_EXPLORED_H

/* gcc warns of fences, which libtsan does not have; the explorer has them. */
#if defined __GNUC__ && __GNUC__ >= 11 && !defined __clang__
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* These access all of their memory. Compiled with -fno-builtin-..., so that the compiler does not replace the calls. */
void *memset(void *, int, __SIZE_TYPE__) __asm__("__tsan_memset");
void *memcpy(void *, const void *, __SIZE_TYPE__) __asm__("__tsan_memcpy");
void *memmove(void *, const void *, __SIZE_TYPE__) __asm__("__tsan_memmove");

/* At the same address in every execution; gone when it is freed. */
void *malloc(__SIZE_TYPE__) __asm__("recip_check_malloc");
void *calloc(__SIZE_TYPE__, __SIZE_TYPE__) __asm__("recip_check_calloc");
void *realloc(void *, __SIZE_TYPE__) __asm__("recip_check_realloc");
void *aligned_alloc(__SIZE_TYPE__, __SIZE_TYPE__) __asm__("recip_check_aligned_alloc");
void free(void *) __asm__("recip_check_free");

/* Fails the check, not the checker. */
__attribute__((noreturn)) void abort(void) __asm__("recip_check_abort");

#endif
