// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the kernel's configuration and settings, and of virtualization. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_time.h"
#include "check/tw_check.h"

#define SYSCTL		"/proc/sys/kernel/"
#define DEBUG_PREEMPT	"/sys/kernel/debug/sched/preempt"

/*
 * With PREEMPT_RT, real-time tasks preempt at once in every mode. In lazy mode
 * other tasks wait for the next tick.
 */
TW_CHECK(preemption, "/proc/version",
	 "most of the kernel cannot be preempted: its work for other tasks delays client and server",
	 TW_CHECK_ALL)
{
	const char *mode = env->preempt_mode;
	bool rt = !strcmp(env->preemption, "PREEMPT_RT");
	bool waits = rt && !params->realtime && !strcmp(mode, "lazy");

	if (!*env->preemption)
		return;
	snprintf(finding->where, sizeof(finding->where), "%s%s",
		 env->preemption_file, *mode ? ", " DEBUG_PREEMPT
		 " or the boot parameters and configuration of the kernel" : "");
	tw_check_is(finding, tw_check_if(!rt || waits), "%s%s%s",
		    env->preemption, *mode ? ", mode " : "", mode);
	if (waits)
		finding->why = "with lazy preemption, tasks that are not real-time, such as client and server, wait for the next tick";
	if (waits)
		tw_check_fix(finding, "give -p, or: echo full >" DEBUG_PREEMPT);
	else if (!strcmp(env->preemption, "PREEMPT_DYNAMIC") &&
		 strcmp(mode, "full"))
		tw_check_fix(finding, "boot a kernel built with CONFIG_PREEMPT_RT; until then: echo full >"
			      DEBUG_PREEMPT " (preempt=full at boot)");
	else
		tw_check_fix(finding, "boot a kernel built with CONFIG_PREEMPT_RT");
}

/* Clock sources that a program reads without a system call. */
static bool is_fast(const char *name)
{
	static const char *const fast[] = {
		"tsc", "arch_sys_counter", "kvm-clock",
		"hyperv_clocksource_tsc_page", "xen", "timebase", "tod",
		"riscv_clocksource", "Constant",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fast); i++)
		if (!strcmp(name, fast[i]))
			return true;
	return false;
}

