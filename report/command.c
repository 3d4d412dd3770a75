/* recip report FILE... -o PAGE: one page from results. */
#include "recip/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"

struct request {
    const char *output;
    json_t *documents;
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
    write_page(request.output, request.documents);
    json_decref(request.documents);
    puts(request.output);
    return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILED;
}
