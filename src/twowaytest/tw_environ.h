/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the system that a run's results depend on, as far as it can
 * be read. Reading changes nothing and takes a few ms; main alone does it,
 * before a run. tw_check.h judges what is read.
 */
#ifndef TW_ENVIRON_H
#define TW_ENVIRON_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_cgroup.h"
#include "tw_throttle.h"

/* What the run is going to use. */
struct tw_environ_params {
	cpu_set_t client, server;	/* where they may run, of all pairs */
	bool pinned;			/* are these theirs alone? */
	bool realtime;			/* sides have a real-time policy */
	/* Of a real-time client whose timer is a softirq's; 0: it is not. */
	int timer_prio;
	bool rt_load;	/* real-time tasks of ours may fill a side's CPU */
	int64_t latency_us;	/* ours at /dev/cpu_dma_latency; -1: none */
};

/* What stands for a fact that could not be read: texts are empty. */
#define TW_NO_NUMBER	TW_CGROUP_UNKNOWN
#define TW_NO_FLAG	(-1)

#define TW_FACT_MAX	256
#define TW_LIST_MAX	1024	/* of CPUs */

struct tw_cpus {
	bool known;
	cpu_set_t set;
};

/*
 * Facts. Flags are 0, 1 or TW_NO_FLAG. "Used" are the CPUs of client and
 * server.
 */
struct tw_environ {
	struct tw_cpus online;

	/* Preemption. */
	char release[TW_FACT_MAX];
	char preemption[TW_FACT_MAX];	/* PREEMPT_RT, PREEMPT_DYNAMIC ... */
	const char *preemption_file;	/* that says so */
	char preempt_mode[TW_FACT_MAX];	/* full, lazy, voluntary, none */
	int realtime;			/* /sys/kernel/realtime */
	int lazy;			/* the kernel has lazy preemption */

	/* The boot command line; empty also if a parameter is not there. */
	char command_line[4096];
	char preempt[TW_FACT_MAX];
	char isolcpus[TW_LIST_MAX];
	char nohz_full[TW_LIST_MAX];
	char rcu_nocbs[TW_LIST_MAX];
	char idle[TW_FACT_MAX];
	char mitigations[TW_FACT_MAX];
	char skew_tick[TW_FACT_MAX];
	int threadirqs;
	struct tw_cpus isolated;	/* from the scheduler's balancing */
	struct tw_cpus tickless;	/* nohz_full */
	struct tw_cpus no_callbacks;	/* rcu_nocbs, nohz_full */

	/* Clocks and power. */
	char clocksource[TW_FACT_MAX];
	char clocksources[TW_FACT_MAX];	/* available */
	char governor[TW_FACT_MAX];	/* the first that is not performance */
	struct tw_cpus not_performance;	/* used */
	char idle_driver[TW_FACT_MAX];
	char idle_governor[TW_FACT_MAX];
	char idle_state[TW_FACT_MAX];	/* the deepest of the used CPUs */
	int64_t idle_latency_us;	/* to wake up from it */
	int64_t dma_latency_us;		/* what all requests allow */

	/* Cores and memory. */
	int smt;
	struct tw_cpus siblings;	/* online, of used CPUs */
	int smt_cpu, smt_sibling;	/* the worst such couple; -1: none */
	int64_t nodes;			/* NUMA */
	int64_t client_node, server_node;	/* unknown if several */
	int numa_balancing;
	char huge_pages[TW_FACT_MAX];	/* always, madvise, never */

	/* Scheduling and timers. */
	struct tw_throttle throttle;
	struct tw_cgroup cgroup;
	int64_t timer_slack_ns;
	int timer_migration;
	int64_t timer_thread_prio;	/* of ktimers, where the client runs */

	/* What else runs. */
	int is_virtual;
	char vendor[TW_FACT_MAX], product[TW_FACT_MAX];
	char model[TW_FACT_MAX];	/* by the device tree, such as ARM's */
	/* What lies beneath the kernel. */
	char microcode[TW_FACT_MAX];
	char firmware_vendor[TW_FACT_MAX], firmware_version[TW_FACT_MAX];
	char firmware_date[TW_FACT_MAX];
	char hypervisor[TW_FACT_MAX];
	int64_t steal_ppm;	/* of the used CPUs' time since boot */
	int irqbalance;
	int64_t irqs;		/* that may fire on used CPUs */
	char irq_names[TW_FACT_MAX];	/* the first few */
	int watchdog, nmi_watchdog;
	struct tw_cpus watched;
	int tracing;		/* on */
	int trace_events;	/* some are enabled */
	char tracer[TW_FACT_MAX];
	/* Other tests' traces: under way, or left by one that was killed. */
	char trace_instances[TW_FACT_MAX];
};

/*
 * Reads all of it below @root, "" for the real system. What cannot be read
 * is unknown, never an error.
 */
void tw_environ_read(struct tw_environ *env, const char *root,
		     const struct tw_environ_params *params);

/* CPUs of client and server together. */
cpu_set_t tw_environ_used(const struct tw_environ_params *params);

/* The highest CPU that there can be. */
int tw_environ_last(const char *root);

/* Parts of it that stand in files of their own. */
void tw_environ_read_kernel(struct tw_environ *env, const char *root);
void tw_environ_read_cpus(struct tw_environ *env, const char *root,
			  const struct tw_environ_params *params);
void tw_environ_read_irqs(struct tw_environ *env, const char *root,
			  const struct tw_environ_params *params);

#endif /* TW_ENVIRON_H */
