// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --oneway=sync: the clocks of two hosts show one time, as with PTP. That no
 * kernel says otherwise proves nothing; the cycles do: a request is read after
 * it was sent, and so is a reply. Of the server's clock less the client's,
 *
 *	t2 - t3 <= offset <= t1 - t0
 *
 * A window of 64 cycles, in which 0 lies between the largest lower and the
 * smallest upper bound, proves that the offset is no larger than both.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/timex.h>

#include "tw_hosts.h"
#include "tw_part.h"
#include "tw_time.h"

#define WINDOW		64
#define FARTHEST_NS	(1000 * TW_NS_PER_S)	/* of a sum, none overflows */

/* Memory of a pair; and of all pairs, at the end. */
static struct room {
	uint64_t cycles;		/* of all windows */
	uint64_t proven;		/* of those that contain 0 */
	int64_t uncertainty_ns;		/* the largest of those */
	int64_t lower_ns, upper_ns;	/* of the present window */
	int count;			/* cycles in it */
} all;

static const char *const modes[] = { "off", "sync", NULL };
static const char *mode = "off";

static const struct tw_option options[] = {
	{ 0, "oneway", TW_WORD, &mode, .choices = modes, .far = TW_ASKED,
	  .help = "send and receive by clocks in sync:" },
	{ .name = NULL }
};

bool tw_oneway_chosen(void)
{
	return !strcmp(mode, "sync");
}

/* On both hosts. */
static void check(struct tw_run *run)
{
	struct timex clock = { .modes = 0 };

	if (!tw_oneway_chosen())
		return;
	if (!tw_config.absent[TW_SERVER] && !tw_config.absent[TW_CLIENT])
		tw_say_fatal("--oneway=sync: allowed only with --connect, and not with --reflect\n");
	if (tw_config.clock != &tw_clock_realtime &&
	    tw_config.clock != &tw_clock_tai)
		tw_say_fatal("--oneway=sync: allowed only with --clock=realtime or tai\n");
	if (adjtimex(&clock) < 0 || clock.status & STA_UNSYNC)
		tw_say_fatal("--oneway=sync: the kernel says that its clock is not synchronised (adjtimex, STA_UNSYNC); start chronyd, or ptp4l and phc2sys, and wait for them\n");
	tw_metric_two_clocks(NULL, FARTHEST_NS);
}

static size_t room(const struct tw_run *run)
{
	return tw_oneway_chosen() && tw_config.absent[TW_SERVER] ?
	       sizeof(struct room) : 0;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;

	if (!to->count++) {
		to->lower_ns = -FARTHEST_NS;
		to->upper_ns = FARTHEST_NS;
	}
	if (to->lower_ns < -values_ns[TW_RECEIVE])
		to->lower_ns = -values_ns[TW_RECEIVE];
	if (to->upper_ns > values_ns[TW_SEND])
		to->upper_ns = values_ns[TW_SEND];
	if (to->count < WINDOW)
		return false;
	to->cycles += WINDOW;
	to->count = 0;
	if (to->lower_ns > 0 || to->upper_ns < 0)
		return false;
	to->proven += WINDOW;
	if (to->uncertainty_ns < to->upper_ns)
		to->uncertainty_ns = to->upper_ns;
	if (to->uncertainty_ns < -to->lower_ns)
		to->uncertainty_ns = -to->lower_ns;
	return false;
}

bool tw_oneway_doubts(const struct tw_run *run, int pair, enum tw_metric_id id)
{
	const struct room *of = tw_pair_room(run, pair, &tw_part_oneway);

	return of && tw_metric_compares_sides(id) &&
	       (run->doubt || !of->cycles || of->proven < of->cycles / 2);
}

static void end(struct tw_run *run)
{
	int i;

	all = (struct room) { .count = 0 };
	for (i = 0; room(run) && i < tw_config.pairs; i++) {
		const struct room *of = tw_pair_room(run, i, &tw_part_oneway);

		all.cycles += of->cycles;
		all.proven += of->proven;
		if (all.uncertainty_ns < of->uncertainty_ns)
			all.uncertainty_ns = of->uncertainty_ns;
	}
}

static void text(FILE *file, const struct tw_run *run)
{
	if (room(run))
		fprintf(file, "# One-way: %" PRIu64 " of %" PRIu64 " cycles are proven, within +-%.1f us\n",
			all.proven, all.cycles,
			tw_us(all.uncertainty_ns));
}

static bool is_oneway(const void *of)
{
	return room(of);
}

static const struct tw_member oneway[] = {
	{ "cycles", TW_AT(all.cycles), TW_COUNT, "Of whole windows." },
	{ "proven", TW_AT(all.proven), TW_COUNT, "Of them." },
	{ "uncertainty_ns", TW_AT(all.uncertainty_ns), TW_COUNT, "Of those, at most." },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "oneway", TW_NOWHERE, TW_OBJECT, "With oneway: cycles of whole windows, those of windows that prove the clocks to agree, and by how much they may differ.",
	  .optional = true, .has = is_oneway, .of = oneway },
	{ .name = NULL }
};

const struct tw_part tw_part_oneway = {
	.options = options, .group = TW_HOSTS, .check = check, .room = room,
	.record = record, .whole = true, .end = end, .text = text,
	.members[TW_OF_RUN] = members,
};
