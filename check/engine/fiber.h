/* The threads of a client, as coroutines on stacks that are the same in every execution. */
#ifndef RECIP_CHECK_FIBER_H
#define RECIP_CHECK_FIBER_H

#include <stdbool.h>
#include <stdint.h>

/* Runs `body(argument)` on the stack of that number until it suspends or ends. True if it ended. */
bool fiber_start(unsigned number, void (*body)(void *argument), void *argument);

/* Goes on with a suspended fiber, until it suspends again or ends. True if it ended. */
bool fiber_resume(unsigned number);

/* Called on a fiber: back to whoever started or resumed it. */
void fiber_suspend(void);

/* Whether an address is on a fiber's stack. */
bool fiber_holds(uintptr_t address);

#endif
