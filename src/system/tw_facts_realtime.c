// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel allows to real-time tasks, and what it runs for them. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_cgroup.h"
#include "tw_check.h"
#include "tw_cpus.h"
#include "tw_policy.h"
#include "tw_proc.h"
#include "tw_read.h"
#include "tw_time.h"

#define SYSCTL		"/proc/sys/kernel/"
#define FAIR_SERVER	"/sys/kernel/debug/sched/fair_server/cpu0/runtime"
#define FAIR_NS		(50 * TW_NS_PER_MS)	/* unless it was changed */
#define SCAN_NS		(100 * TW_NS_PER_MS)	/* at most */

/* Tries it, and goes back. Returns an errno. */
static int refusal(int priority)
{
	const struct sched_param ordinary = { .sched_priority = 0 }, param = {
		.sched_priority = priority ? priority : 1
	};
	struct sched_param own;
	int policy = tw_policy_get(0, &own), err = 0;
	int flag = policy & SCHED_RESET_ON_FORK, name = policy & ~flag;

	/* It has one, or what cannot be set again. */
	if (name != SCHED_OTHER && name != SCHED_BATCH && name != SCHED_IDLE)
		return 0;
	if (tw_policy_set(0, SCHED_FIFO | flag, &param))
		err = errno;
	tw_policy_set(0, policy, &ordinary);
	return err;
}

static void read_allowed(struct tw_value *value)
{
	tw_check_number(value, !refusal(value->of->priority));
}

static bool is_refused(const struct tw_value *value)
{
	return value->of->priority && !value->number;
}

/* Of our CPU cgroup, version 1; "" if there is none. */
static void find_cgroup(char *path, size_t size)
{
	static const char *const mounts[] = {
		"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct",
	};
	char group[256];
	size_t i;

	tw_cgroup_find(group, sizeof(group), false);
	/* In a container, the root of the mount may be our own cgroup. */
	for (i = 0; i < 2 * ARRAY_SIZE(mounts); i++) {
		snprintf(path, size, "%s%s/cpu.rt_runtime_us", mounts[i % 2],
			 i < ARRAY_SIZE(mounts) ? group : "");
		if (!access(path, R_OK))
			return;
	}
	path[0] = '\0';
}

static void read_cgroup(struct tw_value *value)
{
	char path[512];
	int64_t number;

	find_cgroup(path, sizeof(path));
	if (*path && tw_read_number(&number, path))
		tw_check_number(value, number);
}

static bool is_less(const struct tw_value *value)
{
	int64_t most_us;

	return value->of->priority && value->number >= 0 &&
	       tw_read_number(&most_us, SYSCTL "sched_rt_runtime_us") &&
	       (most_us < 0 || value->number < most_us);
}

/* CAP_SYS_NICE in the first user namespace. */
static bool is_entitled(void)
{
	char *status = tw_read_all("/proc/self/status"), map[64];
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	unsigned long long rights = 0, users = 0;

	if (line)
		sscanf(line, "\nCapEff: %llx", &rights);
	free(status);
	if (tw_read_text(map, sizeof(map), "/proc/self/uid_map"))
		sscanf(map, "%*u %*u %llu", &users);
	return users == UINT32_MAX && (rights & (1ULL << CAP_SYS_NICE));
}

/* With cgroup v2 no file tells, but only this refuses it to the entitled. */
static void read_group(struct tw_value *value)
{
	char path[512];

	find_cgroup(path, sizeof(path));
	if (*path || (is_entitled() && refusal(value->of->priority) == EPERM))
		tw_check_number(value, true);
}

/* The strictest of the quotas that hold back what this process may use. */
static void read_quota(struct tw_value *value)
{
	struct tw_quota quotas[TW_QUOTAS], *least = quotas;
	char text[TW_READ_LINE];
	int i, count = tw_cgroup_quotas(quotas);

	for (i = 1; i < count; i++)
		if (quotas[i].quota_us * least->period_us <
		    least->quota_us * quotas[i].period_us)
			least = &quotas[i];
	value->number = count ? least->quota_us / least->period_us : -1;
	snprintf(text, sizeof(text), "%lld us in %lld us (%s)",
		 count ? (long long)least->quota_us : 0,
		 count ? (long long)least->period_us : 0,
		 count ? least->path : "");
	tw_check_text(value, count ? text : "");
}

