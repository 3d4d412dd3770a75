/* All executions of a program: depth-first, each from the start, along a trail of choices; a graph that has been seen
 * is not gone on from again. */
#ifndef RECIP_CHECK_EXPLORE_H
#define RECIP_CHECK_EXPLORE_H

#include "check/engine/execution.h"

struct program {
    void (*setup)(void *argument);  /* makes the threads */
    void (*finish)(void *argument); /* looks at the end; may be null */
    void *argument;
};

struct limits {
    double seconds;
    size_t bytes;                                                           /* of the set of graphs seen */
    void (*progress)(uint64_t executions, uint64_t graphs, double seconds); /* now and then; may be null */
};

enum verdict { VERDICT_PASSED, VERDICT_FAILED, VERDICT_INCOMPLETE };

struct result {
    enum verdict verdict;
    uint64_t executions; /* complete ones, each graph once */
    uint64_t graphs;     /* partial ones, each once */
    uint64_t runs;       /* how often the program was begun */
    double seconds;
    size_t bytes;
    const char *limit; /* which one ended it, if it is not complete */
    struct failure failure;
};

/* After a failure the trace is that of the failing execution. */
struct result explore(const struct program *program, const struct limits *limits);

#endif
