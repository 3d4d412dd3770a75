/* SPDX-License-Identifier: MIT */
/* recip who: what the threads of another process wait for. It reads; the process stops for moments, while its stacks
 * are taken, and is not changed.
 *
 *     process.c    threads, memory, symbols and stacks of the process
 *     waits.c      what a thread waits for, and who owns that
 *     command.c    the command and what it prints
 */
#ifndef RECIP_WHO_WHO_H
#define RECIP_WHO_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WHO_FRAMES = 32 };

enum wait_kind { WAITS_NOT, WAITS_MUTEX, WAITS_COND, WAITS_OTHER };

struct who_thread {
    pid_t number;
    char name[16];
    char state;     /* as in /proc: R, S, D, ... */
    uint64_t futex; /* the address that it sleeps at, or 0 */
    int frame_count;
    uint64_t frames[WHO_FRAMES];
    enum wait_kind kind;
    uint64_t object; /* the mutex or condition variable, or 0 */
    pid_t owner;     /* of the mutex; 0: nobody, or not known */
    bool is_owner_known;
};

struct who_process {
    pid_t number;
    bool is_on_recip; /* the preload library is loaded, and no other lock than the mutex chosen */
    bool is_on_zoo;   /* it is on a lock of the zoo, whose waiters are not understood */
    size_t count;
    struct who_thread *threads;
};

/* ---- process.c ---- */

/* Null if it may not be read; `why` is then the reason. */
struct who_process *process_open(pid_t number, char why[256]);
void process_close(struct who_process *process);
bool process_read(const struct who_process *process, uint64_t address, void *to, size_t size);
/* The function or variable at that address, and how far into it; null if there is none. */
const char *process_symbol(uint64_t address, uint64_t *offset);
/* The file and line of a return address; false if they are not known. */
bool process_line(uint64_t address, char text[128]);
/* The address of a symbol of the preload library; 0 if that is not loaded, or stripped. */
uint64_t process_preload_symbol(const char *name);
/* It belongs to libc, the dynamic linker or the preload library. */
bool process_is_library(uint64_t address);

/* ---- waits.c ---- */

void find_wait(const struct who_process *process, struct who_thread *thread);

#endif
