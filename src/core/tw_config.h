/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's settings. main sets them once; then they are constant. */
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
extern const char *tw_role_names[TW_ROLES];

struct tw_config {
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

	int64_t pairs;
	int64_t distance_us;	/* by which the next pair's period is longer */
	int64_t aligned_us;	/* offset of first expiries; -1: not aligned */
	bool smp;		/* client and server of a pair on one CPU... */
	bool peer_next;		/* ...or the server on the next one */
	bool spread;		/* pair k has the priority - 2k */

	int policy;
	int64_t priority;	/* of the first client; 0: not real-time */
	int main_priority;	/* 0: an ordinary task, as a rule */
	int load_policy;	/* of the load that is started next */
	int load_priority;	/* 0: an ordinary task */
	bool mlockall;
	bool absent[TW_ROLES];	/* its processes are on another host */

	/* The columns of the results, of each pair: metrics. */
	enum tw_metric_id metrics[TW_METRICS];
	int columns;
	bool latency_only;	/* no --metrics: the phases are comments */

	bool quiet;
	bool verbose;
	bool histogram;
	bool nsecs;
	bool silent;		/* nothing is displayed while it measures */
};

extern struct tw_config tw_config;

/* Sets the calling process's: 0, or -1 and errno. See tw_config.schedule. */
int tw_process_schedule(int pair, int policy, int priority);

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

/* Takes "METRIC:" from *value; if it does not begin so, it is the latency. */
struct tw_option;
enum tw_metric_id tw_config_metric(const struct tw_option *option,
				   char **value);

/* Of the client or server of pair @number, or of a load: see tw_place(). */
int tw_config_priority(enum tw_role role, int number);

/* Reads which CPUs this program may use. Called first. */
void tw_place_open(void);

/*
 * Lines about CPUs that were named and are left out; and, with @how, about
 * isolated ones that are not used: "-a " or what else goes before their list.
 */
void tw_place_print(FILE *file, const char *how);

/*
 * The CPUs of the process @number of a role: of the pair @number, or of the
 * worker @number of a load; TW_PLACE_ALL: of a load that is one process.
 * Without -a: all that this program may use.
 */
#define TW_PLACE_ALL	(-1)
void tw_place(enum tw_role role, int number, cpu_set_t *cpus);

/* For the options that pin one role: they store the words of the set here. */
extern const char *tw_place_words[TW_ROLES];
void tw_place_parse(const struct tw_option *option, char *value);

/* The CPUs of a role, whatever its words were. */
void tw_place_set(enum tw_role role, const cpu_set_t *cpus);

/* The number of CPUs that this program may use; whether -a was given. */
int tw_place_count(void);
bool tw_place_chosen(void);

/* The one CPU of a set; -1: it has several. */
int tw_place_single(const cpu_set_t *cpus);

/* The set as the kernel writes it, such as 0-2,5, in at most @size bytes. */
#define TW_PLACE_LIST	4096	/* bytes of the longest, with its end */
void tw_place_list(const cpu_set_t *cpus, char *list, size_t size);

#endif /* TW_CONFIG_H */
