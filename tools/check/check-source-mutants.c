/* SPDX-License-Identifier: MIT */
/* recip check --source FILE.c --damage HEADER: slips generated from a file that a client of one's own includes, each of
 * which the client has to notice. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "check/compile.h"
#include "check/jobs.h"
#include "check/slips/equivalent.h"
#include "check/slips/slips.h"
#include "cli/temp-files.h"
#include "cli/terminal.h"

/* Seconds of CPU time after which a client whose slip is not noticed is taken to be in an endless loop. */
enum { PATIENCE = 120, NAME_SIZE = PATH_MAX + 64 };

struct fate {
    enum { NOT_TRIED, NOT_WRITTEN, NOT_COMPILED, SAME_CODE, NOTICED, SURVIVED } state;
};

struct hunt {
    const struct request *request;
    char scratch[PATH_MAX], client[PATH_MAX];
    struct slips slips;
    size_t *chosen, count;
    struct fate *fates;
    unsigned noticed, harmless, wrong, same_code, not_compiled;
};

/* A file in the folder of a slot, which may be there when the command ends. */
static void name_in(const struct hunt *hunt, unsigned slot, const char *file, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s/%u/%s", hunt->scratch, slot, file);
    temp_name(name);
}

static void make_folders(const struct hunt *hunt, unsigned slot)
{
    char name[NAME_SIZE];
    name_in(hunt, slot, "", name);
    mkdir(name, 0700);
    for (const char *slash = strchr(hunt->request->damage, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *folder = need_memory(strndup(hunt->request->damage, (size_t)(slash - hunt->request->damage)));
        name_in(hunt, slot, folder, name);
        mkdir(name, 0700);
        free(folder);
    }
    static const char *const files[] = {"client.o", "original.o", "client"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        name_in(hunt, slot, files[i], name);
    name_in(hunt, slot, hunt->request->damage, name);
}

static bool compile_client(const struct hunt *hunt, unsigned slot, const char *object)
{
    char folder[NAME_SIZE];
    name_in(hunt, slot, "", folder);
    const char *const options[] = {"-I", folder, "-w", "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
                                   NULL};
    return compile_for_check(hunt->client, object, options, open_output()) == 0;
}

static void try_slip(size_t job, unsigned slot, void *context)
{
    const struct hunt *hunt = context;
    const struct slip *slip = &hunt->slips.values[hunt->chosen[job]];
    char copy[NAME_SIZE], object[NAME_SIZE], original[NAME_SIZE], program[NAME_SIZE], seconds[32];
    name_in(hunt, slot, slip->file, copy);
    name_in(hunt, slot, "client.o", object);
    name_in(hunt, 0, "original.o", original);
    name_in(hunt, slot, "client", program);
    struct fate *fate = &hunt->fates[job];
    fate->state = !slip_apply(slip, copy)                            ? NOT_WRITTEN
                  : !compile_client(hunt, slot, object)              ? NOT_COMPILED
                  : same_files(object, original)                     ? SAME_CODE
                  : link_client(object, program, open_output()) != 0 ? NOT_COMPILED
                                                                     : SURVIVED;
    if (fate->state != SURVIVED)
        return;
    setrlimit(RLIMIT_CPU, &(struct rlimit){PATIENCE, PATIENCE});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    snprintf(seconds, sizeof seconds, "%g", hunt->request->limits.seconds);
    if (run_program((char *[]){program, seconds, "256", "0", NULL}, open_output()) != 0)
        fate->state = NOTICED;
}

static void tell_slip(size_t job, int status, void *context)
{
    struct hunt *hunt = context;
    const struct slip *slip = &hunt->slips.values[hunt->chosen[job]];
    const char *harmless = equivalent_reason(EQUIVALENT_SOURCE, slip), *verdict = NULL;
    const struct fate *fate = &hunt->fates[job];
    bool good = false;
    if (status != 0 || fate->state == NOT_TRIED || fate->state == NOT_WRITTEN)
        verdict = "CANNOT BE TRIED";
    else if (fate->state == NOT_COMPILED && !harmless)
        hunt->not_compiled++;
    else if (fate->state == SAME_CODE)
        hunt->same_code++;
    else if (fate->state == NOTICED)
        verdict = harmless ? "KILLED, though listed as harmless" : "killed", good = !harmless, hunt->noticed += good;
    else
        verdict = harmless ? "harmless" : "SURVIVED", good = harmless, hunt->harmless += good;
    if (!verdict)
        return;
    hunt->wrong += !good;
    char text[320];
    snprintf(text, sizeof text, "%s:%u %s", slip->file, slip->line, slip->text);
    print_folded(stdout, 8, "  %-68s %s%s%s\n", text, verdict, good && harmless ? ": " : "",
                 good && harmless ? harmless : "");
    fflush(stdout);
}

static void tell_stale(const char *entry, void *context)
{
    struct hunt *hunt = context;
    hunt->wrong++;
    print_folded(stdout, 8, "  %-68s LISTED AS HARMLESS, and there is no such mutant\n", entry);
}

int check_source_mutants(const struct request *request)
{
    struct hunt hunt = {.request = request};
    char original[NAME_SIZE];
    if (is_installed())
        refuse("--damage: '%s' needs the source tree, and this program is installed", request->damage);
    if (!realpath(request->source, hunt.client))
        refuse("--source: cannot read '%s'", request->source);
    if (!request->generated)
        refuse("--generated: 0 leaves nothing for --damage");
    /* As it is, it passes. */
    if (check_source(request) != STATUS_OK)
        return STATUS_FAILED;
    if (!scratch_folder(hunt.scratch))
        return STATUS_FAILED;
    for (unsigned slot = 0; slot < jobs_slots(); slot++)
        make_folders(&hunt, slot);
    name_in(&hunt, 0, "original.o", original);
    compile_client(&hunt, 0, original);
    hunt.slips = slips_of(&request->damage, 1);
    hunt.chosen = need_memory(calloc(hunt.slips.count + 1, sizeof *hunt.chosen));
    for (size_t i = 0; i < hunt.slips.count; i++)
        if ((i + 1) % request->generated == 0)
            hunt.chosen[hunt.count++] = i;
    size_t size = (hunt.count + 1) * sizeof *hunt.fates;
    hunt.fates = jobs_share(size);
    jobs_run(&(struct jobs){hunt.count, try_slip, tell_slip, &hunt});
    equivalent_each_stale(EQUIVALENT_SOURCE, &hunt.slips, tell_stale, &hunt);
    printf("%u of %u killed, %u harmless; %u are the same code and %u do not compile\n", hunt.noticed,
           hunt.noticed + hunt.wrong, hunt.harmless, hunt.same_code, hunt.not_compiled);
    jobs_unshare(hunt.fates, size);
    free(hunt.chosen);
    slips_free(&hunt.slips);
    return hunt.wrong ? STATUS_FAILED : STATUS_OK;
}
