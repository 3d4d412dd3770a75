/* SPDX-License-Identifier: MIT */
/* What the statistics know of each thread. */
#ifndef RECIP_PRELOAD_THREAD_RECORDS_H
#define RECIP_PRELOAD_THREAD_RECORDS_H

#include "preload/statistics.h"

void thread_records_start(void);
/* In the child, whose one thread has no record yet. */
void thread_records_after_fork(void);
/* The calling thread's record; null if it has none, because there are too many threads or no memory. */
struct thread_record *thread_record(void);
/* So many more acquisitions. */
void thread_record_count(struct thread_record *thread, uint64_t acquisitions);

#endif
