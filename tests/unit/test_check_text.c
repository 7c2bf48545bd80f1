// SPDX-License-Identifier: GPL-2.0-or-later
/* What a check says: its whole text, its files, and what it disturbs. */
#include "check_run.h"

#define CPU	"/sys/devices/system/cpu/"
#define SYSCTL	"/proc/sys/kernel/"
#define CLOCK	"/sys/devices/system/clocksource/clocksource0/"
#define DEBUG	"/sys/kernel/debug/sched/preempt"

/* The judgement of @check on what is in the tree, until the next call. */
static const struct tw_finding *judged(const char *check, unsigned int run)
{
	const struct tw_environ_params params = run_params(run);
	static struct tw_finding findings[TW_CHECKS];
	struct tw_environ env;
	int i;

	tw_environ_read(&env, tree_root, &params);
	tw_check(&env, &params, findings);
	for (i = 0; i < TW_CHECKS; i++)
		if (!strcmp(findings[i].name, check))
			return &findings[i];
	fail_msg("no check %s", check);
	return NULL;
}

/* All that was read, where other tests look for a few words. */
static void test_read(void **state)
{
	static const struct {
		const char *check;
		struct tree_file files[4];
		unsigned int run;
		enum tw_check_result want;
		const char *read;
	} rows[] = {
		{ "governor",
		  { { CPU "cpu2/cpufreq/scaling_governor", "performance" } },
		  0, TW_CHECK_OK, "performance" },
		{ "numa_balancing", { { SYSCTL "numa_balancing", "0\n" } }, 0,
		  TW_CHECK_OK, "0" },
		{ "timer_slack", { { "/proc/self/timerslack_ns", "50000\n" } },
		  0, TW_CHECK_OK,
		  "50000 ns, but not for real-time tasks such as client and server" },
		{ "timer_slack", { { "/proc/self/timerslack_ns", "50000\n" } },
		  ORDINARY, TW_CHECK_FINDING, "50000 ns" },
		{ "timer_thread",
		  { { "/proc/version", "Linux 6 SMP PREEMPT_DYNAMIC\n" } }, 0,
		  TW_CHECK_OK, "none: no PREEMPT_RT" },
		{ "timer_thread",
		  { { "/proc/version", "Linux 6 SMP PREEMPT_RT\n" } }, 0,
		  TW_CHECK_UNREAD, "" },
		{ "hypervisor", { { "/sys/hypervisor/type", "xen\n" } }, 0,
		  TW_CHECK_FINDING, "a virtual machine, xen" },
		{ "hypervisor",
		  { { "/sys/class/dmi/id/product_name", "KVM\n" },
		    { "/proc/stat", "cpu2 9 9 9 9 9 9 9 0 0 0\n" } }, 0,
		  TW_CHECK_FINDING,
		  "a virtual machine KVM; the host took 0.00 % of the used CPUs' time since boot" },
	};
	const struct tw_finding *finding;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_clear();
		tree_fill(rows[i].files, 4);
		finding = judged(rows[i].check, rows[i].run);
		assert_string_equal(finding->read, rows[i].read);
		assert_int_equal(finding->result, rows[i].want);
	}
}

/* Three are named, and dots tell that there are more. */
static void test_irq_names(void **state)
{
	static const struct { const char *rows, *read; } counts[] = {
		{ "", "0 may fire on CPU 2-3" },
		{ " 7: 1 1  X   1-edge      a\n 7: 1 1  X   1-edge      b\n"
		  " 7: 1 1  X   1-edge      c\n",
		  "3 may fire on CPU 2-3: 7 a, 7 b, 7 c" },
		{ " 7: 1 1  X   1-edge      a\n 7: 1 1  X   1-edge      b\n"
		  " 7: 1 1  X   1-edge      c\n 7: 1 1  X   1-edge      d\n",
		  "4 may fire on CPU 2-3: 7 a, 7 b, 7 c ..." },
	};
	char text[512];
	size_t i;

	(void)state;
	tree_add("/proc/irq/7/effective_affinity_list", "3\n");
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(text, sizeof(text), "    CPU0 CPU1\n%s",
			 counts[i].rows);
		tree_add("/proc/interrupts", text);
		assert_string_equal(judged("irqs", 0)->read, counts[i].read);
	}
}

/* Where the place depends on what was found. */
static void test_where(void **state)
{
	(void)state;
	tree_add("/proc/version", "Linux 6 SMP PREEMPT_DYNAMIC\n");
	assert_string_equal(judged("preemption", 0)->where, "/proc/version");
	tree_add(DEBUG, "(full)");
	assert_string_equal(judged("preemption", 0)->where, "/proc/version, "
			    DEBUG " or the boot parameters and configuration of the kernel");

	tree_add("/sys/hypervisor/type", "xen\n");
	assert_string_equal(judged("hypervisor", 0)->where,
			    "/proc/cpuinfo, /sys/class/dmi/id, /sys/hypervisor, /proc/stat");

	assert_string_equal(judged("tracing", 0)->where, "/sys/kernel/tracing");
	tree_add("/sys/kernel/tracing/instances/twowaytest-1-0/trace", "");
	assert_string_equal(judged("tracing", 0)->where,
			    "/sys/kernel/tracing/instances");
}

