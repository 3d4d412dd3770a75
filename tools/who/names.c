/* SPDX-License-Identifier: MIT */
/* Names of C++ as they are written in the program. The C++ library knows how; where it is not installed, they stay as
 * they are in the symbol table. */
#include "who/who.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle(const char *name, char *memory, size_t *size, int *status);

static demangle *demangler(void)
{
    static demangle *found;
    static bool is_asked;
    void *library = is_asked ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&found = dlsym(library, "__cxa_demangle");
    is_asked = true;
    return found;
}

const char *readable_name(const char *name, char text[READABLE_NAME])
{
    int status;
    char *readable = strncmp(name, "_Z", 2) == 0 && demangler() ? demangler()(name, NULL, NULL, &status) : NULL;
    snprintf(text, READABLE_NAME, "%s", readable ? readable : name);
    free(readable);
    return text;
}
