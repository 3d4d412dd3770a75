/* SPDX-License-Identifier: MIT */
/* closes-descriptors FILE: closes every descriptor, as daemons do, and opens FILE, which becomes the one that was
 * stderr. */
#include "common.h"

#include <fcntl.h>

int main(int argc, char **argv)
{
    CHECK_IS(argc, 2);
    closefrom(0);
    CHECK_IS(open("/dev/null", O_RDWR), STDIN_FILENO);
    CHECK_IS(open("/dev/null", O_RDWR), STDOUT_FILENO);
    CHECK_IS(open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
    return 0;
}
