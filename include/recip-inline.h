/* SPDX-License-Identifier: MIT */
/* The uncontended paths of <recip.h>, which includes this file. The calls are inline in C and C++ programs; src/calls.c
 * makes functions of the same code, for everybody else. */
#ifndef RECIP_H
#error "recip-inline.h: include <recip.h> instead"
#endif

#ifdef RECIP_RELEASE_BY_
/* The model checker and the simulator run this source; they supply the release, and see every access. */
#elif defined(__SANITIZE_THREAD__)
#define RECIP_TSAN_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RECIP_TSAN_ 1
#endif
#endif

#if defined(__x86_64__) && !defined(RECIP_RELEASE_BY_) && !defined(RECIP_TSAN_)
#define RECIP_ON_X86_ 1
#else
#define RECIP_ON_X86_ 0
#endif
#if defined(__aarch64__) && !defined(RECIP_RELEASE_BY_) && !defined(RECIP_TSAN_)
#define RECIP_ON_ARM_ 1
#else
#define RECIP_ON_ARM_ 0
#endif

/* Annotations: ThreadSanitizer, and with RECIP_VALGRIND helgrind and DRD, see locks instead of the atomic operations
 * that they are made of. The library itself is compiled with RECIP_UNANNOTATED. */
#if defined(RECIP_TSAN_) && !defined(RECIP_UNANNOTATED)
#include <sanitizer/tsan_interface.h>
#define RECIP_LOCKING_(mutex) __tsan_mutex_pre_lock(mutex, __tsan_mutex_linker_init)
#define RECIP_LOCK_DONE_(mutex) __tsan_mutex_post_lock(mutex, __tsan_mutex_linker_init, 0)
#define RECIP_TRYING_(mutex) __tsan_mutex_pre_lock(mutex, __tsan_mutex_linker_init | __tsan_mutex_try_lock)
#define RECIP_TRY_DONE_(mutex, failed)                                                                                 \
    __tsan_mutex_post_lock(                                                                                            \
        mutex, __tsan_mutex_linker_init | __tsan_mutex_try_lock | ((failed) ? __tsan_mutex_try_lock_failed : 0), 0)
#define RECIP_UNLOCKING_(mutex) __tsan_mutex_pre_unlock(mutex, 0)
#define RECIP_UNLOCK_DONE_(mutex) __tsan_mutex_post_unlock(mutex, 0)
/* Around a call: what the library does in it is not the caller's doing. */
#define RECIP_INSIDE_(object) __tsan_mutex_pre_signal(object, 0)
#define RECIP_OUTSIDE_(object) __tsan_mutex_post_signal(object, 0)
#define RECIP_GIVES_(object) __tsan_release(object)
#define RECIP_TAKES_(object) __tsan_acquire(object)
#elif defined(RECIP_VALGRIND) && !defined(RECIP_UNANNOTATED)
#include <valgrind/helgrind.h>
#define RECIP_LOCKING_(mutex) VALGRIND_HG_DISABLE_CHECKING(mutex, sizeof *(mutex))
#define RECIP_LOCK_DONE_(mutex) ANNOTATE_RWLOCK_ACQUIRED(mutex, 1)
#define RECIP_TRYING_(mutex) RECIP_LOCKING_(mutex)
#define RECIP_TRY_DONE_(mutex, failed)                                                                                 \
    do {                                                                                                               \
        if (!(failed))                                                                                                 \
            ANNOTATE_RWLOCK_ACQUIRED(mutex, 1);                                                                        \
    } while (0)
#define RECIP_UNLOCKING_(mutex) ANNOTATE_RWLOCK_RELEASED(mutex, 1)
#define RECIP_UNLOCK_DONE_(mutex) ((void)0)
#define RECIP_INSIDE_(object) VALGRIND_HG_DISABLE_CHECKING(object, sizeof *(object))
#define RECIP_OUTSIDE_(object) ((void)0)
#define RECIP_GIVES_(object) ANNOTATE_HAPPENS_BEFORE(object)
#define RECIP_TAKES_(object) ANNOTATE_HAPPENS_AFTER(object)
#else
#define RECIP_LOCKING_(mutex) ((void)0)
#define RECIP_LOCK_DONE_(mutex) ((void)0)
#define RECIP_TRYING_(mutex) ((void)0)
#define RECIP_TRY_DONE_(mutex, failed) ((void)0)
#define RECIP_UNLOCKING_(mutex) ((void)0)
#define RECIP_UNLOCK_DONE_(mutex) ((void)0)
#define RECIP_INSIDE_(object) ((void)0)
#define RECIP_OUTSIDE_(object) ((void)0)
#define RECIP_GIVES_(object) ((void)0)
#define RECIP_TAKES_(object) ((void)0)
#endif

