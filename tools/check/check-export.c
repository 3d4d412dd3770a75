/* SPDX-License-Identifier: MIT */
/* recip check --export DIR LOCK CLIENT: a lock and a client as one C11 file, for other checkers.
 *
 * The lock is its source, preprocessed: what it includes of this tree is put in, and the C library's headers stay
 * #include lines. export/port.h is the seam. A client is written out anew from its script, because what others take is
 * simple: threads with a function each, one lock of its own type, assertions. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "check/compile.h"
#include "cli/temp-files.h"

/* What each thread does: A acquires and releases, T tries. The clients that only acquire and release need no line. */
enum { SCRIPTS = 4, DEFAULT_BOUND = -1, SCRIPT_SIZE = 16 };
static const struct script {
    const char *client;
    const char *threads[SCRIPTS];
    int bound; /* of the mutex */
} scripts[] = {
    {"try", {"A", "A", "TT"}, DEFAULT_BOUND},
    {"try-between", {"AA", "A", "T"}, DEFAULT_BOUND},
    {"try-after", {"AT", "A", "A"}, DEFAULT_BOUND},
    {"try-late", {"AAAAA", "T"}, DEFAULT_BOUND},
    {"try-first", {"AAAAA", "TA"}, DEFAULT_BOUND},
    {"try-often", {"TTTTT", "A"}, DEFAULT_BOUND},
    {"two", {"A", "A"}, 1},
    {"2+1", {"AA", "A"}, 1},
    {"2+1-bound-0", {"AA", "A"}, 0},
    {"2+1-bound-2", {"AA", "A"}, 2},
    {"2+2", {"AA", "AA"}, 1},
    {"three-atomic", {"A", "A", "A"}, 1},
};

/* What a client does; false if that is more than acquiring, releasing and trying. */
static bool find_script(const struct lock_client *client, char threads[MAX_THREADS][SCRIPT_SIZE], unsigned *count,
                        int *bound)
{
    *count = client->threads;
    *bound = DEFAULT_BOUND;
    for (unsigned i = 0; i < client->threads; i++)
        snprintf(threads[i], SCRIPT_SIZE, "%.*s", client->acquisitions[i], "AAAAAAAAAAAAAAA");
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts && !*count; s++)
        if (strcmp(scripts[s].client, client->name) == 0) {
            for (; *count < SCRIPTS && scripts[s].threads[*count]; ++*count)
                snprintf(threads[*count], SCRIPT_SIZE, "%s", scripts[s].threads[*count]);
            *bound = scripts[s].bound;
        }
    return *count > 0;
}

/* ---- The lock ---- */

static const char *const system_headers[] = {"assert", "errno", "limits", "stdalign", "stdatomic", "stdbool", "stddef",
                                             "stdint", "stdio", "stdlib", "string",   "sys/types", "time",    "unistd"};
enum { SYSTEM_HEADERS = sizeof system_headers / sizeof *system_headers };
#define SYSTEM_HEADER "RECIP_SYSTEM_HEADER"

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        refuse("cannot write '%s': %s", path, strerror(errno));
    return file;
}

/* In place of each, a file that says its name, so that the preprocessor does not put it in. */
static void write_system_headers(const char *folder)
{
    for (size_t i = 0; i < SYSTEM_HEADERS; i++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s/%s.h", folder, system_headers[i]);
        temp_name(path);
        FILE *file = create(path);
        fprintf(file, SYSTEM_HEADER " %s.h\n", system_headers[i]);
        fclose(file);
    }
}

/* What the functions of a lock begin with. */
static void name_of(const struct recip_algorithm *lock, char name[64])
{
    if (lock_is_mutex(lock)) {
        snprintf(name, 64, "flagship");
        return;
    }
    size_t length = strlen(lock->id) - strlen(lock->form);
    snprintf(name, 64, "%.*s", (int)length, lock->id);
    for (char *dash; (dash = strchr(name, '-')) != NULL;)
        *dash = '_';
}

static void write_source(const char *path, const struct recip_algorithm *lock)
{
    static const char *const mutex_sources[] = {RECIP_CHECK_MUTEX_SOURCES};
    size_t length = strlen(lock->id) - strlen(lock->form);
    FILE *file = create(path);
    fprintf(file, "#define RECIP_WAITING %s\n#include \"zoo/%.*s.h\"\n#include \"check/export/world.c\"\n",
            lock->parks ? "RECIP_PARK" : "RECIP_SPIN", (int)length, lock->id);
    for (size_t i = 0; lock_is_mutex(lock) && i < sizeof mutex_sources / sizeof *mutex_sources; i++)
        fprintf(file, "#include \"%s\"\n", mutex_sources[i]);
    fclose(file);
}

