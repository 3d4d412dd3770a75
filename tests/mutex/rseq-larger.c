/* SPDX-License-Identifier: MIT */
/* A glibc that registers an area of more than 32 bytes, elsewhere than today's, as newer ones do on newer kernels: the
 * mutex unlocks by sequences in it. The program stands for such a glibc: it defines what <sys/rseq.h> declares, and
 * registers an area of its own. */
#define __rseq_offset declared_rseq_offset /* constants there */
#define __rseq_size declared_rseq_size
#include "rseq.h"
#undef __rseq_offset
#undef __rseq_size

#include <dlfcn.h>

ptrdiff_t __rseq_offset;
unsigned __rseq_size;

enum { THREADS = 4, ROUNDS = 20000, LARGER = 64 };

static _Thread_local struct own_area own;

static bool begin_thread(void)
{
    const ptrdiff_t *glibc = dlsym(RTLD_NEXT, "__rseq_offset");
    return glibc && register_instead(area_at(*glibc), &own, LARGER);
}

/* Before the library's own, which has no priority. */
__attribute__((constructor(101))) static void begin(void)
{
    const unsigned *glibc = dlsym(RTLD_NEXT, "__rseq_size");
    if (!glibc || *glibc == 0 || !begin_thread())
        return;
    __rseq_offset = (char *)&own - (char *)__builtin_thread_pointer();
    __rseq_size = LARGER;
}

static recip_mutex_t mutex = RECIP_MUTEX_INIT, one_user[THREADS];
static long count;

static void *work(void *argument)
{
    MUST(begin_thread());
    for (int i = 0; i < ROUNDS; i++) {
        recip_mutex_lock(&mutex);
        count++;
        recip_mutex_unlock(&mutex);
    }
    MUST(unlocks_by_sequence(&own.area, argument));
    return NULL;
}

int main(void)
{
    if (!__rseq_size) {
        puts("skipped: no rseq here, or the kernel takes 32 bytes only");
        return SKIPPED;
    }
    MUST(recip_rseq_offset_ == __rseq_offset);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        MUST(pthread_create(&threads[i], NULL, work, &one_user[i]) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        MUST(pthread_join(threads[i], NULL) == 0);
    MUST(count == (long)THREADS * ROUNDS);
    return 0;
}