TW_CHECK(clocksource, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
	 "reading this clock needs a system call and a slow device: each timestamp takes about 1 us or more, and timers have no better resolution than the clock",
	 TW_CHECK_ALL)
{
	char copy[TW_FACT_MAX], *word, *rest = NULL;

	(void)params;
	if (!*env->clocksource)
		return;
	tw_check_is(finding, tw_check_if(!is_fast(env->clocksource)),
		    "%s, available: %s", env->clocksource,
		    *env->clocksources ? env->clocksources : "?");
	tw_check_fix(finding, "the kernel does not trust a faster clock here: dmesg | grep -i clocksource shows the reason; boot with tsc=reliable if the kernel is wrong");
	strcpy(copy, env->clocksources);
	for (word = strtok_r(copy, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		if (!is_fast(word))
			continue;
		tw_check_fix(finding, "echo %s >%s", word, finding->where);
		break;
	}
}

TW_CHECK(throttling, TW_THROTTLE_FILE,
	 "real-time tasks of this run may use all the time of a CPU of client or server; the kernel then stops them, including client and server",
	 TW_CHECK_ALL)
{
	const struct tw_throttle *throttle = &env->throttle;
	bool may = throttle->stall_ns && params->rt_load;

	if (!throttle->known)
		return;
	tw_check_is(finding, tw_check_if(may),
		    "%" PRId64 " of %" PRId64 " us%s%s; this run %s",
		    throttle->runtime_us, throttle->period_us,
		    throttle->fair_server ? ", fair server" : "",
		    throttle->group ? ", RT_GROUP_SCHED" : "",
		    may ? "can be stopped" : "cannot be stopped by it");
	if (throttle->fair_server && !throttle->group)
		tw_check_fix(finding, "keep the load off the CPUs of client and server (--load-affinity), or: for f in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do echo 0 >$f; done");
	else
		tw_check_fix(finding, "--rt-runtime=-1, or keep the load off the CPUs of client and server (--load-affinity)");
}

/* A finding if the group has a smaller share than the whole system. */
TW_CHECK(rt_cgroup, "/sys/fs/cgroup/cpu",
	 "real-time tasks of this CPU cgroup are stopped when they have used its share of a period",
	 TW_CHECK_ALL)
{
	const struct tw_throttle *throttle = &env->throttle;
	int64_t runtime_us = env->cgroup.runtime_us;
	int64_t period_us = env->cgroup.period_us;
	bool less;

	if (runtime_us == TW_NO_NUMBER) {
		/* Without RT_GROUP_SCHED there is nothing to read. */
		if (throttle->known && !throttle->group)
			tw_check_is(finding, TW_CHECK_OK, "no RT_GROUP_SCHED");
		return;
	}
	if (period_us <= 0 || !throttle->known)
		return;
	less = runtime_us >= 0 && runtime_us < period_us &&
	       (throttle->runtime_us < 0 ||
		(double)runtime_us * (double)throttle->period_us <
		(double)throttle->runtime_us * (double)period_us);
	snprintf(finding->where, sizeof(finding->where), "%s",
		 env->cgroup.file);
	tw_check_is(finding, tw_check_if(less && params->realtime),
		    "%" PRId64 " of %" PRId64 " us", runtime_us, period_us);
	tw_check_fix(finding, "run in the root CPU cgroup: echo $$ >/sys/fs/cgroup/cpu/cgroup.procs, or give this cgroup more time: echo MICROSECONDS >%s",
		      env->cgroup.file);
}

TW_CHECK(timer_slack, "/proc/self/timerslack_ns",
	 "sleeps of tasks that are not real-time may end later by up to this time, so that the kernel can let several timers expire at once",
	 "interval sleep response total wakeup planned")
{
	bool disturbs = !params->realtime && env->timer_slack_ns > 1;

	if (env->timer_slack_ns == TW_NO_NUMBER)
		return;
	tw_check_is(finding, tw_check_if(disturbs), "%" PRId64 " ns%s",
		    env->timer_slack_ns, params->realtime ?
		    ", but not for real-time tasks such as client and server" : "");
	tw_check_fix(finding, "give client and server a real-time priority (-p 98)");
}

TW_CHECK(huge_pages, "/sys/kernel/mm/transparent_hugepage/enabled",
	 "khugepaged replaces pages of running programs by huge pages, and the programs wait for it; page faults may wait until memory is compacted",
	 TW_CHECK_ALL)
{
	bool always = !strcmp(env->huge_pages, "always");

	(void)params;
	if (!*env->huge_pages)
		return;
	tw_check_is(finding, tw_check_if(always), "%s",
		    env->huge_pages);
	tw_check_fix(finding, "echo madvise >%s", finding->where);
}

TW_CHECK(numa_balancing, SYSCTL "numa_balancing",
	 "the kernel regularly unmaps pages of running programs to see which node uses them: client and server then have page faults and may wait",
	 TW_CHECK_ALL)
{
	(void)params;
	if (env->numa_balancing == TW_NO_FLAG)
		return;
	tw_check_is(finding, tw_check_if(env->numa_balancing), "%d",
		    env->numa_balancing);
	tw_check_fix(finding, "sysctl kernel.numa_balancing=0");
}

TW_CHECK(watchdog, SYSCTL "watchdog, " SYSCTL "nmi_watchdog",
	 "every few seconds the lockup detectors run on each CPU before any real-time task, or interrupt it",
	 TW_CHECK_ALL)
{
	const cpu_set_t used = tw_environ_used(params);
	bool on = env->watchdog == 1 || env->nmi_watchdog == 1;
	cpu_set_t hit = used;
	char list[256];

	if (env->watchdog == TW_NO_FLAG && env->nmi_watchdog == TW_NO_FLAG)
		return;
	if (env->watched.known)
		CPU_AND(&hit, &used, &env->watched.set);
	tw_cpus_format(&hit, list, sizeof(list));
	if (on && CPU_COUNT(&hit))
		tw_check_is(finding, TW_CHECK_FINDING, "on, %s%son CPU %s",
			    env->nmi_watchdog == 1 ? "also by NMI, " : "",
			    env->watched.known ? "" : "perhaps ", list);
	else
		tw_check_is(finding, TW_CHECK_OK, on ? "on, on other CPUs" : "off");
	tw_check_fix(finding, "sysctl kernel.watchdog=0 (it sets both; nowatchdog at boot)");
}

/*
 * PREEMPT_RT expires the nanosleep of a real-time task in the interrupt, POSIX
 * timers and timerfds in the softirq HRTIMER, which ktimers/CPU runs.
 */
TW_CHECK(timer_thread, "/proc/*/comm, /proc/*/stat",
	 "on PREEMPT_RT this timer expires in a kernel thread: tasks of higher priority delay the thread, and it has to inherit the priority of the client that it wakes",
	 "interval send response total wakeup planned network")
{
	int64_t prio = env->timer_thread_prio;

	if (!params->timer_prio) {
		tw_check_is(finding, TW_CHECK_OK, "this timer needs none");
	} else if (prio != TW_NO_NUMBER) {
		tw_check_is(finding, tw_check_if(prio < params->timer_prio),
			    "ktimers at priority %" PRId64 ", client at %d",
			    prio, params->timer_prio);
		tw_check_fix(finding, "--timer=nanosleep, or: for p in $(pgrep ktimers/); do chrt -f -p %d $p; done",
			      params->timer_prio);
	} else if (*env->preemption && strcmp(env->preemption, "PREEMPT_RT")) {
		tw_check_is(finding, TW_CHECK_OK, "none: no PREEMPT_RT");
	}
}

/*
 * The CPU of a task that starts a timer is not idle, so the kernel queues the
 * timer on this CPU, unless it is a nohz_full CPU.
 */
TW_CHECK(timer_migration, SYSCTL "timer_migration",
	 "the kernel queues timers of nohz_full CPUs on another CPU, which must then interrupt the CPU of the waiting task",
	 "interval sleep response total wakeup planned")
{
	const cpu_set_t used = tw_environ_used(params);
	cpu_set_t both;
	char list[256];

	if (env->timer_migration == TW_NO_FLAG || !env->tickless.known)
		return;
	CPU_AND(&both, &used, &env->tickless.set);
	tw_cpus_format(&both, list, sizeof(list));
	if (env->timer_migration && CPU_COUNT(&both))
		tw_check_is(finding, TW_CHECK_FINDING, "on, with nohz_full CPU %s",
			    list);
	else
		tw_check_is(finding, TW_CHECK_OK, env->timer_migration ?
			    "on, but no used CPU is nohz_full" : "off");
	tw_check_fix(finding, "sysctl kernel.timer_migration=0");
}

TW_CHECK(tracing, "/sys/kernel/tracing",
	 "events are recorded during the measurement: each event and each traced function takes a fraction of a us",
	 TW_CHECK_ALL)
{
	bool traces = *env->tracer && strcmp(env->tracer, "nop");

	(void)params;
	if (*env->trace_instances) {
		snprintf(finding->where, sizeof(finding->where),
			 "/sys/kernel/tracing/instances");
		tw_check_is(finding, TW_CHECK_FINDING,
			    "%s, of another test that is running or was killed",
			    env->trace_instances);
		tw_check_fix(finding, "(cd /sys/kernel/tracing/instances && rmdir %s), which fails while that test is running",
			      env->trace_instances);
		return;
	}
	if (env->tracing == TW_NO_FLAG)
		return;
	if (env->tracing && (traces || env->trace_events == 1))
		tw_check_is(finding, TW_CHECK_FINDING, "on, tracer %s, events %s",
			    *env->tracer ? env->tracer : "?",
			    env->trace_events == 1 ? "enabled" : "off");
	else
		tw_check_is(finding, TW_CHECK_OK, env->tracing ?
			    "on, but nothing to trace" : "off");
	tw_check_fix(finding, "echo 0 >/sys/kernel/tracing/tracing_on");
}

TW_CHECK(hypervisor, "/proc/cpuinfo",
	 "the host may stop a virtual CPU at any time, and its interrupts and timers go through the host: the host's scheduling is part of every measured value",
	 TW_CHECK_ALL)
{
	char stolen[64] = "";

	(void)params;
	if (env->is_virtual == TW_NO_FLAG)
		return;
	if (!env->is_virtual) {
		tw_check_is(finding, TW_CHECK_OK, "none");
		return;
	}
	if (env->steal_ppm != TW_NO_NUMBER)
		snprintf(stolen, sizeof(stolen),
			 "; the host took %.2f %% of the used CPUs' time since boot",
			 (double)env->steal_ppm / 1e4);
	snprintf(finding->where, sizeof(finding->where),
		 "/proc/cpuinfo, /sys/class/dmi/id, /sys/hypervisor, /proc/stat");
	tw_check_is(finding, TW_CHECK_FINDING, "a virtual machine%s%.60s%s%.60s%s%.20s%s",
		    *env->vendor ? ", " : "", env->vendor,
		    *env->product ? " " : "", env->product,
		    *env->hypervisor ? ", " : "", env->hypervisor, stolen);
	tw_check_fix(finding, "measure on the host itself, or give the guest CPUs of its own: pin its virtual CPUs to isolated CPUs of the host");
}