/* The source without directives, to `output`; false after it has shown why not. */
static bool preprocess(const char *source, const char *folder, const char *output)
{
    static const char *const definitions[] = {RECIP_CHECK_DEFINITIONS};
    static const char *const flags[] = {"-std=gnu11",
                                        "-E",
                                        "-C",
                                        "-P",
                                        "-nostdinc",
                                        "-I" RECIP_SOURCE_TREE,
                                        "-I" RECIP_SOURCE_TREE "/tools",
                                        "-I" RECIP_SOURCE_TREE "/include",
                                        "-DRECIP_PORT=\"check/export/port.h\"",
                                        "-DRECIP_WHOLE_WORDS_",
                                        "-DRECIP_LINE=16", /* what malloc aligns to */
                                        "-U__ATOMIC_RELAXED",
                                        "-U__ATOMIC_ACQUIRE",
                                        "-U__ATOMIC_RELEASE",
                                        "-U__ATOMIC_ACQ_REL",
                                        "-U__ATOMIC_SEQ_CST"};
    const char *arguments[sizeof flags / sizeof *flags + sizeof definitions / sizeof *definitions + 8];
    size_t count = 0;
    arguments[count++] = compiler();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        arguments[count++] = flags[i];
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        arguments[count++] = definitions[i];
    arguments[count++] = "-I";
    arguments[count++] = folder;
    arguments[count++] = "-o";
    arguments[count++] = output;
    arguments[count++] = source;
    arguments[count] = NULL;
    int messages = open_output();
    bool done = run_program((char *const *)arguments, messages) == 0;
    if (!done)
        show_output(messages);
    close(messages);
    return done;
}

/* Each header once, at the top. */
static void copy_includes(FILE *from, FILE *to)
{
    bool wanted[SYSTEM_HEADERS] = {false};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, from) > 0)
        for (size_t i = 0; i < SYSTEM_HEADERS && strncmp(line, SYSTEM_HEADER, strlen(SYSTEM_HEADER)) == 0; i++) {
            size_t length = strlen(system_headers[i]);
            const char *name = line + strlen(SYSTEM_HEADER " ");
            wanted[i] |= strncmp(name, system_headers[i], length) == 0 && strcmp(name + length, ".h\n") == 0;
        }
    fputs("#include <assert.h>\n#include <pthread.h>\n", to);
    for (size_t i = 0; i < SYSTEM_HEADERS; i++)
        if (wanted[i])
            fprintf(to, "#include <%s.h>\n", system_headers[i]);
    free(line);
    rewind(from);
}

static void copy_source(FILE *from, FILE *to)
{
    static const char licence[] = "/* SPDX-License-Identifier";
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, from) > 0)
        if (strncmp(line, SYSTEM_HEADER, strlen(SYSTEM_HEADER)) != 0 && strncmp(line, licence, strlen(licence)) != 0)
            fputs(line, to);
    free(line);
}

/* ---- The client ---- */

static void write_thread(FILE *file, unsigned number, const char *script)
{
    fprintf(file, "\nstatic void *thread_%u(void *unused)\n{\n    (void)unused;\n    self = %u;\n", number, number);
    for (; *script; script++)
        fputs(*script == 'A' ? "    acquire_and_release();\n" : "    try_and_release();\n", file);
    fputs("    return NULL;\n}\n", file);
}

