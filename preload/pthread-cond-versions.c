/* SPDX-License-Identifier: MIT */
/* The functions of pthread-cond.c once more, with versions, for dlvsym, which skips functions without one. Other
 * libraries that interpose these calls, like libfaketime, find the next definition with it, because glibc for x86-64
 * has two versions of each. Each version is a jump to the function, since the linker drops the name without a version
 * if both have the same address.
 *
 * A file of its own, which link-time optimisation is kept away from: it cannot tell what assembler code defines. */
#ifdef __x86_64__
#define VERSION(name, version)                                                                                         \
    __asm__(".text\n"                                                                                                  \
            ".globl versioned_" #name #version "\n"                                                                    \
            ".type versioned_" #name #version ", @function\n"                                                          \
            "versioned_" #name #version ": jmp own_" #name "\n"                                                        \
            ".symver versioned_" #name #version ", " #name "@GLIBC_" #version "\n");

VERSION(pthread_cond_init, 2.3.2)
VERSION(pthread_cond_destroy, 2.3.2)
VERSION(pthread_cond_wait, 2.3.2)
VERSION(pthread_cond_timedwait, 2.3.2)
VERSION(pthread_cond_signal, 2.3.2)
VERSION(pthread_cond_broadcast, 2.3.2)
VERSION(pthread_cond_clockwait, 2.30)
VERSION(pthread_cond_clockwait, 2.34)
#endif