#ifdef RECIP_DEBUG
/* Also for calls that are not inline: those to initialise and to destroy. */
__attribute__((constructor)) static void recip_debug_begin_(void)
{
    recip_debug_on_();
}
#define RECIP_CHECK_MUTEX_(mutex) recip_debug_mutex_(mutex, __func__)
#define RECIP_CHECK_COND_(cond) recip_debug_cond_(cond, __func__)
#define RECIP_CHECK_SEM_(sem) recip_debug_sem_(sem, __func__)
#else
#define RECIP_CHECK_MUTEX_(mutex) ((void)0)
#define RECIP_CHECK_COND_(cond) ((void)0)
#define RECIP_CHECK_SEM_(sem) ((void)0)
#endif

/* The first two bytes of the state, and the count beside it, are accessed by themselves: on some CPUs a load of bytes
 * that a locked instruction has just written waits for that, 2.6 ns of 7.8 for the pair of lock and unlock (Intel
 * Sapphire Rapids). So lock swaps one byte and release compares another. */
static inline uint8_t *recip_lock_byte_(recip_mutex_t *mutex)
{
    return RECIP_BYTES_(&mutex->state);
}

/* Frees the mutex if its state has no marks, as the last access to it. Returns whether it did; may fail spuriously.
 * Compare and store are not atomic together, but a thread that is between them when another thread calls port_barrier
 * starts again, or gives up. The store leaves marks alone that were set in between. Without restartable sequences the
 * two are atomic. Release, either way: with the acquiring CASes. */
