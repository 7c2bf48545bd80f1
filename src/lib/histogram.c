// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms.
 */
#include <errno.h>
#include <stdlib.h>

#include "histogram.h"

int hist_init(struct histogram *h, unsigned long width, unsigned long num)
{
	*h = (struct histogram){ .width = width, .num = num };
	h->buckets = calloc(num, sizeof(*h->buckets));
	return h->buckets ? 0 : -ENOMEM;
}

int hist_init_oflow(struct histogram *h, unsigned long num)
{
	h->oflows = calloc(num, sizeof(*h->oflows));
	h->oflow_bufsize = num;
	return h->oflows ? 0 : -ENOMEM;
}

void hist_destroy(struct histogram *h)
{
	free(h->buckets);
	free(h->oflows);
	h->buckets = NULL;
	h->oflows = NULL;
}

static int count_overflow(struct histogram *h, unsigned long event,
			  uint64_t excess)
{
	int flags = HIST_OVERFLOW;
	uint64_t sum;

	/* An excess of 0 adds nothing to the sum, which the flag tells. */
	if (!excess || __builtin_add_overflow(h->oflow_magnitude, excess, &sum))
		flags |= HIST_OVERFLOW_MAG;
	else
		h->oflow_magnitude = sum;
	if (h->oflows && h->oflow_count >= h->oflow_bufsize)
		flags |= HIST_OVERFLOW_LOG;
	else if (h->oflows)
		h->oflows[h->oflow_count] = event;
	h->oflow_count++;
	return flags;
}

int hist_sample(struct histogram *h, uint64_t sample)
{
	uint64_t bucket = sample / h->width;
	unsigned long event = h->events++;

	if (bucket >= h->num)
		return count_overflow(h, event, bucket - h->num);
	h->buckets[bucket]++;
	return 0;
}

void hist_print_json(struct histogram *h, FILE *f)
{
	const char *separator = "";
	unsigned long i;

	for (i = 0; i < h->num; i++) {
		if (!h->buckets[i])
			continue;
		fprintf(f, "%s\n        \"%lu\": %lu", separator, i,
			h->buckets[i]);
		separator = ",";
	}
	fputc('\n', f);
}

void hist_print_oflows(struct histogram *h, FILE *f)
{
	unsigned long kept = h->oflow_count, i;

	if (kept > h->oflow_bufsize)
		kept = h->oflow_bufsize;
	for (i = 0; i < kept; i++)
		fprintf(f, "%s%05lu", i ? " " : "", h->oflows[i]);
	if (kept == h->oflow_bufsize)
		fprintf(f, " # %05lu others", h->oflow_count - kept);
}
