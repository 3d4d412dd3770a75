/* SPDX-License-Identifier: MIT */
#include "bench/results/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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

json_t *environment_begin(void)
{
    struct utsname names;
    uname(&names);
    return json_pack("{s:o, s:i, s:s, s:s, s:o, s:o, s:o}", "cpu", read_line("/proc/cpuinfo", "model name"), "cpus",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "architecture", names.machine, "kernel", names.release,
                     "governor", read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL),
                     "virtualised", virtualised(), "load_at_start", load_now());
}

void environment_end(json_t *environment)
{
    json_object_set_new(environment, "load_at_end", load_now());
}
