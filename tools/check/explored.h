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

/* What a thread keeps from one access to the next is on its stack, and not in a register as well: those of functions
 * that have returned would make two threads look different that do the same. */
#if defined __GNUC__ && !defined __clang__ && defined __x86_64__
register long recip_check_unused_1 __asm__("rbx");
register long recip_check_unused_2 __asm__("r12");
register long recip_check_unused_3 __asm__("r13");
register long recip_check_unused_4 __asm__("r14");
register long recip_check_unused_5 __asm__("r15");
#elif defined __GNUC__ && !defined __clang__ && defined __aarch64__
register long recip_check_unused_1 __asm__("x19");
register long recip_check_unused_2 __asm__("x20");
register long recip_check_unused_3 __asm__("x21");
register long recip_check_unused_4 __asm__("x22");
register long recip_check_unused_5 __asm__("x23");
register long recip_check_unused_6 __asm__("x24");
register long recip_check_unused_7 __asm__("x25");
register long recip_check_unused_8 __asm__("x26");
register long recip_check_unused_9 __asm__("x27");
register long recip_check_unused_10 __asm__("x28");
#else
/* This compiler keeps values in registers all the same: then what looks different is taken to be. */
void recip_check_uses_registers(void);
__attribute__((constructor)) static void recip_check_note_registers(void)
{
    recip_check_uses_registers();
}
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
