/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worst cycles as tables of 80 columns at most: --worst on a terminal. */
#ifndef TW_WORST_H
#define TW_WORST_H

#include <stdio.h>

#include "measure/tw_tally.h"

struct tw_run;

struct tw_worst {
	enum tw_metric_id id;
	const struct tw_tally *tally;	/* of the pair whose maximum it is */
};

/* @worst: @count, in the order of the rows. */
void tw_worst_print(FILE *file, const struct tw_run *run,
		    const struct tw_worst *worst, int count);

#endif /* TW_WORST_H */
