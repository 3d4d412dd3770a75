/* SPDX-License-Identifier: MIT */
/* The calls that <recip.h> has inline, as functions of the library under the same names: for programs that are not
 * compiled with the header, such as those in Python, Rust or Go. The code is the header's. */
#define RECIP_INLINE_
#include <recip.h>

const char *recip_version(void)
{
    return RECIP_VERSION_STRING;
}
