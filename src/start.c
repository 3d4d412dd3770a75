/* SPDX-License-Identifier: MIT */
/* What the library does when it is loaded and after a fork, and its tuning by the environment. */
#define RECIP_UNANNOTATED
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "port/port.h"

#include "src/tunables.h"
#include "src/waiter.h"

unsigned recip_native_epoch;
/* Until turns have been measured, below. */
struct recip_tuning recip_tuning = {.newcomer_turns = 50, .follower_turns = 200, .leader_turns = 200};

static void after_fork_in_child(void)
{
    recip_native_epoch = (recip_native_epoch + 1) % 65536;
    recip_repair_end();
    struct thread *self = port_thread();
    self->wake_due_for = NULL;
    while (self->left_behind) {
        waiter *element = self->left_behind;
        self->left_behind = element->next;
        recip_waiter_delete(element);
    }
    recip_native_rseq_begin();
}

/* The environment's choice, or the default. */
static int64_t nanoseconds_from(const char *name, int64_t nanoseconds)
{
    const char *value = secure_getenv(name);
    if (value) {
        char *end;
        errno = 0;
        long chosen = strtol(value, &end, 10);
        if (errno == 0 && end != value && !*end && chosen >= 0 && chosen < 1000000000)
            return chosen;
        fprintf(stderr, "recip: %s=%s is no number of nanoseconds; ignored\n", name, value);
    }
    return nanoseconds;
}

static unsigned turns_from(const char *name, int64_t nanoseconds)
{
    return recip_native_turns(nanoseconds_from(name, nanoseconds));
}

__attribute__((constructor)) static void begin(void)
{
    recip_native_rseq_begin();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    recip_tuning = (struct recip_tuning){
        .newcomer_turns = turns_from("RECIP_SPIN_NEWCOMER", NEWCOMER_NANOSECONDS),
        .newcomer_naps = NEWCOMER_NAPS,
        .follower_turns = turns_from("RECIP_SPIN_FOLLOWER", FOLLOWER_NANOSECONDS),
        .leader_turns = turns_from("RECIP_SPIN_LEADER", LEADER_NANOSECONDS),
        .yields = YIELDS,
        .nap = nanoseconds_from("RECIP_NAP", NAP_NANOSECONDS),
        .hot_patience = nanoseconds_from("RECIP_PATIENCE_HOT", HOT_PATIENCE_NANOSECONDS),
        .long_patience = nanoseconds_from("RECIP_PATIENCE", LONG_PATIENCE_NANOSECONDS),
    };
}
