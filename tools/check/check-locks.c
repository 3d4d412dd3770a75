/* SPDX-License-Identifier: MIT */
/* recip check LOCK...: every client that applies, as a table or as JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"
#include "check/engine/trace.h"
#include "check/verdict.h"
#include "cli/terminal.h"
#include "instrument/symbolise.h"

static void setup(void *client)
{
    ((const struct lock_client *)client)->setup();
}

static void finish(void *client)
{
    ((const struct lock_client *)client)->finish();
}

struct result check_client(const struct recip_algorithm *lock, const struct lock_client *client,
                           const struct limits *limits)
{
    lock_client_use(lock, client);
    struct program program = {setup, client->finish ? finish : NULL, (void *)(uintptr_t)client};
    check_forget_outcomes();
    struct result result = explore(&program, limits);
    if (result.failure.kind == FAILURE_STARVED && !lock_promises_turn(lock)) {
        result.verdict = VERDICT_PASSED;
        result.remark = "a thread can starve, as with every lock that promises no turn";
    }
    uint64_t outcomes = client->outcomes_of ? client->outcomes_of(lock) : client->outcomes;
    if (result.verdict == VERDICT_PASSED && outcomes && check_outcomes() != outcomes) {
        result.verdict = VERDICT_FAILED;
        result.failure = (struct failure){.kind = FAILURE_ASSERTION};
        snprintf(result.failure.text, sizeof result.failure.text,
                 "the outcomes are %#" PRIx64 " and should be %#" PRIx64 " (a bit for each)", check_outcomes(),
                 outcomes);
    }
    return result;
}

enum duration check_duration(const struct recip_algorithm *lock, const struct lock_client *client)
{
#define SLOW(its_lock, its_duration, its_clients) {its_lock, TAKES_##its_duration, " " its_clients " "},
    static const struct {
        const char *lock;
        enum duration takes;
        const char *clients;
    } slow[] = {
#include "check/clients/slow.def"
    };
    char word[32];
    snprintf(word, sizeof word, " %s ", client->name);
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (strcmp(slow[i].lock, lock->id) == 0 && strstr(slow[i].clients, word))
            return slow[i].takes;
    return client->takes;
}

bool check_takes_long(const struct recip_algorithm *lock, const struct lock_client *client)
{
    return check_duration(lock, client) > (lock_is_mutex(lock) ? TAKES_SECONDS : TAKES_A_MOMENT);
}

static void append_line(const char *text, void *array)
{
    json_array_append_new(array, json_string(text));
}

static json_t *json_failure(const struct failure *failure)
{
    json_t *trace = json_array();
    trace_lines(append_line, trace);
    return json_pack("{s:s, s:s, s:s, s:s?, s:o}", "kind", verdict_kind(failure->kind), "text", failure->text, "place",
                     failure->place ? symbol_line(failure->place) : "", "other",
                     failure->other ? symbol_line(failure->other) : NULL, "trace", trace);
}

static json_t *json_result(const struct lock_client *client, const struct result *result)
{
    json_t *object = json_pack("{s:s, s:s, s:f, s:I}", "client", client->name, "verdict", verdict_word(result),
                               "seconds", result->seconds, "bytes", (json_int_t)result->bytes);
    if (!result->merged)
        json_object_set_new(object, "executions", json_integer((json_int_t)result->executions));
    json_object_set_new(object, result->merged ? "states" : "graphs", json_integer((json_int_t)result->graphs));
    if (result->remark)
        json_object_set_new(object, "remark", json_string(result->remark));
    if (result->limit)
        json_object_set_new(object, "limit", json_string(result->limit));
    if (result->verdict == VERDICT_FAILED)
        json_object_set_new(object, "failure", json_failure(&result->failure));
    return object;
}

/* One lock with one client; false if that failed or is not complete. */
static bool check_one(const struct request *request, const struct recip_algorithm *lock,
                      const struct lock_client *client, json_t *clients)
{
    const char *reason = lock_client_refuses(client, lock);
    if (!reason && request->quick && check_takes_long(lock, client))
        reason = "left out by --quick";
    if (reason) {
        if (request->json)
            json_array_append_new(clients, json_pack("{s:s, s:s, s:s}", "client", client->name, "verdict",
                                                     "does not apply", "reason", reason));
        else
            print_folded(stdout, 23, "  %-20s does not apply: %s\n", client->name, reason);
        return true;
    }
    struct result result = check_client(lock, client, &request->limits);
    if (request->json) {
        json_array_append_new(clients, json_result(client, &result));
    } else {
        verdict_print(client->name, &result);
        verdict_explain(&result);
    }
    return result.verdict == VERDICT_PASSED;
}

int check_locks(const struct request *request)
{
    bool passed = true;
    json_t *locks = json_array();
    for (size_t l = 0; l < request->locks.size; l++) {
        const struct recip_algorithm *lock = request->locks.values[l];
        json_t *clients = json_array();
        if (!request->json)
            printf("%s\n", lock->id);
        if (request->client)
            passed &= check_one(request, lock, request->client, clients);
        const struct client_set *set;
        for (unsigned s = 0; !request->client && (set = lock_client_set(lock, s)) != NULL; s++)
            for (size_t i = 0; i < set->count; i++)
                passed &= check_one(request, lock, &set->clients[i], clients);
        json_array_append_new(locks, json_pack("{s:s, s:o}", "lock", lock->id, "clients", clients));
    }
    json_t *whole =
        json_pack("{s:s, s:i, s:b, s:o}", "schema", "recip-check", "version", 1, "passed", passed, "locks", locks);
    if (request->json) {
        json_dumpf(whole, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        puts(passed ? "all passed" : "not all passed");
    }
    json_decref(whole);
    return passed ? STATUS_OK : STATUS_FAILED;
}
