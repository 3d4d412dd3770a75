/* SPDX-License-Identifier: MIT */
/* That waits are measured by the clock, whatever the lock does; tests of harness.c's program. */
#ifndef RECIP_TESTS_BENCH_WAITING_H
#define RECIP_TESTS_BENCH_WAITING_H

void work_is_counted_exactly(void **state);
void arrivals_are_a_poisson_process(void **state);
void waits_count_from_when_they_were_due(void **state);
void waits_of_a_known_lock_are_found(void **state);
void lateness_is_the_clocks(void **state);
void signals_count_until_the_mutex_is_had(void **state);
void waiting_catches_no_lock(void **state);
void waiting_accuses_no_lock(void **state);
void waits_are_summarised_and_compared(void **state);
void waits_from_due_are_summarised_and_compared(void **state);

#endif
