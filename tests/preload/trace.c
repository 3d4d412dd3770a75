/* SPDX-License-Identifier: MIT */
/* trace WHAT: who waits for what and holds what, for tests/preload/trace.sh. The baker holds `oven` until the customer
 * sleeps at it. */
#include "common.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

static pthread_mutex_t oven = PTHREAD_MUTEX_INITIALIZER, flour = PTHREAD_MUTEX_INITIALIZER,
                       sugar = PTHREAD_MUTEX_INITIALIZER, shelves[8];
static _Atomic(pid_t) customer;

static void wait_until_asleep(pid_t thread)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    while (state != 'S') {
        usleep(1000);
        FILE *file = fopen(path, "r");
        CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
        fclose(file);
    }
}

__attribute__((noinline)) static void buy(void)
{
    CHECK_IS(pthread_mutex_lock(&oven), 0);
    CHECK_IS(pthread_mutex_unlock(&oven), 0);
}

static void *be_customer(void *argument)
{
    prctl(PR_SET_NAME, "customer");
    customer = gettid();
    buy();
    return argument;
}

static void *be_baker(void *argument)
{
    prctl(PR_SET_NAME, "baker");
    CHECK_IS(pthread_mutex_lock(&oven), 0);
    pthread_t other = start(be_customer, NULL);
    while (!customer)
        usleep(1000);
    wait_until_asleep(customer);
    CHECK_IS(pthread_mutex_unlock(&oven), 0);
    finish(other);
    return argument;
}

static void hand_over(void)
{
    finish(start(be_baker, NULL));
}

/* The first is released first. */
static void overlap(void)
{
    CHECK_IS(pthread_mutex_lock(&flour), 0);
    usleep(1000);
    CHECK_IS(pthread_mutex_lock(&sugar), 0);
    usleep(1000);
    CHECK_IS(pthread_mutex_unlock(&flour), 0);
    usleep(1000);
    CHECK_IS(pthread_mutex_unlock(&sugar), 0);
}

static void *bake(void *argument)
{
    for (int i = 0; i < 25000; i++) {
        CHECK_IS(pthread_mutex_lock(&shelves[i % 8]), 0);
        CHECK_IS(pthread_mutex_unlock(&shelves[i % 8]), 0);
    }
    return argument;
}

/* Many that are short, and one that is long: its thread sleeps. */
static void many(void)
{
    pthread_t threads[4];
    hand_over();
    for (int i = 0; i < 4; i++)
        threads[i] = start(bake, NULL);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
}

static void keep(void)
{
    CHECK_IS(pthread_mutex_lock(&flour), 0);
    exit(0);
}

/* The trace is written at the signal. */
static void by_signal(void)
{
    hand_over();
    CHECK_IS(raise(SIGRTMAX - 1), 0);
    CHECK_IS(raise(SIGKILL), 0);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {
        {"hand-over", hand_over}, {"overlap", overlap}, {"many", many}, {"keep", keep}, {"by-signal", by_signal}};
    CHECK_IS(count, 2);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, arguments[1]) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
