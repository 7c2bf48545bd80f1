/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms; like that of rt-tests, to be included once. */
#include <stdint.h>
#include <stdio.h>

struct histogram {
	unsigned long *buckets, width, num, events;
	unsigned long *oflows, oflow_bufsize, oflow_count;
};

struct histoset {
	struct histogram *histos;
	unsigned long num_histos;
};

#define HSET_PRINT_SUM	1

int hset_init(struct histoset *hs, unsigned long histos, unsigned long width,
	      unsigned long num_buckets, unsigned long overflow);
int hist_sample(struct histogram *h, uint64_t sample);
void hset_print_bucket(struct histoset *hs, FILE *f, const char *pre,
		       unsigned long bucket, unsigned long flags);
void hist_print_json(struct histogram *h, FILE *f);
void hist_print_oflows(struct histogram *h, FILE *f);
