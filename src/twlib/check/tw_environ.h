/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the system that the results depend on, as far as it can be read.
 * Called by main, before a run. Reading changes nothing and takes a few ms.
 * tw_check.h checks what was read.
 */
#ifndef TW_ENVIRON_H
#define TW_ENVIRON_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tw_cgroup.h"
#include "base/tw_cpus.h"
#include "check/tw_throttle.h"

/* The settings of the run. */
struct tw_environ_params {
	cpu_set_t client, server;	/* their CPUs, of all pairs */
	bool pinned;			/* each has CPUs of its own */
	bool realtime;			/* real-time client and server */
	/* Priority of a real-time client with a softirq timer; else 0. */
	int timer_prio;
	bool rt_load;	/* our real-time load may fill a CPU */
	int64_t latency_us;	/* our /dev/cpu_dma_latency; -1: none */
};

/* Values for what could not be read; strings are then empty. */
#define TW_NO_NUMBER	TW_CGROUP_UNKNOWN
#define TW_NO_FLAG	(-1)

#define TW_FACT_MAX	256
#define TW_LIST_MAX	1024	/* length of a list of CPUs */

/* Flags are 0, 1 or TW_NO_FLAG. "Used" means the CPUs of client and server. */
struct tw_environ {
	struct tw_cpus online;

	/* Preemption. */
	char release[TW_FACT_MAX];
	char preemption[TW_FACT_MAX];	/* PREEMPT_RT, PREEMPT_DYNAMIC ... */
	const char *preemption_file;	/* the file that says so */
	char preempt_mode[TW_FACT_MAX];	/* full, lazy, voluntary, none */
	int realtime;			/* /sys/kernel/realtime */
	int lazy;			/* kernel has lazy preemption */

	/* The boot parameters; "" also if a parameter was not given. */
	char command_line[4096];
	char preempt[TW_FACT_MAX];
	char isolcpus[TW_LIST_MAX];
	char nohz_full[TW_LIST_MAX];
	char rcu_nocbs[TW_LIST_MAX];
	char idle[TW_FACT_MAX];
	char mitigations[TW_FACT_MAX];
	char skew_tick[TW_FACT_MAX];
	int threadirqs;
	struct tw_cpus isolated;	/* isolated from load balancing */
	struct tw_cpus tickless;	/* nohz_full */
	struct tw_cpus no_callbacks;	/* rcu_nocbs, nohz_full */

	/* Clocks and power. */
	char clocksource[TW_FACT_MAX];
	char clocksources[TW_FACT_MAX];	/* available clock sources */
	char governor[TW_FACT_MAX];	/* first that is not "performance" */
	struct tw_cpus not_performance;	/* used CPUs without "performance" */
	char idle_driver[TW_FACT_MAX];
	char idle_governor[TW_FACT_MAX];
	char idle_state[TW_FACT_MAX];	/* deepest enabled, of the used CPUs */
	int64_t idle_latency_us;	/* time to leave this state */
	int64_t dma_latency_us;		/* minimum of all requests */

	/* Cores and memory. */
	int smt;
	struct tw_cpus siblings;	/* of used CPUs, online */
	int smt_cpu, smt_sibling;	/* most disturbing pair; -1: none */
	int64_t nodes;			/* number of NUMA nodes */
	int64_t client_node, server_node;	/* unknown if several */
	int numa_balancing;
	char huge_pages[TW_FACT_MAX];	/* always, madvise, never */

	/* Scheduling and timers. */
	struct tw_throttle throttle;
	struct tw_cgroup cgroup;
	int64_t timer_slack_ns;
	int timer_migration;
	int64_t timer_thread_prio;	/* of ktimers, on the client's CPU */

	/* Hardware, virtual or real. */
	int is_virtual;
	char vendor[TW_FACT_MAX], product[TW_FACT_MAX];
	char model[TW_FACT_MAX];	/* from the device tree (ARM, ...) */
	/* Firmware and hypervisor. */
	char microcode[TW_FACT_MAX];
	char firmware_vendor[TW_FACT_MAX], firmware_version[TW_FACT_MAX];
	char firmware_date[TW_FACT_MAX];
	char hypervisor[TW_FACT_MAX];
	int64_t steal_ppm;	/* of used CPUs, since boot */
	int irqbalance;
	int64_t irqs;		/* number that may fire on used CPUs */
	char irq_names[TW_FACT_MAX];	/* the first few names */
	int watchdog, nmi_watchdog;
	struct tw_cpus watched;
	int tracing;		/* tracing is on */
	int trace_events;	/* events are enabled */
	char tracer[TW_FACT_MAX];
	/* Traces of other tests, running or left behind by a killed one. */
	char trace_instances[TW_FACT_MAX];
};

enum tw_fact_kind {	/* type of the member */
	TW_FACT_TEXT,		/* char[] */
	TW_FACT_FLAG,		/* int */
	TW_FACT_NUMBER,		/* int64_t */
	TW_FACT_CPUS,		/* struct tw_cpus */
	TW_FACT_THROTTLE	/* struct tw_throttle */
};

/* A member of struct tw_environ. */
struct tw_fact {
	const char *name;	/* in the results */
	enum tw_fact_kind kind;
	size_t offset, size;
	/* Path of the file that contains it; boot parameter; NULL: neither. */
	const char *source;
};

/* In the order of the results; ends with a row without name. */
extern const struct tw_fact tw_facts[];

/*
 * Reads everything below @root, "" for the real system. What cannot be read is
 * unknown; this is not an error.
 */
void tw_environ_read(struct tw_environ *env, const char *root,
		     const struct tw_environ_params *params);

/* Returns the CPUs of client and server together. */
cpu_set_t tw_environ_used(const struct tw_environ_params *params);

/* Returns the highest possible CPU number. */
int tw_environ_last(const char *root);

/* Internal: parts of tw_environ_read() in other files. */
void tw_environ_read_kernel(struct tw_environ *env, const char *root);
void tw_environ_read_cpus(struct tw_environ *env, const char *root,
			  const struct tw_environ_params *params);
void tw_environ_read_irqs(struct tw_environ *env, const char *root,
			  const struct tw_environ_params *params);

#endif /* TW_ENVIRON_H */