/* With as much as all CPUs, it stops nothing. */
static bool may_stop(const struct tw_value *value)
{
	return value->of->ordinary && *value->text &&
	       value->number < CPU_COUNT(&value->of->cpus);
}

static bool may_throttle(const struct tw_value *value)
{
	int64_t period_us;

	return value->of->realtime_load && value->number > 0 &&
	       tw_read_number(&period_us, SYSCTL "sched_rt_period_us") &&
	       value->number < period_us;
}

/* Whether this is Linux 6.12 or later; false: not known. */
static bool read_release(bool *since_6_12)
{
	char release[128];
	int major, minor;

	if (!tw_read_text(release, sizeof(release), SYSCTL "osrelease") ||
	    sscanf(release, "%d.%d", &major, &minor) != 2)
		return false;
	*since_6_12 = major > 6 || (major == 6 && minor >= 12);
	return true;
}

bool tw_facts_fair_server(int64_t *ns)
{
	bool has;

	if (tw_read_number(ns, FAIR_SERVER))
		return true;
	if (!read_release(&has))
		return false;
	*ns = has ? FAIR_NS : 0;
	return true;
}

bool tw_facts_rt_limit(int64_t *runtime_us, int64_t *period_us)
{
	int64_t group_us = 0, group_period_us;
	char path[512], *name;
	bool needs_group;

	find_cgroup(path, sizeof(path));
	if (!tw_read_number(runtime_us, SYSCTL "sched_rt_runtime_us") ||
	    !tw_read_number(period_us, SYSCTL "sched_rt_period_us") ||
	    *runtime_us <= 0 || *runtime_us >= *period_us ||
	    !read_release(&needs_group) || (needs_group && !*path))
		return false;
	if (!*path || !tw_read_number(&group_us, path))
		return true;
	name = strstr(path, "cpu.rt_runtime_us");
	strcpy(name, "cpu.rt_period_us");
	if (group_us > 0 && tw_read_number(&group_period_us, path) &&
	    group_us < group_period_us) {
		*runtime_us = group_us;
		*period_us = group_period_us;
	}
	return true;
}

static void read_fair_server(struct tw_value *value)
{
	int64_t ns;

	if (tw_facts_fair_server(&ns))
		tw_check_number(value, ns > 0);
}

static bool may_serve(const struct tw_value *value)
{
	return value->of->realtime_load && value->number;
}

/* What a scan of all processes finds. */
static struct {
	const cpu_set_t *cpus;
	int64_t end_ns;
	bool irqbalance;
	int64_t timer_priority;	/* -1: there is none */
	int processes;
} scan;

static bool look_at(int pid, void *arg)
{
	struct tw_stat stat;
	int64_t priority;
	int cpu;

	if (!tw_proc_stat(&stat, pid, pid))
		return true;
	priority = stat.field[TW_STAT_PRIORITY];
	scan.irqbalance |= !strcmp(stat.name, "irqbalance");
	if (sscanf(stat.name, "ktimers/%d", &cpu) == 1 && cpu >= 0 &&
	    cpu < CPU_SETSIZE && CPU_ISSET(cpu, scan.cpus) &&
	    (scan.timer_priority < 0 || priority < scan.timer_priority))
		scan.timer_priority = priority;
	scan.processes++;
	return tw_now_ns(CLOCK_MONOTONIC) < scan.end_ns;
}

static void read_irqbalance(struct tw_value *value)
{
	scan.cpus = &value->of->cpus;
	scan.end_ns = tw_now_ns(CLOCK_MONOTONIC) + SCAN_NS;
	scan.timer_priority = -1;
	tw_proc_each("/proc", look_at, NULL);
	if (scan.processes)
		tw_check_number(value, scan.irqbalance);
}

/* irqbalance spares isolated CPUs and those without a tick. */
static bool moves_irqs(const struct tw_value *value)
{
	cpu_set_t isolated, tickless, spared;

	if (!tw_cpus_read(&isolated, "/sys/devices/system/cpu/isolated"))
		CPU_ZERO(&isolated);
	if (!tw_cpus_read(&tickless, "/sys/devices/system/cpu/nohz_full"))
		CPU_ZERO(&tickless);
	CPU_OR(&spared, &isolated, &tickless);
	CPU_AND(&spared, &spared, &value->of->cpus);
	return value->number && (!value->of->pinned ||
				 !CPU_EQUAL(&spared, &value->of->cpus));
}

