/* The report of the statistics: text for people on stderr, or JSON in a file. At exit, with function and line where
 * addr2line finds them; and on a signal, for servers, with what the dynamic linker knows. */
#define RECIP_UNANNOTATED
#include "preload/statistics.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/choice.h"

enum { SHOWN = 10, SHOWN_TO_MACHINES = 200, NAME = 256, HIGH_DESCRIPTOR = 200 };

/* Milliseconds. */
enum { PATIENCE = 1000 };

/* A file, or "-". A copy: servers write their title over the environment. One byte more than a path may have: what is
 * longer than that cannot be opened either way. */
static char destination[PATH_MAX + 1];
static bool is_first; /* the process that `recip run` became, or there was no such command */
static pid_t process; /* the one that counts: its children have their own or none */

/* What stderr was at the start: many a program closes it before it ends (xz, sort, ls). */
static int messages = -1;
static struct stat messages_were;

static void keep_stderr(void)
{
    if (fstat(STDERR_FILENO, &messages_were) == 0)
        messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
}

static bool is_for_messages(int file)
{
    struct stat now;
    return fstat(file, &now) == 0 && now.st_dev == messages_were.st_dev && now.st_ino == messages_were.st_ino;
}

/* Either descriptor may be a file of the program's own by now. -1 if both are: then nothing is said. */
static int message_file(void)
{
    if (is_for_messages(messages))
        return messages;
    return is_for_messages(STDERR_FILENO) ? STDERR_FILENO : -1;
}

/* ---- Writing, without stdio, which may be locked when a signal comes ---- */

