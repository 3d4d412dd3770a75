/* SPDX-License-Identifier: MIT */
/* What this machine takes for `transfer` and `upgrade`, printed as lines for a machine file. */
#ifndef RECIP_SIM_MEASURE_H
#define RECIP_SIM_MEASURE_H

void measure(void);

#endif
