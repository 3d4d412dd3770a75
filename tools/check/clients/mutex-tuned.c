/* The mutex and its clients in one file, as they are compiled a second time with RECIP_CHECK_TUNED. */
#include "src/mutex.c"
#include "src/cond.c"
#include "src/sem.c"
#include "tools/check/clients/mutex.c"
