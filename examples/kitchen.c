/* SPDX-License-Identifier: MIT */
/* A program on pthread mutexes, to be looked at with `recip run` and `recip who`. Cooks share the butter and the bread.
 * With the argument "deadlock" one of them takes the butter first and another the bread, and both wait for ever.
 *
 *     cc -g examples/kitchen.c -o kitchen -pthread
 *     recip run --stats -- ./kitchen
 *     ./kitchen deadlock & sleep 1; recip who $!
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COOKS = 4, SANDWICHES = 100 };

static pthread_mutex_t butter = PTHREAD_MUTEX_INITIALIZER, bread = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int made;

static void *cook(void *unused)
{
    for (int i = 0; i < SANDWICHES; i++) {
        pthread_mutex_lock(&butter);
        usleep(100); /* spreading */
        made++;
        pthread_mutex_unlock(&butter);
    }
    return unused;
}

struct order {
    pthread_mutex_t *first, *second;
};

static void *take_both(void *order)
{
    struct order *my = order;
    pthread_mutex_lock(my->first);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(my->second);
    pthread_mutex_unlock(my->second);
    pthread_mutex_unlock(my->first);
    return NULL;
}

static int run(unsigned count, void *(*body)(void *), void *arguments[])
{
    pthread_t threads[COOKS];
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, body, arguments[i]) != 0)
            return 1;
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "deadlock") == 0) {
        struct order orders[] = {{&butter, &bread}, {&bread, &butter}};
        pthread_barrier_init(&both, NULL, 2);
        return run(2, take_both, (void *[]){&orders[0], &orders[1]});
    }
    int failed = run(COOKS, cook, (void *[COOKS]){NULL});
    printf("%d sandwiches\n", made);
    return failed;
}
