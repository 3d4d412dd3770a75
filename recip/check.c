/* recip check: hands over to recip-check, which is beside this program in a build tree and in libexec when installed.
 */
#include "recip/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_check(int argc, char **argv)
{
    (void)argc;
    static const char *const places[] = {"recip-check", RECIP_CHECK_PROGRAM};
    char folder[512];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *last = strrchr(folder, '/');
    if (last)
        *last = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char program[1024];
        snprintf(program, sizeof program, "%s/%s", folder, places[i]);
        execv(program, argv);
    }
    fputs("recip: recip-check is not installed beside recip\n", stderr);
    return STATUS_FAILED;
}
