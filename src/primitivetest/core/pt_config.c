// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_clock.h"
#include "base/tw_system.h"
#include "core/pt_config.h"
#include "core/pt_select.h"
#include "frame/tw_run.h"

static struct pt_config set;
const struct pt_config *const pt_config = &set;
static const struct pt_config initial = {
	.tests = "aegis",
	.warmup = 2,
	.hold_us = 200,
	.hog_us = 2000,
	.bin_ns = 1000,
	.clock = "monotonic",
	.policy = SCHED_OTHER,
	.tasks = PT_AS_PROCESS,
	.cpus = PT_ON_SAME,
};

void pt_config_keep_all(void)
{
	set.keep_all = true;
}

void pt_config_throttle(const struct tw_throttle *throttle)
{
	set.stall_ns = set.priority ? throttle->stall_ns : 0;
	set.bypass = throttle->bypass;
}

void pt_config_worst(void)
{
	set.worst = true;
}

void pt_config_trace(const struct tw_trace_fds *fds)
{
	set.trace = fds;
}

void pt_config_limit(const struct pt_limit *limits, int count)
{
	set.limits = limits;
	set.limit_count = count;
}

int pt_config_priority(const struct pt_config *config, enum pt_level level)
{
	return config->priority ? (int)config->priority - PT_HIGH + (int)level :
				  0;
}

int pt_config_main_priority(const struct pt_config *config)
{
	return config->priority ? (int)config->priority - 3 : 0;
}

int pt_config_starter_priority(const struct pt_config *config)
{
	return config->priority ? (int)config->priority + 1 : 0;
}

/* Tasks are pinned in any case; without a set to the last CPUs. */
static int parse_affinity(const struct tw_option *option, const char *value,
			  struct tw_run *run)
{
	CPU_ZERO(&set.affinity);
	return value ? tw_option_cpus(option, value, run) : 0;
}

/* Bits, of a list of names. */
static int parse_bits(const struct tw_option *option, const char *value,
		      struct tw_run *run)
{
	const char *const *names = option->kinds;
	const char *rest = value;
	int found, bits = 0;
	char word[32];

	while ((rest = tw_option_next_word(rest, word, sizeof(word)))) {
		found = tw_option_find(option, word, run, names);
		if (found < 0)
			return found;
		bits |= 1 << found;
	}
	if (!bits)
		return tw_option_error(option, value, run,
				       "at least one of %s and %s is needed",
				       names[0], names[1]);
	*(int *)option->to = bits;
	return 0;
}

static const char *const task_names[] = { "thread", "process", NULL };
static const char *const cpu_names[] = { "same", "cross", NULL };
static const char *const order_names[] = { "higher", "lower", "equal", NULL };

