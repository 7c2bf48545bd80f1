// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the CPUs of client and server. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/tw_check.h"

#define CPU_DIR	"/sys/devices/system/cpu/"

/* The CPUs of @set that are not in @from. */
static cpu_set_t missing(const cpu_set_t *set, const struct tw_cpus *from)
{
	cpu_set_t both, rest;

	CPU_AND(&both, set, &from->set);
	CPU_XOR(&rest, set, &both);
	return rest;
}

/*
 * The scheduler chooses the CPUs of unpinned tasks, and it never chooses an
 * isolated one.
 */
static bool unpinned(const struct tw_environ_params *params,
		     struct tw_finding *finding)
{
	if (!params->pinned)
		tw_check_is(finding, TW_CHECK_OK, "client and server are not pinned (-a)");
	return !params->pinned;
}

/* The system needs CPU 0, so never isolate it. */
static void fix_at_boot(struct tw_finding *finding, const char *param,
			const cpu_set_t *cpus)
{
	cpu_set_t wanted = *cpus;
	char list[256];

	CPU_CLR(0, &wanted);
	tw_cpus_format(&wanted, list, sizeof(list));
	if (!CPU_COUNT(&wanted))
		tw_check_fix(finding, "run client and server on CPUs other than 0, which the system needs");
	else
		tw_check_fix(finding, "boot with %s%s%s", param, list,
			      CPU_ISSET(0, cpus) ?
			      ", and use CPUs other than 0, which the system needs"
			      : "");
}

TW_CHECK(isolation, CPU_DIR "isolated",
	 "the scheduler may put other tasks on the CPUs of client and server",
	 TW_CHECK_ALL)
{
	const cpu_set_t used = tw_environ_used(params);
	cpu_set_t rest;
	char list[256], isolated[256];

	if (unpinned(params, finding) || !env->isolated.known)
		return;
	rest = missing(&used, &env->isolated);
	tw_cpus_format(&env->isolated.set, isolated, sizeof(isolated));
	tw_cpus_format(CPU_COUNT(&rest) ? &rest : &used, list, sizeof(list));
	tw_check_is(finding, tw_check_if(CPU_COUNT(&rest)),
		    "CPU %.100s of client and server %s; isolated: %.100s", list,
		    CPU_COUNT(&rest) ? "not isolated" : "isolated",
		    *isolated ? isolated : "none");
	fix_at_boot(finding, "isolcpus=managed_irq,domain,", &used);
}

TW_CHECK(rcu_nocbs, "/proc/cmdline",
	 "the kernel frees memory in batches (RCU callbacks) on the CPUs of client and server",
	 TW_CHECK_ALL)
{
	const cpu_set_t used = tw_environ_used(params);
	cpu_set_t rest;
	char list[256];

	if (unpinned(params, finding) || !env->no_callbacks.known)
		return;
	rest = missing(&used, &env->no_callbacks);
	tw_cpus_format(CPU_COUNT(&rest) ? &rest : &used, list, sizeof(list));
	tw_check_is(finding, tw_check_if(CPU_COUNT(&rest)),
		    "CPU %.200s %s", list, CPU_COUNT(&rest) ?
		    "runs its own RCU callbacks" :
		    "leaves RCU callbacks to kernel threads");
	fix_at_boot(finding, "rcu_nocbs=", &used);
}

TW_CHECK(governor, CPU_DIR "cpu*/cpufreq/scaling_governor",
	 "the frequency of a CPU that is idle between cycles is lowered: the work of a cycle takes longer, by a time that depends on the load",
	 "interval send receive response total wakeup planned network")
{
	const cpu_set_t *slow = &env->not_performance.set;
	char list[256];

	(void)params;
	if (!env->not_performance.known)
		return;
	tw_cpus_format(slow, list, sizeof(list));
	tw_check_is(finding, tw_check_if(CPU_COUNT(slow)),
		    "%.60s%s%.150s", env->governor,
		    CPU_COUNT(slow) ? " on CPU " : "", list);
	tw_check_fix(finding, "for f in %s; do echo performance >$f; done",
		      finding->where);
}

/* The lowest request applies, of this run or of another program. */
static int64_t allowed_us(const struct tw_environ *env,
			  const struct tw_environ_params *params)
{
	int64_t others_us = env->dma_latency_us;

	if (others_us != TW_NO_NUMBER && others_us >= 0 &&
	    (params->latency_us < 0 || others_us < params->latency_us))
		return others_us;
	return params->latency_us < 0 ? INT64_MAX : params->latency_us;
}

TW_CHECK(idle, CPU_DIR "cpu*/cpuidle/state*/",
	 "a CPU in this idle state takes this long to wake up, in each phase that ends with a wake-up",
	 TW_CHECK_ALL)
{
	int64_t deepest_us = env->idle_latency_us;
	int64_t allowed = allowed_us(env, params);

	if (!strcmp(env->idle, "poll")) {
		tw_check_is(finding, TW_CHECK_OK, "idle=poll");
	} else if (!strcmp(env->idle_driver, "none")) {
		tw_check_is(finding, TW_CHECK_OK, "no idle driver");
	} else if (deepest_us == 0 || !allowed) {
		tw_check_is(finding, TW_CHECK_OK, "%.60s: no idle state that takes time to leave",
			    *env->idle_driver ? env->idle_driver : "?");
	} else if (deepest_us != TW_NO_NUMBER) {
		tw_check_is(finding, TW_CHECK_FINDING, "%.60s: down to %.60s, %" PRId64
			    " us", *env->idle_driver ? env->idle_driver : "?",
			    env->idle_state,
			    deepest_us < allowed ? deepest_us : allowed);
		tw_check_fix(finding, "let twowaytest hold /dev/cpu_dma_latency at 0: run as root, without --default-system and --latency; or boot with idle=poll");
	}
}

