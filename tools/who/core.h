/* SPDX-License-Identifier: MIT */
/* A core file, for process.c. */
#ifndef RECIP_WHO_CORE_H
#define RECIP_WHO_CORE_H

#include <libelf.h>

#include "who/who.h"

struct core;

/* Null if it cannot be read; `why` is then the reason. */
struct core *core_open(const char *path, char why[256]);
void core_close(struct core *core);
bool core_read(const struct core *core, uint64_t address, void *to, size_t size);
/* The file is shorter than it says, as where the disk was full. */
bool core_is_cut(const struct core *core);
Elf *core_elf(const struct core *core);
pid_t core_process(const struct core *core);
/* The program's file as it was named then; null if that is not known. */
const char *core_program(const struct core *core);
/* How many threads there are. They have numbers and futexes, no names and stacks. */
size_t core_threads(const struct core *core, const struct who_thread **threads);

#endif
