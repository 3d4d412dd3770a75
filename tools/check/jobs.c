/* SPDX-License-Identifier: MIT */
#include "check/jobs.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/temp-files.h"

enum { SLOTS_MAX = 256 };

/* The processes that run, each the leader of a group with the programs that it has started. 0: none. */
static pid_t running[SLOTS_MAX];

unsigned jobs_slots(void)
{
    cpu_set_t allowed;
    int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return count < 1 ? 1 : count > SLOTS_MAX ? SLOTS_MAX : (unsigned)count;
}

/* Before temporary files are removed: ends all processes that might create more. Called in a signal handler. */
static void end_all(void)
{
    for (unsigned i = 0; i < SLOTS_MAX; i++) {
        if (!running[i])
            continue;
        kill(-running[i], SIGKILL);
        while (waitpid(-running[i], NULL, 0) > 0 || errno == EINTR)
            continue;
    }
}

static void start(const struct jobs *jobs, size_t job, unsigned slot)
{
    /* No signal comes while a process runs that end_all does not know. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid(), child = running[slot] = fork();
    if (child == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        temp_leave_to_parent();
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (getppid() == parent)
            jobs->work(job, slot, jobs->context);
        _exit(STATUS_OK);
    }
    if (child > 0)
        setpgid(child, child);
    else
        running[slot] = 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) {
        perror("recip: fork");
        exit(STATUS_FAILED);
    }
}

/* A job that ends: its slot, and its status. */
static unsigned await_one(unsigned slots, int *status)
{
    for (;;) {
        pid_t ended = waitpid(-1, status, 0);
        for (unsigned i = 0; ended > 0 && i < slots; i++)
            if (running[i] == ended)
                return i;
    }
}

void jobs_run(const struct jobs *jobs)
{
    unsigned slots = jobs_slots();
    size_t started = 0, told = 0, job_in[SLOTS_MAX] = {0};
    int *status = need_memory(calloc(jobs->count + 1, sizeof *status));
    bool *ended = need_memory(calloc(jobs->count + 1, sizeof *ended));
    /* The programs of a job that is killed become children of this process, so that end_all can wait for them. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    temp_before_removal(end_all);
    while (told < jobs->count) {
        for (unsigned i = 0; i < slots && started < jobs->count; i++)
            if (!running[i]) {
                job_in[i] = started;
                start(jobs, started++, i);
            }
        int how;
        unsigned slot = await_one(slots, &how);
        running[slot] = 0;
        status[job_in[slot]] = how;
        ended[job_in[slot]] = true;
        for (; told < jobs->count && ended[told]; told++)
            jobs->tell(told, status[told], jobs->context);
    }
    free(status);
    free(ended);
}

void *jobs_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return need_memory(memory == MAP_FAILED ? NULL : memory);
}

void jobs_unshare(void *memory, size_t size)
{
    munmap(memory, size);
}
