// SPDX-License-Identifier: GPL-2.0-or-later
/* --rt-runtime, and what real-time throttling does to a run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_json.h"
#include "base/tw_time.h"
#include "load/tw_part_load.h"
#include "load/tw_runtime_option.h"
#include "run/tw_session.h"

static struct {
	int64_t runtime_us;	/* -1: no limit */
	struct tw_runtime runtime;
	struct tw_throttle throttle;
	int kernel_log;		/* descriptor of /dev/kmsg; or negative */
	bool heard;		/* the kernel reported throttling */
} set;
static const __typeof__(set) initial = {
	.runtime_us = TW_RUNTIME_KEEP, .kernel_log = -1,
	.runtime = { .guard = { .fd = -1 }, .lock_fd = -1 },
};

static const struct tw_option options[] = {
	TW_RUNTIME_OPTION(&set.runtime_us),
	{ .name = NULL }
};

/* Whether the load would leave no CPU to ordinary tasks. */
static bool hogs_all(const struct tw_run *run)
{
	const struct tw_load_params params = tw_load_settings(run);
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int most = tw_load_most(run);

	if (!most || !params.priority)
		return false;
	if (params.pinned && CPU_COUNT(&params.cpus) < cpus)
		return false;
	/* A group or command can consist of any number of processes. */
	return !tw_load_kind()->own || most >= cpus;
}

static bool shares_cpu(const struct tw_config *config,
		       const struct tw_load_params *params, enum tw_role role)
{
	cpu_set_t cpus, both;

	tw_config_all_cpus(config, role, &cpus);
	CPU_AND(&both, &params->cpus, &cpus);
	return CPU_COUNT(&both);
}

/*
 * Whether our real-time tasks, with @workers, may use all the time of a CPU of
 * client or server. With two clocks, the server's CPU is another host's.
 */
static bool may_throttle(const struct tw_run *run, int workers)
{
	const struct tw_load_params params = tw_load_settings(run);
	const struct tw_config *config = tw_session(run)->config;
	bool both = !config->two_clocks;

	if (!tw_config_is_realtime(config->policy))
		return false;
	/* Without a load, too, if client and server never sleep. */
	if (both && (config->wait->spins ||
		     (!config->interval_us && !config->sleep_us)))
		return true;
	return workers && params.priority &&
	       (shares_cpu(config, &params, TW_CLIENT) ||
		(both && shares_cpu(config, &params, TW_SERVER)));
}

bool tw_throttle_expected(const struct tw_run *run)
{
	return (set.runtime_us == TW_RUNTIME_KEEP || set.runtime_us > 0) &&
	       may_throttle(run, tw_load_most(run));
}

static int fail_hogging(struct tw_run *run)
{
	if (set.runtime_us == TW_RUNTIME_KEEP)
		return tw_fail(run, -EBUSY, "--load=%s: with no real-time throttling (%s is %lld), this real-time load on every CPU would leave the rest of the system no time; give --load-affinity, fewer workers, --rt-runtime=950000, or --force",
			       tw_load_kind()->name, TW_THROTTLE_FILE,
			       (long long)set.throttle.runtime_us);
	return tw_fail(run, -EBUSY, "--rt-runtime=%lld: this real-time load on every CPU would leave the rest of the system no time, or the kernel refuses the value because of a cgroup's share; give --load-affinity, fewer workers, or --force",
		       (long long)set.runtime_us);
}

/* Sets --rt-runtime, and reads how the kernel throttles. */
static int open_throttle(struct tw_run *run)
{
	int err = tw_runtime_apply(&set.runtime, set.runtime_us,
				   &set.throttle);

	if (err)
		return err == -EBUSY ? fail_hogging(run) :
		       tw_runtime_fail(run, err, set.runtime_us);
	tw_session(run)->bypass = set.throttle.bypass;
	set.kernel_log = tw_throttle_listen("");
	if (tw_session(run)->config->force || set.throttle.stall_ns ||
	    !hogs_all(run))
		return 0;
	return fail_hogging(run);
}

/*
 * If real-time tasks may use up their share, stalls of about the length for
 * which the kernel then stops them count as throttling.
 */
