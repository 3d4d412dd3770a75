/* SPDX-License-Identifier: MIT */
#include "bench/results/environment.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/clock.h"

/* The system counts CPU time in hundredths of a second. */
#define SHORTEST 0.2

/* The machine was busy if others had more than this part of it. */
#define BUSY 0.1

/* The first line of a file, or what follows the colon in the first line that starts with `key`; null if there is none.
 */
static json_t *read_line(const char *path, const char *key)
{
    char line[512];
    json_t *found = NULL;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        if (key && strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *text = key ? strchr(line, ':') : line;
        line[strcspn(line, "\n")] = '\0';
        if (text)
            found = json_string(key ? text + 1 + strspn(text + 1, " \t") : text);
    }
    if (file)
        fclose(file);
    return found ? found : json_null();
}

static json_t *load_now(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? json_real(load) : json_null();
}

/* An x86 CPU says whether it is virtual. Other CPUs do not. */
static json_t *virtualised(void)
{
#if defined(__x86_64__)
    char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool hypervisor = false;
    while (file && !hypervisor && fgets(line, sizeof line, file))
        hypervisor = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor");
    if (file)
        fclose(file);
    return json_boolean(hypervisor);
#else
    return json_null();
#endif
}

/* CPU seconds since the start of the machine, and since that of this process and of its children that have ended. */
struct cpu_use {
    double when, all, own;
};

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static double own_seconds(int whose)
{
    struct rusage usage;
    return getrusage(whose, &usage) == 0 ? seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime) : 0;
}

/* `all` is NAN where the system does not tell. What other virtual machines take from this one is in it. */
static struct cpu_use cpu_use_now(void)
{
    unsigned long long user, nice, system, idle, waiting, irq, softirq, stolen;
    struct cpu_use use = {seconds_now(), NAN, own_seconds(RUSAGE_SELF) + own_seconds(RUSAGE_CHILDREN)};
    FILE *file = fopen("/proc/stat", "r");
    if (file && fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &waiting,
                       &irq, &softirq, &stolen) == 8)
        use.all = (double)(user + nice + system + irq + softirq + stolen) / (double)sysconf(_SC_CLK_TCK);
    if (file)
        fclose(file);
    return use;
}

static struct cpu_use at_start;

/* How many CPUs others had on average; NAN if it is not known, as of a moment that is too short for the system's clock.
 */
static double others_cpus(void)
{
    struct cpu_use now = cpu_use_now();
    double passed = now.when - at_start.when;
    return passed < SHORTEST ? NAN : fmax(0, (now.all - at_start.all - (now.own - at_start.own)) / passed);
}

json_t *environment_begin(void)
{
    struct utsname names;
    uname(&names);
    at_start = cpu_use_now();
    return json_pack("{s:o, s:i, s:s, s:s, s:o, s:o, s:o}", "cpu", read_line("/proc/cpuinfo", "model name"), "cpus",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "architecture", names.machine, "kernel", names.release,
                     "governor", read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL),
                     "virtualised", virtualised(), "load_at_start", load_now());
}

void environment_end(json_t *environment)
{
    double others = others_cpus(), cpus = json_number_value(json_object_get(environment, "cpus"));
    json_object_set_new(environment, "load_at_end", load_now());
    json_object_set_new(environment, "others_cpus", isfinite(others) ? json_real(others) : json_null());
    json_object_set_new(environment, "busy", isfinite(others) ? json_boolean(others > BUSY * cpus) : json_null());
}
