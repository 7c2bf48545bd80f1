/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user asked for. Filled in once, const from then on. */
#ifndef TW_CONFIG_H
#define TW_CONFIG_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_limit.h"
#include "tw_load.h"
#include "tw_metric.h"
#include "tw_place.h"
#include "tw_timer.h"
#include "tw_wait.h"

#define TW_PERCENTILES_MAX	32
#define TW_ERROR_MAX		512

/* --rt-runtime was not given. */
#define TW_KEEP		(-2)

enum tw_affinity {
	TW_UNPINNED,
	TW_PLAN,		/* -a */
	TW_SET			/* -aSET */
};

struct tw_config {
	/* What is run. */
	int64_t interval_us;	/* 0: closed loop */
	int64_t sleep_us;
	int64_t size;		/* of a request, bytes */
	int64_t loops;		/* 0: until stopped */
	int64_t duration_s;	/* 0: until stopped */
	int64_t warmup;		/* cycles */
	int64_t port;		/* 0: the kernel's choice */
	const struct tw_timer_ops *timer;
	bool timer_given;
	const struct tw_wait_ops *wait;
	const char *clock;	/* a name that tw_clock_open() knows */

	/* How it is scheduled. */
	int64_t priority;	/* of the client; 0 with other policies */
	int policy;
	bool policy_given;
	cpu_set_t allowed;	/* the CPUs that the caller runs on */
	cpu_set_t reachable;	/* those that it may name: isolated, too */
	enum tw_affinity affinity;
	cpu_set_t affinity_set;
	bool role_given[TW_ROLES];
	cpu_set_t role_set[TW_ROLES];
	bool mlockall;
	bool default_system;
	int64_t latency_us;	/* for /dev/cpu_dma_latency */

	bool reference;		/* --trltp: main at 99, no display */

	/* What loads the system meanwhile. */
	const struct tw_load_ops *load;		/* NULL: nothing */
	const char *load_command;
	const char *load_args;
	int load_count;		/* workers; with a ramp, of its last step */
	bool load_count_given;
	int load_policy;
	bool load_policy_given;
	int64_t load_priority;
	int64_t steps;		/* 1: no ramp */
	int64_t rt_runtime_us;	/* TW_KEEP: leave as it is; -1: no limit */
	bool force;

	/* What fails a run, and what is looked into. */
	struct tw_limit limits[TW_LIMITS_MAX];
	int limit_count;
	int64_t break_us;	/* 0: never */
	enum tw_metric_id break_on;
	bool break_on_given;
	bool tracemark;		/* in the trace that the user has set up */
	bool trace;		/* in one of our own */
	const char *trace_events;	/* NULL: the usual ones */
	const char *trace_file;
	int64_t spike_us;	/* 0: none is kept */
	enum tw_metric_id spike_on;
	int64_t spike_nodes;
	bool worst;

	/* What is shown. */
	enum tw_metric_id metrics[TW_METRICS];
	int metric_count;
	bool total_trltp3;
	int64_t histogram_us;	/* 0: none */
	bool histofall;
	const char *histfile;
	const char *json;
	const char *dump;
	const char *trltp_log;
	double percentiles[TW_PERCENTILES_MAX];
	int percentile_count;	/* 0: not asked for */
	bool quiet;
	bool verbose;
	bool refresh_on_max;
	bool nsecs;
	bool unbuffered;

	/* Instead of a run. */
	bool check;
	bool help;
	bool version;
};

/*
 * Reads the command line, which it may reorder as getopt does. 0, or
 * -EINVAL and in @error one line that names the option, the value and what
 * is allowed; it prints nothing and starts nothing. Strings in @config
 * point into @argv.
 */
int tw_config_parse(struct tw_config *config, int argc, char *argv[],
		    char error[TW_ERROR_MAX]);

/* Percentiles that are reported where the user named none. */
extern const double tw_default_percentiles[];
extern const int tw_default_percentile_count;

/*
 * Completes what parsing has filled in, and refuses what does not go
 * together: 0, or -EINVAL and in @error why. Called by tw_config_parse().
 */
int tw_config_check(struct tw_config *config, char error[TW_ERROR_MAX]);

/* How many workers are at work in step 0, 1, ... */
int tw_config_workers(const struct tw_config *config, int step);

struct tw_load_params tw_config_load_params(const struct tw_config *config);

/*
 * Whether real-time tasks of ours, with @workers at work, may use up all of
 * a CPU that client or server runs on.
 */
bool tw_config_may_throttle(const struct tw_config *config, int workers);

/* Whether the load would leave no CPU of ours to ordinary tasks. */
bool tw_config_hogs_all(const struct tw_config *config);

/* What contradicts itself about the load: as tw_config_check(). */
int tw_config_check_load(struct tw_config *config, char error[TW_ERROR_MAX]);

/* What -b, --trace, --spike and --limit lack: as tw_config_check(). */
int tw_config_check_limits(struct tw_config *config, char error[TW_ERROR_MAX]);

/* Writes a formatted message to @error; always -EINVAL. */
int tw_refuse(char *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool tw_config_is_realtime(int policy);

/* The real-time priority of @role; 0 if it has none. */
int tw_config_priority(const struct tw_config *config, enum tw_role role);

struct tw_metric_params tw_config_metric_params(const struct tw_config *config);

/*
 * The CPUs that @role of pair @pair is to run on, to *cpus: all that the
 * caller may use unless it is pinned, which the result tells.
 */
bool tw_config_cpus(const struct tw_config *config, enum tw_role role,
		    unsigned int pair, cpu_set_t *cpus);

/* The text of --help. */
void tw_config_help(FILE *file);

#endif /* TW_CONFIG_H */
