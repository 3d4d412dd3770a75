/* SPDX-License-Identifier: MIT */
/* Names of variables as people write them. */
#ifndef RECIP_PRELOAD_REPORT_NAMES_H
#define RECIP_PRELOAD_REPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* "shop::till" for "_ZN4shop4tillE", "till" for "_ZL4till" or "_ZZ4mainE4till", "Shop<...>::till" for
 * "_ZN4ShopIiE4tillE". A name that needs more than that, or is not C++'s, stays as it is. */
void name_of_variable(const char *symbol, char *name, size_t size);

/* Of a C++ function in a class or namespace, that scope as it is mangled: "4shop7Account" for
 * "_ZN4shop7Account7depositEi". False if there is none, or it is a template's. */
bool scope_of_function(const char *symbol, char *scope, size_t size);

#endif
