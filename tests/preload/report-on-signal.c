/* SPDX-License-Identifier: MIT */
/* report-on-signal FILE: statistics on a signal to several threads at once. Whenever all have returned, FILE is one
 * whole report. */
#include "common.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>

enum { THREADS = 4, BURSTS = 50, MUTEXES = 200 };
static _Atomic(int) waiting, reported;
static pthread_mutex_t mutexes[MUTEXES];

static void *report(void *argument)
{
    sigset_t none;
    sigemptyset(&none);
    for (int i = 0; i < BURSTS; i++) {
        atomic_fetch_add(&waiting, 1);
        sigsuspend(&none);
        atomic_fetch_add(&reported, 1);
    }
    return argument;
}

static void check_file(const char *path)
{
    static char text[1 << 20];
    static const char end[] = "\n]}\n";
    int file = open(path, O_RDONLY);
    ssize_t size = read(file, text, sizeof text - 1);
    CHECK(size > (ssize_t)sizeof end);
    text[size] = '\0';
    CHECK_IS(close(file), 0);
    CHECK_IS(strncmp(text, "{\"schema\": \"", 12), 0);
    const char *place = strstr(text, "{\"first_locked\"");
    CHECK(place && strstr(place, "\"name\": \"mutexes\", \"mutexes\": 200,"));
    CHECK_IS((long)strstr(place + 1, "{\"first_locked\""), 0);
    CHECK_IS(strcmp(text + size - (sizeof end - 1), end), 0);
    CHECK(strstr(text, end) == text + size - (sizeof end - 1));
}

/* While there are fewer than that: what is reported changes, its length too. */
static void lock_until(_Atomic(int) *number, int enough)
{
    for (unsigned i = 0; *number < enough; i++) {
        CHECK_IS(pthread_mutex_lock(&mutexes[i % MUTEXES]), 0);
        CHECK_IS(pthread_mutex_unlock(&mutexes[i % MUTEXES]), 0);
    }
}

int main(int count, char **arguments)
{
    sigset_t on_report;
    pthread_t threads[THREADS];
    CHECK_IS(count, 2);
    sigemptyset(&on_report);
    sigaddset(&on_report, SIGRTMAX - 1);
    CHECK_IS(pthread_sigmask(SIG_BLOCK, &on_report, NULL), 0);
    for (int i = 0; i < MUTEXES; i++) {
        CHECK_IS(pthread_mutex_init(&mutexes[i], NULL), 0);
        CHECK_IS(pthread_mutex_lock(&mutexes[i]), 0);
        CHECK_IS(pthread_mutex_unlock(&mutexes[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(report, NULL);
    for (int i = 1; i <= BURSTS; i++) {
        lock_until(&waiting, i * THREADS);
        for (int j = 0; j < THREADS; j++)
            CHECK_IS(pthread_kill(threads[j], SIGRTMAX - 1), 0);
        lock_until(&reported, i * THREADS);
        check_file(arguments[1]);
    }
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    return 0;
}
