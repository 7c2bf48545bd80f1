// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it costs to fold a cycle into the statistics.
 *
 * usage: fold CYCLES HISTOGRAM-US
 *
 * Prints the mean ns a cycle. Cycles are made up: times that scatter as
 * latencies do, mostly near their minimum with a long tail, so that
 * branches and buckets are as hard to foresee as in a real run.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tw_time.h"
#include "measure/tw_tally.h"

/* 4 MiB: read in sequence, and so there before it is wanted. */
#define CYCLES	(1 << 16)

static struct tw_cycle cycles[CYCLES];

/* xorshift64: the same numbers in every run. */
static double uniform(void)
{
	static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

/* Exponential above @least_ns; one in a thousand is ten times as far out. */
static int64_t latency_ns(int64_t least_ns, double mean_above_ns)
{
	double above_ns = -log(uniform()) * mean_above_ns;

	if (uniform() < 0.001)
		above_ns *= 10;
	return least_ns + (int64_t)above_ns;
}

static void make_cycles(int64_t period_ns, int64_t sleep_ns)
{
	int64_t planned_ns = TW_NS_PER_S, prev_t0_ns = planned_ns;
	int i;

	for (i = 0; i < CYCLES; i++) {
		struct tw_cycle *cycle = &cycles[i];

		planned_ns += period_ns;
		cycle->seq = i + 1;
		cycle->planned_ns = planned_ns;
		cycle->prev_t0_ns = prev_t0_ns;
		cycle->t0_ns = planned_ns + latency_ns(2000, 2000);
		cycle->t1_ns = cycle->t0_ns + latency_ns(12000, 3000);
		cycle->t2_ns = cycle->t1_ns + sleep_ns +
			       latency_ns(3000, 3000);
		cycle->t3_ns = cycle->t2_ns + latency_ns(9000, 3000);
		prev_t0_ns = cycle->t0_ns;
	}
}

int main(int argc, char *argv[])
{
	const struct tw_metric_params params = {
		.period_ns = TW_NS_PER_MS, .sleep_ns = 100 * TW_NS_PER_US,
	};
	int64_t width_us, begin_ns, end_ns;
	struct tw_tally *tally;
	long long count, i;
	void *memory;

	if (argc != 3)
		errx(1, "usage: fold CYCLES HISTOGRAM-US");
	count = atoll(argv[1]);
	width_us = atoll(argv[2]);
	if (count < 1 || width_us < 0)
		errx(1, "CYCLES is at least 1, HISTOGRAM-US at least 0");
	memory = calloc(1, tw_tally_size(width_us));
	if (!memory)
		err(1, "memory");
	tally = tw_tally_init(memory, &params, width_us);
	make_cycles(params.period_ns, params.sleep_ns);
	/* Once through, so that no page is touched for the first time below. */
	for (i = 0; i < CYCLES; i++)
		tw_tally_add(tally, &cycles[i]);

	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	for (i = 0; i < count; i++)
		tw_tally_add(tally, &cycles[i % CYCLES]);
	end_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (tally->cycles != (uint64_t)count + CYCLES)
		errx(1, "a cycle is missing");
	printf("%.1f\n", (double)(end_ns - begin_ns) / (double)count);
	return 0;
}
