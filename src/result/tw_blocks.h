/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The longest values of 64 consecutive blocks of a run. Called by main. */
#ifndef TW_BLOCKS_H
#define TW_BLOCKS_H

#include "tw_run.h"

#define TW_BLOCKS	64

/* Of a value of a pair, in ns; false: there are fewer cycles than blocks. */
bool tw_blocks_maxima(const struct tw_run *run, int pair, int value,
		      int64_t longest_ns[TW_BLOCKS]);

#endif /* TW_BLOCKS_H */
