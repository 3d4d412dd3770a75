#include <stdio.h>
#include <stdlib.h>
#include "check/clients.h"
#include "check/engine/explore.h"
#include "check/engine/trace.h"
#include "check/engine/symbol.h"
static void setup(void *a) { ((const struct lock_client *)a)->setup(); }
int main(int argc, char **argv)
{
    const struct lock_client *only = argc > 2 ? lock_client_find(argv[2]) : NULL;
    struct limits limits = {argc > 3 ? atof(argv[3]) : 60, (size_t)8 << 30, NULL};
    for (size_t l = 0; l < recip_algorithm_count; l++) {
        const struct recip_algorithm *lock = recip_algorithms[l];
        if (argc > 1 && argv[1][0] && recip_algorithm_find(argv[1]) != lock) continue;
        for (size_t i = 0; i < lock_client_count; i++) {
            const struct lock_client *client = &lock_clients[i];
            if (only && client != only) continue;
            if (lock_client_refuses(client, lock)) continue;
            lock_client_use(lock, client);
            struct program program = {setup, NULL, (void *)client};
            struct result r = explore(&program, &limits);
            printf("%-31s %-10s %8lu executions %9lu graphs %9lu runs %7.2f s  %d %s %s %s %s\n", lock->id, client->name, r.executions, r.graphs, r.runs, r.seconds, r.verdict, r.limit ? r.limit : "", r.failure.text, r.failure.place ? symbol_line(r.failure.place) : "", r.failure.other ? symbol_line(r.failure.other) : "");
            if (r.verdict == VERDICT_FAILED && only) trace_print(stdout);
            fflush(stdout);
        }
    }
}
