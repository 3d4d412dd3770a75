/* SPDX-License-Identifier: MIT */
/* Concurrency Kit's spin locks behind calls: its headers are C and do not compile as C++. */
#include "bench/helper/peers-ck.h"

#include <ck_spinlock.h>
#include <stdlib.h>

_Static_assert(sizeof(ck_spinlock_mcs_context_t) <= sizeof(struct peer_ck_node), "room for the node");
_Static_assert(sizeof(ck_spinlock_ticket_t) <= sizeof(struct peer_ck_lock), "room for the lock");

void peer_ck_mcs_lock(struct peer_ck_lock *lock, struct peer_ck_node *node)
{
    ck_spinlock_mcs_lock((ck_spinlock_mcs_t *)lock, (ck_spinlock_mcs_context_t *)node);
}

void peer_ck_mcs_unlock(struct peer_ck_lock *lock, struct peer_ck_node *node)
{
    ck_spinlock_mcs_unlock((ck_spinlock_mcs_t *)lock, (ck_spinlock_mcs_context_t *)node);
}

/* A node changes hands at each acquisition, so each thread keeps one. */
static _Thread_local ck_spinlock_clh_t *kept;

void peer_ck_clh_init(struct peer_ck_lock *lock)
{
    ck_spinlock_clh_init((ck_spinlock_clh_t **)lock, malloc(sizeof(ck_spinlock_clh_t)));
}

void peer_ck_clh_lock(struct peer_ck_lock *lock)
{
    if (!kept)
        kept = malloc(sizeof *kept);
    ck_spinlock_clh_lock((ck_spinlock_clh_t **)lock, kept);
}

void peer_ck_clh_unlock(struct peer_ck_lock *lock)
{
    (void)lock;
    ck_spinlock_clh_unlock(&kept);
}

void peer_ck_ticket_lock(struct peer_ck_lock *lock)
{
    ck_spinlock_ticket_lock((ck_spinlock_ticket_t *)lock);
}

void peer_ck_ticket_unlock(struct peer_ck_lock *lock)
{
    ck_spinlock_ticket_unlock((ck_spinlock_ticket_t *)lock);
}

void peer_ck_fas_lock(struct peer_ck_lock *lock)
{
    ck_spinlock_fas_lock((ck_spinlock_fas_t *)lock);
}

void peer_ck_fas_unlock(struct peer_ck_lock *lock)
{
    ck_spinlock_fas_unlock((ck_spinlock_fas_t *)lock);
}
