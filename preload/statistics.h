/* What is counted when RECIP_STATS is set; docs/run.md explains the figures. */
#ifndef RECIP_PRELOAD_STATISTICS_H
#define RECIP_PRELOAD_STATISTICS_H

#include <stdint.h>

struct mutex;

void statistics_start(void);

/* By the owner of the mutex, which has just acquired it: where the call came from, and since when it had to wait, as
 * statistics_wait_begins said, or 0 if it did not. */
void statistics_acquired(struct mutex *mutex, const void *site, uint64_t since);
uint64_t statistics_wait_begins(void);
/* By the owner, before it releases. */
void statistics_releasing(struct mutex *mutex);
/* The mutex is new. */
void statistics_created(struct mutex *mutex, const void *site);

#endif