static void read_timer_thread(struct tw_value *value)
{
	if (scan.timer_priority >= 0)
		tw_check_number(value, scan.timer_priority);
}

static bool is_below(const struct tw_value *value)
{
	return value->of->softirq_timer && value->number < value->of->priority;
}

const struct tw_fact tw_facts_realtime[] = {
	{ "rt_allowed", TW_FACT_FLAG, "Whether this process may have the real-time priority.",
	  NULL, read_allowed, is_refused,
	  "the kernel refuses the real-time priority, so nothing can be measured with -p",
	  "needed is root, CAP_SYS_NICE or a higher \"ulimit -r\"; root is refused in a user namespace, and if the kernel has RT_GROUP_SCHED in all cgroups without real-time runtime: echo $$ >/sys/fs/cgroup/cgroup.procs (with cgroup v1 cpu/cgroup.procs there), or boot with rt_group_sched=0" },
	{ "rt_group_sched", TW_FACT_FLAG, "Whether the kernel has RT_GROUP_SCHED; null, too, if it grants priorities and no file of cgroup v1 tells.",
	  .read = read_group },
	{ "cgroup_rt_runtime_us", TW_FACT_NUMBER, "Time for real-time tasks of our CPU cgroup in each of its periods, in us.",
	  NULL, read_cgroup, is_less,
	  "real-time tasks of this CPU cgroup are stopped when they have used its share of a period, which is less than the system's",
	  "run in the root cgroup: echo $$ >/sys/fs/cgroup/cpu/cgroup.procs, or write a longer time to cpu.rt_runtime_us of this one" },
	{ "cpu_quota", TW_FACT_TEXT, "CPU time of the ordinary tasks of a cgroup in a period, of ours or the strictest above it; empty: there is none.",
	  NULL, read_quota, may_stop,
	  "ordinary tasks of this cgroup are stopped for the rest of a period once they have used so much of it",
	  "run in another cgroup, or raise its quota: CPUQuota= of a unit of systemd, --cpus of a container; by hand, echo max >cpu.max there (with cgroup v1, echo -1 >cpu.cfs_quota_us)" },
	{ "rt_runtime_us", TW_FACT_NUMBER, "What real-time tasks may use of a period, in us; -1: all.",
	  SYSCTL "sched_rt_runtime_us",
	  NULL, may_throttle,
	  "the real-time load may use all the time of a CPU; the kernel then stops all real-time tasks there, the measured ones, too",
	  "keep the load off the measured CPUs (--load-affinity), or: sysctl kernel.sched_rt_runtime_us=-1" },
	{ "rt_period_us", TW_FACT_NUMBER, "The period of that, in us.",
	  .from = SYSCTL "sched_rt_period_us" },
	{ "fair_server", TW_FACT_FLAG, "Whether ordinary tasks get some time from real-time ones.",
	  NULL, read_fair_server, may_serve,
	  "when the real-time load fills a CPU, the kernel runs other tasks there before the measured ones",
	  "keep the load off the measured CPUs (--load-affinity), or: for f in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do echo 0 >$f; done" },
	{ "irqbalance", TW_FACT_FLAG, "Whether irqbalance runs.",
	  NULL, read_irqbalance, moves_irqs,
	  "irqbalance moves interrupts between CPUs, also to the measured ones",
	  "systemctl stop irqbalance, or IRQBALANCE_BANNED_CPULIST=@ in its environment" },
	/* After irqbalance, whose scan finds it. */
	{ "timer_thread_priority", TW_FACT_NUMBER, "Real-time priority of the threads that expire timers (ktimers) where the client runs.",
	  NULL, read_timer_thread,
	  is_below,
	  "on PREEMPT_RT this timer expires in a kernel thread, which tasks of higher priority delay",
	  "--timer=nanosleep, or: for p in $(pgrep ktimers/); do chrt -f -p 99 $p; done" },
	{ .name = NULL }
};
