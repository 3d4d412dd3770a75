/* The same clients with the barrier left out: a wake-up must be found to be lost. */
#define MUTANT_NO_BARRIER
#include "mutex/check/clients.c"
