/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/clock.h"

void progress_start(struct progress *progress, size_t total)
{
    *progress = (struct progress){.total = total, .started = seconds_now(), .shown = isatty(STDERR_FILENO)};
}

void progress_step(struct progress *progress, const char *format, ...)
{
    size_t done = progress->done++;
    if (!progress->shown)
        return;
    fprintf(stderr, "\r\033[K%3zu %%", done * 100 / progress->total);
    if (done > 0) {
        double left = (seconds_now() - progress->started) / (double)done * (double)(progress->total - done);
        fprintf(stderr, ", %.0f s left", left);
    }
    fputs(": ", stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
