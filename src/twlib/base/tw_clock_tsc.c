// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPU's counter as a clock: calibrated against CLOCK_MONOTONIC. */
#include <errno.h>
#include <time.h>

#include "base/tw_clock.h"
#include "base/tw_counter.h"
#include "base/tw_time.h"

#define CALIBRATION_NS	(25 * TW_NS_PER_MS)
#define CALIBRATION_PPM	100
#define BRACKETS	20

static int64_t read_counter(const struct tw_clock *clock)
{
	uint64_t ticks = tw_counter_read() - clock->base_ticks;

	/* Exact to the ns for 100 days: a double has 53 bits. */
	return clock->base_ns + (int64_t)((double)(int64_t)ticks *
					  clock->ns_per_tick);
}

struct point {
	uint64_t ticks;
	int64_t ns;
};

/* The counter and the monotonic clock at one moment, as near as may be. */
static struct point read_point(void)
{
	struct point best = { 0, 0 };
	int64_t best_ns = INT64_MAX;
	int i;

	for (i = 0; i < BRACKETS; i++) {
		int64_t before = tw_now_ns(CLOCK_MONOTONIC);
		uint64_t ticks = tw_counter_read();
		int64_t after = tw_now_ns(CLOCK_MONOTONIC);

		if (after - before < best_ns) {
			best_ns = after - before;
			best.ticks = ticks;
			best.ns = before + best_ns / 2;
		}
	}
	return best;
}

static double ns_per_tick(const struct point *a, const struct point *b)
{
	uint64_t ticks = b->ticks - a->ticks;

	return ticks ? (double)(b->ns - a->ns) / (double)ticks : 0;
}

static int calibrate(struct tw_clock *clock)
{
	struct timespec pause = tw_ns_to_ts(CALIBRATION_NS);
	struct point point[3];
	double first, second;
	int i;

	for (i = 0; i < 3; i++) {
		if (i)
			nanosleep(&pause, NULL);
		point[i] = read_point();
	}

	first = ns_per_tick(&point[0], &point[1]);
	second = ns_per_tick(&point[1], &point[2]);
	if (first <= 0 || second / first > 1 + CALIBRATION_PPM * 1e-6 ||
	    second / first < 1 - CALIBRATION_PPM * 1e-6)
		return -ERANGE;

	clock->ns_per_tick = ns_per_tick(&point[0], &point[2]);
	clock->base_ticks = point[2].ticks;
	clock->base_ns = point[2].ns;
	return 0;
}

static int open_counter(struct tw_clock *clock)
{
	int err = tw_counter_trusted();

	if (err)
		return err;
	clock->read_ns = read_counter;
	return calibrate(clock);
}

const struct tw_clock_kind tw_clock_tsc = {
	"tsc", "", CLOCK_MONOTONIC, false, open_counter
};
