/* SPDX-License-Identifier: MIT */
/* Memory that leaks: allocated, not freed, and at the end of an execution out of reach. */
#ifndef RECIP_CHECK_ENGINE_LEAK_H
#define RECIP_CHECK_ENGINE_LEAK_H

/* When all threads have ended and the client's finish has returned: fails if a block is out of reach. In reach is what
 * a word of static memory points to, or of a block in reach, be it to the block's middle. The stacks are gone. */
void leak_check(void);

#endif
