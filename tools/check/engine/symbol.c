#include "check/engine/symbol.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The start of the loaded program, from the linker: addresses in the file are relative to it. */
extern const char __executable_start[];

static struct symbol *symbols;
static size_t symbol_count;

/* Sorted by place. */
static int by_place(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t)((const struct symbol *)a)->place,
              second = (uintptr_t)((const struct symbol *)b)->place;
    return first < second ? -1 : first > second;
}

static struct symbol *find(const void *place)
{
    struct symbol key = {.place = place};
    return symbol_count ? bsearch(&key, symbols, symbol_count, sizeof key, by_place) : NULL;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t first = *(const uintptr_t *)a, second = *(const uintptr_t *)b;
    return first < second ? -1 : first > second;
}

/* From the top of our sources; of any other file from its directory, which is enough to find it. */
static const char *shortened(const char *path)
{
    static const char tree[] = RECIP_SOURCE_TREE "/", built[] = RECIP_BUILD_TREE "/";
    if (strncmp(path, tree, sizeof tree - 1) == 0 && strncmp(path, built, sizeof built - 1) != 0)
        return path + sizeof tree - 1;
    const char *last = strrchr(path, '/');
    if (!last || last == path)
        return path;
    while (last > path && last[-1] != '/')
        last--;
    return last;
}

static char *copy(const char *text)
{
    char *made = strdup(text);
    if (!made)
        abort();
    made[strcspn(made, "\n")] = '\0';
    char *noise = strstr(made, " (discriminator");
    if (noise)
        *noise = '\0';
    return made;
}

/* addr2line -a -f -i prints for each place its address, then for each frame, innermost first, the function and the
 * line.
 */
static void read_answers(FILE *answers, const void *const *places, size_t count)
{
    char line[1024];
    size_t next = 0;
    struct symbol *symbol = NULL;
    while (fgets(line, sizeof line, answers)) {
        if (strncmp(line, "0x", 2) == 0) {
            if (next == count)
                return;
            symbol = &symbols[symbol_count++];
            *symbol = (struct symbol){.place = places[next++]};
            continue;
        }
        char path[1024];
        if (!symbol || !fgets(path, sizeof path, answers))
            return;
        if (!symbol->line) {
            symbol->function = copy(line);
            symbol->line = copy(shortened(path));
        }
        free(symbol->unit);
        symbol->unit = copy(shortened(path));
        symbol->unit[strcspn(symbol->unit, ":")] = '\0';
    }
}

static void write_questions(int to, const void *const *places, size_t count)
{
    FILE *questions = fdopen(to, "w");
    if (!questions)
        return;
    for (size_t i = 0; i < count; i++) /* a return address is behind the call: one byte back is in it */
        fprintf(questions, "%#lx\n", (unsigned long)((const char *)places[i] - __executable_start - 1));
    fclose(questions);
}

static void ask(const void *const *places, size_t count)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char program[64];
        snprintf(program, sizeof program, "/proc/%d/exe", (int)getppid());
        dup2(to[0], 0);
        dup2(from[1], 1);
        for (int i = 0; i < 2; i++) {
            close(to[i]);
            close(from[i]);
        }
        execlp("addr2line", "addr2line", "-a", "-f", "-i", "-e", program, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    /* addr2line answers as it reads, so somebody has to read while it is asked: a child of its own asks. */
    pid_t asker = child > 0 ? fork() : -1;
    if (asker == 0) {
        close(from[0]);
        write_questions(to[1], places, count);
        _exit(0);
    }
    close(to[1]);
    FILE *answers = fdopen(from[0], "r");
    if (answers) {
        read_answers(answers, places, count);
        fclose(answers);
    }
    if (asker > 0)
        waitpid(asker, NULL, 0);
    if (child > 0)
        waitpid(child, NULL, 0);
}

void symbol_prepare(const void *const *places, size_t count)
{
    const void **unknown = malloc((count + 1) * sizeof *unknown);
    size_t unknown_count = 0;
    if (!unknown)
        abort();
    for (size_t i = 0; i < count; i++)
        if (places[i] && !find(places[i]))
            unknown[unknown_count++] = places[i];
    qsort(unknown, unknown_count, sizeof *unknown, by_address);
    size_t different = 0;
    for (size_t i = 0; i < unknown_count; i++)
        if (i == 0 || unknown[i] != unknown[i - 1])
            unknown[different++] = unknown[i];
    unknown_count = different;
    symbols = realloc(symbols, (symbol_count + unknown_count + 1) * sizeof *symbols);
    if (!symbols)
        abort();
    if (unknown_count)
        ask(unknown, unknown_count);
    qsort(symbols, symbol_count, sizeof *symbols, by_place);
    free(unknown);
}

const struct symbol *symbol_of(const void *place)
{
    struct symbol *found = find(place);
    if (!found) {
        symbol_prepare(&place, 1);
        found = find(place);
    }
    return found && found->line ? found : NULL;
}

const char *symbol_line(const void *place)
{
    static char text[4][32];
    static unsigned turn;
    const struct symbol *symbol = symbol_of(place);
    if (symbol)
        return symbol->line;
    snprintf(text[++turn % 4], sizeof text[0], "%p", place);
    return text[turn % 4];
}
