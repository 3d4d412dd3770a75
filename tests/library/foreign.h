/* SPDX-License-Identifier: MIT */
/* What the two halves of the test share: objects as another language lays them out. */
#ifndef RECIP_TESTS_LIBRARY_FOREIGN_H
#define RECIP_TESTS_LIBRARY_FOREIGN_H

#include <stdint.h>

struct foreign {
    uint64_t mutex[2], cond[5], sem[6], lock[1];
    unsigned long count;  /* guarded by the mutex */
    unsigned long locked; /* guarded by the lock */
    int turn;             /* guarded by the mutex */
};

/* By the header's inline calls: what the foreign ones do, too. */
void foreign_inline_use(struct foreign *shared);
void foreign_inline_turn(struct foreign *shared);
const char *foreign_inline_version(void);

#endif