static inline int recip_release_atomic_(recip_mutex_t *mutex)
{
    uint32_t locked = RECIP_LOCKED_;
    return __atomic_compare_exchange_n(&mutex->state, &locked, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#ifdef RECIP_RELEASE_BY_
static inline int recip_release_(recip_mutex_t *mutex)
{
#ifdef RECIP_RELEASES_ATOMICALLY_
    if (RECIP_RELEASES_ATOMICALLY_)
        return recip_release_atomic_(mutex);
#endif
    return RECIP_RELEASE_BY_((_Atomic(uint32_t) *)&mutex->state);
}
#else
#if RECIP_ON_X86_ && !defined(RECIP_NO_RSEQ)
/* A restartable sequence: 0 to 1, committed by its last instruction; on x86 a store is a release. The kernel finds the
 * descriptor (2) through the thread's rseq area and, if it has to preempt or signal the thread in between, sends it to
 * 3, where it gives up: the slow path ends with an atomic operation, and so a debugger can step through. Elsewhere the
 * descriptor does not matter, and in a program it stays in the area. But a shared library, which is what -fPIC is for,
 * may be unloaded, and its descriptors with it: there the area forgets. The CPU number at 4 is negative in a thread
 * that the kernel does not know by this area, because another library has unregistered it.
 *
 * Before GCC 11 asm goto has no outputs: what it writes is an input, and "memory" says that it is written. */
#if defined(__PIC__) && !defined(__PIE__)
#define RECIP_FORGET_RSEQ_ "movq $0, %%fs:8(%[area])\n"
#else
#define RECIP_FORGET_RSEQ_ ""
#endif
static inline int recip_release_(recip_mutex_t *mutex)
{
    ptrdiff_t area = recip_rseq_offset_;
    if (__builtin_expect(area == 0, 0))
        return recip_release_atomic_(mutex);
    __asm__ goto(".pushsection __rseq_cs, \"aw?\"\n"
                 ".balign 32\n"
                 "2: .long 0, 0\n"
                 ".quad 0f, 1f - 0f, 3f\n"
                 ".popsection\n"
                 "cmpl $0, %%fs:4(%[area])\n"
                 "js %l[unregistered]\n"
                 "0: leaq 2b(%%rip), %%rdx\n"
                 "movq %%rdx, %%fs:8(%[area])\n"
                 "cmpb $0, %[marks]\n"
                 "jne %l[changed]\n"
                 "movb $0, %[lock]\n"
                 "1: " RECIP_FORGET_RSEQ_ ".subsection 1\n"
                 ".byte 0x0f, 0xb9, 0x3d\n" /* with the signature behind it, an undefined instruction */
                 ".long 0x53053053\n"
                 "3: jmp %l[changed]\n"
                 ".previous\n"
                 :
                 : [lock] "m"(recip_lock_byte_(mutex)[0]), [marks] "m"(recip_lock_byte_(mutex)[1]), [area] "r"(area)
                 : "memory", "cc", "rdx"
                 : changed, unregistered);
    return 1;
unregistered:
    return recip_release_atomic_(mutex);
changed:
    __asm__ volatile(RECIP_FORGET_RSEQ_ : : [area] "r"(area) : "memory");
    return 0;
}
#elif RECIP_ON_ARM_ && !defined(RECIP_NO_RSEQ)
/* The same in AArch64's instructions; the store is a release by itself. All branches stay in here, since those on a
 * condition do not reach far. `found` tells how it went: 0, released; negative, the CPU number of a thread that the
 * kernel does not know by this area; other, marks, or 1 after an interruption. */
#if defined(__PIC__) && !defined(__PIE__)
#define RECIP_FORGET_RSEQ_ "str xzr, [%[area], #8]\n"
#else
#define RECIP_FORGET_RSEQ_ ""
#endif
static inline int recip_release_(recip_mutex_t *mutex)
{
    ptrdiff_t area = recip_rseq_offset_;
    const void *descriptor;
    int32_t found;
    if (__builtin_expect(area == 0, 0))
        return recip_release_atomic_(mutex);
    __asm__ volatile(".pushsection __rseq_cs, \"aw?\"\n"
                     ".balign 32\n"
                     "2: .long 0, 0\n"
                     ".quad 0f, 1f - 0f, 3f\n"
                     ".popsection\n"
                     "mrs %[descriptor], tpidr_el0\n"
                     "add %[area], %[area], %[descriptor]\n"
                     "ldr %w[found], [%[area], #4]\n"
                     "tbnz %w[found], #31, 1f\n"
                     "adrp %[descriptor], 2b\n"
                     "add %[descriptor], %[descriptor], :lo12:2b\n"
                     "str %[descriptor], [%[area], #8]\n"
                     "0: ldrb %w[found], %[marks]\n"
                     "cbnz %w[found], 1f\n"
                     "stlrb wzr, %[lock]\n"
                     "1: " RECIP_FORGET_RSEQ_ ".subsection 1\n"
                     ".inst 0xd428bc00\n" /* the signature: brk */
                     "3: mov %w[found], #1\n"
                     "b 1b\n"
                     ".previous\n"
                     : [found] "=&r"(found), [area] "+&r"(area), [descriptor] "=&r"(descriptor)
                     : [lock] "Q"(recip_lock_byte_(mutex)[0]), [marks] "m"(recip_lock_byte_(mutex)[1])
                     : "memory");
    if (__builtin_expect(found == 0, 1))
        return 1;
    return found < 0 ? recip_release_atomic_(mutex) : 0;
}
#else
static inline int recip_release_(recip_mutex_t *mutex)
{
    return recip_release_atomic_(mutex);
}
#endif
#endif

/* Called by a newcomer that has just taken the mutex. relaxed: only owners write it; waiters read it as a hint. On x86
 * it is one instruction, which is faster where another thread shares the core. */
static inline void recip_count_(recip_mutex_t *mutex)
{
#if RECIP_ON_X86_
    __asm__ goto("addw $1, %0\n"
                 "jc %l[last]\n"
                 :
                 : "m"(mutex->passes)
                 : "memory", "cc"
                 : last);
    return;
last:
    recip_mutex_bound_reached_(mutex);
#else
    uint16_t passes = RECIP_CAST_(uint16_t, __atomic_load_n(&mutex->passes, __ATOMIC_RELAXED) + 1);
    __atomic_store_n(&mutex->passes, passes, __ATOMIC_RELAXED);
    if (__builtin_expect(passes == 0, 0))
        recip_mutex_bound_reached_(mutex);
#endif
}

/* Takes a mutex that is free, which is the usual case even while threads wait. The slow paths are calls.
 *
 * The byte is compared with a constant here and in unlock, so that the CPU predicts it and need not wait for the store
 * of the last release: 2.5 ns for the pair, against 5.4 with values computed from the word (and 2.4 for a bare CAS and
 * store; AMD EPYC, Zen 3). Without a load before it, the CAS fetches the cache line once, for writing. With a load, and
 * the line at the other core, it is fetched twice: 3 to 6 % slower, with some 50 ns of work between short sections. */
static inline int recip_take_(recip_mutex_t *mutex)
{
#if (defined(__riscv) && !defined(__SANITIZE_THREAD__)) || defined(RECIP_WHOLE_WORDS_)
    /* No instruction swaps a byte there, and compilers call a library for it, unless they instrument. Nor do all model
     * checkers know accesses to parts of a word. */
    uint32_t state = __atomic_load_n(&mutex->state, __ATOMIC_RELAXED);
    while (!(state & 0xff) && !__atomic_compare_exchange_n(&mutex->state, &state, state | RECIP_LOCKED_, 1,
                                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    }
    if (__builtin_expect(state & 0xff, 0))
        return 0;
#else
    uint8_t free = 0;
    /* acquire: with the release in recip_release_ and in recip_mutex_unlock_slow_. */
    if (__builtin_expect(!__atomic_compare_exchange_n(recip_lock_byte_(mutex), &free,
                                                      RECIP_CAST_(uint8_t, RECIP_LOCKED_), 0, __ATOMIC_ACQUIRE,
                                                      __ATOMIC_RELAXED),
                         0))
        return 0;
#endif
    recip_count_(mutex);
    return 1;
}

/* For threads that try repeatedly: the cache line stays with the owner until the mutex is free. relaxed: a hint. */
static inline int recip_take_if_free_(recip_mutex_t *mutex)
{
#ifdef RECIP_WHOLE_WORDS_
    return !(__atomic_load_n(&mutex->state, __ATOMIC_RELAXED) & 0xff) && recip_take_(mutex);
#else
    return __atomic_load_n(recip_lock_byte_(mutex), __ATOMIC_RELAXED) == 0 && recip_take_(mutex);
#endif
}

RECIP_INLINE_ void recip_mutex_lock(recip_mutex_t *mutex)
{
    RECIP_CHECK_MUTEX_(mutex);
    RECIP_LOCKING_(mutex);
    if (__builtin_expect(!recip_take_(mutex), 0))
        recip_mutex_lock_slow_(mutex);
    RECIP_LOCK_DONE_(mutex);
}

RECIP_INLINE_ int recip_mutex_trylock(recip_mutex_t *mutex)
{
    RECIP_CHECK_MUTEX_(mutex);
    RECIP_TRYING_(mutex);
    int error = recip_take_if_free_(mutex) ? 0 : recip_mutex_trylock_slow_(mutex);
    RECIP_TRY_DONE_(mutex, error);
    return error;
}

RECIP_INLINE_ int recip_mutex_clocklock(recip_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
    RECIP_CHECK_MUTEX_(mutex);
    RECIP_TRYING_(mutex);
    int error = recip_take_(mutex) ? 0 : recip_mutex_clocklock_slow_(mutex, clock, deadline);
    RECIP_TRY_DONE_(mutex, error);
    return error;
}

RECIP_INLINE_ int recip_mutex_timedlock(recip_mutex_t *mutex, const struct timespec *deadline)
{
    return recip_mutex_clocklock(mutex, RECIP_REALTIME_, deadline);
}

/* Whether the owner hands the mutex on: then the mutex is not even looked at, its cache line is with those who come. */
static inline int recip_hands_over_(recip_mutex_t *mutex)
{
#ifdef RECIP_RELEASE_BY_
    return port_thread()->kept.mutex == mutex;
#else
    return recip_kept_.mutex == mutex;
#endif
}

RECIP_INLINE_ void recip_mutex_unlock(recip_mutex_t *mutex)
{
    RECIP_CHECK_MUTEX_(mutex);
    RECIP_UNLOCKING_(mutex);
    if (__builtin_expect(recip_hands_over_(mutex) || !recip_release_(mutex), 0))
        recip_mutex_unlock_slow_(mutex);
    RECIP_UNLOCK_DONE_(mutex);
}

static inline recip_mutex_t *recip_guard_begin_(recip_mutex_t *mutex)
{
    recip_mutex_lock(mutex);
    return mutex;
}

static inline void recip_guard_end_(recip_mutex_t **mutex)
{
    recip_mutex_unlock(*mutex);
}

RECIP_INLINE_ int recip_cond_clockwait(recip_cond_t *cond, recip_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *deadline)
{
    RECIP_CHECK_COND_(cond);
    RECIP_UNLOCKING_(mutex);
    RECIP_UNLOCK_DONE_(mutex);
    RECIP_LOCKING_(mutex);
    int error = recip_cond_wait_(cond, mutex, clock, deadline);
    RECIP_LOCK_DONE_(mutex);
    return error;
}

RECIP_INLINE_ int recip_cond_timedwait(recip_cond_t *cond, recip_mutex_t *mutex, const struct timespec *deadline)
{
    return recip_cond_clockwait(cond, mutex, RECIP_REALTIME_, deadline);
}

RECIP_INLINE_ void recip_cond_wait(recip_cond_t *cond, recip_mutex_t *mutex)
{
    recip_cond_clockwait(cond, mutex, RECIP_REALTIME_, RECIP_NULL_);
}

RECIP_INLINE_ void recip_cond_signal(recip_cond_t *cond)
{
    RECIP_CHECK_COND_(cond);
    RECIP_INSIDE_(cond);
    recip_cond_signal_(cond);
    RECIP_OUTSIDE_(cond);
}

RECIP_INLINE_ void recip_cond_broadcast(recip_cond_t *cond)
{
    RECIP_CHECK_COND_(cond);
    RECIP_INSIDE_(cond);
    recip_cond_broadcast_(cond);
    RECIP_OUTSIDE_(cond);
}

RECIP_INLINE_ int recip_sem_clockwait(recip_sem_t *sem, clockid_t clock, const struct timespec *deadline)
{
    RECIP_CHECK_SEM_(sem);
    RECIP_INSIDE_(sem);
    int error = recip_sem_wait_(sem, clock, deadline);
    RECIP_OUTSIDE_(sem);
    if (!error)
        RECIP_TAKES_(sem);
    return error;
}

RECIP_INLINE_ int recip_sem_timedwait(recip_sem_t *sem, const struct timespec *deadline)
{
    return recip_sem_clockwait(sem, RECIP_REALTIME_, deadline);
}

RECIP_INLINE_ void recip_sem_wait(recip_sem_t *sem)
{
    recip_sem_clockwait(sem, RECIP_REALTIME_, RECIP_NULL_);
}

RECIP_INLINE_ int recip_sem_trywait(recip_sem_t *sem)
{
    RECIP_CHECK_SEM_(sem);
    RECIP_INSIDE_(sem);
    int error = recip_sem_trywait_(sem);
    RECIP_OUTSIDE_(sem);
    if (!error)
        RECIP_TAKES_(sem);
    return error;
}

RECIP_INLINE_ int recip_sem_post(recip_sem_t *sem)
{
    RECIP_CHECK_SEM_(sem);
    RECIP_GIVES_(sem);
    RECIP_INSIDE_(sem);
    int error = recip_sem_post_(sem);
    RECIP_OUTSIDE_(sem);
    return error;
}

RECIP_INLINE_ void recip_lock_acquire(recip_lock_t *lock, recip_lock_context_t *context)
{
    RECIP_LOCKING_(lock);
    recip_lock_acquire_(lock, context);
    RECIP_LOCK_DONE_(lock);
}

RECIP_INLINE_ int recip_lock_try_acquire(recip_lock_t *lock, recip_lock_context_t *context)
{
    RECIP_TRYING_(lock);
    int error = recip_lock_try_acquire_(lock, context);
    RECIP_TRY_DONE_(lock, error);
    return error;
}

RECIP_INLINE_ void recip_lock_release(recip_lock_t *lock, recip_lock_context_t *context)
{
    RECIP_UNLOCKING_(lock);
    recip_lock_release_(lock, context);
    RECIP_UNLOCK_DONE_(lock);
}
