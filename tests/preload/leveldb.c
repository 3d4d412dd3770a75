/* leveldb FOLDER THREADS SECONDS: threads write into a LevelDB at once, then read at random for a while; everything
 * that is read is verified. Prints "verified" and, on the next line, the rate of reads. */
#include "check.h"

#include <leveldb/c.h>
#include <stdint.h>

enum { KEYS = 40000, VALUE = 100, MOST_THREADS = 1000 };

static leveldb_t *database;
static unsigned threads;
static bool stop;
static pthread_mutex_t sum_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t reads;

static uint32_t mix(uint32_t number)
{
    number ^= number >> 16;
    number *= 0x7feb352du;
    number ^= number >> 15;
    number *= 0x846ca68bu;
    return number ^ number >> 16;
}

static size_t make_key(char *key, uint32_t number)
{
    return (size_t)sprintf(key, "%016u", number);
}

static void make_value(char *value, uint32_t number)
{
    for (int i = 0; i < VALUE; i++)
        value[i] = (char)('a' + mix(number * VALUE + (uint32_t)i) % 26);
}

static void *fill(void *index)
{
    char key[32], value[VALUE], *error = NULL;
    leveldb_writeoptions_t *options = leveldb_writeoptions_create();
    for (uint32_t number = (uint32_t)(long)index; number < KEYS; number += threads) {
        make_value(value, number);
        leveldb_put(database, options, key, make_key(key, number), value, VALUE, &error);
        CHECK_IS((long)error, 0);
    }
    leveldb_writeoptions_destroy(options);
    return NULL;
}

static void *read_at_random(void *index)
{
    char key[32], value[VALUE], *error = NULL;
    uint64_t own = 0;
    leveldb_readoptions_t *options = leveldb_readoptions_create();
    for (uint32_t random = mix((uint32_t)(long)index + 1); !__atomic_load_n(&stop, __ATOMIC_RELAXED); own++) {
        random = mix(random + 1);
        size_t size;
        char *found = leveldb_get(database, options, key, make_key(key, random % KEYS), &size, &error);
        CHECK_IS((long)error, 0);
        CHECK_IS(size, VALUE);
        make_value(value, random % KEYS);
        CHECK_IS(memcmp(found, value, VALUE), 0);
        leveldb_free(found);
    }
    leveldb_readoptions_destroy(options);
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
    static pthread_t crew[MOST_THREADS];
    char *error = NULL;
    CHECK_IS(count, 4);
    threads = (unsigned)atoi(words[2]);
    double seconds = atof(words[3]);
    CHECK(threads >= 1 && threads <= MOST_THREADS);

    leveldb_options_t *options = leveldb_options_create();
    leveldb_options_set_create_if_missing(options, 1);
    leveldb_options_set_write_buffer_size(options, 1 << 20);
    database = leveldb_open(options, words[1], &error);
    if (error)
        fprintf(stderr, "%s\n", error);
    CHECK(database);
    start_all(crew, fill);
    finish_all(crew);
    start_all(crew, read_at_random);
    usleep((useconds_t)(seconds * 1e6));
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    finish_all(crew);
    leveldb_close(database);
    leveldb_destroy_db(options, words[1], &error);
    printf("verified\nreadrandom: %.0f per second\n", (double)reads / seconds);
    return 0;
}
