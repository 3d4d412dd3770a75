/* SPDX-License-Identifier: MIT */
/* What is made of measurements; tests of harness.c's program. */
#ifndef RECIP_TESTS_BENCH_STATISTICS_H
#define RECIP_TESTS_BENCH_STATISTICS_H

void intervals_are_those_of_order_statistics(void **state);
void fairness_has_its_known_values(void **state);
void quantiles_are_close(void **state);
void verdicts_follow_the_interval(void **state);
void times_and_rates_compare_alike(void **state);
void best_peer_is_the_best(void **state);
void runs_that_one_lock_misses_do_not_count(void **state);

#endif
