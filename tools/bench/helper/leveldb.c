/* SPDX-License-Identifier: MIT */
/* recip-bench-leveldb: LevelDB's fillseq and readrandom, as its db_bench has them. On which lock the database is, the
 * preload library decides.
 *
 *     recip-bench-leveldb fill FOLDER KEYS
 *
 * and then as a helper, whose subject is the folder. */
#include <leveldb/c.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/helper/helper.h"

enum { KEY = 16, VALUE = 100 };

static leveldb_t *database;
static leveldb_readoptions_t *reading;
static uint32_t keys;
static _Atomic(bool) mistaken;

static void make_key(char *key, uint32_t number)
{
    char text[KEY + 1];
    snprintf(text, sizeof text, "%016u", number);
    memcpy(key, text, KEY);
}

static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* The key, then what compresses to about a half: db_bench's default. */
static void make_value(char *value, uint32_t number)
{
    uint32_t state = number * 2 + 1;
    make_key(value, number);
    for (int i = KEY; i < KEY + (VALUE - KEY) / 2; i++)
        value[i] = value[i + (VALUE - KEY) / 2] = (char)draw(&state);
}

static leveldb_t *open_database(const char *folder, bool create)
{
    char *error = NULL;
    leveldb_options_t *options = leveldb_options_create();
    leveldb_options_set_create_if_missing(options, create);
    leveldb_t *opened = leveldb_open(options, folder, &error);
    leveldb_options_destroy(options);
    if (error)
        fprintf(stderr, "recip: %s\n", error);
    return opened;
}

/* How many keys there are stands in the database, too. */
static const char COUNT[] = "count";

static int fill(const char *folder, uint32_t count)
{
    char key[KEY], value[VALUE], *error = NULL;
    database = open_database(folder, true);
    if (!database)
        return 1;
    leveldb_writeoptions_t *writing = leveldb_writeoptions_create();
    for (uint32_t number = 0; number < count && !error; number++) {
        make_key(key, number);
        make_value(value, number);
        leveldb_put(database, writing, key, KEY, value, VALUE, &error);
    }
    if (!error)
        leveldb_put(database, writing, COUNT, sizeof COUNT, (const char *)&count, sizeof count, &error);
    leveldb_writeoptions_destroy(writing);
    leveldb_close(database);
    if (error)
        fprintf(stderr, "recip: %s\n", error);
    return error ? 1 : 0;
}

static void read_random(void *lock)
{
    static _Thread_local uint32_t state;
    static _Atomic(uint32_t) threads;
    char key[KEY], *error = NULL;
    size_t size = 0;
    (void)lock;
    if (!state)
        state = 2654435761u * (1 + atomic_fetch_add(&threads, 1));
    make_key(key, draw(&state) % keys);
    char *value = leveldb_get(database, reading, key, KEY, &size, &error);
    if (!value || size != VALUE || memcmp(value, key, KEY) != 0)
        atomic_store(&mistaken, true);
    leveldb_free(value);
    leveldb_free(error);
}

static void nothing(void *lock)
{
    (void)lock;
}

static const struct recip_algorithm readrandom = {
    .id = "readrandom", .init = nothing, .destroy = nothing, .mutex_lock = read_random, .mutex_unlock = nothing};

static const struct recip_algorithm *find(const char *folder)
{
    size_t size = 0;
    char *error = NULL;
    database = open_database(folder, false);
    if (!database)
        return NULL;
    reading = leveldb_readoptions_create();
    char *count = leveldb_get(database, reading, COUNT, sizeof COUNT, &size, &error);
    if (size == sizeof keys)
        memcpy(&keys, count, sizeof keys);
    leveldb_free(count);
    return keys ? &readrandom : NULL;
}

static const char *wrong(void)
{
    leveldb_readoptions_destroy(reading);
    leveldb_close(database);
    return mistaken ? "a value read was not the one written" : NULL;
}

static json_t *list(void)
{
    return json_pack("[s]", readrandom.id);
}

int main(int argc, char **argv)
{
    const struct helper helper = {.find = find, .operations = true, .wrong = wrong, .list = list};
    if (argc == 4 && strcmp(argv[1], "fill") == 0)
        return fill(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    return helper_main(&helper, argc, argv);
}
