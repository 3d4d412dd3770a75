/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <pthread.h>
#include <stdlib.h>

struct member {
    pthread_t thread;
    pthread_barrier_t *start;
    void (*body)(void *argument, unsigned index);
    void *argument;
    unsigned index;
};

static void *run_member(void *of)
{
    struct member *member = of;
    pthread_barrier_wait(member->start);
    member->body(member->argument, member->index);
    return NULL;
}

void run_crew(unsigned threads, void (*body)(void *argument, unsigned index), void *argument)
{
    pthread_barrier_t start;
    struct member *members = calloc(threads, sizeof *members);
    pthread_barrier_init(&start, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        members[i] = (struct member){.start = &start, .body = body, .argument = argument, .index = i};
        if (pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0)
            fail_msg("no thread %u of %u", i, threads);
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(members[i].thread, NULL);
    pthread_barrier_destroy(&start);
    free(members);
}
