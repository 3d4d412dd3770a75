/* SPDX-License-Identifier: MIT */
/* The names of single mutexes, for reports. */
#ifndef RECIP_PRELOAD_REPORT_MUTEXES_H
#define RECIP_PRELOAD_REPORT_MUTEXES_H

#include "preload/report-places.h"

enum { MUTEX_NAME = PLACE_TEXT + 24 };

/* The mutex of that record will be named: the places that this takes are resolved by the next places_resolve. */
void mutex_name_ask(uint32_t record);
/* "'till'", "'tables' + 80", "one created in make (shop.c:12)" or "one first locked in sell (shop.c:20)". */
const char *mutex_name(uint32_t record, char name[MUTEX_NAME]);

#endif
