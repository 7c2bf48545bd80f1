// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "histogram.h"

int hset_init(struct histoset *hs, unsigned long histos, unsigned long width,
	      unsigned long num_buckets, unsigned long overflow)
{
	struct histogram *h;

	hs->num_histos = histos;
	hs->histos = calloc(histos, sizeof(*h));
	for (h = hs->histos; h && h < hs->histos + histos; h++) {
		h->buckets = calloc(num_buckets, sizeof(*h->buckets));
		h->oflows = calloc(overflow, sizeof(*h->oflows));
		if (!h->buckets || !h->oflows)
			return -1;
		h->width = width;
		h->num = num_buckets;
		h->oflow_bufsize = overflow;
	}
	return hs->histos ? 0 : -1;
}

int hist_sample(struct histogram *h, uint64_t sample)
{
	uint64_t bucket = sample / h->width;
	unsigned long number = h->events++;

	if (bucket < h->num)
		h->buckets[bucket]++;
	else if (h->oflow_count++ < h->oflow_bufsize)
		h->oflows[h->oflow_count - 1] = number;
	return bucket >= h->num;
}

void hset_print_bucket(struct histoset *hs, FILE *f, const char *pre,
		       unsigned long bucket, unsigned long flags)
{
	unsigned long i, sum = 0;

	for (i = 0; i < hs->num_histos; i++)
		sum += hs->histos[i].buckets[bucket];
	if (!sum)
		return;
	fputs(pre, f);
	for (i = 0; i < hs->num_histos; i++)
		fprintf(f, "%s%06lu", i ? "\t" : "",
			hs->histos[i].buckets[bucket]);
	if (flags & HSET_PRINT_SUM)
		fprintf(f, "\t%06lu", sum);
	fputc('\n', f);
}

void hist_print_json(struct histogram *h, FILE *f)
{
	const char *comma = "";
	unsigned long i;

	for (i = 0; i < h->num; i++)
		if (h->buckets[i]) {
			fprintf(f, "%s\n        \"%lu\": %lu", comma, i,
				h->buckets[i]);
			comma = ",";
		}
	fputc('\n', f);
}

void hist_print_oflows(struct histogram *h, FILE *f)
{
	unsigned long i;

	for (i = 0; i < h->oflow_count && i < h->oflow_bufsize; i++)
		fprintf(f, "%s%05lu", i ? " " : "", h->oflows[i]);
	if (h->oflow_count > i)
		fprintf(f, " # %05lu others", h->oflow_count - i);
}
