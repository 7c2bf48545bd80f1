// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "tw_config.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_process.h"
#include "tw_time.h"

#define PRIORITY_MIN	2	/* the server needs one below it */
#define INTERVAL_MAX_US	1000000000

const char *tw_config_roles[TW_ROLES] = {
	"parent process", "server", "client", "load"
};

struct tw_settings tw_settings = {
	.intervals_us = { 1000 },
	.intervals = 1,
	.sleep_us = 100,
	.size = 8,
	.warmup = 2,
	.link = &tw_link_tcp,
	.clock = &tw_clock_monotonic,
	.timer = &tw_timer_nanosleep,
	.wait = &tw_wait_poll,
	.schedule = tw_process_schedule,
	.pairs = 1,
	.aligned_us = -1,
	.row = TW_NS_PER_US,
	.metrics = { TW_LATENCY },
	.columns = 1,
	.latency_only = true,
};

static const char *clock_name = "monotonic", *timer_name = "nanosleep";
static int64_t distance_us = -1;	/* -1: not given */
static bool by_cpus;		/* -t without a number */
static const char *const peers[] = { "same", "next", NULL };
static const char *peer;	/* NULL: same */
static const char *policy_name;	/* NULL: fifo with -p, else other */

static void parse_intervals(const struct tw_option *option, char *value)
{
	struct tw_option one = *option;
	char *word;

	tw_settings.intervals = 0;
	while ((word = strsep(&value, ","))) {
		if (tw_config.intervals == TW_PAIRS_MAX)
			tw_option_refuse(option, word, "allowed are at most 256 values");
		one.to = &tw_settings.intervals_us[tw_settings.intervals++];
		tw_option_number(&one, word);
	}
}

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

static void set_posix(const struct tw_option *option, char *value)
{
	timer_name = "posix";
}

static const struct tw_option options[] = {
	{ 'A', "aligned", TW_NUMBER, &tw_settings.aligned_us, "US", 0, 1000000,
	  .optional = true, .parse = parse_aligned,
	  .group = TW_PAIRS,
	  .help = "all have the same first expiry; or pair N, N * US later" },
	{ 'd', "distance", TW_NUMBER, &distance_us, "US", 0, 1000000,
	  .far = TW_ASKED,
	  .group = TW_PAIRS,
	  .help = "the period of pair N is N * US longer, default 500, or 0 with -h, -H or a list of intervals" },
	{ 0, "peer", TW_WORD, &peer, .choices = peers, .with = "--smp",
	  .without = "--connect; use --server-affinity",
	  .group = TW_PAIRS,
	  .help = "with -S, the server's CPU: same (default), next" },
	{ 0, "priospread", TW_FLAG, &tw_settings.spread, .with = "--priority",
	  .far = TW_ASKED,
	  .group = TW_PAIRS,
	  .help = "lower both priorities of pair N by 2N" },
	{ 'S', "smp", TW_FLAG, &tw_settings.smp,
	  .without = "--trltp, which sets --affinity\n"
		     "--threads or --affinity, which it sets itself",
	  .group = TW_PAIRS,
	  .help = "a pair on each CPU, client and server on the same" },
	{ 't', "threads", TW_NUMBER, &tw_settings.pairs, NULL, 1, TW_PAIRS_MAX,
	  .optional = true, .parse = parse_threads, .far = TW_ASKED,
	  .group = TW_PAIRS,
	  .help = "pairs of client and server; without N, one a CPU" },
	{ 'c', "clock", TW_WORD, &clock_name, .choice = tw_clock_word,
	  .far = TW_ASKED,
	  .help = "clock of all times: monotonic (0, default), realtime (1), monotonic_raw, tai, boottime, tsc, aux0 to aux7" },
	{ 'D', "duration", TW_TIME, &tw_settings.duration_s,
	  .help = "seconds to measure; with m, h, d: minutes, hours, days" },
	{ 'i', "interval", TW_NUMBERS, tw_settings.intervals_us, "US[,US...]", 0,
	  INTERVAL_MAX_US, .parse = parse_intervals,
	  .count = &tw_settings.intervals, .far = TW_ASKED,
	  .help = "period, default 1000; 0: the next request follows at once; of a list, each pair has one" },
	{ 'l', "loops", TW_NUMBER, &tw_settings.loops, NULL, 0, 1000000000000LL,
	  .far = TW_MAY_BE_ASKED,
	  .help = "cycles to measure; 0 (default): until stopped" },
	{ 'm', "mlockall", TW_FLAG, &tw_settings.mlockall, .far = TW_ASKED,
	  .group = TW_PLACES,
	  .help = "lock this test's memory, so that none is paged out" },
	{ 'n', "nanosleep", TW_FLAG,
	  .help = "accepted for old scripts: it is the default" },
	{ 'N', "nsecs", TW_FLAG, &tw_settings.nsecs, .far = TW_ASKED,
	  .group = TW_OUTPUT,
	  .help = "print nanoseconds instead of microseconds" },
	{ 0, "policy", TW_WORD, &policy_name, .choices = tw_policy_names,
	  .far = TW_ASKED, .group = TW_PLACES,
	  .help = "of clients and servers, default fifo with -p, else other:" },
	{ 'p', "priority", TW_NUMBER, &tw_settings.priority, "PRIO", PRIORITY_MIN,
	  99, .far = TW_ASKED, .group = TW_PLACES,
	  .help = "the client's real-time priority; the server's is 1 less" },
	{ 'q', "quiet", TW_FLAG, &tw_settings.quiet, .group = TW_OUTPUT,
	  .help = "print the results only, at the end" },
	{ 0, "size", TW_NUMBER, &tw_settings.size, "BYTES", 8, 65536,
	  .far = TW_ASKED,
	  .help = "size of a request, default 8" },
	{ 0, "sleep", TW_NUMBER, &tw_settings.sleep_us, "US", 0, 10000000,
	  .far = TW_ASKED,
	  .help = "the server's sleep, default 100" },
	{ 0, "timer", TW_WORD, &timer_name, .choice = tw_timer_name,
	  .becomes = "none",
	  .help = "wakes the client:" },
	{ 0, "warmup", TW_NUMBER, &tw_settings.warmup, NULL, 0, 1000000,
	  .far = TW_ASKED,
	  .help = "cycles run before the measured ones, default 2" },
	{ 'x', "posix_timers", TW_FLAG, .parse = set_posix,
	  .help = "the same as --timer=posix" },
	{ .name = NULL }
};

