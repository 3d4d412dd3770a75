/* SPDX-License-Identifier: MIT */
/* The clients of the mutex, by subject: here a new file is listed. Mutants meet them in this order, the quick ones of
 * all sets first. */
#include "check/clients.h"

extern const struct client_set mutex_exclusion_clients, mutex_bound_clients, mutex_timed_clients, mutex_admit_clients,
    mutex_cond_clients, mutex_sem_clients, mutex_fork_clients, mutex_looks_clients, mutex_express_clients,
    mutex_handler_clients, mutex_handover_clients;

const struct client_set *const mutex_client_sets[] = {
    &mutex_exclusion_clients, &mutex_timed_clients,   &mutex_fork_clients,     &mutex_admit_clients,
    &mutex_cond_clients,      &mutex_sem_clients,     &mutex_bound_clients,    &mutex_looks_clients,
    &mutex_express_clients,   &mutex_handler_clients, &mutex_handover_clients, NULL,
};