static void expect_stalls(struct tw_run *run, struct tw_pair *pair, void *room)
{
	int64_t stall_ns = set.throttle.stall_ns;

	(void)room;
	if (!stall_ns || !may_throttle(run, tw_load_workers(run, run->step)))
		return;
	pair->tally->stall_min_ns = stall_ns - stall_ns / 4;
	pair->tally->stall_max_ns = stall_ns + stall_ns / 2;
}

static void finish(struct tw_run *run)
{
	(void)run;
	set.heard = tw_throttle_heard(set.kernel_log);
	set.kernel_log = -1;
	tw_runtime_close(&set.runtime);
}

static void close_throttle(struct tw_run *run)
{
	(void)run;
	if (set.kernel_log >= 0)
		close(set.kernel_log);
	set.kernel_log = -1;
	tw_runtime_close(&set.runtime);
}

/*
 * The longest that anything took in any cycle, but the sleep asked for. With
 * two clocks, as tw_tally_is_throttled() looks at it.
 */
static int64_t longest_phase_ns(const struct tw_tally *tally)
{
	static const struct tw_metric_list phases[TW_CLOCKINGS] = {
		{ 4, { TW_WAKEUP, TW_SEND, TW_SLEEP, TW_RECEIVE } },
		{ 1, { TW_WAKEUP } },
	};
	const struct tw_metric_list *list = &phases[tally->params.two_clocks];
	int64_t longest_ns = 0, max_ns;
	int i;

	for (i = 0; i < list->count; i++) {
		if (tw_metric_lacks(list->id[i], &tally->params))
			continue;
		max_ns = tw_series_status(&tally->series, list->id[i]).max_ns;
		if (list->id[i] == TW_SLEEP)
			max_ns -= tally->params.sleep_ns;
		if (max_ns > longest_ns)
			longest_ns = max_ns;
	}
	return longest_ns;
}

/* Stalls that are shorter than usual are not counted: whose are they? */
static bool may_be_throttled(const struct tw_session *session)
{
	const struct tw_pair *pair;
	unsigned int k;

	if (session->throttling_traced)
		return session->throttling;
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		if (pair->tally->stall_max_ns &&
		    (set.heard || longest_phase_ns(pair->tally) >=
				  set.throttle.stall_ns / 4))
			return true;
	return false;
}

/* What stopped the throttled cycles, and how to do without. */
static void print_throttling(FILE *file, const struct tw_session *session,
			     uint64_t throttled)
{
	const struct tw_tally *tally = tw_session_first(session)->tally;
	const struct tw_throttle *throttle = &set.throttle;

	if (throttled)
		fprintf(file, "# Throttling stopped real-time tasks for %"
			PRId64 " us at a time, as the load left its CPU no rest\n",
			tw_ns_to_us(throttle->stall_ns));
	else
		fprintf(file, "# Throttling may have stopped real-time tasks for up to %"
			PRId64 " us at a time; counted are only stalls from %"
			PRId64 " us on\n", tw_ns_to_us(throttle->stall_ns),
			tw_ns_to_us(tally->stall_min_ns));
	if (throttle->bypass == TW_BYPASS_LIMIT)
		fprintf(file, "# (sched_rt_runtime_us %" PRId64 " of %" PRId64
			"): not this kernel's latency; --rt-runtime=-1 lifts it for a run\n",
			throttle->runtime_us, throttle->period_us);
	else
		fprintf(file, "# (the fair server, debug/sched/fair_server): not this kernel's latency\n");
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	uint64_t throttled = tw_pairs_counts(session->pairs).throttled;

	/* A histogram has it among its own lines. */
	if (throttled && !run->window_us)
		fprintf(file, "# Throttled: %" PRIu64 "\n", throttled);
	if (throttled || may_be_throttled(session))
		print_throttling(file, session, throttled);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	tw_json_begin(json, "throttling", '{');
	tw_throttle_json(json, &set.throttle);
	tw_json_bool(json, "possible", set.throttle.stall_ns &&
		     may_throttle(run, tw_load_most(run)));
	tw_json_bool(json, "kernel_message", set.heard);
	tw_json_end(json);
}

const struct tw_part tw_part_throttle = {
	.name = "throttle", .options = options, TW_SETTINGS(set, initial),
	.open = open_throttle, .attach = expect_stalls, .finish = finish,
	.close = close_throttle, .remarks = remarks, .json = json,
};
