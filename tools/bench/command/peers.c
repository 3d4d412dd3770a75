/* SPDX-License-Identifier: MIT */
/* The mutexes of other libraries, as the helper has them. */
#include "bench/command/bench.h"
#include "zoo/cpu-fit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/suggest.h"

/* Null after a line on stderr. */
static json_t *list_peers(const char *helper)
{
    const char *const arguments[] = {"list", NULL};
    return bench_run_helper(helper, NULL, arguments);
}

json_t *bench_list_peers(const struct bench *bench)
{
    const char *helper = bench_helper(bench->kind);
    json_t *peers = helper ? list_peers(helper) : need_memory(json_array());
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

/* " (did you mean 'nsync'?)" */
static const char *nearest_lock(const json_t *peers, const char *word, char text[128])
{
    struct suggestion suggestion = {.word = word};
    const json_t *peer;
    size_t index;
    json_array_foreach(peers, index, peer)
    {
        const char *name = json_string_value(json_object_get(peer, "id"));
        if (name)
            suggest(&suggestion, name);
    }
    for (size_t i = 0; i < recip_algorithm_count; i++)
        suggest(&suggestion, recip_algorithms[i]->id);
    return suggestion_text(&suggestion, text);
}

void bench_add_asked_mutex(struct bench *bench, const json_t *peers, const char *id)
{
    char text[128];
    if (bench_add_peer(bench, peers, id, true))
        return;
    if (strcmp(id, "zoo") == 0) {
        for (size_t i = 0; i < recip_algorithm_count; i++)
            if (recip_cpu_fits(recip_algorithms[i]))
                bench_add_algorithm(bench, recip_algorithms[i], false);
        return;
    }
    const struct recip_algorithm *lock = recip_algorithm_find(id);
    if (!lock)
        refuse("--lock: there is no lock '%s'%s; there are those of 'recip list', all of them as 'zoo', and %s", id,
               nearest_lock(peers, id, text),
               json_array_size(peers)
                   ? "the peers: std, nsync, absl, tbb-queuing, tbb-spin, ck-mcs, ck-clh, ck-ticket, ck-fas, bare"
                   : "those of other libraries where 'make peers' has built them");
    if (!recip_cpu_fits(lock))
        refuse("--lock: '%s' needs %s, which this CPU does not have", id, recip_cpu_instruction(lock));
    bench_add_algorithm(bench, lock, true);
}

/* The helper of another build: the program at `path`, or the one in that folder. Freed by the caller. */
static char *find_helper(const struct bench *bench, const char *path)
{
    struct stat status;
    char within[PATH_MAX];
    char *helper = realpath(path, NULL);
    if (helper && stat(helper, &status) == 0 && S_ISDIR(status.st_mode)) {
        bool fits = snprintf(within, sizeof within, "%s/%s", helper, bench->kind->program) < (int)sizeof within;
        free(helper);
        helper = fits ? realpath(within, NULL) : NULL;
    }
    if (!helper || access(helper, X_OK) != 0)
        refuse("--lock: '%s' is no %s of another build, and no folder with one", path, bench->kind->program);
    return helper;
}

/* ID@PATH. The locks are added to a list of their own first: what this build calls ID may be in the other one already.
 */
static void add_from_other_build(struct bench *bench, const char *word, void (*add)(const char *id, void *asked))
{
    const char *at = strchr(word, '@');
    char *id = need_memory(strndup(word, (size_t)(at - word))), *helper = find_helper(bench, at + 1);
    struct bench other = *bench;
    json_t *peers = list_peers(helper);
    if (!json_is_array(peers))
        refuse("--lock: '%s' does not answer as %s does", at + 1, bench->kind->program);
    other.locks = NULL;
    other.lock_count = 0;
    add(id, &(struct bench_asked){&other, peers});
    for (size_t i = 0; i < other.lock_count; i++) {
        struct bench_lock *one = &other.locks[i];
        char *name;
        if (asprintf(&name, "%s%s", one->id, at) < 0)
            need_memory(NULL);
        one->id = name;
        one->helper = helper;
        bench_append_lock(bench, one);
    }
    free(other.locks);
    json_decref(peers);
    free(id);
}

struct words_to {
    struct bench_asked asked;
    void (*add)(const char *id, void *asked);
};

static void add_word(const char *word, void *to)
{
    struct words_to *words = to;
    if (strchr(word, '@'))
        add_from_other_build(words->asked.bench, word, words->add);
    else
        words->add(word, &words->asked);
}

void bench_add_asked_mutexes(struct bench *bench, const json_t *peers, void (*add)(const char *id, void *asked))
{
    option_words(bench->asked_locks, add_word, &(struct words_to){{bench, peers}, add});
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
