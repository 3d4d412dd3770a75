/* SPDX-License-Identifier: MIT */
/* As many words as ptrace and core files have them, in the kernel's order. */
#include "who/who.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* Of a system call the number and arguments 1 and 6, which x86-64 and AArch64 leave in the registers; the stack
 * pointer; and the thread pointer, which AArch64 has elsewhere. */
#if defined(__x86_64__)
enum { CALL = 15, WORD = 14, KINDS = 9, STACK = 19, POINTER = 21 };
#elif defined(__aarch64__)
enum { CALL = 8, WORD = 0, KINDS = 5, STACK = 31, POINTER = -1 };
#elif defined(__riscv)
enum { CALL = -1, WORD = -1, KINDS = -1, STACK = 2, POINTER = 4 };
#elif defined(__powerpc64__)
enum { CALL = -1, WORD = -1, KINDS = -1, STACK = 1, POINTER = 13 };
#else
enum { CALL = -1, WORD = -1, KINDS = -1, STACK = -1, POINTER = -1 };
#endif
enum { MOST_WORDS = 64 };

/* 0 for one that is not there. */
static uint64_t word_at(const void *registers, size_t size, int index)
{
    uint64_t word = 0;
    if (index >= 0 && ((size_t)index + 1) * sizeof word <= size)
        memcpy(&word, (const char *)registers + (size_t)index * sizeof word, sizeof word);
    return word;
}

void registers_read(const void *registers, size_t size, struct who_thread *thread)
{
    thread->stack_pointer = word_at(registers, size, STACK);
    thread->thread_pointer = word_at(registers, size, POINTER);
    if (CALL < 0 || word_at(registers, size, CALL) != SYS_futex)
        return;
    thread->futex = word_at(registers, size, WORD);
    thread->futex_kinds = (uint32_t)word_at(registers, size, KINDS);
}

void registers_read_pointer(const void *registers, size_t size, struct who_thread *thread)
{
    thread->thread_pointer = word_at(registers, size, 0);
}

void registers_ask(struct who_thread *thread)
{
    uint64_t words[MOST_WORDS] = {0};
    struct iovec there = {words, sizeof words};
    if (ptrace(PTRACE_GETREGSET, thread->number, NT_PRSTATUS, &there) == 0) {
        thread->stack_pointer = word_at(words, there.iov_len, STACK);
        thread->thread_pointer = word_at(words, there.iov_len, POINTER);
    }
#ifdef __aarch64__
    there = (struct iovec){words, sizeof words};
    if (ptrace(PTRACE_GETREGSET, thread->number, NT_ARM_TLS, &there) == 0)
        registers_read_pointer(words, there.iov_len, thread);
#endif
}
