/* SPDX-License-Identifier: MIT */
/* Gives itself a title as servers do: over its arguments and its environment. */
#include <pthread.h>
#include <string.h>

int main(int count, char **arguments, char **environment)
{
    (void)count;
    char *end = arguments[0];
    for (char **each = environment; *each; each++)
        end = *each + strlen(*each);
    memset(arguments[0], 'x', (size_t)(end - arguments[0]));
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
