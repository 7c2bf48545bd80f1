// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/tw_clock.h"
#include "base/tw_time.h"

#define BRACKETS	20

static int64_t read_kernel(const struct tw_clock *clock)
{
	return tw_now_ns(clock->clockid);
}

#define KERNEL(name, number, clockid, own_timer) \
	&(const struct tw_clock_kind) { name, number, clockid, own_timer, NULL }

const struct tw_clock_kind *const tw_clock_kinds[] = {
	KERNEL("monotonic", "0", CLOCK_MONOTONIC, true),
	KERNEL("realtime", "1", CLOCK_REALTIME, true),
	KERNEL("monotonic_raw", "", CLOCK_MONOTONIC_RAW, false),
	KERNEL("tai", "", CLOCK_TAI, false),
	KERNEL("boottime", "", CLOCK_BOOTTIME, false),
	&tw_clock_tsc,
	NULL
};

int tw_clock_open(struct tw_clock *clock, const char *name)
{
	const struct tw_clock_kind *const *kind = tw_clock_kinds;

	while (*kind && strcmp(name, (*kind)->name) &&
	       strcmp(name, (*kind)->number))
		kind++;
	if (!*kind || !*name)
		return -EINVAL;

	memset(clock, 0, sizeof(*clock));
	clock->name = (*kind)->name;
	clock->read_ns = read_kernel;
	clock->clockid = (*kind)->clockid;
	clock->own_timer = (*kind)->own_timer;
	clock->timer_clockid = clock->own_timer ? clock->clockid :
						  CLOCK_MONOTONIC;
	return (*kind)->open ? (*kind)->open(clock) : 0;
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
int64_t tw_clock_follow_ns(const struct tw_clock *clock, clockid_t clockid,
			   struct tw_ahead *ahead)
{
	struct pair pair = read_pair(clock, clockid);

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

int64_t tw_clock_ahead_ns(const struct tw_clock *clock, struct tw_ahead *ahead)
{
	return clock->own_timer ? 0 :
	       tw_clock_follow_ns(clock, clock->timer_clockid, ahead);
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
	if (!clock->ns_per_tick)
		return false;
	*drift_ns = tw_clock_ahead_of_ns(clock, CLOCK_MONOTONIC);
	*over_ns = tw_now_ns(CLOCK_MONOTONIC) - clock->base_ns;
	return true;
}
