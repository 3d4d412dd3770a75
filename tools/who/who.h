/* SPDX-License-Identifier: MIT */
/* recip who: what the threads of another process wait for, or those in a core file. It reads; the process stops for
 * moments, while its stacks are taken, and is not changed.
 *
 *     process.c    threads, memory, symbols and stacks of the process
 *     core.c       threads and memory in a core file
 *     registers.c  what a thread's registers say of it
 *     waits.c      what a thread waits for, and who owns that
 *     queue.c      in which order threads wait for one of our mutexes
 *     names.c      names of C++, readable
 *     command.c    the command and what it prints
 */
#ifndef RECIP_WHO_WHO_H
#define RECIP_WHO_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WHO_FRAMES = 32 };

enum wait_kind { WAITS_NOT, WAITS_MUTEX, WAITS_RWLOCK, WAITS_COND, WAITS_SEM, WAITS_THREAD, WAITS_OTHER };

/* Whose call a thread waits in. */
enum library { LIBRARY_NONE, LIBRARY_GLIBC, LIBRARY_PRELOAD, LIBRARY_RECIP };

/* In place of a state as in /proc, for a thread in a core file that is in no futex. */
#define STATE_OF_CORE 'C'

struct who_thread {
    pid_t number, inner_number; /* the second: as the process itself sees it, in a container */
    char name[16];
    char state;             /* as in /proc: R, S, D, ... */
    uint64_t futex;         /* the address that it sleeps at, or 0 */
    uint32_t futex_kinds;   /* the last argument of that call */
    uint64_t stack_pointer; /* this and the next: 0 if it is not known */
    uint64_t thread_pointer;
    uint32_t library_number; /* the preload library's of it; 0: none, or not known */
    struct {
        uint64_t mutex, successor, end;
    } kept;                     /* what librecip keeps for it: recip_kept_ in <recip.h> */
    int frame_count, first_own; /* the second: of the first frame behind those of the call that it waits in */
    uint64_t frames[WHO_FRAMES];
    enum wait_kind kind;
    enum library library; /* that it waits in */
    uint64_t object;      /* the mutex, read-write lock, condition variable or semaphore, or 0 */
    uint64_t mutex;       /* of a condition variable, if known */
    pid_t owner;          /* of the mutex, or the thread that it joins; 0: nobody, or not known */
    bool is_owner_known, has_owner_ended;
};

struct core;

struct who_process {
    pid_t number;
    pid_t through;       /* a thread to read it by: the first, unless that has ended before the others */
    struct core *core;   /* null: it runs */
    bool is_cut_off;     /* the core file */
    char no_stacks[128]; /* why none could be taken; or empty */
    bool is_on_recip;    /* the preload library is loaded, and no other lock than the mutex chosen */
    bool is_on_zoo;      /* it is on a lock of the zoo, whose waiters are not understood */
    bool has_librecip, has_glibc;
    int64_t number_offset, kept_offset; /* from the thread pointer: of those two; 0 if they are not known */
    size_t count;
    struct who_thread *threads;
};

/* ---- process.c ---- */

/* A process by its number; or of a core file, with the file of its program, or null if the core file knows that. Null
 * if it may not be read; `why` is then the reason. */
struct who_process *process_open(pid_t number, char why[256]);
struct who_process *process_open_core(const char *path, const char *program, char why[256]);
void process_close(struct who_process *process);
bool process_read(const struct who_process *process, uint64_t address, void *to, size_t size);
/* The function or variable at that address, and how far into it; null if there is none. */
const char *process_symbol(uint64_t address, uint64_t *offset);
/* The file and line of a return address; false if they are not known. */
bool process_line(uint64_t address, char text[128]);
/* The address of a symbol of the preload library, or of librecip wherever it is; 0 if that is not loaded, or stripped.
 */
uint64_t process_preload_symbol(const char *name);
uint64_t process_librecip_symbol(const char *name);
/* Whose function it is, by the file that it is in. Linked into the program, both libraries' are LIBRARY_NONE. */
enum library process_library(uint64_t address);

/* The file that is loaded at that address, and how far into it; null if there is none. */
const char *process_module(uint64_t address, uint64_t *offset);

/* ---- registers.c ---- */

/* From registers as ptrace and core files have them. */
void registers_read(const void *registers, size_t size, struct who_thread *thread);
/* AArch64 has the thread pointer in a set of its own. */
void registers_read_pointer(const void *registers, size_t size, struct who_thread *thread);
/* Of a thread that is stopped and traced by the caller. */
void registers_ask(struct who_thread *thread);

/* ---- names.c ---- */

enum { READABLE_NAME = 256 };

const char *readable_name(const char *name, char text[READABLE_NAME]);

/* ---- waits.c ---- */

void find_wait(const struct who_process *process, struct who_thread *thread);
/* Whether the address is on the thread's stack: of a mutex that nobody is known to own, its owner's may have it. */
bool stack_has(const struct who_process *process, const struct who_thread *thread, uint64_t address);

/* ---- queue.c ---- */

/* A thread in a queue, by its place in the process's list; or one that is not found. */
#define NOT_FOUND ((size_t)-1)

struct who_queue {
    bool is_handed_over; /* the owner hands the mutex to the first that is awake; otherwise the first competes for it */
    size_t count;
    size_t *threads;
};

/* Those that wait for the mutex at that address, of the preload library or of librecip: the next is the first. */
struct who_queue find_queue(const struct who_process *process, uint64_t mutex, enum library library);

#endif
