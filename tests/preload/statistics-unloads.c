/* SPDX-License-Identifier: MIT */
/* statistics-unloads LIBRARY: loads it, calls it, and unloads it. With -DLIBRARY this is that library, whose mutex the
 * statistics have to name in spite of that. */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#ifdef LIBRARY
static pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void take_shelf(void)
{
    pthread_mutex_lock(&shelf);
    pthread_mutex_unlock(&shelf);
}

void use_shelf(void);
void use_shelf(void)
{
    take_shelf();
    take_shelf();
}
#else
int main(int count, char **arguments)
{
    void *library = dlopen(count == 2 ? arguments[1] : "", RTLD_NOW | RTLD_LOCAL);
    void (*use)(void);
    *(void **)&use = library ? dlsym(library, "use_shelf") : NULL;
    if (!use)
        return 1;
    use();
    return dlclose(library);
}
#endif
