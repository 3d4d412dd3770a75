/* SPDX-License-Identifier: MIT */
#define RECIP_UNANNOTATED
#include "preload/thread-records.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MAX_THREADS = 1 << 12 };

static struct thread_record *threads; /* address space for all of them; pages come with use */
static _Atomic(uint32_t) thread_count;

static _Thread_local struct thread_record *own;
static _Thread_local unsigned char has_no_record;

void thread_records_start(void)
{
    void *memory = mmap(NULL, MAX_THREADS * sizeof *threads, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    threads = memory == MAP_FAILED ? NULL : memory;
}

void thread_records_after_fork(void)
{
    own = NULL;
    has_no_record = 0;
    atomic_store_explicit(&thread_count, 0, memory_order_relaxed);
    if (threads)
        madvise(threads, MAX_THREADS * sizeof *threads, MADV_DONTNEED); /* all zeroes */
}

struct thread_record *thread_record(void)
{
    if (own || has_no_record || !threads)
        return own;
    uint32_t index = atomic_fetch_add_explicit(&thread_count, 1, memory_order_relaxed);
    if (index < MAX_THREADS)
        own = &threads[index];
    else
        has_no_record = 1;
    if (own) {
        own->number = gettid();
        prctl(PR_GET_NAME, own->name);
    }
    return own;
}

uint64_t thread_record_acquisitions(const struct thread_record *thread)
{
    return thread->acquisitions > thread->contended ? thread->acquisitions : thread->contended;
}

/* A thread is given its name before or soon after it begins; so it is read again now and then. */
void thread_record_count(struct thread_record *thread, uint64_t acquisitions)
{
    static _Thread_local unsigned calls;
    thread->acquisitions += acquisitions;
    if (calls % (calls < 64 ? 8 : 4096) == 0)
        prctl(PR_GET_NAME, thread->name);
    calls++;
}

const struct thread_record *statistics_threads(uint32_t *count, uint32_t *all)
{
    *all = atomic_load_explicit(&thread_count, memory_order_relaxed);
    *count = !threads ? 0 : *all < MAX_THREADS ? *all : MAX_THREADS;
    return threads;
}
