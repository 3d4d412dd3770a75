/* SPDX-License-Identifier: MIT */
/* When the report and the trace are written: at exit, with the function and line of each mutex where addr2line finds
 * them; and on a signal, for servers, with what the dynamic linker knows. */
#define RECIP_UNANNOTATED
#include "preload/report.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/environment.h"
#include "preload/select-lock.h"
#include "preload/statistics.h"
#include "preload/trace.h"

/* How long the report at exit waits for one that a signal has begun. */
enum { MAX_WAIT_MILLISECONDS = 1000 };

/* The process that counts. A child of vfork is another. */
static pid_t process;
static bool is_child; /* of fork: it counts from zero */

/* Where they go: a file's name, for the report "-" if it is to be text on stderr; empty for none. Copies, because
 * servers write their title over the environment. */
static char report_to[REPORT_PATH], trace_to[REPORT_PATH];

static void print_collected(int file, void print(int, bool), bool use_addr2line)
{
    struct report_buffer buffer;
    report_buffer_begin(&buffer, file);
    print(file, use_addr2line);
    report_buffer_end();
}

static void write_file(const char *destination, const char *what, void print(int, bool), bool use_addr2line)
{
    int file = report_open_file(destination, what);
    if (file < 0)
        return;
    print_collected(file, print, use_addr2line);
    close(file);
}

static void write_all(void *of)
{
    bool use_addr2line = *(const bool *)of;
    if (is_child)
        statistics_forget_parent();
    if (strcmp(report_to, "-") == 0 && report_stderr() >= 0)
        print_collected(report_stderr(), report_print_text, use_addr2line);
    else if (*report_to && strcmp(report_to, "-") != 0)
        write_file(report_to, "statistics", report_print_json, use_addr2line);
    if (*trace_to)
        write_file(trace_to, "trace", trace_print, use_addr2line);
}

/* The signals that a failing write sends to its thread, and that would end the program; without those that are pending
 * already. */
static sigset_t signals_of_writing(void)
{
    sigset_t signals, pending;
    sigemptyset(&signals);
    sigpending(&pending);
    if (!sigismember(&pending, SIGPIPE))
        sigaddset(&signals, SIGPIPE);
    if (!sigismember(&pending, SIGXFSZ))
        sigaddset(&signals, SIGXFSZ);
    return signals;
}

/* If a write fails, the program goes on as if there had been no report. It cannot be cancelled here either. `is_alone`:
 * no other report uses the stack that is for reports. */
static void report(bool use_addr2line, bool is_alone)
{
    static const struct timespec at_once;
    sigset_t signals = signals_of_writing(), mask;
    int cancellation;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    pthread_sigmask(SIG_BLOCK, &signals, &mask);
    if (is_alone)
        report_on_own_stack(write_all, &use_addr2line);
    else
        write_all(&use_addr2line);
    while (sigtimedwait(&signals, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_setcancelstate(cancellation, NULL);
}

static atomic_flag reporting = ATOMIC_FLAG_INIT;

/* Not for ever: this thread may be the one that began the other, before a signal. */
bool report_begin(bool patient)
{
    for (int i = 0; atomic_flag_test_and_set(&reporting); i++) {
        if (!patient || i == MAX_WAIT_MILLISECONDS)
            return false;
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

void report_end(void)
{
    atomic_flag_clear(&reporting);
}

static void on_signal(int number)
{
    (void)number;
    int kept = errno;
    if (process == getpid() && report_begin(false)) {
        report(false, true);
        report_end();
    }
    errno = kept;
}

/* The end of a child of fork that has locked nothing is not worth a file, nor that of any a text amid its parent's. */
static bool is_wanted_at_end(void)
{
    uint32_t count, all;
    statistics_threads(&count, &all);
    return !is_child || (all && (*trace_to || strcmp(report_to, "-") != 0));
}

/* Once, by the destructor or by _exit. It lets a report that a signal has begun finish, but does not wait for ever:
 * this thread may be the one that began it. */
static void report_at_end(void)
{
    static atomic_int done; /* not bool: gcc 12 has no atomic operations on bytes for riscv64 */
    if (process != getpid() || !is_wanted_at_end() || atomic_exchange(&done, true))
        return;
    bool is_alone = report_begin(true);
    report(true, is_alone);
}

__attribute__((destructor)) static void at_exit(void)
{
    report_at_end();
}

/* A program that ends in one of these ways runs no destructors; nor by quick_exit. */
__attribute__((visibility("default"))) _Noreturn void _exit(int status)
{
    report_at_end();
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"))) extern __typeof(_exit) _Exit __attribute__((alias("_exit"), nothrow, leaf));

const char *report_lock_id(void)
{
    return preload_zoo ? preload_zoo->id : "mutex";
}

double report_ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void after_fork_in_child(void)
{
    atomic_flag_clear(&reporting); /* of a thread that is not here */
    if (!process)
        return;
    is_child = true;
    process = getpid();
    statistics_after_fork();
    trace_after_fork();
    report_output_after_fork();
}

void report_start(void)
{
    const char *report = preload_environment("RECIP_STATS"), *trace = preload_environment("RECIP_TRACE");
    report_output_start();
    snprintf(report_to, sizeof report_to, "%s", report ? report : "");
    snprintf(trace_to, sizeof trace_to, "%s", trace ? trace : "");
    pthread_atfork(NULL, NULL, after_fork_in_child);
    if (!*report_to && !*trace_to)
        return; /* what is counted is for RECIP_WATCH */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    process = getpid();
    sigaction(SIGRTMAX - 1, &action, NULL);
    if (at_quick_exit(report_at_end))
        fputs("recip: a program that ends by quick_exit will write no report\n", stderr);
}
