/* Starting a program on a lock: what `recip run` does once and `recip run --compare` many times. */
#ifndef RECIP_CLI_LAUNCH_H
#define RECIP_CLI_LAUNCH_H

#include "zoo/algorithm.h"

/* Ends with one line if the lock cannot stand in a pthread_mutex_t, or if the preload library is nowhere to be found.
 */
void launch_check(const char *option, const struct recip_algorithm *lock);

/* Sets the environment for the lock; statistics go to that file, to stderr for "-", or are not kept if it is null. */
void launch_prepare(const struct recip_algorithm *lock, const char *statistics);

/* Becomes the program. Returns, after one line, only if that fails: the exit status for it, as shells have it. */
int launch(char **program);

#endif
