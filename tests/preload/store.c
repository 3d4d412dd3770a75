/* SPDX-License-Identifier: MIT */
/* leveldb|rocksdb FOLDER THREADS SECONDS [KEYS]: threads fill a LevelDB or RocksDB at once, each reading what the
 * others write, then read at random for a while; everything that is read is verified. Prints "verified" and, on the
 * next line, the rate of reads. */
#include "common.h"

#include <stdint.h>

#ifdef ROCKSDB
#include <rocksdb/c.h>
#define STORE(name) rocksdb_##name
#else
#include <leveldb/c.h>
#define STORE(name) leveldb_##name
#endif

enum { DEFAULT_KEYS = 40000, VALUE = 96, MAX_THREADS = 1000 };

static STORE(t) * database;
static unsigned threads;
static uint32_t keys = DEFAULT_KEYS; /* ten thousand and more do not fit the write buffer */
static bool stop;
static pthread_mutex_t sum_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t reads;

static uint64_t mix(uint64_t number)
{
    number ^= number >> 32;
    number *= UINT64_C(0xd6e8feb86659fd93);
    number ^= number >> 32;
    return number * UINT64_C(0xd6e8feb86659fd93);
}

static size_t make_key(char *key, uint32_t number)
{
    return (size_t)sprintf(key, "%016u", number);
}

static void make_value(char *value, uint32_t number)
{
    uint64_t word = number;
    for (int i = 0; i < VALUE; i += 8) {
        word = mix(word + 1);
        memcpy(value + i, &word, 8);
    }
}

/* False if it is not there. */
static bool read_one(const STORE(readoptions_t) * options, uint32_t number)
{
    char key[32], value[VALUE], *error = NULL;
    size_t size;
    char *found = STORE(get)(database, options, key, make_key(key, number), &size, &error);
    CHECK_IS((long)error, 0);
    if (!found)
        return false;
    CHECK_IS(size, VALUE);
    make_value(value, number);
    CHECK_IS(memcmp(found, value, VALUE), 0);
    STORE(free)(found);
    return true;
}

static void *fill(void *index)
{
    char key[32], value[VALUE], *error = NULL;
    STORE(writeoptions_t) *options = STORE(writeoptions_create)();
    STORE(readoptions_t) *to_read = STORE(readoptions_create)();
    for (uint32_t number = (uint32_t)(long)index; number < keys; number += threads) {
        make_value(value, number);
        STORE(put)(database, options, key, make_key(key, number), value, VALUE, &error);
        CHECK_IS((long)error, 0);
        CHECK(read_one(to_read, number));
        read_one(to_read, (uint32_t)(mix(number) % keys));
    }
    STORE(readoptions_destroy)(to_read);
    STORE(writeoptions_destroy)(options);
    return NULL;
}

static void *read_at_random(void *index)
{
    uint64_t own = 0;
    STORE(readoptions_t) *options = STORE(readoptions_create)();
    for (uint64_t random = mix((uint64_t)(long)index + 1); !__atomic_load_n(&stop, __ATOMIC_RELAXED); own++) {
        random = mix(random + 1);
        CHECK(read_one(options, (uint32_t)((random >> 32) % keys)));
    }
    STORE(readoptions_destroy)(options);
    pthread_mutex_lock(&sum_mutex);
    reads += own;
    pthread_mutex_unlock(&sum_mutex);
    return NULL;
}

static void start_all(pthread_t *crew, void *(*body)(void *))
{
    for (long i = 0; i < (long)threads; i++)
        crew[i] = start(body, (void *)i);
}

static void finish_all(pthread_t *crew)
{
    for (unsigned i = 0; i < threads; i++)
        finish(crew[i]);
}

int main(int count, char **words)
{
    static pthread_t crew[MAX_THREADS];
    char *error = NULL;
    CHECK(count == 4 || count == 5);
    threads = (unsigned)atoi(words[2]);
    double seconds = atof(words[3]);
    if (count == 5)
        keys = (uint32_t)atoi(words[4]);
    CHECK(threads >= 1 && threads <= MAX_THREADS && keys >= 1);

    STORE(options_t) *options = STORE(options_create)();
    STORE(options_set_create_if_missing)(options, 1);
    STORE(options_set_write_buffer_size)(options, 1 << 20);
    database = STORE(open)(options, words[1], &error);
    if (error)
        fprintf(stderr, "%s\n", error);
    CHECK(database);
    start_all(crew, fill);
    finish_all(crew);
    if (keys >= DEFAULT_KEYS)
        STORE(compact_range)(database, NULL, 0, NULL, 0); /* now, rather than beside the reads */
    start_all(crew, read_at_random);
    usleep((useconds_t)(seconds * 1e6));
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    finish_all(crew);
    STORE(close)(database);
    STORE(destroy_db)(options, words[1], &error);
    printf("verified\nreadrandom: %.0f per second\n", (double)reads / seconds);
    return 0;
}