static void check_spread(void)
{
	int most = (int)tw_config.priority / 2;

	if (tw_config.pairs > most)
		tw_say_fatal("--priospread: --priority=%d has levels for at most %d pairs\n",
			     (int)tw_config.priority, most);
}

static void check_pairs(void)
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

static void check_intervals(void)
{
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++) {
		int64_t us = tw_config_interval_us(pair);

		if (us > INTERVAL_MAX_US)
			tw_say_fatal("--interval: pair %d would have a period of %lld us; allowed is at most %d\n",
				     pair, (long long)us, INTERVAL_MAX_US);
		if (us && us <= tw_config.sleep_us)
			tw_say_fatal("--interval=%lld: allowed is 0, or more than --sleep=%lld; for this interval, give --sleep=%lld\n",
				     (long long)us,
				     (long long)tw_config.sleep_us,
				     (long long)us / 5);
		if (!us != !tw_config_interval_us(0))
			tw_say_fatal("--interval: allowed is 0 for all pairs or for none\n");
	}
}

/* A pair whose period is longer would end before its first measured cycle. */
static void check_duration(void)
{
	int64_t us;
	int pair;

	for (pair = 0; tw_config.duration_s && pair < tw_config.pairs; pair++) {
		us = tw_config_interval_us(pair);
		if (us > tw_config.duration_s * 1000000)
			tw_say_fatal("--duration=%lld: allowed is at least the period of pair %d, %lld us\n",
				     (long long)tw_config.duration_s, pair,
				     (long long)us);
	}
}

/* The first expiry begins the first interval. */
int64_t tw_config_warmup_us(void)
{
	int64_t us = 0;
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++)
		if (tw_config_interval_us(pair) > us)
			us = tw_config_interval_us(pair);
	return (tw_config.warmup + 1) * us;
}

static void begin(struct tw_run *run)
{
	int64_t us = tw_config_warmup_us(), periods = tw_config.warmup + 1;

	if (tw_config.duration_s && !run->step &&
	    us > tw_config.duration_s * 1000000)
		printf("# The warm-up takes %.1f s: %lld periods of %lld us\n",
		       (double)us / 1e6, (long long)periods,
		       (long long)(us / periods));
}

bool tw_config_check_policy(const char **name)
{
	bool realtime;

	if (!*name)
		*name = tw_config.priority ? "fifo" : "other";
	tw_settings.policy = tw_policy_find(*name);
	*name = tw_policy_name(tw_config.policy);
	realtime = tw_policy_is_realtime(tw_config.policy);
	if (tw_config.priority && !realtime)
		tw_say_fatal("--priority=%d: allowed only with --policy=fifo or rr\n",
			     (int)tw_config.priority);
	return realtime;
}

static void check(struct tw_run *run)
{
	if (tw_config_check_policy(&policy_name) && !tw_config.priority)
		tw_settings.priority = PRIORITY_MIN;
	check_pairs();
	check_intervals();
	check_duration();
	if (!tw_config_interval_us(0))
		timer_name = "none";
	tw_settings.timer = tw_timer_find(timer_name);
	tw_settings.clock = tw_clock_find(clock_name);
	clock_name = tw_config.clock->name;
}

const struct tw_part tw_part_config = {
	.options = options, .check = check, .begin = begin,
};

int64_t tw_config_interval_us(int pair)
{
	int last = tw_config.intervals - 1;
	int64_t us = tw_config.intervals_us[pair < last ? pair : last];

	return us ? us + pair * tw_config.distance_us : 0;
}

enum tw_metric_id tw_config_metric(const struct tw_option *option, char **value)
{
	char *rest = strchr(*value, ':');
	enum tw_metric_id id;

	if (!rest)
		return TW_LATENCY;
	*rest = '\0';
	id = tw_metric_find(*value);
	if (id == TW_SPANS)
		tw_option_refuse(option, *value, TW_METRIC_NAMES);
	*value = rest + 1;
	return id;
}

struct tw_rank tw_config_rank(enum tw_role role, int number)
{
	int below = (role == TW_SERVER) + (tw_config.spread ? 2 * number : 0);

	if (role == TW_MAIN)
		return tw_policy_fifo(tw_config.main_priority);
	return (struct tw_rank) {
		tw_config.policy,
		tw_config.priority ? (int)tw_config.priority - below : 0
	};
}

struct tw_metric_params tw_config_params(int pair)
{
	return (struct tw_metric_params) {
		.period_ns = tw_config_interval_us(pair) * TW_NS_PER_US,
		.sleep_ns = tw_config.sleep_us * TW_NS_PER_US,
	};
}
