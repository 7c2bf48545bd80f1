// SPDX-License-Identifier: GPL-2.0-or-later
/* -t, -S, -d, -A, --priospread: several pairs of client and server. */
#include <string.h>

#include "tw_part.h"
#include "tw_place.h"
#include "tw_run.h"
#include "tw_say.h"

static int64_t distance_us = -1;	/* -1: not given */
static bool by_cpus;		/* -t without a number */
static const char *const peers[] = { "same", "next", NULL };
static const char *peer;	/* NULL: same */

static void parse_threads(const struct tw_option *option, char *value)
{
	by_cpus = !value;
	if (value)
		tw_option_number(option, value);
}

static void parse_aligned(const struct tw_option *option, char *value)
{
	tw_settings.aligned_us = 0;
	if (value)
		tw_option_number(option, value);
}

static const struct tw_option options[] = {
	{ 'A', "aligned", TW_NUMBER, &tw_settings.aligned_us, "US", 0, 1000000,
	  .optional = true, .parse = parse_aligned,
	  .help = "all have the same first expiry; or pair N, N * US later" },
	{ 'd', "distance", TW_NUMBER, &distance_us, "US", 0, 1000000,
	  .far = TW_ASKED,
	  .help = "the period of pair N is N * US longer, default 500, or 0 with -h, -H or a list of intervals" },
	{ 0, "peer", TW_WORD, &peer, .choices = peers, .with = "--smp",
	  .without = "--connect; use --server-affinity",
	  .help = "with -S, the server's CPU: same (default), next" },
	{ 0, "priospread", TW_FLAG, &tw_settings.spread, .with = "--priority",
	  .far = TW_ASKED,
	  .help = "lower both priorities of pair N by 2N" },
	{ 'S', "smp", TW_FLAG, &tw_settings.smp,
	  .without = "--trltp, which sets --affinity\n"
		     "--threads or --affinity, which it sets itself",
	  .help = "a pair on each CPU, client and server on the same" },
	{ 't', "threads", TW_NUMBER, &tw_settings.pairs, NULL, 1, TW_PAIRS_MAX,
	  .optional = true, .parse = parse_threads, .far = TW_ASKED,
	  .help = "pairs of client and server; without N, one a CPU" },
	{ .name = NULL }
};

static void check_spread(void)
{
	int most = (int)tw_config.priority / 2;

	if (tw_config.pairs > most)
		tw_say_fatal("--priospread: --priority=%d has levels for at most %d pairs\n",
			     (int)tw_config.priority, most);
}

static void check(struct tw_run *run)
{
	if (tw_config.smp || by_cpus)
		tw_settings.pairs = tw_place_count() > TW_PAIRS_MAX ?
				  TW_PAIRS_MAX : tw_place_count();
	tw_settings.peer_next = peer && !strcmp(peer, "next");
	if (tw_config.spread)
		check_spread();
	if (distance_us < 0)
		distance_us = tw_config.histogram || tw_config.intervals > 1 ?
			      0 : 500;
	tw_settings.distance_us = distance_us;
}

const struct tw_part tw_part_pairs = {
	.options = options, .group = TW_PAIRS, .check = check,
};
