// SPDX-License-Identifier: GPL-2.0-or-later
/* How many pairs of client and server there are, and what tells them apart. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/tw_json.h"
#include "frame/tw_run.h"
#include "run/tw_config.h"
#include "run/tw_session.h"

static struct tw_pairing set;
static const struct tw_pairing initial = { .count = 1, .distance_us = 500 };

static const char *const peers[] = { "same", "next", NULL };

static bool begins_number(const char *word)
{
	return isdigit((unsigned char)*word);
}

/* No number: one pair for each CPU; check() knows how many there are. */
static int parse_threads(const struct tw_option *option, const char *value,
			 struct tw_run *run)
{
	set.count = 0;
	return value ? tw_option_number(option, value, run) : 0;
}

static int parse_aligned(const struct tw_option *option, const char *value,
			 struct tw_run *run)
{
	set.aligned = true;
	set.aligned_us = 0;
	return value ? tw_option_number(option, value, run) : 0;
}

static const struct tw_option options[] = {
	{ 'A', "aligned", TW_OPTIONAL_ARGUMENT, "US", parse_aligned,
	  &set.aligned_us, .max = 1000000, .takes_word = begins_number,
	  .help = "all pairs share one first expiry; with US, each\n"
		  "pair comes that many microseconds after the one\n"
		  "before" },
	{ 'd', "distance", TW_ARGUMENT, "US", tw_option_number,
	  &set.distance_us, .max = 1000000,
	  .help = "each pair has a period that is US longer than that\n"
		  "of the pair before, default 500; 0 with -h, -H or\n"
		  "a list of intervals" },
	{ 0, "peer", TW_ARGUMENT, "NAME", tw_option_word, &set.peer,
	  .kinds = peers,
	  .help = "with -S, the server's CPU, seen from its client's:\n"
		  "same (default), next" },
	{ 0, "priospread", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.priospread,
	  .help = "each client has a priority that is two less than\n"
		  "that of the client before" },
	{ 'S', "smp", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.smp,
	  .help = "a pair on each CPU, all of the same priority" },
	{ 't', "threads", TW_OPTIONAL_ARGUMENT, "N", parse_threads, &set.count,
	  .min = 1, .max = TW_PAIRS_MAX, .takes_word = begins_number,
	  .help = "N pairs of client and server, default 1; without\n"
		  "N one for each CPU" },
	{ .name = NULL }
};

static int check_smp(struct tw_run *run)
{
	if (tw_option_given(run, "peer") && !set.smp)
		return tw_fail(run, -EINVAL, "--peer=%s: only -S places a server by its client; give -S too, or --server-affinity",
			       peers[set.peer]);
	if (set.smp && tw_option_given(run, "affinity"))
		return tw_fail(run, -EINVAL, "-S: sets the CPU of each client and server itself; leave out -a, or give -t instead of -S");
	if (set.smp && tw_option_given(run, "threads"))
		return tw_fail(run, -EINVAL, "-S: means a pair for each CPU; leave out -t, or give -t with -a instead of -S");
	if (set.smp)
		set.count = 0;
	return 0;
}

/* One for each CPU, if the user has left the number out. */
static int count_pairs(struct tw_run *run)
{
	bool ramp = tw_config->ramp_of_pairs;
	int cpus = CPU_COUNT(&run->allowed);

	/* The last step has all. */
	if (ramp && set.smp)
		return tw_fail(run, -EINVAL, "-S: contradicts --ramp=pairs, where --steps sets the number of pairs; give -a instead");
	if (ramp && tw_option_given(run, "threads"))
		return tw_fail(run, -EINVAL, "--threads: contradicts --ramp=pairs, where --steps sets the number of pairs; leave it out");
	if (ramp && run->steps > TW_PAIRS_MAX)
		return tw_fail(run, -EINVAL, "--steps=%d: with --ramp=pairs, allowed are up to %d",
			       run->steps, TW_PAIRS_MAX);
	if (ramp)
		set.count = run->steps;
	if (set.count)
		return 0;
	if (cpus > TW_PAIRS_MAX)
		return tw_fail(run, -EINVAL, "--%s: there are %d CPUs, and allowed are up to %d pairs; start it on fewer CPUs (taskset), or give -t%d",
			       set.smp ? "smp" : "threads", cpus,
			       TW_PAIRS_MAX, TW_PAIRS_MAX);
	set.count = cpus ? cpus : 1;
	return 0;
}

static int check(struct tw_run *run)
{
	int err = check_smp(run);

	if (!err)
		err = count_pairs(run);
	/* As cyclictest: the columns of a histogram are to be comparable. */
	if (run->window_us && !tw_option_given(run, "distance"))
		set.distance_us = 0;
	tw_config_pair(&set);
	return err;
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	static const char *const spreads[] = { "equal", "spread" };
	const struct tw_config *config = tw_session(run)->config;
	const struct tw_pairing *pairs = &config->pairs;
	unsigned int k;

	tw_json_int(json, "pairs", pairs->count);
	tw_json_begin_line(json, "intervals_us", '[');
	for (k = 0; k < pairs->count; k++)
		tw_json_int(json, NULL, tw_config_interval_us(config, k));
	tw_json_end(json);
	tw_json_int_if(json, "aligned_us", pairs->aligned, pairs->aligned_us);
	tw_json_text(json, "priorities", spreads[pairs->priospread]);
}

const struct tw_part tw_part_pairs = {
	.name = "pairs", .options = options, TW_SETTINGS(set, initial),
	.check = check, .json_settings = json_settings,
};
