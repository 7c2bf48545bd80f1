// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tw_clock.h"
#include "tw_counter.h"
#include "tw_time.h"

#define CALIBRATION_NS	(25 * TW_NS_PER_MS)
#define CALIBRATION_PPM	100
#define BRACKETS	20

static int64_t read_kernel(const struct tw_clock *clock)
{
	return tw_now_ns(clock->clockid);
}

static int64_t read_counter(const struct tw_clock *clock)
{
	uint64_t ticks = tw_counter_read() - clock->base_ticks;

	/* Exact to the ns for 100 days: a double has 53 bits. */
	return clock->base_ns + (int64_t)((double)(int64_t)ticks *
					  clock->ns_per_tick);
}

static const struct clock_name {
	const char *name;
	const char *number;	/* as cyclictest's -c */
	clockid_t clockid;
	bool own_timer;
	bool counter;
} clocks[] = {
	{ "monotonic", "0", CLOCK_MONOTONIC, true, false },
	{ "realtime", "1", CLOCK_REALTIME, true, false },
	{ "monotonic_raw", "", CLOCK_MONOTONIC_RAW, false, false },
	{ "tai", "", CLOCK_TAI, false, false },
	{ "boottime", "", CLOCK_BOOTTIME, false, false },
	{ "tsc", "", CLOCK_MONOTONIC, false, true },
};

#define CLOCKS	(sizeof(clocks) / sizeof(clocks[0]))

const char *tw_clock_name(size_t index)
{
	return index < CLOCKS ? clocks[index].name : NULL;
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

int tw_clock_open(struct tw_clock *clock, const char *name)
{
	size_t i;

	for (i = 0; i < CLOCKS; i++)
		if (!strcmp(name, clocks[i].name) ||
		    !strcmp(name, clocks[i].number))
			break;
	if (i == CLOCKS || !*name)
		return -EINVAL;

	memset(clock, 0, sizeof(*clock));
	clock->name = clocks[i].name;
	clock->read_ns = read_kernel;
	clock->clockid = clocks[i].clockid;
	clock->own_timer = clocks[i].own_timer;
	clock->timer_clockid = clock->own_timer ? clock->clockid :
						  CLOCK_MONOTONIC;
	return clocks[i].counter ? open_counter(clock) : 0;
}

/* Two clocks, read together. */
struct pair {
	int64_t ahead_ns;
	int64_t apart_ns;	/* but for as much */
};

static struct pair read_pair(const struct tw_clock *clock, clockid_t clockid)
{
	int64_t before = tw_now_ns(clockid);
	int64_t here = clock->read_ns(clock);
	int64_t after = tw_now_ns(clockid);

	return (struct pair) {
		.ahead_ns = here - (before + (after - before) / 2),
		.apart_ns = after - before,
	};
}

/*
 * How long a read takes is the machine's matter, 20 ns or 2 us, so pairs are
 * held against the narrowest one. One that is twice as wide is not of one
 * moment; should all be so from now on, a little more is trusted each time.
 */
int64_t tw_clock_ahead_ns(const struct tw_clock *clock, struct tw_ahead *ahead)
{
	struct pair pair;

	if (clock->own_timer)
		return 0;
	pair = read_pair(clock, clock->timer_clockid);
	if (ahead->trusted_ns && pair.apart_ns > ahead->trusted_ns) {
		ahead->trusted_ns += ahead->trusted_ns / 8;
		return ahead->ns;
	}
	if (!ahead->trusted_ns || 2 * pair.apart_ns < ahead->trusted_ns)
		ahead->trusted_ns = 2 * pair.apart_ns > TW_NS_PER_US ?
				    2 * pair.apart_ns : TW_NS_PER_US;
	ahead->ns = pair.ahead_ns;
	return ahead->ns;
}

/* The narrowest of up to @tries pairs, or the first within @enough_ns. */
static struct pair best_pair(const struct tw_clock *clock, clockid_t clockid,
			     int tries, int64_t enough_ns)
{
	struct pair best = read_pair(clock, clockid);

	while (--tries > 0 && best.apart_ns > enough_ns) {
		struct pair pair = read_pair(clock, clockid);

		if (pair.apart_ns < best.apart_ns)
			best = pair;
	}
	return best;
}

int64_t tw_clock_ahead_of_ns(const struct tw_clock *clock, clockid_t clockid)
{
	return best_pair(clock, clockid, BRACKETS, -1).ahead_ns;
}

int64_t tw_clock_about_ahead_ns(const struct tw_clock *clock,
				clockid_t clockid)
{
	return best_pair(clock, clockid, 3, TW_NS_PER_US).ahead_ns;
}

bool tw_clock_drift(const struct tw_clock *clock, int64_t *drift_ns,
		    int64_t *over_ns)
{
	if (clock->read_ns != read_counter)
		return false;
	*drift_ns = tw_clock_ahead_of_ns(clock, CLOCK_MONOTONIC);
	*over_ns = tw_now_ns(CLOCK_MONOTONIC) - clock->base_ns;
	return true;
}
