/* SPDX-License-Identifier: MIT */
/* recip report FILE... -o PAGE: one page from results. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/output.h"
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
    .doc = "Writes one HTML page from results: the --json of 'recip bench', 'sim', 'table' and 'check', and what "
           "'recip run "
           "--stats=FILE' wrote, in any number and order. It needs no other file and no network.\v"
           "For example:\n"
           "  recip bench --json >bench.json\n"
           "  recip sim --json >sim.json\n"
           "  recip report bench.json sim.json -o page.html",
};

/* A page in place of one of the files to read, or of something that is no file, is refused. */
static void refuse_page(const struct request *request)
{
    struct stat about;
    if (stat(request->output, &about) != 0)
        return;
    if (!S_ISREG(about.st_mode))
        refuse("--output: '%s' is there and not a file that can be replaced", request->output);
    for (size_t i = 0; i < json_array_size(request->documents); i++)
        if (request->read[i].device == about.st_dev && request->read[i].number == about.st_ino)
            refuse("--output: '%s' is one of the files to read", request->output);
}

int main(int argc, char **argv)
{
    struct request request = {.output = "report.html", .documents = need_memory(json_array())};
    parse_options(&argp, argc, argv, &request, "files");
    if (!json_array_size(request.documents))
        refuse("a file is missing: the --json of bench, sim, table or check");
    refuse_page(&request);
    struct output page = output_open("--output", request.output);
    page_write(request.documents, page.file);
    output_close(&page);
    free(request.read);
    json_decref(request.documents);
    puts(request.output);
    return output_status(STATUS_OK);
}
