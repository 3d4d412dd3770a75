/* SPDX-License-Identifier: MIT */
/* What the locks share beside the seam, for other checkers. */
#include "port/hapax.h"
#include "port/node.h"
#include "port/waiting-array.h"

_Atomic(uint64_t) recip_waiting_array[WAITING_ARRAY_SIZE];
struct hapax_slot recip_hapax_slots[HAPAX_SLOTS];
_Atomic(uint64_t) recip_hapax_blocks;
unsigned recip_spin_turns; /* it parks at once */

struct node *recip_node_new(void)
{
    port_thread()->keeps_nodes = true;
    return malloc(sizeof(struct node));
}

void recip_node_delete(struct node *node)
{
    free(node);
}
