/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/loaded-modules.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MAX_MODULES = 256 };

static struct {
    struct loaded_module module;
    _Atomic(uint32_t) is_ready;
} modules[MAX_MODULES]; /* pages come with use */
static _Atomic(uint32_t) count;

/* Those that are ready, up to MAX_MODULES. */
static const struct loaded_module *module_at(uint32_t index)
{
    /* acquire: with the release below. */
    return atomic_load_explicit(&modules[index].is_ready, memory_order_acquire) ? &modules[index].module : NULL;
}

static uint32_t noted(void)
{
    uint32_t all = atomic_load_explicit(&count, memory_order_relaxed);
    return all < MAX_MODULES ? all : MAX_MODULES;
}

const struct loaded_module *loaded_module_at(const void *address)
{
    for (uint32_t i = noted(); i > 0; i--) {
        const struct loaded_module *module = module_at(i - 1);
        if (module && (uintptr_t)address >= module->begin && (uintptr_t)address < module->end)
            return module;
    }
    return NULL;
}

/* The program itself has no name; it stays where it is. dladdr would take a lock of the dynamic linker's; this is what
 * unwinders use, from glibc 2.35 on. */
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 35)
void loaded_module_note(const void *address)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0 || !found.dlfo_link_map->l_name[0])
        return;
    const struct loaded_module *known = loaded_module_at(address);
    if (known && strcmp(known->path, found.dlfo_link_map->l_name) == 0)
        return;
    uint32_t index = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (index >= MAX_MODULES) {
        atomic_store_explicit(&count, MAX_MODULES, memory_order_relaxed);
        return;
    }
    struct loaded_module *module = &modules[index].module;
    module->begin = (uintptr_t)found.dlfo_map_start;
    module->end = (uintptr_t)found.dlfo_map_end;
    module->bias = found.dlfo_link_map->l_addr;
    snprintf(module->path, sizeof module->path, "%s", found.dlfo_link_map->l_name);
    /* release: with the acquire above. */
    atomic_store_explicit(&modules[index].is_ready, 1, memory_order_release);
}
#else
void loaded_module_note(const void *address)
{
    (void)address;
}
#endif
