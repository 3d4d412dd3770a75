/* SPDX-License-Identifier: MIT */
/* What the library does when it is loaded and after a fork. */
#define RECIP_UNANNOTATED
#include <pthread.h>

#include "port/port.h"
#include "port/thread-pointer.h"

#include "src/diagnosis.h"
#include "src/tunables.h"
#include "src/waiter.h"

unsigned recip_native_epoch;
ptrdiff_t recip_kept_offset_;

static void after_fork_in_child(void)
{
    recip_native_epoch = (recip_native_epoch + 1) % 65536;
    recip_repair_end();
    struct thread *self = port_thread();
    self->wake_due_for = NULL;
    recip_leadership_kept()->mutex = NULL;
    while (self->left_behind) {
        waiter *element = self->left_behind;
        self->left_behind = element->next;
        recip_waiter_delete(element);
    }
    recip_native_rseq_begin();
    diagnose_begin();
}

__attribute__((constructor)) static void begin(void)
{
    recip_native_rseq_begin();
    recip_kept_offset_ = port_thread_offset(recip_leadership_kept());
    pthread_atfork(NULL, NULL, after_fork_in_child);
    recip_tune();
    diagnose_begin();
}
