/* SPDX-License-Identifier: MIT */
/* Mutexes at unusual moments: before main, in the constructors of a linked and of a loaded object, in the destructors
 * of a thread, when exit has begun. start-and-exit-object.c is both objects; argv[1] is the loaded one. */
#include "common.h"

#include <dlfcn.h>

#define TWICE(mutex)                                                                                                   \
    do {                                                                                                               \
        CHECK_IS(pthread_mutex_lock(&(mutex)), 0);                                                                     \
        CHECK_IS(pthread_mutex_unlock(&(mutex)), 0);                                                                   \
        CHECK_IS(pthread_mutex_trylock(&(mutex)), 0);                                                                  \
        CHECK_IS(pthread_mutex_unlock(&(mutex)), 0);                                                                   \
    } while (0)

extern pthread_mutex_t object_mutex;
extern int object_constructed;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held_into_main = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_key_t key;
static int destroyed;

__attribute__((constructor)) static void before_main(void)
{
    CHECK_IS(object_constructed, 1);
    TWICE(mutex);
    TWICE(recursive);
    CHECK_IS(pthread_mutex_lock(&held_into_main), 0);
}

__attribute__((destructor)) static void after_main(void)
{
    TWICE(mutex);
    TWICE(object_mutex);
    CHECK_IS(destroyed, 3);
}

static void at_exit(void)
{
    TWICE(mutex);
    TWICE(recursive);
}

static void *lock_too(void *of)
{
    TWICE(*(pthread_mutex_t *)of);
    return NULL;
}

/* Runs three times for one thread: it sets its key again. */
static void end_of_thread(void *rounds)
{
    TWICE(mutex);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    pthread_t other = start(lock_too, &mutex);
    usleep(2000);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    finish(other);
    destroyed++;
    if ((long)rounds > 1)
        CHECK_IS(pthread_setspecific(key, (void *)((long)rounds - 1)), 0);
}

static void *short_life(void *of)
{
    CHECK_IS(pthread_setspecific(key, (void *)3), 0);
    TWICE(mutex);
    return of;
}

int main(int count, char **words)
{
    CHECK_IS(count, 2);
    CHECK_IS(pthread_mutex_trylock(&held_into_main), EBUSY);
    CHECK_IS(pthread_mutex_unlock(&held_into_main), 0);
    TWICE(object_mutex);
    void *object = dlopen(words[1], RTLD_NOW);
    if (!object)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(object);
    pthread_mutex_t *loaded = dlsym(object, "object_mutex");
    CHECK(loaded);
    TWICE(*loaded);
    CHECK_IS(dlclose(object), 0);
    CHECK_IS(pthread_key_create(&key, end_of_thread), 0);
    finish(start(short_life, NULL));
    CHECK_IS(destroyed, 3);
    CHECK_IS(atexit(at_exit), 0);
    return 0;
}
