/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole cycles, compared. */
#ifndef CYCLE_H
#define CYCLE_H

#include "measure/tw_cycle.h"

/* Without the padding behind the last member, which anything may stand in. */
#define CYCLE_BYTES	(offsetof(struct tw_cycle, inversions) + \
			 sizeof(uint32_t))

#endif /* CYCLE_H */
