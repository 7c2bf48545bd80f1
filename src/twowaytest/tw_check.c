// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of checks. To add a check: write its function, add a row, and
 * increase TW_CHECKS.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tw_check.h"

#define CPU_DIR	"/sys/devices/system/cpu/"
#define SYSCTL	"/proc/sys/kernel/"

#define BIT(metric)	(1u << (metric))
#define ALL	TW_CHECK_ALL
/* Whatever is woken up. */
#define WAKEUPS	(ALL & ~BIT(TW_SLEEP))
/* Whatever goes over the network stack. */
#define WAYS	(BIT(TW_SEND) | BIT(TW_RECEIVE) | BIT(TW_RESPONSE) | \
		 BIT(TW_TOTAL) | BIT(TW_PLANNED))
/* Whatever a timer ends. */
#define TIMERS	(ALL & ~(BIT(TW_SEND) | BIT(TW_RECEIVE)))

const struct tw_check tw_checks[TW_CHECKS] = {
	{ "preemption", "/proc/version",
	  "most of the kernel cannot be preempted: whatever it does for others delays client and server",
	  ALL, tw_judge_preemption },
	{ "isolation", CPU_DIR "isolated",
	  "the scheduler may put other tasks on the CPUs of client and server",
	  ALL, tw_judge_isolation },
	{ "rcu_nocbs", "/proc/cmdline",
	  "the kernel frees memory in batches (RCU callbacks) on the CPUs of client and server",
	  ALL, tw_judge_callbacks },
	{ "clocksource",
	  "/sys/devices/system/clocksource/clocksource0/current_clocksource",
	  "reading this clock is a system call to a slow device: each timestamp costs about a us or more, and timers are as coarse as it is",
	  ALL, tw_judge_clocksource },
	{ "governor", CPU_DIR "cpu*/cpufreq/scaling_governor",
	  "a CPU that idles between cycles is clocked down: the work of a cycle takes longer, and how long depends on the load",
	  WAKEUPS, tw_judge_governor },
	{ "idle", CPU_DIR "cpu*/cpuidle/state*/",
	  "a CPU that sleeps deeply takes this long to wake up, in each phase that ends with a wake-up",
	  ALL, tw_judge_idle },
	{ "smt", CPU_DIR "cpu*/topology/thread_siblings_list",
	  "the threads of a core share its units and caches: what runs on the one slows the other down",
	  ALL, tw_judge_smt },
	{ "throttling", TW_THROTTLE_FILE,
	  "real-time tasks of this run may fill a CPU of client or server; the kernel then stops them, the measured ones too",
	  ALL, tw_judge_throttling },
	{ "rt_cgroup", "/sys/fs/cgroup/cpu",
	  "real-time tasks of this CPU cgroup are stopped once they have used up its share of a period",
	  ALL, tw_judge_rt_cgroup },
	{ "timer_slack", "/proc/self/timerslack_ns",
	  "sleeps of tasks that are not real-time end later by up to this, so that several timers can expire at once",
	  TIMERS, tw_judge_timer_slack },
	{ "timer_thread", "/proc/*/comm, /proc/*/stat",
	  "on PREEMPT_RT this timer expires in a thread: it waits for all that outranks it, and has to be lent the priority of the client that it wakes",
	  ALL & ~(BIT(TW_SLEEP) | BIT(TW_RECEIVE)), tw_judge_timer_thread },
	{ "huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled",
	  "khugepaged moves and joins pages of running programs, which wait for it; so do page faults for memory to be compacted",
	  ALL, tw_judge_huge_pages },
	{ "hypervisor", "/proc/cpuinfo",
	  "the host may stop a virtual CPU at any time, and its interrupts and timers go through the host: its scheduling is part of every figure",
	  ALL, tw_judge_hypervisor },
	{ "irqbalance", "/proc/*/comm",
	  "it moves interrupts between CPUs while the test runs, also to those of client and server",
	  ALL, tw_judge_irqbalance },
	{ "irqs", "/proc/irq/*/effective_affinity_list",
	  "devices interrupt client and server; without PREEMPT_RT their handlers and softirqs run there before any task",
	  ALL, tw_judge_irqs },
	{ "numa", "/sys/devices/system/node/node*/cpulist",
	  "each message goes through memory of another node",
	  WAYS, tw_judge_nodes },
	{ "numa_balancing", SYSCTL "numa_balancing",
	  "the kernel unmaps pages of running programs now and then to see who uses them: client and server fault and may wait",
	  ALL, tw_judge_numa_balancing },
	{ "watchdog", SYSCTL "watchdog, " SYSCTL "nmi_watchdog",
	  "every few seconds the lockup detectors run on each CPU before any real-time task, or interrupt it",
	  ALL, tw_judge_watchdog },
	{ "timer_migration", SYSCTL "timer_migration",
	  "on nohz_full CPUs the kernel queues timers at another CPU, which must then interrupt the one that waits",
	  TIMERS, tw_judge_timer_migration },
	{ "tracing", "/sys/kernel/tracing",
	  "what is traced is written down while it is measured: each event costs a fraction of a us, each traced function too",
	  ALL, tw_judge_tracing },
};

void tw_check_is(struct tw_finding *finding, enum tw_check_result result,
		 const char *format, ...)
{
	va_list args;

	finding->result = result;
	va_start(args, format);
	vsnprintf(finding->read, sizeof(finding->read), format, args);
	va_end(args);
}

void tw_check_fix(struct tw_finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->fix, sizeof(finding->fix), format, args);
	va_end(args);
}

int tw_check(const struct tw_environ *env,
	     const struct tw_environ_params *params,
	     struct tw_finding findings[TW_CHECKS])
{
	struct tw_finding *finding = findings;
	int i, count = 0;

	for (i = 0; i < TW_CHECKS; i++, finding++) {
		memset(finding, 0, sizeof(*finding));
		finding->name = tw_checks[i].name;
		finding->why = tw_checks[i].why;
		finding->metrics = tw_checks[i].metrics;
		snprintf(finding->where, sizeof(finding->where), "%s",
			 tw_checks[i].where);
		tw_checks[i].judge(env, params, finding);
		count += finding->result == TW_CHECK_FINDING;
	}
	return count;
}
