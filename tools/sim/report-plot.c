/* SPDX-License-Identifier: MIT */
#include "sim/report.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 460, LEFT = 70, RIGHT = 200, TOP = 40, BOTTOM = 50 };

struct axes {
    double most_threads, most_throughput;
};

static double x_of(const struct axes *axes, double threads)
{
    double whole = axes->most_threads > 1 ? log2(axes->most_threads) : 1;
    return LEFT + (WIDTH - LEFT - RIGHT) * log2(threads) / whole;
}

static double y_of(const struct axes *axes, double throughput)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * throughput / axes->most_throughput;
}

/* Eight colours that differ for the colour-blind too (Okabe and Ito), then the same dashed. */
static const char *const colours[] = {"#000000", "#e69f00", "#56b4e9", "#009e73",
                                      "#f0e442", "#0072b2", "#d55e00", "#cc79a7"};
enum { COLOURS = sizeof colours / sizeof *colours };

static void put_escaped(const char *text, FILE *file)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            putc(*text, file);
}

static void draw_axes(const struct report *report, const struct axes *axes, FILE *file)
{
    const struct sim_options *options = report->options;
    fprintf(file, "<text x=\"%d\" y=\"22\">", LEFT);
    put_escaped(options->machine_title, file);
    fprintf(file, ", %s: million episodes in a second over threads (simulated)</text>\n",
            workload_words[options->workload]);
    for (int i = 0; i <= 4; i++) {
        double value = axes->most_throughput * i / 4, y = y_of(axes, value);
        fprintf(file,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n",
                LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, value / 1e6);
    }
    for (size_t i = 0; i < options->threads.size; i++) {
        unsigned threads = options->threads.values[i];
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n", x_of(axes, threads),
                HEIGHT - BOTTOM + 20, threads);
    }
}

static void draw_lock(const struct report *report, const struct axes *axes, size_t nth, FILE *file)
{
    size_t points = report->options->threads.size;
    const char *colour = colours[nth % COLOURS], *dash = nth >= COLOURS ? " stroke-dasharray=\"5 3\"" : "";
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour, dash);
    for (size_t i = 0; i < points; i++) {
        const struct report_run *run = &report->runs[nth * points + i];
        fprintf(file, "%s%.1f,%.1f", i ? " " : "", x_of(axes, run->settings.threads),
                y_of(axes, run->result.throughput));
    }
    double y = TOP + 10 + 18.0 * (double)nth;
    fprintf(file,
            "\"/>\n<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>"
            "<text x=\"%d\" y=\"%.1f\">%s</text>\n",
            WIDTH - RIGHT + 15, WIDTH - RIGHT + 40, y, y, colour, dash, WIDTH - RIGHT + 46, y + 4,
            report->options->common.locks.values[nth]->id);
}

void report_plot(const struct report *report, FILE *file)
{
    struct axes axes = {1, 0};
    for (size_t i = 0; i < report->count; i++) {
        axes.most_threads = fmax(axes.most_threads, report->runs[i].settings.threads);
        /* One thread alone is another scale: it would flatten the rest. */
        if (report->runs[i].settings.threads > 1 || report->options->threads.size == 1)
            axes.most_throughput = fmax(axes.most_throughput, report->runs[i].result.throughput);
    }
    axes.most_throughput *= 1.05;
    double height = fmax(HEIGHT, TOP + 30 + 18.0 * (double)report->options->common.locks.size);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<clipPath id=\"area\"><rect x=\"0\" y=\"%d\" width=\"%d\" height=\"%.0f\"/></clipPath>\n",
            WIDTH, height, TOP, WIDTH, height - TOP);
    draw_axes(report, &axes, file);
    fputs("<g clip-path=\"url(#area)\">\n", file);
    for (size_t i = 0; i < report->options->common.locks.size; i++)
        draw_lock(report, &axes, i, file);
    fputs("</g>\n</svg>\n", file);
}
