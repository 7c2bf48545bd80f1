/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_BLOCKS_H
#define TW_BLOCKS_H

#include <stdio.h>

#include "tw_run.h"

/*
 * Writes the member "maxima": the longest value of metric @id in each block of
 * the run. None, if there are fewer cycles than blocks.
 */
void tw_blocks_json_maxima(FILE *file, const struct tw_run *run, int pair,
			   enum tw_metric_id id);

#endif /* TW_BLOCKS_H */
