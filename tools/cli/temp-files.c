/* SPDX-License-Identifier: MIT */
#include "cli/temp-files.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Changed with these signals blocked. Null for one that is kept. */
static char **paths;
static size_t count;

static void (*before_removal)(void);

static sigset_t all_signals(void)
{
    sigset_t all;
    sigemptyset(&all);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&all, signals[i]);
    return all;
}

static void remove_all(void)
{
    if (before_removal)
        before_removal();
    for (size_t i = count; i-- > 0;)
        if (paths[i] && unlink(paths[i]) != 0)
            rmdir(paths[i]);
}

/* The signal has its usual effect when this returns. */
static void end(int signal)
{
    remove_all();
    raise(signal);
}

/* A signal that is ignored stays ignored: nohup, or a background job of a shell. */
static void prepare(void)
{
    struct sigaction action = {.sa_handler = end, .sa_mask = all_signals(), .sa_flags = (int)SA_RESETHAND}, before;
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    atexit(remove_all);
}

static bool is_known(const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (paths[i] && strcmp(paths[i], path) == 0)
            return true;
    return false;
}

static void add(const char *path)
{
    if (!paths)
        prepare();
    if (is_known(path))
        return;
    paths = need_memory(realloc(paths, (count + 1) * sizeof *paths));
    paths[count] = need_memory(strdup(path));
    count++;
}

static sigset_t block(void)
{
    sigset_t all = all_signals(), before;
    sigprocmask(SIG_BLOCK, &all, &before);
    return before;
}

static void unblock(sigset_t before)
{
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int temp_file(char *pattern)
{
    sigset_t before = block();
    int descriptor = mkstemp(pattern);
    if (descriptor >= 0)
        add(pattern);
    unblock(before);
    return descriptor;
}

bool temp_folder(char *pattern)
{
    sigset_t before = block();
    bool made = mkdtemp(pattern);
    if (made)
        add(pattern);
    unblock(before);
    return made;
}

void temp_name(const char *path)
{
    sigset_t before = block();
    add(path);
    unblock(before);
}

void temp_keep(const char *path)
{
    sigset_t before = block();
    for (size_t i = 0; i < count; i++)
        if (paths[i] && strcmp(paths[i], path) == 0) {
            free(paths[i]);
            paths[i] = NULL;
        }
    unblock(before);
}

void temp_before_removal(void (*call)(void))
{
    sigset_t before = block();
    before_removal = call;
    unblock(before);
}

void temp_leave_to_parent(void)
{
    sigset_t before = block();
    before_removal = NULL;
    count = 0;
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == end)
            signal(signals[i], SIG_DFL);
    }
    unblock(before);
}
