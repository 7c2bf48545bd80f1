// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms. */
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

int hist_sample(struct histogram *h, uint64_t sample)
{
	uint64_t bucket = sample / h->width, sum;
	unsigned long event = h->events++, overflow;
	int flags = HIST_OVERFLOW;

	if (bucket < h->num) {
		h->buckets[bucket]++;
		return 0;
	}
	/* The sum tells nothing of a sample just beyond the last bucket. */
	sum = h->oflow_magnitude + (bucket - h->num);
	if (sum > h->oflow_magnitude)
		h->oflow_magnitude = sum;
	else
		flags |= HIST_OVERFLOW_MAG;
	overflow = h->oflow_count++;
	if (h->oflows && overflow < h->oflow_bufsize)
		h->oflows[overflow] = event;
	else if (h->oflows)
		flags |= HIST_OVERFLOW_LOG;
	return flags;
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
	unsigned long kept = h->oflow_count < h->oflow_bufsize ?
			     h->oflow_count : h->oflow_bufsize, i;

	for (i = 0; i < kept; i++)
		fprintf(f, "%s%05lu", i ? " " : "", h->oflows[i]);
	if (kept == h->oflow_bufsize)
		fprintf(f, " # %05lu others", h->oflow_count - kept);
}
