// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of a ramp, and the log of the Two-way Request Latency Test Program,
 * version 3.0 (2010)
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tw_load.h"
#include "tw_trltp.h"

#define BIN_US	10
#define BINS	20000	/* the next one has all that is longer */

/* In the order of the log */
static const char * const labels[TRLTP_METRICS] = {
	"POSIX Timer Interval Time", "Send Time", "nanosleep(100 Micro Sec)",
	"Receive Time", "Response Time", "Total Jitter"
};

static unsigned long bins[TRLTP_METRICS][BINS + 1];
static int count;
static struct step {
	struct trltp_stats response, total;
	double rate;
} kept[TRLTP_STEPS];

void trltp_keep(int step, const struct trltp_stats *response,
		const struct trltp_stats *total)
{
	kept[step] = (struct step) { *response, *total, load_rate() };
	count = step + 1;
}

static void print_stats(const struct trltp_stats *s)
{
	printf(" %7lld %7lld %7lld %7.1f |", (long long)s->min,
	       (long long)s->avg, (long long)s->max, s->std);
}

void trltp_table(void)
{
	int i;

	load_print_head();
	for (i = 0; i < count; i++) {
		printf("# %7d |", i);
		print_stats(&kept[i].response);
		print_stats(&kept[i].total);
		printf(" %8.1f\n", kept[i].rate);
	}
}

void trltp_count(int metric, int64_t ns)
{
	int64_t bin = ns / 1000 / BIN_US;

	if (bin >= 0)
		bins[metric][bin < BINS ? bin : BINS]++;
}

void trltp_log(FILE *f, int step, int metric, const struct trltp_stats *us)
{
	unsigned long *b = bins[metric];
	int i;

	if (!metric)
		fprintf(f, step ? "\nWorkers,%d\n" : "Workers,%d\n", step);
	fprintf(f, "\n%s (Micro Sec)\nMinimum,%.1f\nAverage,%.1f\nMaximum,%.1f\nStandard Deviation,%.1f\nCount,%lu\nLower Bound,Count\n",
		labels[metric], us->min, us->avg, us->max, us->std, us->count);
	for (i = 0; i < BINS; i++)
		if (b[i])
			fprintf(f, "%d,%lu\n", i * BIN_US, b[i]);
	if (b[BINS])
		fprintf(f, "above,%lu\n", b[BINS]);
	memset(b, 0, sizeof(bins[metric]));
}
