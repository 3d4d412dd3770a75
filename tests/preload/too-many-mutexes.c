/* SPDX-License-Identifier: MIT */
/* More mutexes than there are records for statistics, each made and locked twice: 600,000 acquisitions. */
#include "common.h"

static pthread_mutex_t mutexes[300000];

int main(void)
{
    for (size_t i = 0; i < sizeof mutexes / sizeof *mutexes; i++) {
        CHECK_IS(pthread_mutex_init(&mutexes[i], NULL), 0);
        for (int turn = 0; turn < 2; turn++) {
            CHECK_IS(pthread_mutex_lock(&mutexes[i]), 0);
            CHECK_IS(pthread_mutex_unlock(&mutexes[i]), 0);
        }
    }
    return 0;
}
