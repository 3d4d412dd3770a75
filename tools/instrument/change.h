/* SPDX-License-Identifier: MIT */
/* The kinds of read-modify-write. */
#ifndef RECIP_INSTRUMENT_CHANGE_H
#define RECIP_INSTRUMENT_CHANGE_H

#include <stdint.h>

enum change { CHANGE_SET, CHANGE_ADD, CHANGE_SUB, CHANGE_AND, CHANGE_OR, CHANGE_XOR, CHANGE_NAND };

/* What is there after it, of any size: of the result the lowest bytes count. */
static inline uint64_t change_result(enum change how, uint64_t old, uint64_t operand)
{
    switch (how) {
    case CHANGE_SET:
        return operand;
    case CHANGE_ADD:
        return old + operand;
    case CHANGE_SUB:
        return old - operand;
    case CHANGE_AND:
        return old & operand;
    case CHANGE_OR:
        return old | operand;
    case CHANGE_XOR:
        return old ^ operand;
    case CHANGE_NAND:
        return ~(old & operand);
    }
    return old;
}

#endif
