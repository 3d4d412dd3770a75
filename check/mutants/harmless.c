/* The weakenings that change nothing, each with the reason. */
#include "check/mutants.h"

const struct harmless harmless_mutants[] = {
    {NULL, "none", 0, 0, ""},
};

const size_t harmless_mutant_count = sizeof harmless_mutants / sizeof *harmless_mutants;
