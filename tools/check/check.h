/* SPDX-License-Identifier: MIT */
/* The parts of `recip check`. */
#ifndef RECIP_CHECK_CHECK_H
#define RECIP_CHECK_CHECK_H

#include "check/clients.h"
#include "check/engine/explore.h"
#include "cli/command.h"

struct request {
    struct algorithm_list locks;
    const struct lock_client *client; /* null: all */
    struct lock_client made;          /* of --threads and --acquisitions */
    const char *source;
    const char *folder; /* of --export */
    const char *damage; /* of --damage: a file that the source includes */
    const char *mutant; /* of --mutants: what is in their lines; null: all */
    const char *patch;  /* the one mutant of --patch */
    unsigned generated; /* of the mutants that are generated each one of so many; 0: none */
    struct limits limits;
    char **arguments; /* of the command */
    bool all, json, quick, mutants, coverage, list;
};

/* Explores one client of one lock. */
struct result check_client(const struct recip_algorithm *lock, const struct lock_client *client,
                           const struct limits *limits);

/* How long the client takes with this lock, and whether `--quick` leaves it out for that. */
enum duration check_duration(const struct recip_algorithm *lock, const struct lock_client *client);
bool check_takes_long(const struct recip_algorithm *lock, const struct lock_client *client);

/* Each: the exit status. */
int check_locks(const struct request *request);
int check_mutants(const struct request *request);
int check_coverage(const struct request *request);
int check_source(const struct request *request);
int check_source_mutants(const struct request *request);
int check_export(const struct request *request);

#endif