static void write_client(FILE *file, const char *name, char threads[MAX_THREADS][SCRIPT_SIZE], unsigned count,
                         int bound)
{
    bool tries = false;
    unsigned acquisitions = 0;
    for (unsigned i = 0; i < count; i++) {
        tries |= strchr(threads[i], 'T') != NULL;
        acquisitions += (unsigned)strlen(threads[i]);
    }
    fprintf(file,
            "\n/* ---- The client ---- */\n\n"
            "static struct %s_lock lock;\n"
            "static int first, second; /* equal, and changed by owners only */\n\n"
            "static void use(void)\n{\n    assert(first == second);\n    first++;\n    second++;\n}\n\n"
            "static void acquire_and_release(void)\n{\n"
            "    struct %s_context context;\n    %s_acquire(&lock, &context);\n    use();\n"
            "    %s_release(&lock, &context);\n}\n",
            name, name, name, name);
    if (tries)
        fprintf(
            file,
            "\nstatic void try_and_release(void)\n{\n"
            "    struct %s_context context;\n    if (!%s_try_acquire(&lock, &context))\n        return;\n    use();\n"
            "    %s_release(&lock, &context);\n}\n",
            name, name, name);
    for (unsigned i = 0; i < count; i++)
        write_thread(file, i + 1, threads[i]);
    fputs("\nint main(void)\n{\n    pthread_t", file);
    for (unsigned i = 1; i <= count; i++)
        fprintf(file, "%s id_%u", i > 1 ? "," : "", i);
    fprintf(file, ";\n    %s_init(&lock);\n", name);
    if (bound != DEFAULT_BOUND)
        fprintf(file, "    recip_mutex_init_bound(&lock.mutex, %d);\n", bound);
    for (unsigned i = 1; i <= count; i++)
        fprintf(file, "    pthread_create(&id_%u, NULL, thread_%u, NULL);\n", i, i);
    for (unsigned i = 1; i <= count; i++)
        fprintf(file, "    pthread_join(id_%u, NULL);\n", i);
    if (tries)
        fputs("    assert(first == second);\n    return 0;\n}\n", file);
    else
        fprintf(file, "    assert(first == %u && second == %u);\n    return 0;\n}\n", acquisitions, acquisitions);
}

static bool export_client(const char *folder, const struct recip_algorithm *lock, const struct lock_client *client,
                          FILE *source)
{
    char threads[MAX_THREADS][SCRIPT_SIZE], name[64], path[PATH_MAX];
    unsigned count;
    int bound;
    if (lock_client_refuses(client, lock) || !find_script(client, threads, &count, &bound))
        return false;
    name_of(lock, name);
    snprintf(path, sizeof path, "%s/%s-%s.c", folder, lock->id, client->name);
    FILE *file = create(path);
    fprintf(file,
            "/* SPDX-License-Identifier: MIT */\n"
            "/* The lock %s with the client %s: %s. Written by `recip check --export`, for other checkers. */\n",
            lock->id, client->name, client->summary ? client->summary : "threads that acquire and release");
    rewind(source);
    copy_includes(source, file);
    copy_source(source, file);
    write_client(file, name, threads, count, bound);
    if (fclose(file) != 0)
        refuse("cannot write '%s': %s", path, strerror(errno));
    puts(path);
    return true;
}

static bool export_lock(const struct request *request, const struct recip_algorithm *lock, const char *scratch)
{
    char source[PATH_MAX + 16], flat[PATH_MAX + 16];
    snprintf(source, sizeof source, "%s/lock.c", scratch);
    snprintf(flat, sizeof flat, "%s/lock.i", scratch);
    temp_name(source);
    temp_name(flat);
    write_source(source, lock);
    if (!preprocess(source, scratch, flat))
        return false;
    FILE *file = fopen(flat, "r");
    if (!file)
        refuse("cannot read '%s': %s", flat, strerror(errno));
    if (request->client && !export_client(request->folder, lock, request->client, file))
        refuse("--export: '%s' cannot be exported for '%s': only clients that acquire, release and try are "
               "(docs/check.md)",
               request->client->name, lock->id);
    const struct client_set *set;
    for (unsigned s = 0; !request->client && (set = lock_client_set(lock, s)) != NULL; s++)
        for (size_t i = 0; i < set->count; i++)
            export_client(request->folder, lock, &set->clients[i], file);
    fclose(file);
    return true;
}

int check_export(const struct request *request)
{
    char scratch[PATH_MAX], types[PATH_MAX + 8];
    if (is_installed())
        refuse("--export: '%s' needs the source tree, and this program is installed", request->folder);
    if (mkdir(request->folder, 0777) != 0 && errno != EEXIST)
        refuse("--export: cannot make the folder '%s': %s", request->folder, strerror(errno));
    if (!scratch_folder(scratch))
        return STATUS_FAILED;
    snprintf(types, sizeof types, "%s/sys", scratch); /* for sys/types.h */
    temp_name(types);
    mkdir(types, 0700);
    write_system_headers(scratch);
    bool done = true;
    for (size_t i = 0; i < request->locks.size; i++) {
        const struct recip_algorithm *lock = request->locks.values[i];
        /* It spins in its own way: to other checkers it is the lock without that. */
        bool monitors = *lock->form && !lock->parks;
        if (monitors && !request->all)
            refuse("--export: '%s' waits by the CPU's monitor; without that it is '%.*s'", lock->id,
                   (int)(strlen(lock->id) - strlen(lock->form)), lock->id);
        if (!monitors)
            done &= export_lock(request, lock, scratch);
    }
    return done ? STATUS_OK : STATUS_FAILED;
}
