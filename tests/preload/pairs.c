/* SPDX-License-Identifier: MIT */
/* pairs N: locks and unlocks a mutex N times, and each time a second one while it holds the first. */
#include "common.h"

int main(int count, char **arguments)
{
    static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
    CHECK_IS(count, 2);
    for (long left = atol(arguments[1]); left > 0; left--) {
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return 0;
}
