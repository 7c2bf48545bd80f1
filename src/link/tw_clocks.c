// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More clocks, and what the clock in use costs. The kernel has no timer on
 * these clocks, or not every timer, so the timer runs on CLOCK_MONOTONIC, and
 * its planned times are converted: after each cycle, when nothing is measured,
 * both clocks are read.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tw_clocks.h"
#include "tw_part.h"
#include "tw_run.h"
#include "tw_time.h"

#define TRIES	5
#define READS	2000

static const struct tw_timer_ops *inner;

/* Between two readings in a row; the smallest above 0; 0: none. */
static int64_t min_ns, max_ns, sum_ns, step_ns;
/* Of the CPU's counter: since when, and what it gained in how long. */
static int64_t since_ns, gained_ns, over_ns;

static int64_t raw_ns(void)
{
	return tw_now_ns(CLOCK_MONOTONIC_RAW);
}

static int64_t tai_ns(void)
{
	return tw_now_ns(CLOCK_TAI);
}

static int64_t boottime_ns(void)
{
	return tw_now_ns(CLOCK_BOOTTIME);
}

const struct tw_clock tw_clock_raw = {
	"monotonic_raw", raw_ns, CLOCK_MONOTONIC
};

const struct tw_clock tw_clock_tai = {
	"tai", tai_ns, CLOCK_MONOTONIC
};

const struct tw_clock tw_clock_boottime = {
	"boottime", boottime_ns, CLOCK_MONOTONIC
};

struct tw_moment tw_clock_moment(int64_t (*read)(void))
{
	struct tw_moment best = { 0, 0 };
	int64_t best_ns = INT64_MAX;
	int i;

	/* If anything came between two readings, they lie far apart. */
	for (i = 0; i < TRIES; i++) {
		int64_t before_ns = tw_now_ns(CLOCK_MONOTONIC);
		int64_t here = read();
		int64_t apart_ns = tw_now_ns(CLOCK_MONOTONIC) - before_ns;

		if (apart_ns < best_ns) {
			best_ns = apart_ns;
			best.here = here;
			best.ns = before_ns + apart_ns / 2;
		}
	}
	return best;
}

int64_t tw_clock_ahead_ns(const struct tw_clock *clock)
{
	struct tw_moment both = tw_clock_moment(clock->now_ns);

	return both.here - both.ns;
}

static void settle_converted(struct tw_timer *timer, int64_t awake_ns)
{
	int64_t ahead_ns = tw_clock_ahead_ns(tw_config.clock);

	inner->settle(timer, awake_ns - ahead_ns);
	timer->planned_ns += ahead_ns;
}

static void check(struct tw_run *run)
{
	static struct tw_timer_ops converted;

	tw_clock_open_aux(tw_config.clock);
	if (tw_config.clock == &tw_clock_tsc) {
		tw_clock_open_tsc();
		since_ns = tw_now_ns(CLOCK_MONOTONIC);
	}
	/* A closed loop plans nothing. */
	if (tw_config.clock == &tw_clock_monotonic ||
	    tw_config.clock == &tw_clock_realtime || !tw_config_interval_us(0))
		return;
	inner = tw_config.timer;
	converted = *inner;
	converted.settle = settle_converted;
	tw_config.timer = &converted;
}

/* Measured here, as reading the clock costs the same in every process. */
static void begin(struct tw_run *run)
{
	int i;

	min_ns = INT64_MAX;
	max_ns = sum_ns = step_ns = 0;
	for (i = 0; i < READS; i++) {
		int64_t last_ns = tw_config.clock->now_ns();
		int64_t ns = tw_config.clock->now_ns() - last_ns;

		min_ns = ns < min_ns ? ns : min_ns;
		max_ns = ns > max_ns ? ns : max_ns;
		if (ns > 0 && (!step_ns || ns < step_ns))
			step_ns = ns;
		sum_ns += ns;
	}
}

static void end(struct tw_run *run)
{
	if (!since_ns)
		return;
	gained_ns = tw_clock_ahead_ns(tw_config.clock);
	over_ns = tw_now_ns(CLOCK_MONOTONIC) - since_ns;
}

static double ppm(void)
{
	return 1e6 * (double)gained_ns / (double)over_ns;
}

static void text(FILE *file, const struct tw_run *run)
{
	if (over_ns)
		fprintf(file,
			"# Clock tsc: %+.3f ppm against the kernel's, %+.3f us in %.1f s\n",
			ppm(), (double)gained_ns / 1e3, (double)over_ns / 1e9);
}

static void json(FILE *file, const struct tw_run *run)
{
	fprintf(file, "    \"cost\": { \"clock_read_ns\": { \"min\": %" PRId64
		", \"avg\": %.1f, \"max\": %" PRId64
		" }, \"clock_resolution_ns\": %" PRId64
		" },\n    \"clock_drift\": ",
		min_ns, (double)sum_ns / READS, max_ns, step_ns);
	if (over_ns)
		fprintf(file, "{ \"ppm\": %.4f, \"ns\": %" PRId64
			", \"over_ns\": %" PRId64 " },\n", ppm(), gained_ns,
			over_ns);
	else
		fprintf(file, "null,\n");
}

const struct tw_part tw_part_clock = {
	.check = check, .begin = begin, .end = end, .text = text, .json = json,
};
