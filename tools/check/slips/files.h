/* SPDX-License-Identifier: MIT */
/* Which files of a lock slips are made in: its header, and the parts of locks that it includes. Another lock that it is
 * built on has its own. Of a parking form the gates; of the mutex its sources and what it has inline. */
#ifndef RECIP_CHECK_SLIPS_FILES_H
#define RECIP_CHECK_SLIPS_FILES_H

#include "zoo/algorithm.h"

struct file_list {
    char **values; /* from the top of the source tree */
    size_t count;
};

struct file_list slip_files_of(const struct recip_algorithm *lock);
void slip_files_free(struct file_list *files);

#endif
