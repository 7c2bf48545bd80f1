// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the state of the CPUs of client and server: idle states, cores, NUMA
 * nodes.
 */
#include <stdio.h>
#include <string.h>

#include "base/tw_kfile.h"
#include "check/tw_environ.h"

#define CPU_DIR		"/sys/devices/system/cpu/cpu%d/"
#define STATES_MAX	32

cpu_set_t tw_environ_used(const struct tw_environ_params *params)
{
	cpu_set_t used;

	CPU_OR(&used, &params->client, &params->server);
	return used;
}

int tw_environ_last(const char *root)
{
	cpu_set_t possible;
	int last;

	if (!tw_cpus_read(root, CPU_SETSIZE - 1, &possible,
			  "/sys/devices/system/cpu/possible"))
		return CPU_SETSIZE - 1;
	for (last = CPU_SETSIZE - 1; last && !CPU_ISSET(last, &possible);
	     last--)
		;
	return last;
}

static void read_governor(struct tw_environ *env, const char *root, int cpu)
{
	char name[TW_FACT_MAX];

	if (!tw_kfile_text(root, name, sizeof(name),
			   CPU_DIR "cpufreq/scaling_governor", cpu) || !*name)
		return;
	env->not_performance.known = true;
	if (strcmp(name, "performance")) {
		if (!CPU_COUNT(&env->not_performance.set))
			strcpy(env->governor, name);
		CPU_SET(cpu, &env->not_performance.set);
	} else if (!*env->governor) {
		strcpy(env->governor, name);
	}
}

/* The enabled state that takes longest to leave. */
static void read_idle_states(struct tw_environ *env, const char *root, int cpu)
{
	int64_t latency_us, disabled;
	int i;

	for (i = 0; i < STATES_MAX; i++) {
		if (!tw_kfile_number(root, &latency_us,
				     CPU_DIR "cpuidle/state%d/latency", cpu,
				     i))
			break;
		if (tw_kfile_number(root, &disabled,
				    CPU_DIR "cpuidle/state%d/disable", cpu,
				    i) && disabled)
			continue;
		if (latency_us <= env->idle_latency_us)
			continue;
		env->idle_latency_us = latency_us;
		tw_kfile_text(root, env->idle_state,
			      sizeof(env->idle_state),
			      CPU_DIR "cpuidle/state%d/name", cpu, i);
	}
	/* There are states, but all are disabled: nothing to leave. */
	if (i && env->idle_latency_us == TW_NO_NUMBER)
		env->idle_latency_us = 0;
}

/* Prefers the most disturbing pair of siblings: client and server. */
static void read_siblings(struct tw_environ *env, const char *root, int cpu,
			  const struct tw_environ_params *params)
{
	cpu_set_t threads, opposite;
	int other;

	if (!tw_cpus_read(root, CPU_SETSIZE - 1, &threads,
			  CPU_DIR "topology/thread_siblings_list", cpu))
		return;
	env->siblings.known = true;
	CPU_CLR(cpu, &threads);
	if (env->online.known)
		CPU_AND(&threads, &threads, &env->online.set);
	CPU_OR(&env->siblings.set, &env->siblings.set, &threads);

	CPU_ZERO(&opposite);
	if (CPU_ISSET(cpu, &params->client))
		opposite = params->server;
	for (other = 0; other < CPU_SETSIZE; other++)
		if (CPU_ISSET(other, &threads) &&
		    (env->smt_cpu < 0 || CPU_ISSET(other, &opposite))) {
			env->smt_cpu = cpu;
			env->smt_sibling = other;
		}
}

static bool inside(const cpu_set_t *inner, const cpu_set_t *outer)
{
	cpu_set_t both;

	CPU_AND(&both, inner, outer);
	return CPU_COUNT(inner) && CPU_EQUAL(&both, inner);
}

static void read_nodes(struct tw_environ *env, const char *root,
		       const struct tw_environ_params *params)
{
	cpu_set_t nodes, cpus;
	int node;

	/* A list of nodes has the format of a list of CPUs. */
	if (!tw_cpus_read(root, CPU_SETSIZE - 1, &nodes,
			  "/sys/devices/system/node/online"))
		return;
	env->nodes = CPU_COUNT(&nodes);
	for (node = 0; node < CPU_SETSIZE; node++) {
		if (!CPU_ISSET(node, &nodes) ||
		    !tw_cpus_read(root, CPU_SETSIZE - 1, &cpus,
				  "/sys/devices/system/node/node%d/cpulist",
				  node))
			continue;
		if (inside(&params->client, &cpus))
			env->client_node = node;
		if (inside(&params->server, &cpus))
			env->server_node = node;
	}
}

void tw_environ_read_cpus(struct tw_environ *env, const char *root,
			  const struct tw_environ_params *params)
{
	const cpu_set_t used = tw_environ_used(params);
	int32_t bound;
	int cpu;

	if (!*env->idle_governor)	/* its older name */
		tw_kfile_text(root, env->idle_governor,
			      sizeof(env->idle_governor),
			      "/sys/devices/system/cpu/cpuidle/current_governor_ro");
	/* A binary number; only root may read it. */
	if (tw_kfile_bytes(root, &bound, sizeof(bound),
			   "/dev/cpu_dma_latency") == sizeof(bound))
		env->dma_latency_us = bound;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &used))
			continue;
		read_governor(env, root, cpu);
		read_idle_states(env, root, cpu);
		read_siblings(env, root, cpu, params);
	}
	read_nodes(env, root, params);
}
