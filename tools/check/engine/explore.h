/* SPDX-License-Identifier: MIT */
/* All executions of a program: depth-first, along a trail of choices, each turn of it with a snapshot to come back to;
 * a graph that has been seen is not gone on from again. */
#ifndef RECIP_CHECK_ENGINE_EXPLORE_H
#define RECIP_CHECK_ENGINE_EXPLORE_H

#include "check/engine/execution.h"

struct program {
    void (*setup)(void *argument);  /* makes the threads */
    void (*finish)(void *argument); /* looks at the end; may be null */
    void *argument;
};

struct result;

struct limits {
    double seconds;
    size_t bytes;     /* of the set of graphs seen */
    uint64_t counted; /* beyond so many graphs, those with the same state count as one; 0: from the start */
    bool naive;       /* without any assumption on who accesses what: for tests */
    void (*progress)(const struct result *so_far); /* now and then; may be null */
};

/* Of graphs that are counted one by one; it takes seconds. */
enum { DEFAULT_GRAPHS = 50000 };

enum verdict { VERDICT_PASSED, VERDICT_FAILED, VERDICT_INCOMPLETE };

struct result {
    enum verdict verdict;
    bool liveness;       /* circles of states were looked at: livelock, starvation */
    bool merged;         /* graphs with the same state were taken as one: there were too many to count */
    uint64_t executions; /* complete ones, each graph once; or the states in which they end */
    uint64_t graphs;     /* partial ones, each once; or states */
    uint64_t runs;       /* how often it was gone on from somewhere */
    double seconds;
    size_t bytes;
    const char *remark; /* beside the verdict; null: none */
    const char *limit;  /* which one ended it, if it is not complete */
    struct failure failure;
};

/* After a failure the trace is that of the failing execution. */
struct result explore(const struct program *program, const struct limits *limits);

#endif
