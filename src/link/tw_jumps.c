// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "tw_clocks.h"
#include "tw_jumps.h"
#include "tw_part.h"
#include "tw_time.h"

struct tw_jumps tw_jumps_all;
#define SPANS	2	/* cycles that a jump is in: see tw_client.c */

/*
 * The kernel steers CLOCK_REALTIME, TAI, BOOTTIME and MONOTONIC together, so
 * their distance is the same to the nanosecond unless one is set. Others have a
 * rate of their own: either tick may be wrong by 10 % (ADJ_TICK), and by 500
 * ppm more (ADJ_FREQUENCY), so both together gain less than a quarter.
 */
static int64_t usual_ns(const struct tw_watch *watch,
			const struct tw_clock *clock,
			const struct tw_moment *both)
{
	return watch->error_ns + both->error_ns +
	       (clock->own_rate ? (both->ns - watch->at_ns) / 4 : 0);
}

void tw_jumps_look(struct tw_watch *watch, const struct tw_clock *clock)
{
	struct tw_moment both = tw_clocks_moment(clock->now_ns);
	int64_t by_ns = both.here - both.ns - watch->ahead_ns;
	bool first = !watch->at_ns;

	watch->set_ns = first || llabs(by_ns) <= usual_ns(watch, clock, &both) ?
			0 : by_ns;
	if (watch->set_ns)
		watch->doubts = SPANS;
	else
		watch->doubts -= watch->doubts > 0;
	/* What does not change is best known from the best reading. */
	if (first || watch->set_ns || clock->own_rate ||
	    both.error_ns < watch->error_ns) {
		watch->ahead_ns += by_ns;
		watch->error_ns = both.error_ns;
	}
	watch->before_ns = watch->at_ns;
	watch->at_ns = both.ns;
}

/* CLOCK_BOOTTIME jumps in a suspend alone, and is looked at if another did. */
void tw_jumps_note(struct tw_jumps *jumps, const struct tw_watch *watch)
{
	static struct tw_watch asleep;

	if (asleep.at_ns && !watch->set_ns)
		return;
	tw_jumps_look(&asleep, &tw_clock_boottime);
	if (!watch->set_ns || asleep.set_ns)
		return;
	jumps->times++;
	if (jumps->largest_ns < llabs(watch->set_ns))
		jumps->largest_ns = llabs(watch->set_ns);
}

void tw_jumps_add(struct tw_jumps *to, const struct tw_jumps *from)
{
	to->times += from->times;
	to->left_out += from->left_out;
	if (to->largest_ns < from->largest_ns)
		to->largest_ns = from->largest_ns;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void tw_jumps_text(FILE *file, const char *noun)
{
	const struct tw_jumps *jumps = &tw_jumps_all;

	if (!jumps->times && !jumps->left_out)
		return;
	fprintf(file, "# Clock %s ", tw_config.clock->name);
	if (jumps->times)
		fprintf(file, "was set %" PRIu64 " time%s, by up to %.3f us",
			jumps->times, plural(jumps->times),
			(double)jumps->largest_ns / TW_NS_PER_US);
	else
		fprintf(file, "has jumped, but nobody has set it here");
	fprintf(file, "; %" PRIu64 " %s%s left out\n", jumps->left_out, noun,
		jumps->left_out == 1 ? " is" : "s are");
}

const struct tw_member tw_jumps_members[] = {
	{ TW_NAMED(struct tw_jumps, times), TW_COUNT, "On this host; a suspend is none." },
	{ TW_NAMED(struct tw_jumps, largest_ns), TW_COUNT, "The most that it was set by, forward or back." },
	{ TW_NAMED(struct tw_jumps, left_out), TW_COUNT, "Cycles of all pairs, or trials, without values." },
	{ .name = NULL }
};

void tw_jumps_judge(struct tw_run *run)
{
	if (tw_jumps_all.times || tw_jumps_all.left_out)
		run->doubt = TW_CLOCK_SET;
}

static struct tw_watch boot;
static int64_t suspended_ns;

static void begin(struct tw_run *run)
{
	if (!run->step)
		tw_jumps_look(&boot, &tw_clock_boottime);
}

static void end(struct tw_run *run)
{
	tw_jumps_look(&boot, &tw_clock_boottime);
	suspended_ns += boot.set_ns;
	run->suspended_us = tw_ns_to_us(suspended_ns);
	if (suspended_ns)
		run->doubt = TW_SUSPENDED;
}

static void text(FILE *file, const struct tw_run *run)
{
	if (suspended_ns)
		fprintf(file, "# Suspended: the system slept for %.3f s of this run; what was late then, was late because of it\n",
			(double)suspended_ns / (double)TW_NS_PER_S);
}

static int64_t suspended_us(const void *of)
{
	return tw_ns_to_us(suspended_ns);
}

static const struct tw_member members[] = {
	{ "suspended_us", TW_NUMBER_OF(suspended_us), TW_COUNT, "How long the system slept in the run, on this host." },
	{ .name = NULL }
};

const struct tw_part tw_part_suspend = {
	.begin = begin, .end = end, .text = text, .members[TW_OF_RUN] = members,
	.tells_end = true,
};
