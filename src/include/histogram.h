/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of whole numbers, whatever their unit. */
#ifndef __HISTOGRAM_H
#define __HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

struct histogram {
	unsigned long *buckets;		/* [i]: from i * width on */
	unsigned long width;		/* of a bucket, at least 1 */
	unsigned long num;		/* of buckets */
	unsigned long events;		/* samples in all */

	unsigned long *oflows;		/* their numbers; the first is 0 */
	unsigned long oflow_bufsize;	/* how many numbers are kept */
	unsigned long oflow_count;	/* samples beyond the last bucket */
	uint64_t oflow_magnitude;	/* by how many buckets, in all */
};

/* A sample is in no bucket, did not add to oflow_magnitude, not to oflows. */
#define HIST_OVERFLOW		1
#define HIST_OVERFLOW_MAG	2
#define HIST_OVERFLOW_LOG	4

/* Return 0 or -ENOMEM; without the second, no overflows are kept. */
int hist_init(struct histogram *h, unsigned long width, unsigned long num);
int hist_init_oflow(struct histogram *h, unsigned long num);
void hist_destroy(struct histogram *h);

/* Returns 0, or the HIST_OVERFLOW flags that apply. */
int hist_sample(struct histogram *h, uint64_t sample);

/* The buckets that are not empty, as members of a JSON object. */
void hist_print_json(struct histogram *h, FILE *f);

/* The overflows that were kept and how many more there were, in a line. */
void hist_print_oflows(struct histogram *h, FILE *f);

#endif /* __HISTOGRAM_H */
