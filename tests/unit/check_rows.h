/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up systems, and what is to be said of each. They have the files of one
 * check alone, so that all others must find nothing.
 */
#ifndef CHECK_ROWS_H
#define CHECK_ROWS_H

#include "tree.h"
#include "tw_check.h"

#define CPU	"/sys/devices/system/cpu/"
#define SYSCTL	"/proc/sys/kernel/"
#define CLOCK	"/sys/devices/system/clocksource/clocksource0/"
#define RT(runtime) \
	{ SYSCTL "sched_rt_runtime_us", runtime }, \
	{ SYSCTL "sched_rt_period_us", "1000000\n" }
#define IRQS	"      CPU0 CPU1 CPU2 CPU3\n" \
	" 7: 1 2 3 4  IO-APIC   5-edge      eth0\n"

/* How the run differs from the usual one of usual_params(). */
enum {
	ORDINARY = 1, UNPINNED = 2, LOADED = 4, HELD_0 = 8, HELD_50 = 16,
	ON_0_AND_3 = 32, ON_0 = 64, NANOSLEEP = 128,
};

static const struct row {
	const char *check;
	struct tree_file files[6];
	enum tw_check_result want;
	const char *read, *fix;	/* words of it; NULL: whatever */
	unsigned int run;
} rows[] = {
	{ "preemption", { { "/proc/version", "Linux 6 SMP PREEMPT_RT x\n" } },
	  TW_CHECK_OK, "PREEMPT_RT", NULL, 0 },
	{ "preemption", { { "/proc/version", "Linux 6 SMP PREEMPT_RT x\n" },
			  { "/sys/kernel/debug/sched/preempt", "full (lazy)" } },
	  TW_CHECK_OK, "PREEMPT_RT, mode lazy", NULL, 0 },
	{ "preemption", { { "/proc/version", "Linux 6 SMP PREEMPT_RT x\n" },
			  { "/sys/kernel/debug/sched/preempt", "full (lazy)" } },
	  TW_CHECK_FINDING, "PREEMPT_RT, mode lazy", "echo full >", ORDINARY },
	{ "preemption", { { "/proc/version", "Linux 6 SMP PREEMPT_DYNAMIC\n" } },
	  TW_CHECK_FINDING, "PREEMPT_DYNAMIC", "echo full >", 0 },
	{ "preemption", { { "/proc/version", "Linux 6 SMP PREEMPT_DYNAMIC\n" },
			  { "/sys/kernel/debug/sched/preempt",
			    "none voluntary (full)" } },
	  TW_CHECK_FINDING, "mode full", "boot a kernel built with CONFIG_PREEMPT_RT", 0 },
	{ "preemption", { { "/proc/version", "Linux 6 SMP\n" } },
	  TW_CHECK_FINDING, "PREEMPT_NONE or", "CONFIG_PREEMPT_RT", 0 },

	{ "isolation", { { CPU "isolated", "2-3\n" } }, TW_CHECK_OK,
	  "CPU 2-3 of client and server isolated", NULL, 0 },
	{ "isolation", { { CPU "isolated", "2\n" } }, TW_CHECK_FINDING,
	  "CPU 3 of client and server not isolated; isolated: 2",
	  "isolcpus=managed_irq,domain,2-3", 0 },
	{ "isolation", { { CPU "isolated", "\n" } }, TW_CHECK_FINDING,
	  "isolated: none", "domain,3, and use CPUs other than 0", ON_0_AND_3 },
	{ "isolation", { { CPU "isolated", "\n" } }, TW_CHECK_FINDING,
	  "CPU 0 ", "run client and server on CPUs other than 0", ON_0 },
	{ "isolation", { { CPU "isolated", "\n" } }, TW_CHECK_OK,
	  "not pinned", NULL, UNPINNED },
	{ "isolation", { { CPU "isolated", "5-3\n" } }, TW_CHECK_UNREAD, "",
	  NULL, 0 },

	{ "rcu_nocbs", { { "/proc/cmdline", "rcu_nocbs=1-3 isolcpus=2-3" } },
	  TW_CHECK_OK, "CPU 2-3 leaves them to others", NULL, 0 },
	{ "rcu_nocbs", { { "/proc/cmdline", "rcu_nocbs=3 isolcpus=2-3" } },
	  TW_CHECK_FINDING, "CPU 2 runs its own", "rcu_nocbs=2-3", 0 },
	{ "rcu_nocbs", { { "/proc/cmdline", "rcu_nocbs=x isolcpus=2-3" } },
	  TW_CHECK_UNREAD, "", NULL, 0 },

	{ "clocksource", { { CLOCK "current_clocksource", "tsc\n" } },
	  TW_CHECK_OK, "tsc", NULL, 0 },
	{ "clocksource", { { CLOCK "current_clocksource", "arch_sys_counter" } },
	  TW_CHECK_OK, "arch_sys_counter", NULL, 0 },
	{ "clocksource", { { CLOCK "current_clocksource", "hpet\n" },
			   { CLOCK "available_clocksource", "hpet tsc \n" } },
	  TW_CHECK_FINDING, "hpet, available: hpet tsc", "echo tsc >" CLOCK, 0 },
	{ "clocksource", { { CLOCK "current_clocksource", "acpi_pm\n" },
			   { CLOCK "available_clocksource", "acpi_pm hpet\n" } },
	  TW_CHECK_FINDING, "acpi_pm", "dmesg", 0 },
	{ "clocksource", { { CLOCK "current_clocksource", "\n" } },
	  TW_CHECK_UNREAD, "", NULL, 0 },

	{ "governor", { { CPU "cpu2/cpufreq/scaling_governor", "performance" } },
	  TW_CHECK_OK, "performance", NULL, 0 },
	{ "governor", { { CPU "cpu2/cpufreq/scaling_governor", "performance" },
			{ CPU "cpu3/cpufreq/scaling_governor", "powersave" } },
	  TW_CHECK_FINDING, "powersave on CPU 3", "echo performance >", 0 },

	{ "idle", { { CPU "cpu2/cpuidle/state0/latency", "2" },
		    { CPU "cpu2/cpuidle/state0/name", "C1" },
		    { CPU "cpu2/cpuidle/state1/latency", "133" },
		    { CPU "cpu2/cpuidle/state1/name", "C6" },
		    { CPU "cpuidle/current_driver", "acpi_idle" } },
	  TW_CHECK_FINDING, "acpi_idle: down to C6, 133 us", "cpu_dma_latency",
	  0 },
	{ "idle", { { CPU "cpu2/cpuidle/state0/latency", "133" } },
	  TW_CHECK_FINDING, "50 us", "cpu_dma_latency", HELD_50 },
	{ "idle", { { CPU "cpu2/cpuidle/state0/latency", "133" } },
	  TW_CHECK_OK, NULL, NULL, HELD_0 },
	/* What another program holds. */
	{ "idle", { { CPU "cpu2/cpuidle/state0/latency", "133" },
		    { "/dev/cpu_dma_latency", "\1\1\1" } },
	  TW_CHECK_FINDING, "133 us", NULL, 0 },
	{ "idle", { { CPU "cpu2/cpuidle/state0/latency", "133" },
		    { CPU "cpu2/cpuidle/state0/disable", "1" } },
	  TW_CHECK_OK, NULL, NULL, 0 },
	{ "idle", { { CPU "cpuidle/current_driver", "none\n" } },
	  TW_CHECK_OK, "no idle driver", NULL, 0 },
	{ "idle", { { "/proc/cmdline", "idle=poll isolcpus=2-3 rcu_nocbs=2-3" },
		    { CPU "cpu2/cpuidle/state0/latency", "133" } },
	  TW_CHECK_OK, "idle=poll", NULL, 0 },
	{ "idle", { { CPU "cpuidle/current_driver", "intel_idle\n" } },
	  TW_CHECK_UNREAD, NULL, NULL, 0 },

	{ "smt", { { CPU "cpu2/topology/thread_siblings_list", "2\n" } },
	  TW_CHECK_OK, "no used CPU", NULL, 0 },
	{ "smt", { { CPU "smt/active", "0\n" } }, TW_CHECK_OK, "off", NULL, 0 },
	{ "smt", { { CPU "smt/active", "1\n" } }, TW_CHECK_UNREAD, NULL, NULL, 0 },
	{ "smt", { { CPU "cpu2/topology/thread_siblings_list", "2,6\n" } },
	  TW_CHECK_FINDING, "CPU 2 has the sibling 6", "cpu6/online", 0 },
	{ "smt", { { CPU "cpu2/topology/thread_siblings_list", "2-3\n" },
		   { CPU "cpu3/topology/thread_siblings_list", "2-3\n" } },
	  TW_CHECK_FINDING, "client on CPU 3 and server on its sibling 2",
	  "different cores", 0 },

	{ "throttling", { RT("950000\n") }, TW_CHECK_OK,
	  "950000 of 1000000 us; this run cannot", NULL, 0 },
	{ "throttling", { RT("950000\n") }, TW_CHECK_FINDING, "can be stopped",
	  "--rt-runtime=-1", LOADED },
	{ "throttling", { RT("-1\n") }, TW_CHECK_OK, NULL, NULL, LOADED },
	{ "throttling", { RT("950000\n"),
			  { SYSCTL "osrelease", "6.12.0\n" } },
	  TW_CHECK_FINDING, "fair server; this", "fair_server/cpu*", LOADED },
	{ "throttling", { RT("rubbish\n") }, TW_CHECK_UNREAD, NULL, NULL, LOADED },

	{ "rt_cgroup", { RT("950000\n") }, TW_CHECK_OK, "no RT_GROUP_SCHED",
	  NULL, 0 },
#define GROUP(runtime) RT("950000\n"), \
	{ "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", runtime }, \
	{ "/sys/fs/cgroup/cpu/cpu.rt_period_us", "1000000\n" }
	{ "rt_cgroup", { GROUP("950000\n") }, TW_CHECK_OK,
	  "950000 of 1000000 us", NULL, 0 },
	{ "rt_cgroup", { GROUP("-1\n") }, TW_CHECK_OK, NULL, NULL, 0 },
	{ "rt_cgroup", { GROUP("100000\n") }, TW_CHECK_FINDING,
	  "100000 of 1000000 us", "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", 0 },
	{ "rt_cgroup", { GROUP("100000\n") }, TW_CHECK_OK, NULL, NULL, ORDINARY },
	{ "rt_cgroup", { GROUP("x\n") }, TW_CHECK_UNREAD, NULL, NULL, 0 },

	{ "timer_slack", { { "/proc/self/timerslack_ns", "50000\n" } },
	  TW_CHECK_OK, "50000 ns", NULL, 0 },
	{ "timer_slack", { { "/proc/self/timerslack_ns", "50000\n" } },
	  TW_CHECK_FINDING, "50000 ns", "-p", ORDINARY },
	{ "timer_slack", { { "/proc/self/timerslack_ns", "1\n" } },
	  TW_CHECK_OK, "1 ns", NULL, ORDINARY },

#define STAT(prio) \
	"15 (ktimers/3) S 2 0 0 0 -1 69238848 0 0 0 0 1 0 0 0 -2 0 1 0 160 " \
	"0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 17 3 " \
	prio " 1 0 0 0 0 0 0 0 0 0 0 0\n"
	{ "timer_thread", { { "/proc/15/comm", "ktimers/3\n" },
			    { "/proc/15/stat", STAT("1") } },
	  TW_CHECK_FINDING, "ktimers at priority 1, client at 98",
	  "--timer=nanosleep, or: for p in $(pgrep ktimers/); do chrt -f -p 98 $p; done", 0 },
	{ "timer_thread", { { "/proc/15/comm", "ktimers/3\n" },
			    { "/proc/15/stat", STAT("97") },
			    { "/proc/16/comm", "ktimers/2\n" },
			    { "/proc/16/stat", STAT("1") } },
	  TW_CHECK_FINDING, "ktimers at priority 97, client at 98", NULL, 0 },
	{ "timer_thread", { { "/proc/15/comm", "ktimers/3\n" },
			    { "/proc/15/stat", STAT("98") } },
	  TW_CHECK_OK, "ktimers at priority 98", NULL, 0 },
	{ "timer_thread", { { "/proc/15/comm", "ktimers/3\n" },
			    { "/proc/15/stat", STAT("1") } },
	  TW_CHECK_OK, "needs none", NULL, NANOSLEEP },
	{ "timer_thread", { { "/proc/15/comm", "ktimers/3\n" },
			    { "/proc/15/stat", "15 (ktimers/3) S 2 0 0\n" } },
	  TW_CHECK_UNREAD, NULL, NULL, 0 },
	{ "timer_thread", { { "/proc/version", "Linux 6 SMP PREEMPT_RT x\n" },
			    { "/proc/15/comm", "ktimers/9999\n" },
			    { "/proc/15/stat", STAT("1") } },
	  TW_CHECK_UNREAD, NULL, NULL, 0 },

#define HUGE	"/sys/kernel/mm/transparent_hugepage/enabled"
	{ "huge_pages", { { HUGE, "always [madvise] never\n" } }, TW_CHECK_OK,
	  "madvise", NULL, 0 },
	{ "huge_pages", { { HUGE, "[always] madvise never\n" } },
	  TW_CHECK_FINDING, "always", "echo madvise >" HUGE, 0 },
	{ "huge_pages", { { HUGE, "\n" } }, TW_CHECK_UNREAD, NULL, NULL, 0 },

	{ "hypervisor", { { "/proc/cpuinfo", "a\nflags : fpu\n" } },
	  TW_CHECK_OK, "none", NULL, 0 },
	{ "hypervisor", { { "/proc/cpuinfo", "a\nflags : fpu hypervisor\n" },
			  { "/sys/class/dmi/id/sys_vendor", "QEMU\n" },
			  { "/sys/class/dmi/id/product_name", "Q35\n" },
			  { "/sys/hypervisor/type", "xen\n" },
			  { "/proc/stat", "cpu2 9 9 9 9 9 9 36 10 0 0\n" } },
	  TW_CHECK_FINDING, "QEMU Q35, xen; the host took 10.00 %", "pin", 0 },

	{ "irqbalance", { { "/proc/7/comm", "bash\n" } }, TW_CHECK_OK,
	  "not running", NULL, 0 },
	{ "irqbalance", { { "/proc/7/comm", "irqbalance\n" } },
	  TW_CHECK_FINDING, "running", "BANNED_CPULIST=2-3", 0 },
	{ "irqbalance", { { "/proc/7/comm", "irqbalance\n" },
			  { CPU "isolated", "2\n" },
			  { "/sys/fs/cgroup/cpuset.cpus.isolated", "3\n" } },
	  TW_CHECK_OK, "spares", NULL, 0 },
	{ "irqbalance", { { "/proc/7/comm", "irqbalance\n" },
			  { CPU "isolated", "2-3\n" } },
	  TW_CHECK_FINDING, "running", NULL, UNPINNED },

	{ "irqs", { { "/proc/interrupts", IRQS },
		    { "/proc/irq/7/smp_affinity_list", "0-1\n" } },
	  TW_CHECK_OK, "0 may fire on CPU 2-3", NULL, 0 },
	{ "irqs", { { "/proc/interrupts", IRQS },
		    { "/proc/irq/7/smp_affinity_list", "0-3\n" },
		    { CPU "online", "0-3\n" } },
	  TW_CHECK_FINDING, "1 may fire on CPU 2-3: 7 eth0", "do echo 0-1 >", 0 },
	{ "irqs", { { "/proc/interrupts", IRQS },
		    { "/proc/irq/7/smp_affinity_list", "0-3\n" },
		    { CPU "online", "2-3\n" } },
	  TW_CHECK_FINDING, "7 eth0", "leave a CPU to the system", 0 },
	{ "irqs", { { "/proc/interrupts", IRQS },
		    { "/proc/irq/7/smp_affinity_list", "0-3\n" } },
	  TW_CHECK_OK, "not pinned", NULL, UNPINNED },
	{ "irqs", { { "/proc/interrupts", "" } }, TW_CHECK_UNREAD, NULL, NULL, 0 },

#define NODE	"/sys/devices/system/node/"
	{ "numa", { { NODE "online", "0\n" } }, TW_CHECK_OK, "one node", NULL, 0 },
	{ "numa", { { NODE "online", "0-1\n" }, { NODE "node0/cpulist", "0,2-3\n" },
		    { NODE "node1/cpulist", "1,4\n" } },
	  TW_CHECK_OK, "client on node 0, server on node 0", NULL, 0 },
	{ "numa", { { NODE "online", "0-1\n" }, { NODE "node0/cpulist", "0-2\n" },
		    { NODE "node1/cpulist", "3\n" } },
	  TW_CHECK_FINDING, "client on node 1, server on node 0",
	  "node1/cpulist", 0 },
	{ "numa", { { NODE "online", "0-1\n" } }, TW_CHECK_UNREAD, "2 nodes",
	  NULL, 0 },
	{ "numa", { { NODE "online", "0-1\n" } }, TW_CHECK_OK, "not pinned",
	  NULL, UNPINNED },

	{ "numa_balancing", { { SYSCTL "numa_balancing", "0\n" } },
	  TW_CHECK_OK, "0", NULL, 0 },
	{ "numa_balancing", { { SYSCTL "numa_balancing", "2\n" } },
	  TW_CHECK_FINDING, "1", "kernel.numa_balancing=0", 0 },

	{ "watchdog", { { SYSCTL "watchdog", "0\n" },
			{ SYSCTL "nmi_watchdog", "0\n" } },
	  TW_CHECK_OK, "off", NULL, 0 },
	{ "watchdog", { { SYSCTL "watchdog", "1\n" },
			{ SYSCTL "watchdog_cpumask", "0-1\n" } },
	  TW_CHECK_OK, "other CPUs", NULL, 0 },
	{ "watchdog", { { SYSCTL "watchdog", "1\n" },
			{ SYSCTL "watchdog_cpumask", "0-2\n" } },
	  TW_CHECK_FINDING, "on, on CPU 2", "kernel.watchdog=0", 0 },
	{ "watchdog", { { SYSCTL "nmi_watchdog", "1\n" } },
	  TW_CHECK_FINDING, "by NMI, perhaps on CPU 2-3", NULL, 0 },
	{ "watchdog", { { SYSCTL "watchdog", "x" } }, TW_CHECK_UNREAD, NULL, NULL,
	  0 },

	{ "timer_migration", { { SYSCTL "timer_migration", "1\n" },
			       { CPU "nohz_full", "3\n" } },
	  TW_CHECK_FINDING, "nohz_full CPU 3", "kernel.timer_migration=0", 0 },
	{ "timer_migration", { { SYSCTL "timer_migration", "1\n" },
			       { CPU "nohz_full", "4\n" } },
	  TW_CHECK_OK, "no used CPU", NULL, 0 },
	{ "timer_migration", { { SYSCTL "timer_migration", "0\n" },
			       { CPU "nohz_full", "3\n" } },
	  TW_CHECK_OK, "off", NULL, 0 },
	{ "timer_migration", { { SYSCTL "timer_migration", "1\n" } },
	  TW_CHECK_UNREAD, NULL, NULL, 0 },

#define TRACE	"/sys/kernel/tracing/"
	{ "tracing", { { TRACE "tracing_on", "0\n" },
		       { TRACE "current_tracer", "function\n" } },
	  TW_CHECK_OK, "off", NULL, 0 },
	{ "tracing", { { TRACE "tracing_on", "1\n" },
		       { TRACE "current_tracer", "nop\n" },
		       { TRACE "events/enable", "0\n" } },
	  TW_CHECK_OK, "nothing to trace", NULL, 0 },
	{ "tracing", { { TRACE "tracing_on", "1\n" },
		       { TRACE "current_tracer", "function\n" } },
	  TW_CHECK_FINDING, "tracer function, events off", "echo 0 >", 0 },
	{ "tracing", { { TRACE "tracing_on", "1\n" },
		       { TRACE "events/enable", "X\n" } },
	  TW_CHECK_FINDING, "tracer ?, events enabled", NULL, 0 },
	{ "tracing", { { TRACE "tracing_on", "0\n" },
		       { TRACE "instances/twowaytest-1-0000000f/trace", "" },
		       { TRACE "instances/other/trace", "" },
		       { TRACE "instances/twowaytest-$(x)/trace", "" } },
	  TW_CHECK_FINDING, "twowaytest-1-0000000f, of another test",
	  "(cd /sys/kernel/tracing/instances && rmdir twowaytest-1-0000000f)",
	  0 },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

#endif /* CHECK_ROWS_H */
