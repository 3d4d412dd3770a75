/* SPDX-License-Identifier: MIT */
/* States that differ in nothing but which of the interchangeable threads is which are one. A state is hashed as it
 * would be if those had other numbers: by what each of them does. Where two do the same, either number will do, and
 * some such states are told apart. */
#ifndef RECIP_CHECK_ENGINE_SYMMETRY_H
#define RECIP_CHECK_ENGINE_SYMMETRY_H

#include "check/engine/digest.h"
#include "check/engine/execution.h"

/* Memory belongs to the threads by their numbers: so many bytes each. The same memory again is no more. */
void symmetry_own(const void *memory, size_t stride);

/* Whether two threads are interchangeable: of one body and argument, and not one that another waits for to end. */
bool symmetry_alike(const struct task *task, const struct task *other);

/* Every thread keeps its number. */
void symmetry_none(void);

/* Finds the numbers for the state that the execution is in: `view` hashes what a thread does. */
void symmetry_find(void (*view)(struct hash *hash, const struct task *task));

/* A thread's number; who has it; and a word, an address that belongs to a thread or any other. */
unsigned symmetry_number(unsigned thread);
unsigned symmetry_thread(unsigned number);
uint64_t symmetry_word(uint64_t word);

/* Whether an address belongs to a thread. */
bool symmetry_owned(uintptr_t address);

/* Adds words, a multiple of eight bytes. */
void symmetry_digest(struct hash *hash, const void *words, size_t size);

#endif
