/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's settings. tw_run_parse() sets them; then they are constant. */
#ifndef TW_CONFIG_H
#define TW_CONFIG_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/tw_timer.h"
#include "frame/tw_part.h"
#include "measure/tw_metric.h"
#include "measure/tw_wait.h"
#include "run/tw_place.h"

enum tw_affinity {
	TW_UNPINNED,
	TW_PLAN,		/* -a */
	TW_SET			/* -aSET */
};

/* How many pairs of client and server there are, and how they differ. */
struct tw_pairing {
	int64_t count;
	int64_t distance_us;	/* from period to period */
	bool aligned;		/* all have one first expiry, */
	int64_t aligned_us;	/* each pair this much after the one before */
	bool priospread;
	bool smp;		/* each on a CPU of its own */
	int peer;		/* with smp: servers are on the next CPU */
};

struct tw_pair;

/* One server for all clients. */
struct tw_serving {
	bool one;		/* else each client has its own */
	int64_t priority;	/* --server-priority; 0: not given */
	/* Its loop, called by the server process; see tw_side_serve(). */
	int (*serve)(struct tw_pair *pair, void *request);
};

/* What cycles have besides their times, for --dump. */
struct tw_dumped {
	const char *head;	/* of its columns: ",this,that" */
	size_t size;		/* of an entry */
	/* @memory: zeroed, for @count entries, a power of two. */
	void (*attach)(struct tw_pair *pair, void *memory, uint32_t count);
	/* Of cycle @seq, when the next one has been recorded. */
	void (*print)(FILE *file, const struct tw_pair *pair, uint64_t seq);
};

struct tw_config {
	/* Measurement. */
	int64_t interval_us;	/* of the first pair; 0: closed loop */
	int interval_count;	/* above 1: a list, its last for the rest */
	int64_t interval_list[TW_PAIRS_MAX];
	int64_t sleep_us;
	int64_t size;		/* size of a request in bytes */
	int64_t loops;		/* 0: no limit */
	int64_t duration_s;	/* 0: no limit */
	int64_t warmup;		/* number of cycles */
	int64_t port;		/* 0: the kernel chooses */
	const struct tw_timer_ops *timer;
	const struct tw_wait_ops *wait;
	const char *clock;	/* a name for tw_clock_open() */

	/* Scheduling. */
	struct tw_pairing pairs;
	struct tw_serving serving;
	bool ramp_of_pairs;	/* step s has s + 1 pairs */
	int64_t priority;	/* client's; 0: not real-time */
	int policy;
	cpu_set_t allowed;	/* CPUs of the caller */
	cpu_set_t reachable;	/* CPUs that options may name, isolated too */
	enum tw_affinity affinity;
	cpu_set_t affinity_set;
	cpu_set_t role_set[TW_ROLES];	/* empty: not given */
	bool mlockall;
	bool main_highest;	/* main at priority 99, as --trltp wants */
	bool force;

	/* Metrics. */
	enum tw_metric_id metrics[TW_METRICS];
	int metric_count;
	int total;		/* 0: documented; 1: trltp3 */
	bool two_clocks;	/* see tw_config_two_clocks() */
	const struct tw_dumped *dumped;	/* NULL: cycles have nothing else */
	enum tw_oneway_mode oneway;
};

/* For the options of pairs: sets how they differ. */
void tw_config_pair(const struct tw_pairing *pairs);

/* The same for who serves, and for a ramp. */
void tw_config_serve(const struct tw_serving *serving);
void tw_config_ramp_pairs(bool wanted);

/*
 * Client and server have clocks of their own, as on two hosts. A part calls it
 * in its check(), and stands before tw_part_config in the table of parts: this
 * refuses what compares the clocks, and chooses the metrics.
 */
void tw_config_two_clocks(void);

/* For --oneway; where the part stands as above. */
void tw_config_oneway(enum tw_oneway_mode mode);

/* For --dump: cycles have something else, too. */
void tw_config_dump(const struct tw_dumped *dumped);

/* For --trltp: main runs at the highest priority. */
void tw_config_raise_main(void);

/* The settings; tw_run_parse() sets them. */
extern const struct tw_config *const tw_config;
extern const struct tw_part tw_part_config;
extern const struct tw_part tw_part_pairs;
extern const struct tw_part tw_part_servers;

/*
 * Internal: sets what follows from other options, and refuses options that
 * contradict each other. Returns 0, or -EINVAL after tw_fail().
 */
int tw_config_check(struct tw_config *config, struct tw_run *run);

/*
 * The program's hint(): for options of cyclictest that twowaytest does not
 * have.
 */
const char *tw_option_hint(const char *word, int letter);

/* The program's policy(), for the display. */
const char *tw_config_policy(const struct tw_run *run);

bool tw_config_is_realtime(int policy);

/*
 * Of pair @pair, from 0: the period; the number of cycles to measure, which
 * takes as long as those that the first pair is to measure (0: no limit); and
 * the real-time priority of @role, 0 if it has none.
 */
int64_t tw_config_interval_us(const struct tw_config *config,
			      unsigned int pair);
int64_t tw_config_loops(const struct tw_config *config, unsigned int pair);
int tw_config_priority(const struct tw_config *config, enum tw_role role,
		       unsigned int pair);

/* What a name needs behind it: ".2", "" if there is one pair. Returns @text. */
#define TW_SUFFIX	16
const char *tw_config_suffix(const struct tw_config *config, unsigned int pair,
			     char text[TW_SUFFIX]);

/* How many pairs step @step has. */
unsigned int tw_config_pairs_in(const struct tw_config *config, int step);

struct tw_metric_params tw_config_metric_params(const struct tw_config *config,
						unsigned int pair);

/* The functions of tw_metric.h with these settings; of all pairs alike. */
const char *tw_config_lacks(const struct tw_config *config,
			    enum tw_metric_id id);
const char *tw_config_unfit(const struct tw_config *config,
			    enum tw_metric_id id);

/*
 * Stores the CPUs of @role in pair @pair (from 0) in *cpus. Returns true if it
 * is pinned; otherwise *cpus are all CPUs that the caller may use.
 */
bool tw_config_cpus(const struct tw_config *config, enum tw_role role,
		    unsigned int pair, cpu_set_t *cpus);

/* The same for @role in all pairs together; true if each of them is pinned. */
bool tw_config_all_cpus(const struct tw_config *config, enum tw_role role,
			cpu_set_t *cpus);

/* A metric by its token, to the enum tw_metric_id at @to. */
int tw_option_metric(const struct tw_option *option, const char *value,
		     struct tw_run *run);

#endif /* TW_CONFIG_H */
