/* SPDX-License-Identifier: MIT */
/* recip sim, and the way to recip table: argv[0] says which, as `recip` started it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "sim/calibrate/calibrate.h"
#include "sim/measure/measure.h"
#include "sim/must.h"
#include "sim/options.h"
#include "sim/report.h"

static struct output open_output(const char *option, const char *path)
{
    return strcmp(path, "-") == 0 ? (struct output){.file = stdout} : output_open(option, path);
}

static void close_output(struct output *output)
{
    if (output->file != stdout)
        output_close(output);
}

static void run_all(const struct sim_options *options, struct report *report)
{
    report->runs = must(calloc(options->common.locks.size * options->threads.size, sizeof *report->runs));
    struct progress progress;
    progress_start(&progress, options->common.locks.size * options->threads.size);
    if (options->common.format == FORMAT_TEXT)
        report_text_head(options);
    for (size_t i = 0; i < options->common.locks.size; i++)
        for (size_t j = 0; j < options->threads.size; j++) {
            struct report_run *one = &report->runs[report->count];
            one->settings = sim_settings(options, options->common.locks.values[i], options->threads.values[j]);
            progress_step(&progress, "%s, %u threads", one->settings.lock->id, one->settings.threads);
            one->result = run(&one->settings);
            progress_end(&progress);
            report->count++;
            if (options->common.format == FORMAT_TEXT)
                report_text_run(one, options->detail);
        }
}

int command_sim(int argc, char **argv)
{
    struct sim_options options;
    sim_options_read(&options, argc, argv);
    if (options.measure) {
        measure(stdout, NULL);
        return output_status(STATUS_OK);
    }
    if (options.calibrate) {
        calibrate(&options);
        return output_status(STATUS_OK);
    }
    struct output trace = {0}, plot = {0};
    if (options.trace)
        trace = open_output("--trace", options.trace);
    if (options.plot)
        plot = open_output("--plot", options.plot);
    if (trace.path && plot.path && strcmp(trace.path, plot.path) == 0)
        refuse("--plot: '%s' is where --trace goes; give another file", options.plot);
    struct report report = {.options = &options};
    run_all(&options, &report);
    if (options.common.format == FORMAT_JSON)
        report_json(&report);
    else if (options.common.format == FORMAT_CSV)
        report_csv(&report);
    else if (options.half_life > 0)
        report_text_residency(&report);
    if (options.trace) {
        report_trace(&report, trace.file);
        close_output(&trace);
    }
    if (options.plot) {
        report_plot(&report, plot.file);
        close_output(&plot);
    }
    for (size_t i = 0; i < report.count; i++)
        result_free(&report.runs[i].result);
    free(report.runs);
    free(options.common.locks.values);
    free(options.threads.values);
    free(options.machine_title);
    return output_status(STATUS_OK);
}

int main(int argc, char **argv)
{
    return strcmp(argv[0], "recip table") == 0 ? command_table(argc, argv) : command_sim(argc, argv);
}
