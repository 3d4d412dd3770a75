/* SPDX-License-Identifier: MIT */
/* Concurrency Kit's spin locks as recip-bench-mutex uses them. All zeroes is unlocked, but for CLH. */
#ifndef RECIP_BENCH_PEERS_CK_H
#define RECIP_BENCH_PEERS_CK_H

#ifdef __cplusplus
extern "C" {
#endif

struct peer_ck_lock {
    void *words[2];
};

struct peer_ck_node {
    void *words[4];
};

void peer_ck_mcs_lock(struct peer_ck_lock *lock, struct peer_ck_node *node);
void peer_ck_mcs_unlock(struct peer_ck_lock *lock, struct peer_ck_node *node);
void peer_ck_clh_init(struct peer_ck_lock *lock);
void peer_ck_clh_lock(struct peer_ck_lock *lock);
void peer_ck_clh_unlock(struct peer_ck_lock *lock);
void peer_ck_ticket_lock(struct peer_ck_lock *lock);
void peer_ck_ticket_unlock(struct peer_ck_lock *lock);
void peer_ck_fas_lock(struct peer_ck_lock *lock);
void peer_ck_fas_unlock(struct peer_ck_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
