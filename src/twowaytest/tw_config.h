/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's settings. tw_config_parse() sets them; then they are constant. */
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

/* Value of rt_runtime_us without --rt-runtime. */
#define TW_KEEP		(-2)

enum tw_affinity {
	TW_UNPINNED,
	TW_PLAN,		/* -a */
	TW_SET			/* -aSET */
};

struct tw_config {
	/* Measurement. */
	int64_t interval_us;	/* 0: closed loop */
	int64_t sleep_us;
	int64_t size;		/* size of a request in bytes */
	int64_t loops;		/* 0: no limit */
	int64_t duration_s;	/* 0: no limit */
	int64_t warmup;		/* number of cycles */
	int64_t port;		/* 0: the kernel chooses */
	const struct tw_timer_ops *timer;
	bool timer_given;
	const struct tw_wait_ops *wait;
	const char *clock;	/* a name for tw_clock_open() */

	/* Scheduling. */
	int64_t priority;	/* client's; 0: not real-time */
	int policy;
	bool policy_given;
	cpu_set_t allowed;	/* CPUs of the caller */
	cpu_set_t reachable;	/* CPUs that options may name, isolated too */
	enum tw_affinity affinity;
	cpu_set_t affinity_set;
	bool role_given[TW_ROLES];
	cpu_set_t role_set[TW_ROLES];
	bool mlockall;
	bool default_system;
	int64_t latency_us;	/* for /dev/cpu_dma_latency */

	bool reference;		/* --trltp: main at 99, no display */

	/* Load. */
	const struct tw_load_ops *load;		/* NULL: no load */
	const char *load_command;
	const char *load_args;
	int load_count;		/* workers; ramp: of the last step */
	bool load_count_given;
	int load_policy;
	bool load_policy_given;
	int64_t load_priority;
	int64_t steps;		/* 1: no ramp */
	int64_t rt_runtime_us;	/* TW_KEEP: no change; -1: no limit */
	bool force;

	/* Limits, break, traces and spikes. */
	struct tw_limit limits[TW_LIMITS_MAX];
	int limit_count;
	int64_t break_us;	/* 0: off */
	enum tw_metric_id break_on;
	bool break_on_given;
	bool tracemark;		/* in the user's trace */
	bool trace;		/* in the program's own trace */
	const char *trace_events;	/* NULL: the default events */
	const char *trace_file;
	int64_t spike_us;	/* 0: off */
	enum tw_metric_id spike_on;
	int64_t spike_nodes;
	bool worst;

	/* Output. */
	enum tw_metric_id metrics[TW_METRICS];
	int metric_count;
	bool total_trltp3;
	int64_t histogram_us;	/* width; 0: none */
	bool histofall;
	const char *histfile;
	const char *json;
	const char *dump;
	const char *trltp_log;
	double percentiles[TW_PERCENTILES_MAX];
	int percentile_count;	/* 0: not requested */
	bool quiet;
	bool verbose;
	bool refresh_on_max;
	bool nsecs;
	bool unbuffered;

	/* Instead of a measurement. */
	bool check;
	bool help;
	bool version;
};

/*
 * Parses the command line; like getopt, it may reorder @argv. Returns 0; or
 * -EINVAL and one line in @error: the option, its value, and what is allowed.
 * Prints nothing and starts nothing. Strings in @config point into @argv.
 */
int tw_config_parse(struct tw_config *config, int argc, char *argv[],
		    char error[TW_ERROR_MAX]);

/* Percentiles of reports if the user gave none. */
extern const double tw_default_percentiles[];
extern const int tw_default_percentile_count;

/*
 * Internal: sets what follows from other options, and refuses options that
 * contradict each other. Returns 0, or -EINVAL and a message in @error.
 */
int tw_config_check(struct tw_config *config, char error[TW_ERROR_MAX]);

/* Returns the number of workers in @step, from 0. */
int tw_config_workers(const struct tw_config *config, int step);

struct tw_load_params tw_config_load_params(const struct tw_config *config);

/*
 * Whether our real-time tasks, with @workers, may use all the time of a CPU of
 * client or server.
 */
bool tw_config_may_throttle(const struct tw_config *config, int workers);

/* Whether the load would leave no CPU to ordinary tasks. */
bool tw_config_hogs_all(const struct tw_config *config);

/* Internal: checks the options of the load, as tw_config_check(). */
int tw_config_check_load(struct tw_config *config, char error[TW_ERROR_MAX]);

/* What -b, --trace, --spike and --limit lack: as tw_config_check(). */
int tw_config_check_limits(struct tw_config *config, char error[TW_ERROR_MAX]);

/* Writes a formatted message to @error. Always returns -EINVAL. */
int tw_refuse(char *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool tw_config_is_realtime(int policy);

/* Returns the real-time priority of @role; 0 if it has none. */
int tw_config_priority(const struct tw_config *config, enum tw_role role);

struct tw_metric_params tw_config_metric_params(const struct tw_config *config);

/*
 * Stores the CPUs of @role in pair @pair (from 0) in *cpus. Returns true if it
 * is pinned; otherwise *cpus are all CPUs that the caller may use.
 */
bool tw_config_cpus(const struct tw_config *config, enum tw_role role,
		    unsigned int pair, cpu_set_t *cpus);

/* Prints the text of --help. */
void tw_config_help(FILE *file);

#endif /* TW_CONFIG_H */
