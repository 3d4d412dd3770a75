/* SPDX-License-Identifier: MIT */
/* loads OBJECT FOLDER: threads load copies of the object, each its own, use its mutexes and unload it, so that the
 * memory of mutexes goes, and other mutexes are where they were. */
#include "../common.h"

#include <dlfcn.h>

enum { THREADS = 4, ROUNDS = 100 };

static const char *folder;
static char object[1 << 20];
static size_t size;

static void *load(void *index)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/object.%ld.so", folder, (long)index);
    FILE *copy = fopen(path, "wbe");
    CHECK(copy && fwrite(object, 1, size, copy) == size);
    CHECK_IS(fclose(copy), 0);
    for (int i = 0; i < ROUNDS; i++) {
        void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!loaded)
            fprintf(stderr, "%s\n", dlerror());
        CHECK(loaded);
        int (*run)(void);
        *(void **)&run = dlsym(loaded, "run_threads");
        CHECK(run);
        CHECK_IS(run(), 1);
        CHECK_IS(dlclose(loaded), 0);
        CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
    }
    CHECK_IS(unlink(path), 0);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[THREADS];
    CHECK_IS(count, 3);
    folder = words[2];
    FILE *file = fopen(words[1], "rbe");
    CHECK(file);
    size = fread(object, 1, sizeof object, file);
    CHECK(size > 0 && size < sizeof object);
    fclose(file);
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(load, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    return 0;
}