TW_CHECK(smt, CPU_DIR "cpu*/topology/thread_siblings_list",
	 "the threads of a core share its execution units and caches: a task on one thread slows down the other",
	 TW_CHECK_ALL)
{
	int cpu = env->smt_cpu, sibling = env->smt_sibling;
	char list[256];
	bool both;

	if (!env->siblings.known) {
		if (!env->smt)
			tw_check_is(finding, TW_CHECK_OK, "off");
		return;
	}
	if (cpu < 0) {
		tw_check_is(finding, TW_CHECK_OK, "no used CPU has a sibling online");
		return;
	}
	both = params->pinned && CPU_ISSET(cpu, &params->client) &&
	       CPU_ISSET(sibling, &params->server);
	tw_cpus_format(&env->siblings.set, list, sizeof(list));
	if (both) {
		tw_check_is(finding, TW_CHECK_FINDING, "client on CPU %d and server on its sibling %d",
			    cpu, sibling);
		tw_check_fix(finding, "choose CPUs of different cores (-aSET), or: echo off >/sys/devices/system/cpu/smt/control");
		return;
	}
	tw_check_is(finding, TW_CHECK_FINDING, "CPU %d has the sibling %d online; all siblings of used CPUs: %.150s",
		    cpu, sibling, list);
	tw_check_fix(finding, "echo off >/sys/devices/system/cpu/smt/control, or for this CPU alone: echo 0 >/sys/devices/system/cpu/cpu%d/online",
		      sibling);
}

TW_CHECK(numa, "/sys/devices/system/node/node*/cpulist",
	 "each message goes through memory of another node",
	 "send receive response total planned network")
{
	int64_t client = env->client_node, server = env->server_node;

	(void)params;
	if (env->nodes == TW_NO_NUMBER)
		return;
	if (env->nodes <= 1) {
		tw_check_is(finding, TW_CHECK_OK, "one node");
	} else if (client == TW_NO_NUMBER || server == TW_NO_NUMBER) {
		if (!unpinned(params, finding))
			tw_check_is(finding, TW_CHECK_UNREAD, "%" PRId64 " nodes",
				    env->nodes);
	} else {
		tw_check_is(finding, tw_check_if(client != server),
			    "client on node %" PRId64 ", server on node %"
			    PRId64, client, server);
		tw_check_fix(finding, "choose CPUs of one node: -aSET, from cat /sys/devices/system/node/node%"
			      PRId64 "/cpulist", client);
	}
}

/* irqbalance moves no interrupts to isolated or nohz_full CPUs. */
TW_CHECK(irqbalance, "/proc/*/comm",
	 "irqbalance moves interrupts between CPUs during the test, also to the CPUs of client and server",
	 TW_CHECK_ALL)
{
	const cpu_set_t used = tw_environ_used(params);
	cpu_set_t rest = missing(&used, &env->isolated);
	bool spared;
	char list[256];

	rest = missing(&rest, &env->tickless);
	spared = params->pinned && !CPU_COUNT(&rest);
	if (env->irqbalance == TW_NO_FLAG)
		return;
	if (!env->irqbalance)
		tw_check_is(finding, TW_CHECK_OK, "not running");
	else
		tw_check_is(finding, tw_check_if(!spared), "running%s",
			    spared ? ", but spares isolated CPUs" : "");
	tw_cpus_format(&used, list, sizeof(list));
	tw_check_fix(finding, "systemctl stop irqbalance, or IRQBALANCE_BANNED_CPULIST=%.100s in its environment",
		      list);
}

TW_CHECK(irqs, "/proc/irq/*/effective_affinity_list",
	 "devices interrupt client and server; without PREEMPT_RT their handlers and softirqs run there before any task",
	 TW_CHECK_ALL)
{
	const cpu_set_t used = tw_environ_used(params);
	cpu_set_t others;
	char list[256], mine[256];

	if (unpinned(params, finding) || env->irqs == TW_NO_NUMBER)
		return;
	tw_check_is(finding, tw_check_if(env->irqs),
		    "%" PRId64 " may fire on CPU %.60s%s%.150s%s", env->irqs,
		    tw_cpus_format(&used, mine, sizeof(mine)),
		    env->irqs ? ": " : "", env->irq_names,
		    env->irqs > 3 ? " ..." : "");
	others = missing(&env->online.set,
			 &(struct tw_cpus) { .set = used });
	if (CPU_COUNT(&others))
		tw_check_fix(finding, "for f in /proc/irq/[0-9]*/smp_affinity_list; do echo %.150s >$f; done; for interrupts that cannot be moved, boot with isolcpus=managed_irq,domain,%.60s",
			      tw_cpus_format(&others, list, sizeof(list)),
			      mine);
	else
		tw_check_fix(finding, "use fewer CPUs for client and server (-aSET), so that one is left for the system; then move the interrupts there with /proc/irq/*/smp_affinity_list");
}
