/* SPDX-License-Identifier: MIT */
/* A program that is linked with the preload library, so that set-uid does not keep the library out; output-file.sh runs
 * it. It locks a mutex, and says whether its environment is to be trusted. */
#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int error = pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    puts(getauxval(AT_SECURE) ? "secure" : "ordinary");
    return error;
}
