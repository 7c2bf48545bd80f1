/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series: what is kept of one value of an owner, which is a pair or, in
 * primitivetest, a row. Values are in ns, those of rows in ps. Each column of
 * the results is one. The program says which there are; what prints, keeps or
 * judges them knows no owner. Called by main.
 */
#ifndef TW_SERIES_H
#define TW_SERIES_H

#include "tw_run.h"

struct tw_series {
	const char *name;
	int value;		/* its place in what record() is given */
	const struct tw_stats *stats;	/* over all steps */
	const void *rooms;	/* the owner's: see tw_part_room() */
	int cpu;		/* that it was measured on; -1: on several */
};

struct tw_series tw_series_of(const struct tw_run *run, int column);

/* Of an owner's columns, the value of the i-th. */
int tw_series_value(int i);

/* The first row of its histogram, which has @rows of them. */
int64_t tw_series_base(int value, int owner, int64_t rows);

#endif /* TW_SERIES_H */
