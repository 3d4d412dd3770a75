/* Release without an atomic operation, by a restartable sequence of the kernel's (rseq), and the barrier against it
 * (membarrier). The release itself is inline, in <recip-inline.h>. */
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/port.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#endif
#endif

ptrdiff_t recip_rseq_offset_;

#ifdef HAVE_RSEQ
static bool switched_off(const char *name)
{
    const char *value = secure_getenv(name);
    return value && strcmp(value, "0") == 0;
}
#endif

/* Without both, release is atomic and needs no barrier. */
void recip_native_rseq_begin(void)
{
#ifdef HAVE_RSEQ
    bool wanted = !switched_off("RECIP_RSEQ") && !switched_off("RECIP_MEMBARRIER");
    if (wanted && __rseq_size && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) == 0)
        recip_rseq_offset_ = __rseq_offset;
    else
        recip_rseq_offset_ = 0;
#endif
}

void recip_native_barrier(void)
{
    if (!recip_rseq_offset_)
        return;
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0) != 0) {
        perror("recip: membarrier");
        abort();
    }
}
