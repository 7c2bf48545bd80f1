// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "tw_config.h"
#include "tw_jumps.h"
#include "tw_run.h"
#include "tw_time.h"

struct tw_jumps tw_jumps_all;

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
