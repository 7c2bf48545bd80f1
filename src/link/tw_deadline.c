// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --policy=deadline: the kernel guarantees each client and server an amount of
 * CPU time in each period of the pair (see sched(7)).
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_process.h"
#include "tw_time.h"

/* Of <linux/sched/types.h>, which collides with <sched.h> in some versions. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

static int64_t runtime_us;	/* 0: a quarter of the pair's period */

static const struct tw_option options[] = {
	{ 0, "runtime", TW_NUMBER, &runtime_us, "US", 2, 1000000000,
	  .with = "--policy=deadline", .far = TW_ASKED,
	  .help = "deadline: CPU time in a period, default a quarter of it" },
	{ .name = NULL }
};

static int64_t runtime_ns(int pair)
{
	return runtime_us ? runtime_us * TW_NS_PER_US :
	       tw_config_interval_us(pair) * TW_NS_PER_US / 4;
}

static int schedule(int pair, int policy, int priority)
{
	int64_t period_ns;
	struct attributes to;

	if (policy != SCHED_DEADLINE)
		return tw_process_schedule(pair, policy, priority);
	period_ns = tw_config_interval_us(pair) * TW_NS_PER_US;
	to = (struct attributes) {
		.size = sizeof(to), .policy = SCHED_DEADLINE,
		.runtime_ns = runtime_ns(pair),
		.deadline_ns = period_ns, .period_ns = period_ns,
	};
	if (!syscall(SYS_sched_setattr, 0, &to, 0))
		return 0;
	tw_say_fatal("--policy=deadline: refused by the kernel for %lld us in %lld us: %m%s\n",
		     (long long)to.runtime_ns / TW_NS_PER_US,
		     (long long)period_ns / TW_NS_PER_US,
		     errno == EBUSY ? "; all such tasks together may use 95 % of the CPUs: give fewer pairs, or a smaller --runtime" :
		     errno == EPERM ? "; needed is CAP_SYS_NICE, and that this program may use all CPUs (no taskset; a cpuset must be a partition of its own)" :
		     "");
}

static void check(struct tw_run *run)
{
	int i;

	if (tw_config.policy != SCHED_DEADLINE)
		return;
	if (!tw_config_interval_us(0))
		tw_say_fatal("--policy=deadline: not allowed with --interval=0, which has no period\n");
	if (tw_place_chosen() || tw_config.smp || tw_place_words[TW_CLIENT] ||
	    tw_place_words[TW_SERVER])
		tw_say_fatal("--policy=deadline: not allowed with CPUs for client or server: the kernel lets such a task run on all CPUs; start this program in a cpuset that is a partition\n");
	for (i = 0; i < tw_config.pairs; i++)
		if (runtime_us > tw_config_interval_us(i))
			tw_say_fatal("--runtime=%" PRId64 ": allowed is at most the period, %" PRId64 " us\n",
				     runtime_us, tw_config_interval_us(i));
	tw_settings.schedule = schedule;
}

/* CPU time in a cycle, in us, as the kernel has counted it. */
static double used_us(const struct tw_pair *pair, enum tw_role role)
{
	uint64_t cycles = pair->total.stats[tw_config.metrics[0]].count;

	return (double)pair->usage[role].cpu_us /
	       (double)(cycles + tw_config.warmup);
}

/* A task that has used its time up waits for its next period. */
static void text(FILE *file, const struct tw_run *run)
{
	const struct tw_pair *pair = run->pairs[0];

	if (tw_config.policy != SCHED_DEADLINE)
		return;
	fprintf(file, "# Deadline: %" PRId64 " us of CPU time in a period; on average",
		runtime_ns(0) / TW_NS_PER_US);
	if (pair->process[TW_SERVER].pid)
		fprintf(file, " the server used %.1f us,",
			used_us(pair, TW_SERVER));
	fprintf(file, " the client %s%.1f us\n",
		pair->process[TW_SERVER].pid ? "" : "used ",
		used_us(pair, TW_CLIENT));
}

const struct tw_part tw_part_deadline = {
	.options = options, .group = TW_PLACES, .check = check, .text = text,
};
