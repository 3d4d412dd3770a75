/* SPDX-License-Identifier: MIT */
/* The main program that a client in a user's own file is linked with: explores each client that is registered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/clients.h"
#include "check/verdict.h"

static void setup(void *client)
{
    check_port_reset();
    ((const struct check_client *)client)->setup();
}

static void finish(void *client)
{
    if (((const struct check_client *)client)->finish)
        ((const struct check_client *)client)->finish();
}

static void print_outcomes(void)
{
    if (!check_outcomes())
        return;
    fputs("  outcomes:", stdout);
    for (unsigned i = 0; i < 64; i++)
        if (check_outcomes() >> i & 1)
            printf(" %u", i);
    putchar('\n');
}

/* Takes SECONDS, MEBIBYTES and GRAPHS, as `recip check --source` calls it. 2: there is no client, and it says so. */
int main(int argc, char **argv)
{
    struct limits limits = {
        .seconds = argc > 1 ? strtod(argv[1], NULL) : 3600,
        .bytes = (argc > 2 ? strtoul(argv[2], NULL, 10) : 1024) << 20,
        .counted = argc > 3 ? strtoul(argv[3], NULL, 10) : DEFAULT_GRAPHS,
        .progress = verdict_progress,
    };
    if (!check_clients)
        return 2;
    check_port_name();
    int status = 0;
    for (struct check_client *client = check_clients; client; client = client->next) {
        struct program program = {setup, finish, client};
        check_forget_outcomes();
        struct result result = explore(&program, &limits);
        verdict_print(client->name, &result);
        print_outcomes();
        verdict_explain(&result);
        if (result.verdict != VERDICT_PASSED)
            status = 1;
    }
    return status;
}
