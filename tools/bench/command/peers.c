/* SPDX-License-Identifier: MIT */
/* The mutexes of other libraries, as the helper has them. */
#include "bench/command/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *bench_list_peers(const struct bench *bench)
{
    const char *const arguments[] = {"list", NULL};
    if (!bench_helper(bench->kind))
        return need_memory(json_array());
    json_t *peers = bench_run_helper(bench->kind, NULL, arguments);
    if (!peers)
        exit(STATUS_FAILED);
    return peers;
}

bool bench_add_peer(struct bench *bench, const json_t *peers, const char *id, bool asked)
{
    const json_t *peer;
    size_t index;
    json_array_foreach(peers, index, peer)
    {
        const char *name = json_string_value(json_object_get(peer, "id"));
        if (!name || strcmp(name, id) != 0)
            continue;
        if (!json_is_true(json_object_get(peer, "here")))
            refuse("--lock: '%s' was not built in; install %s and build again ('make peers' does both)", id,
                   json_string_value(json_object_get(peer, "package")));
        struct bench_lock one = {
            .id = need_memory(strdup(id)),
            .asked = asked,
            .pair = json_is_true(json_object_get(peer, "only_pair")) ? ONLY_PAIR : WITH_PAIR,
        };
        bench_add_lock(bench, &one, json_is_true(json_object_get(peer, "spins")));
        return true;
    }
    return false;
}

void bench_add_asked_mutex(struct bench *bench, const json_t *peers, const char *id)
{
    if (bench_add_peer(bench, peers, id, true))
        return;
    if (strcmp(id, "zoo") == 0) {
        for (size_t i = 0; i < recip_algorithm_count; i++)
            bench_add_algorithm(bench, recip_algorithms[i], false);
        return;
    }
    const struct recip_algorithm *lock = recip_algorithm_find(id);
    if (!lock)
        refuse("--lock: there is no lock '%s'; there are those of 'recip list', all of them as 'zoo', and %s", id,
               json_array_size(peers)
                   ? "the peers: std, nsync, absl, tbb-queuing, tbb-spin, ck-mcs, ck-clh, ck-ticket, ck-fas, bare"
                   : "those of other libraries where 'make peers' has built them");
    bench_add_algorithm(bench, lock, true);
}

void bench_name_missing_peers(const json_t *peers, bool (*wanted)(const json_t *peer))
{
    const json_t *peer;
    size_t index;
    json_array_foreach(peers, index, peer)
    {
        if (!json_is_true(json_object_get(peer, "here")) && wanted(peer))
            fprintf(stderr, "recip: without %s: %s was not installed when this was built ('make peers')\n",
                    json_string_value(json_object_get(peer, "id")),
                    json_string_value(json_object_get(peer, "package")));
    }
}