static const struct tw_option options[] = {
	{ 'a', "affinity", TW_OPTIONAL_ARGUMENT, "CPUSET", parse_affinity,
	  &set.affinity, .takes_word = tw_option_begins_cpus,
	  .help = "pin the tasks to the first CPU of CPUSET, with\n"
		  "--cpus=cross also to the second; default: the last\n"
		  "CPU, and the one before it" },
	{ 0, "bin", TW_ARGUMENT, "NS", tw_option_number, &set.bin_ns,
	  .min = 1, .max = 1000000000,
	  .help = "a row of a histogram is NS nanoseconds wide;\n"
		  "default 1000" },
	{ 'b', "breaktrace", TW_ARGUMENT, "US", tw_option_number,
	  &set.break_us, .min = 1, .max = 1000000,
	  .help = "end at the first value above US, of an interval\n"
		  "at the first that is that much longer than its\n"
		  "period, with exit status 2" },
	{ 'c', "clock", TW_ARGUMENT, "NAME", tw_option_clock, &set.clock,
	  .kinds = tw_clock_kinds, .lists_kinds = true,
	  .help = "take timestamps from: monotonic (or 0; default),\n"
		  "realtime (or 1)" },
	{ 0, "copies", TW_ARGUMENT, "N", tw_option_number,
	  &set.own[PT_OWN_COPIES], .min = 1, .max = 16,
	  .help = "copy: N threads; default 1, 2, 4, 8 and 16" },
	{ 0, "cpus", TW_ARGUMENT, "LIST", parse_bits, &set.cpus,
	  .kinds = cpu_names,
	  .help = "where the tasks of a test run, one or both: same\n"
		  "(one CPU; default), cross (two)" },
	{ 'D', "duration", TW_ARGUMENT, "TIME", tw_option_duration,
	  &set.duration_s, .max = 100 * 365 * 86400LL,
	  .help = "measure each test for TIME seconds, or with m, h,\n"
		  "d appended minutes, hours, days" },
	{ 0, "hog", TW_ARGUMENT, "US", tw_option_number, &set.hog_us,
	  .min = 1, .max = 100000,
	  .help = "sync3: work of the middle task in microseconds;\n"
		  "default 2000" },
	{ 0, "hold", TW_ARGUMENT, "US", tw_option_number, &set.hold_us,
	  .min = 1, .max = 100000,
	  .help = "sync3: how long the low task works with the lock\n"
		  "held, in microseconds; default 200" },
	{ 'i', "interval", TW_ARGUMENT, "US", tw_option_number,
	  &set.interval_us, .max = 1000000,
	  .help = "period of the trials of two tasks in\n"
		  "microseconds; default 0: one follows another" },
	{ 'l', "loops", TW_ARGUMENT, "N", tw_option_number, &set.loops,
	  .max = 1000000000LL,
	  .help = "measure N trials of each test; default 0: as\n"
		  "--list shows" },
	{ 0, "list", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.list,
	  .help = "print the tests and their kinds; measure nothing" },
	{ 'm', "mlockall", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.mlockall,
	  .help = "lock the tasks' memory, so that none is paged out" },
	{ 0, "order", TW_ARGUMENT, "NAME", tw_option_word, &set.order,
	  .kinds = order_names,
	  .help = "priority of the task that answers: higher (default),\n"
		  "lower, equal" },
	{ 0, "period", TW_ARGUMENT, "US", tw_option_number,
	  &set.own[PT_OWN_PERIOD], .min = 100, .max = 500000,
	  .help = "timer: period in microseconds; default 1000,\n"
		  "10000 and 100000" },
	{ 0, "policy", TW_ARGUMENT, "NAME", tw_option_policy, &set.policy,
	  .help = "scheduling policy: other, normal, batch, idle,\n"
		  "fifo, rr; default fifo with -p, else other" },
	{ 'p', "priority", TW_ARGUMENT, "PRIO", tw_option_number,
	  &set.priority, .min = PT_PRIORITY_MIN, .max = PT_PRIORITY_MAX,
	  .more = ", as others run one above and up to three below",
	  .help = "real-time priority of the highest task; the others\n"
		  "have one and two less" },
	{ 0, "size", TW_ARGUMENT, "BYTES", tw_option_number,
	  &set.own[PT_OWN_SIZE], .min = 1, .max = 65536,
	  .help = "message, pipe, unix: bytes; default 8 (pipe and\n"
		  "unix: 1), 64, 1024 and 8192" },
	{ 0, "tasks", TW_ARGUMENT, "LIST", parse_bits, &set.tasks,
	  .kinds = task_names,
	  .help = "what the tasks of a test are, one or both: thread,\n"
		  "process (default)" },
	{ 0, "test", TW_ARGUMENT, "LIST", tw_option_string, &set.tests,
	  .help = "run these groups, or tests as sync2 or sync2.cond:\n"
		  "aegis (default), samples, pcserver, notes,\n"
		  "overheads, rhealstone, all; see --list" },
	{ 0, "us", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.us,
	  .help = "print microseconds instead of nanoseconds" },
	{ 0, "warmup", TW_ARGUMENT, "N", tw_option_number, &set.warmup,
	  .max = 1000000,
	  .help = "trials before the measured ones, default 2" },
	{ 0, "work", TW_ARGUMENT, "N", tw_option_number, &set.work,
	  .max = INT64_C(1000000000000),
	  .help = "work: N iterations; default 0: as many as take 10 ms\n"
		  "here, which no other system can be compared with" },
	{ .name = NULL }
};

/* The @n-th CPU of @cpus from the end, counted from 0. */
static void pick(const cpu_set_t *cpus, int n, cpu_set_t *one)
{
	int cpu, seen = CPU_COUNT(cpus) - 1 - n;

	CPU_ZERO(one);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && !seen--)
			CPU_SET(cpu, one);
}

static void place(const cpu_set_t *allowed)
{
	const cpu_set_t *from = allowed;
	int last = CPU_COUNT(allowed) - 1;
	bool given = CPU_COUNT(&set.affinity);

	pick(allowed, last, &set.main_cpus);
	if (given) {
		from = &set.affinity;
		last = CPU_COUNT(from) - 1;
	}
	set.two_cpus = last > 0;
	pick(from, given ? last : 0, &set.same_cpus);
	pick(from, given ? last - 1 : 1, &set.other_cpus);
}

static int check_policy(struct tw_run *run)
{
	bool given = tw_option_given(run, "policy");
	bool realtime = set.policy == SCHED_FIFO || set.policy == SCHED_RR;

	if (set.priority && !given)
		set.policy = SCHED_FIFO;
	else if (set.priority && !realtime)
		return tw_fail(run, -EINVAL, "--policy=%s: has no priorities; leave out -p, or choose fifo or rr",
			       tw_system_policy_name(set.policy));
	else if (!set.priority && realtime)
		return tw_fail(run, -EINVAL, "--policy=%s: needs a priority; give -p too, such as -p 98",
			       tw_system_policy_name(set.policy));
	return 0;
}

static int check(struct tw_run *run)
{
	int err = check_policy(run);

	if (err)
		return err;
	if (set.us && run->show->nsecs)
		return tw_fail(run, -EINVAL, "--us: contradicts --nsecs; give one of them");
	if (set.loops && set.duration_s)
		return tw_fail(run, -EINVAL, "--duration=%lld: contradicts --loops; give one of them",
			       (long long)set.duration_s);
	place(&run->allowed);
	set.break_ps = set.break_us * TW_NS_PER_US * PT_PS_PER_NS;
	return pt_select(&set, run);
}

const struct tw_part pt_part_config = {
	.name = "config", .options = options, TW_SETTINGS(set, initial),
	.check = check,
};
