// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "tw_clocks.h"
#include "tw_config.h"
#include "tw_part.h"
#include "tw_run.h"
#include "tw_time.h"
#include "tw_watch.h"

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

void tw_watch_look(struct tw_watch *watch, const struct tw_clock *clock)
{
	struct tw_moment both = tw_clock_moment(clock->now_ns);
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
	tw_watch_look(&asleep, &tw_clock_boottime);
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

void tw_jumps_text(FILE *file, const struct tw_jumps *jumps, const char *noun)
{
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

void tw_jumps_json(FILE *file, const struct tw_jumps *jumps)
{
	fprintf(file, "    \"clock_set\": { \"times\": %" PRIu64 ", \"largest_ns\": %" PRId64 ", \"left_out\": %" PRIu64 " },\n",
		jumps->times, jumps->largest_ns, jumps->left_out);
}

void tw_jumps_judge(struct tw_run *run, const struct tw_jumps *jumps)
{
	if (jumps->times || jumps->left_out)
		run->doubt = TW_CLOCK_SET;
}

/* In main. */
static struct tw_watch boot;
static int64_t suspended_ns;
static bool was_suspended;	/* in this step */

static void begin(struct tw_run *run)
{
	was_suspended = false;
	if (!run->step)
		tw_watch_look(&boot, &tw_clock_boottime);
}

static void end(struct tw_run *run)
{
	tw_watch_look(&boot, &tw_clock_boottime);
	suspended_ns += boot.set_ns;
	was_suspended = boot.set_ns;
	if (suspended_ns)
		run->doubt = TW_SUSPENDED;
}

bool tw_suspended(void)
{
	return was_suspended;
}

static void text(FILE *file, const struct tw_run *run)
{
	if (suspended_ns)
		fprintf(file, "# Suspended: the system slept for %.3f s of this run; what was late then, was late because of it\n",
			(double)suspended_ns / (double)TW_NS_PER_S);
}

static void json(FILE *file, const struct tw_run *run)
{
	fprintf(file, "    \"suspended_us\": %" PRId64 ",\n",
		tw_ns_to_us(suspended_ns));
}

const struct tw_part tw_part_suspend = {
	.begin = begin, .end = end, .text = text, .json = json,
};