static void print(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(int file, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        length = sizeof text - 1;
    for (int done = 0; done < length;) {
        ssize_t part = write(file, text + done, (size_t)(length - done));
        if (part < 0 && errno != EINTR)
            return;
        done += part > 0 ? (int)part : 0;
    }
}

/* ---- Places ---- */

/* The two lines that addr2line prints for an address: function, and file with line. */
static bool ask_addr2line(const char *module, uintptr_t offset, char *text, size_t size)
{
    char address[32];
    int ends[2];
    snprintf(address, sizeof address, "0x%lx", (unsigned long)offset);
    char *words[] = {"addr2line", "-f", "-C", "-s", "-e", (char *)module, address, NULL};
    char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    ssize_t part;
    while (!error && length < size - 1 && (part = read(ends[0], text + length, size - 1 - length)) > 0)
        length += (size_t)part;
    text[length] = '\0';
    close(ends[0]);
    if (!error)
        waitpid(child, NULL, 0);
    return length > 0;
}

/* "function (file:line)", "function+0x12 (module)" or "module+0x1234". */
static void name_place(const void *site, bool thoroughly, char *name)
{
    Dl_info info;
    /* The call, not what follows it. */
    uintptr_t address = (uintptr_t)site - 1;
    if (!site || !dladdr((void *)address, &info) || !info.dli_fname) {
        snprintf(name, NAME, site ? "%p" : "unknown", site);
        return;
    }
    const char *module = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
    uintptr_t offset = address - (uintptr_t)info.dli_fbase;
    char text[NAME], *line;
    if (thoroughly && ask_addr2line(info.dli_fname, offset, text, sizeof text) && text[0] != '?' &&
        (line = strchr(text, '\n'))) {
        *line++ = '\0';
        line[strcspn(line, "\n ")] = '\0';
        snprintf(name, NAME, "%.120s (%.100s)", text, line[0] == '?' ? module : line);
    } else if (info.dli_sname) {
        snprintf(name, NAME, "%.120s+0x%lx (%.80s)", info.dli_sname,
                 (unsigned long)(address - (uintptr_t)info.dli_saddr), module);
    } else {
        snprintf(name, NAME, "%.80s+0x%lx", module, (unsigned long)offset);
    }
}

/* ---- The busiest ---- */

static bool is_busier(const struct record *a, const struct record *b)
{
    return a->wait_total != b->wait_total ? a->wait_total > b->wait_total : a->acquisitions > b->acquisitions;
}

/* Into `chosen`, the busiest first; how many. No memory is asked for: this may be a signal handler. */
static int choose(const struct record *records, uint32_t count, const struct record **chosen, int most)
{
    int size = 0;
    for (uint32_t i = 1; i <= count; i++) {
        if (!records[i].acquisitions)
            continue;
        int place = size < most ? size++ : most;
        if (place == most && !is_busier(&records[i], chosen[most - 1]))
            continue;
        place = place == most ? most - 1 : place;
        for (; place > 0 && is_busier(&records[i], chosen[place - 1]); place--)
            chosen[place] = chosen[place - 1];
        chosen[place] = &records[i];
    }
    return size;
}

struct totals {
    uint64_t mutexes, acquisitions, contended, waited;
};

static struct totals sum(const struct record *records, uint32_t count)
{
    struct totals totals = {0};
    for (uint32_t i = 1; i <= count; i++) {
        totals.mutexes += records[i].acquisitions > 0;
        totals.acquisitions += records[i].acquisitions;
        totals.contended += records[i].contended;
        totals.waited += records[i].wait_total;
    }
    return totals;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static const char *lock_id(void)
{
    return preload_zoo ? preload_zoo->id : "mutex";
}

/* ---- Text ---- */

/* 999 ns, 99.9 us, 1.23 ms, ... */
static const char *time_text(char *text, double nanoseconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    while (nanoseconds >= 1000 && unit < 3) {
        nanoseconds /= 1000;
        unit++;
    }
    snprintf(text, 16,
             nanoseconds < 10 && unit    ? "%.2f %s"
             : nanoseconds < 100 && unit ? "%.1f %s"
                                         : "%.0f %s",
             nanoseconds, units[unit]);
    return text;
}

static void print_line(int file, const struct record *record, bool thoroughly)
{
    char p50[16], p99[16], longest[16], hold[16], total[16], created[NAME], first[NAME];
    print(file, "%13lu %9.2f%% %9s %9s %9s %9s %9s %10lu %9lu\n", (unsigned long)record->acquisitions,
          100 * share(record->contended, record->acquisitions),
          time_text(p50, (double)statistics_wait_quantile(record, 0.5)),
          time_text(p99, (double)statistics_wait_quantile(record, 0.99)),
          time_text(longest, (double)record->wait_longest), time_text(total, (double)record->wait_total),
          time_text(hold, share(record->hold_total, record->acquisitions)), (unsigned long)record->handovers,
          (unsigned long)record->parks);
    name_place(record->first, thoroughly, first);
    if (record->created) {
        name_place(record->created, thoroughly, created);
        print(file, "              created in %s, first locked in %s\n", created, first);
    } else {
        print(file, "              first locked in %s\n", first);
    }
}

static void print_text(int file, bool thoroughly)
{
    const struct record *chosen[SHOWN];
    uint32_t count;
    uint64_t uncounted;
    char waited[16];
    const struct record *records = statistics_records(&count, &uncounted);
    struct totals totals = sum(records, count);
    int size = choose(records, count, chosen, SHOWN);
    print(file, "recip: %s, process %d, lock %s: %lu mutexes, %lu acquisitions, %.2f%% contended, %s lost in waiting\n",
          program_invocation_short_name, (int)getpid(), lock_id(), (unsigned long)totals.mutexes,
          (unsigned long)totals.acquisitions, 100 * share(totals.contended, totals.acquisitions),
          time_text(waited, (double)totals.waited));
    if (uncounted)
        print(file, "recip: there %s; %lu acquisitions are not counted\n",
              records ? "were too many mutexes" : "was no memory for records", (unsigned long)uncounted);
    if (size)
        print(file, "%13s %10s %9s %9s %9s %9s %9s %10s %9s\n", "acquisitions", "contended", "wait p50", "p99",
              "longest", "in all", "hold mean", "handovers", "parks");
    for (int i = 0; i < size; i++)
        print_line(file, chosen[i], thoroughly);
}

/* ---- JSON ---- */

/* Of the character that is at `text`; 0 if that is no UTF-8. */
static int utf8_size(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char low = byte[0] == 0xe0 ? 0xa0 : byte[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = byte[0] == 0xed ? 0x9f : byte[0] == 0xf4 ? 0x8f : 0xbf;
    int size = byte[0] < 0x80   ? 1
               : byte[0] < 0xc2 ? 0
               : byte[0] < 0xe0 ? 2
               : byte[0] < 0xf0 ? 3
               : byte[0] < 0xf5 ? 4
                                : 0;
    if (size > 1 && (byte[1] < low || byte[1] > high))
        return 0;
    for (int i = 2; i < size; i++)
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

static void print_string(int file, const char *name, const char *text)
{
    print(file, "\"%s\": \"", name);
    for (int size; *text; text += size ? size : 1) {
        size = utf8_size(text);
        if (size == 0)
            print(file, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            print(file, "\\%c", *text);
        else if (size == 1 && *text < ' ')
            print(file, "\\u%04x", (unsigned)*text);
        else
            print(file, "%.*s", size, text);
    }
    print(file, "\"");
}

static void print_histogram(int file, const struct record *record)
{
    bool first = true;
    print(file, ", \"waits\": [");
    for (unsigned bucket = 0; bucket < WAIT_BUCKETS; bucket++) {
        if (!record->waits[bucket])
            continue;
        uint64_t octave = UINT64_C(1) << bucket / 2;
        print(file, "%s{\"from_ns\": %lu, \"count\": %u}", first ? "" : ", ",
              bucket ? (unsigned long)(octave + bucket % 2 * octave / 2) : 0ul, record->waits[bucket]);
        first = false;
    }
    print(file, "]");
}

static void print_object(int file, const struct record *record, bool thoroughly)
{
    char place[NAME];
    print(file, "  {");
    if (record->created) {
        name_place(record->created, thoroughly, place);
        print_string(file, "created", place);
        print(file, ", ");
    }
    name_place(record->first, thoroughly, place);
    print_string(file, "first_locked", place);
    print(file, ", \"acquisitions\": %lu, \"contended\": %lu, \"handovers\": %lu, \"parks\": %lu",
          (unsigned long)record->acquisitions, (unsigned long)record->contended, (unsigned long)record->handovers,
          (unsigned long)record->parks);
    print(file, ", \"wait_p50_ns\": %lu, \"wait_p99_ns\": %lu, \"wait_max_ns\": %lu, \"wait_total_ns\": %lu",
          (unsigned long)statistics_wait_quantile(record, 0.5), (unsigned long)statistics_wait_quantile(record, 0.99),
          (unsigned long)record->wait_longest, (unsigned long)record->wait_total);
    print(file, ", \"hold_total_ns\": %lu, \"hold_max_ns\": %lu", (unsigned long)record->hold_total,
          (unsigned long)record->hold_longest);
    print_histogram(file, record);
    print(file, "}");
}

static void print_json(int file, bool thoroughly)
{
    static const struct record *chosen[SHOWN_TO_MACHINES];
    uint32_t count;
    uint64_t uncounted;
    const struct record *records = statistics_records(&count, &uncounted);
    struct totals totals = sum(records, count);
    int size = choose(records, count, chosen, SHOWN_TO_MACHINES);
    print(file, "{");
    print_string(file, "program", program_invocation_short_name);
    print(file, ", \"process\": %d, ", (int)getpid());
    print_string(file, "lock", lock_id());
    print(file, ", \"mutexes_used\": %lu, \"acquisitions\": %lu, \"contended\": %lu, \"wait_total_ns\": %lu, ",
          (unsigned long)totals.mutexes, (unsigned long)totals.acquisitions, (unsigned long)totals.contended,
          (unsigned long)totals.waited);
    print(file, "\"uncounted_acquisitions\": %lu, \"mutexes\": [\n", (unsigned long)uncounted);
    for (int i = 0; i < size; i++) {
        print_object(file, chosen[i], thoroughly && i < SHOWN);
        print(file, i + 1 < size ? ",\n" : "\n");
    }
    print(file, "]}\n");
}

/* ---- When ---- */

/* Another process of the same command than the one that `recip run` became writes beside it. A pipe that nobody has
 * open is not waited for. */
static int open_file(void)
{
    char path[sizeof destination + 16];
    if (is_first)
        snprintf(path, sizeof path, "%s", destination);
    else
        snprintf(path, sizeof path, "%s.%d", destination, (int)process);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file >= 0)
        fcntl(file, F_SETFL, 0);
    return file;
}

static void write_report(bool thoroughly)
{
    if (strcmp(destination, "-") == 0) {
        int file = message_file();
        if (file >= 0)
            print_text(file, thoroughly);
        return;
    }
    int file = open_file();
    if (file < 0) {
        const char *reason = strerror(errno);
        print(message_file(), "recip: cannot write the statistics to '%s': %s\n", destination, reason);
        return;
    }
    print_json(file, thoroughly);
    close(file);
}

/* What a write may bring upon its thread, which would end the program by it; less those that are pending already. */
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

/* Whatever becomes of the writing, the program goes on as it would have; nor is it cancelled here. */
static void report(bool thoroughly)
{
    static const struct timespec at_once;
    sigset_t signals = signals_of_writing(), mask;
    int cancellation;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    pthread_sigmask(SIG_BLOCK, &signals, &mask);
    write_report(thoroughly);
    while (sigtimedwait(&signals, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_setcancelstate(cancellation, NULL);
}

/* One report at a time. */
static atomic_flag reporting = ATOMIC_FLAG_INIT;

static void on_signal(int number)
{
    (void)number;
    int kept = errno;
    if (process == getpid() && !atomic_flag_test_and_set(&reporting)) {
        report(false);
        atomic_flag_clear(&reporting);
    }
    errno = kept;
}

/* Once, whichever comes first. A report on a signal is let end, but not for ever: this thread may have left it. */
static void at_end(void)
{
    static atomic_bool done;
    if (process != getpid() || atomic_exchange(&done, true))
        return;
    for (int i = 0; i < PATIENCE && atomic_flag_test_and_set(&reporting); i++)
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 1000000}, NULL);
    report(true);
}

__attribute__((destructor)) static void at_exit(void)
{
    at_end();
}

/* A program that ends this way runs no destructors. */
__attribute__((visibility("default"))) _Noreturn void _exit(int status)
{
    at_end();
    for (;;)
        syscall(SYS_exit_group, status);
}

void report_start(void)
{
    const char *first = preload_environment("RECIP_STATS_PROCESS");
    snprintf(destination, sizeof destination, "%s", preload_environment("RECIP_STATS"));
    process = getpid();
    is_first = !first || atoi(first) == (int)process;
    keep_stderr();
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGRTMAX - 1, &action, NULL);
}