/* What to do about each mode of preemption, and only what helps. */
static void test_fix_of_preemption(void **state)
{
	(void)state;
	tree_add("/proc/version", "Linux 6 SMP PREEMPT_DYNAMIC\n");
	tree_add(DEBUG, "(full) lazy");
	assert_string_equal(judged("preemption", 0)->fix,
			    "boot a kernel built with CONFIG_PREEMPT_RT");
	tree_add(DEBUG, "full (lazy)");
	assert_string_equal(judged("preemption", ORDINARY)->fix,
			    "boot a kernel built with CONFIG_PREEMPT_RT; until then: echo full >"
			    DEBUG " (preempt=full at boot)");
	tree_add("/proc/version", "Linux 6 SMP PREEMPT_RT\n");
	assert_string_equal(judged("preemption", ORDINARY)->fix,
			    "give -p, or: echo full >" DEBUG);
}

/* The boot CPU is not to be isolated. */
static void test_fix_at_boot(void **state)
{
	(void)state;
	tree_add("/proc/cmdline", "isolcpus=4 rcu_nocbs=2\n");
	assert_string_equal(judged("rcu_nocbs", 0)->fix,
			    "boot with rcu_nocbs=2-3");
	assert_string_equal(judged("isolation", ON_0_AND_3)->fix,
			    "boot with isolcpus=managed_irq,domain,3, and use CPUs other than 0, which the system needs");
	assert_string_equal(judged("isolation", ON_0)->fix,
			    "run client and server on CPUs other than 0, which the system needs");
}

/* Each finding has the reason of its own check. */
static void test_why(void **state)
{
	const struct tw_finding *finding;
	int i, j;

	(void)state;
	for (i = 0; i < TW_CHECKS; i++) {
		finding = judged(tw_checks[i]->name, 0);
		assert_string_equal(finding->why, tw_checks[i]->why);
		for (j = 0; j < i; j++)
			assert_string_not_equal(finding->why,
						tw_checks[j]->why);
	}
	/* The kernel can preempt, but the mode delays ordinary tasks. */
	tree_add("/proc/version", "Linux 6 SMP PREEMPT_RT\n");
	tree_add(DEBUG, "full (lazy)");
	assert_string_equal(judged("preemption", 0)->why, tw_checks[0]->why);
	finding = judged("preemption", ORDINARY);
	assert_string_not_equal(finding->why, tw_checks[0]->why);
	assert_non_null(strstr(finding->why, "lazy"));
}

/*
 * A governor has no part in a sleep. No timer ends send and receive, and the
 * timer of the client ends neither the receive nor the sleep. Between nodes
 * nothing moves but messages.
 */
static void test_metrics(void **state)
{
	static const struct {
		const char *check;
		const char *metrics;
	} rows[] = {
		{ "governor",
		  "interval send receive response total wakeup planned network" },
		{ "timer_slack",
		  "interval sleep response total wakeup planned" },
		{ "timer_migration",
		  "interval sleep response total wakeup planned" },
		{ "timer_thread",
		  "interval send response total wakeup planned network" },
		{ "numa", "send receive response total planned network" },
	};
	const char *want;
	size_t row;
	int i;

	(void)state;
	for (i = 0; i < TW_CHECKS; i++) {
		want = TW_CHECK_ALL;
		for (row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
			if (!strcmp(rows[row].check, tw_checks[i]->name))
				want = rows[row].metrics;
		assert_string_equal(judged(tw_checks[i]->name, 0)->metrics,
				    want);
	}
}

/* Those that are read without a system call, of each architecture. */
static void test_fast_clocks(void **state)
{
	static const char *const fast[] = {
		"tsc", "arch_sys_counter", "kvm-clock",
		"hyperv_clocksource_tsc_page", "xen", "timebase", "tod",
		"riscv_clocksource", "Constant",
	};
	static const char *const slow[] = {
		"hpet", "acpi_pm", "jiffies", "refined-jiffies", "tsc-early",
		"hyperv_clocksource_msr",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fast) / sizeof(fast[0]); i++) {
		tree_add(CLOCK "current_clocksource", fast[i]);
		assert_int_equal(judged("clocksource", 0)->result,
				 TW_CHECK_OK);
	}
	for (i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		tree_add(CLOCK "current_clocksource", slow[i]);
		assert_int_equal(judged("clocksource", 0)->result,
				 TW_CHECK_FINDING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_read),
		tree_test(test_irq_names),
		tree_test(test_where),
		tree_test(test_fix_of_preemption),
		tree_test(test_fix_at_boot),
		tree_test(test_why),
		tree_test(test_metrics),
		tree_test(test_fast_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
