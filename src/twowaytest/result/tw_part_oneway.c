// SPDX-License-Identifier: GPL-2.0-or-later
/* --oneway: one-way times between two clocks, and --sync-limit. */
#include <errno.h>
#include <string.h>
#include <sys/timex.h>

#include "base/tw_clock.h"
#include "base/tw_json.h"
#include "base/tw_time.h"
#include "frame/tw_run.h"
#include "measure/tw_oneway.h"
#include "result/tw_oneway_report.h"
#include "result/tw_part_oneway.h"
#include "run/tw_config.h"
#include "run/tw_session.h"

static struct tw_oneway_wish set;
static const struct tw_oneway_wish initial;

static const struct tw_option options[] = {
	{ 0, "oneway", TW_ARGUMENT, "MODE", tw_option_word, &set.mode,
	  .kinds = tw_oneway_modes,
	  .help = "one-way times between two hosts: off (default),\n"
		  "sync, bound; sync needs clocks that show one time,\n"
		  "bound estimates their offset" },
	{ 0, "sync-limit", TW_ARGUMENT, "US", tw_option_number, &set.limit_us,
	  .min = 1, .max = 1000000000,
	  .help = "with --oneway=sync, exit status 2 if the clocks are\n"
		  "not proven to differ by at most US microseconds" },
	{ .name = NULL }
};

bool tw_oneway_kernel_claims(void)
{
	struct timex timex = { .modes = 0 };

	/* It also returns a state, whose TIME_ERROR may mean something else. */
	return adjtimex(&timex) >= 0 && !(timex.status & STA_UNSYNC);
}

static const struct tw_clock_kind *clock_kind(void)
{
	const struct tw_clock_kind *const *kind = tw_clock_kinds;

	while (*kind && strcmp(tw_config->clock, (*kind)->name) &&
	       (!(*kind)->number ||
		strcmp(tw_config->clock, (*kind)->number)))
		kind++;
	return *kind;
}

/* Whether the clock is meant to show the same time everywhere. */
static bool is_one_time(const struct tw_clock_kind *kind)
{
	return !kind->open && (kind->clockid == CLOCK_REALTIME ||
			       kind->clockid == CLOCK_TAI);
}

static int check(struct tw_run *run)
{
	const char *mode = tw_oneway_modes[set.mode];

	if (set.limit_us && set.mode != TW_ONEWAY_SYNC)
		return tw_fail(run, -EINVAL, "--sync-limit=%lld: nothing is proven about a common time with --oneway=%s; give --oneway=sync too",
			       (long long)set.limit_us, mode);
	if (!set.mode)
		return 0;
	if (!tw_config->two_clocks)
		return tw_fail(run, -EINVAL, "--oneway=%s: client and server have one clock, so send and receive are one-way times anyway; leave it out",
			       mode);
	if (set.mode == TW_ONEWAY_SYNC && !is_one_time(clock_kind()))
		return tw_fail(run, -EINVAL, "--oneway=sync: the clock %s of two hosts never shows one time; give --clock=realtime or tai, or --oneway=bound",
			       clock_kind()->name);
	tw_config_oneway(set.mode);
	return 0;
}

static int open_oneway(struct tw_run *run)
{
	if (set.mode != TW_ONEWAY_SYNC || tw_oneway_kernel_claims())
		return 0;
	return tw_fail(run, -EINVAL, "--oneway=sync: the kernel says that its clock is not synchronised (adjtimex, STA_UNSYNC); start chronyd, or ptp4l and phc2sys, and wait for them; or give --oneway=bound");
}

static size_t room(const struct tw_run *run)
{
	(void)run;
	return set.mode ? sizeof(struct tw_oneway) : 0;
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	if (set.mode)
		tw_tally_attach_oneway(pair->tally, memory, set.mode);
}

bool tw_oneway_wants_sync(void)
{
	return set.mode == TW_ONEWAY_SYNC;
}

void tw_oneway_distrust(struct tw_run *run, const char *why)
{
	const struct tw_session *session = tw_session(run);
	const struct tw_pair *pair;
	unsigned int k;

	if (!set.distrust)
		set.distrust = why;
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		if (pair->tally->oneway)
			tw_oneway_void(pair->tally->oneway);
}

/* Of a step. */
static void end(struct tw_run *run)
{
	if (set.mode == TW_ONEWAY_SYNC && !tw_oneway_kernel_claims())
		tw_oneway_distrust(run, "the client's kernel says that its clock is no longer synchronised (adjtimex, STA_UNSYNC)");
}

static bool exceeded(const struct tw_run *run)
{
	return set.limit_us && tw_oneway_judge(run, &set) != TW_MET;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	tw_oneway_print(file, run, &set);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	tw_oneway_json(json, run, &set);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_text(json, "oneway", tw_oneway_modes[set.mode]);
	tw_json_int_if(json, "sync_limit_us", set.limit_us, set.limit_us);
}

const struct tw_part tw_part_oneway = {
	.name = "oneway", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_oneway, .end = end,
	.exceeded = exceeded, .room = room, .attach = attach,
	.remarks = remarks, .json = json, .json_settings = json_settings,
};
