/* recip report FILE... -o PAGE: one page from results. */
#include "recip/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"

struct file {
    dev_t device;
    ino_t number;
};

struct request {
    const char *output;
    json_t *documents;
    struct file *read; /* as many as documents */
};

static const struct argp_option options[] = {
    {"output", 'o', "PAGE", 0, "the page to write (default: report.html)", 0},
    {0},
};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;
    if (key == 'o') {
        request->output = word;
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    char why[256];
    json_t *document = document_read(word, why);
    if (!document)
        refuse("'%s' cannot be used: %s", word, why);
    size_t size = json_array_size(request->documents);
    request->read = need_memory(realloc(request->read, (size + 1) * sizeof *request->read));
    struct stat about = {0};
    stat(word, &about);
    request->read[size] = (struct file){about.st_dev, about.st_ino};
    json_array_append_new(request->documents, document);
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = take_option,
    .args_doc = "FILE...",
    .doc = "Writes one HTML page from results: the --json of 'recip bench', 'sim', 'table' and 'check', in any number "
           "and order. It needs no other file and no network.\v"
           "For example:\n"
           "  recip bench --json >bench.json\n"
           "  recip sim --json >sim.json\n"
           "  recip report bench.json sim.json -o page.html",
};

/* As the shell would have made it. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Where to write: the page itself if its name is a link. A file of another kind, or one of those read, is refused. */
static char *page_path(const struct request *request)
{
    struct stat about;
    if (stat(request->output, &about) != 0)
        return need_memory(strdup(request->output));
    if (!S_ISREG(about.st_mode))
        refuse("--output: '%s' is there and not a file that can be replaced", request->output);
    for (size_t i = 0; i < json_array_size(request->documents); i++)
        if (request->read[i].device == about.st_dev && request->read[i].number == about.st_ino)
            refuse("--output: '%s' is one of the files to read", request->output);
    return need_memory(realpath(request->output, NULL));
}

/* Beside the page, then in its place: no reader meets half a page, and a failure leaves what was there. */
static void write_page(const char *path, const json_t *documents)
{
    char *beside;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0)
        need_memory(NULL);
    int descriptor = mkstemp(beside);
    if (descriptor < 0)
        refuse("--output: '%s' cannot be written: %s", path, strerror(errno));
    FILE *file = need_memory(fdopen(descriptor, "w"));
    page_write(documents, file);
    bool good = !ferror(file) && fchmod(descriptor, usual_mode()) == 0;
    good = fclose(file) == 0 && good && rename(beside, path) == 0;
    if (!good) {
        int reason = errno;
        unlink(beside);
        refuse("--output: '%s' cannot be written: %s", path, strerror(reason));
    }
    free(beside);
}

int main(int argc, char **argv)
{
    struct request request = {.output = "report.html", .documents = need_memory(json_array())};
    parse_options(&argp, argc, argv, &request, "files");
    if (!json_array_size(request.documents))
        refuse("a file is missing: the --json of bench, sim, table or check");
    char *path = page_path(&request);
    write_page(path, request.documents);
    free(path);
    free(request.read);
    json_decref(request.documents);
    puts(request.output);
    return output_status(STATUS_OK);
}
