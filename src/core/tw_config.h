/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's settings. */
#ifndef TW_CONFIG_H
#define TW_CONFIG_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_clock.h"
#include "tw_link.h"
#include "tw_metric.h"
#include "tw_policy.h"
#include "tw_timer.h"

#define TW_PAIRS_MAX	256

enum tw_role {
	TW_MAIN,
	TW_SERVER,
	TW_CLIENT,
	TW_LOAD,
	TW_ROLES
};

/* Names in messages: "parent process", "server", "client", "load". */
extern const char *tw_config_roles[TW_ROLES];

struct tw_settings {
	int64_t intervals_us[TW_PAIRS_MAX];	/* 0: a closed loop */
	int intervals;		/* how many were given; the last is repeated */
	int64_t sleep_us;
	int64_t size;		/* of a request in bytes */
	int64_t loops;		/* 0: no limit */
	int64_t duration_s;	/* 0: no limit */
	int64_t warmup;
	const struct tw_link_ops *link;
	const struct tw_clock *clock;
	const struct tw_timer_ops *timer;
	const struct tw_wait_ops *wait;	/* see tw_link.h */
	int (*schedule)(int pair, int policy, int priority);

	int64_t pairs;		/* see also tw_run_pairs */
	int64_t distance_us;	/* by which the next pair's period is longer */
	int64_t aligned_us;	/* offset of first expiries; -1: not aligned */
	bool smp;		/* client and server of a pair on one CPU... */
	bool peer_next;		/* ...or the server on the next one */
	bool spread;		/* pair k has the priority - 2k */

	int policy;
	int64_t priority;	/* of the first client; 0: not real-time */
	int main_priority;	/* 0: an ordinary task, as a rule */
	bool mlockall;
	bool absent[TW_ROLES];	/* its processes are on another host */

	/* The columns of the results, of each pair: metrics. */
	enum tw_metric_id metrics[TW_SPANS];
	int columns;
	bool latency_only;	/* no --metrics: the phases are comments */

	bool quiet;
	bool verbose;
	bool histogram;
	bool nsecs;
	int64_t row;		/* width of one of a histogram, as values are */
	bool silent;		/* nothing is displayed while it measures */
};

/*
 * tw_settings is for options and for the checks of parts, which write to it: a
 * rule of tests/tools/lint. For all else, they are constant.
 */
extern struct tw_settings tw_settings;
#define tw_config	(*(const struct tw_settings *)&tw_settings)

int64_t tw_config_interval_us(int pair);

/* How long it is, as a rule, until all pairs measure. */
int64_t tw_config_warmup_us(void);
struct tw_metric_params tw_config_params(int pair);

/* Whether clients and servers have neither a real-time priority nor deadlines. */
static inline bool tw_config_is_ordinary(void)
{
	return !tw_policy_is_realtime(tw_config.policy) &&
	       tw_config.policy != SCHED_DEADLINE;
}

/*
 * For a check: sets the policy of *name, or if it is NULL, the default; *name
 * becomes its usual name. Returns whether it is real-time.
 */
bool tw_config_check_policy(const char **name);

/* Takes "METRIC:" from *value; if it does not begin so, it is the latency. */
struct tw_option;
enum tw_metric_id tw_config_metric(const struct tw_option *option,
				   char **value);

/* Of main, or of the client or server of pair @number. */
struct tw_rank tw_config_rank(enum tw_role role, int number);

#endif /* TW_CONFIG_H */
