// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPUs 2 and 3, and the interrupts that may fire there. */
#include "tree.h"

#define CPU_DIR	"/sys/devices/system/cpu/"

static void test_governors(void **state)
{
	const struct tw_environ *env;

	(void)state;
	env = read_tree();
	assert_false(env->not_performance.known);
	/* Of CPUs that are not used nothing is read. */
	tree_add(CPU_DIR "cpu1/cpufreq/scaling_governor", "powersave\n");
	assert_false(read_tree()->not_performance.known);
	tree_add(CPU_DIR "cpu2/cpufreq/scaling_governor", "performance\n");
	tree_add(CPU_DIR "cpu3/cpufreq/scaling_governor", "performance\n");
	env = read_tree();
	assert_string_equal(env->governor, "performance");
	assert_string_equal(listed(&env->not_performance), "");
	tree_add(CPU_DIR "cpu3/cpufreq/scaling_governor", "schedutil\n");
	env = read_tree();
	assert_string_equal(env->governor, "schedutil");
	assert_string_equal(listed(&env->not_performance), "3");
	tree_add(CPU_DIR "cpu2/cpufreq/scaling_governor", "\n");
	assert_string_equal(listed(&read_tree()->not_performance), "3");
	/* The first that is not "performance", whatever comes after it. */
	tree_add(CPU_DIR "cpu2/cpufreq/scaling_governor", "powersave\n");
	env = read_tree();
	assert_string_equal(env->governor, "powersave");
	assert_string_equal(listed(&env->not_performance), "2 3");
	tree_add(CPU_DIR "cpu3/cpufreq/scaling_governor", "performance\n");
	env = read_tree();
	assert_string_equal(env->governor, "powersave");
	assert_string_equal(listed(&env->not_performance), "2");
}

static void add_idle_state(int cpu, int state, const char *name,
			   const char *latency, const char *disable)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "cpu%d/cpuidle/state%d/name",
		 cpu, state);
	tree_add(path, name);
	strcpy(strrchr(path, '/'), "/latency");
	tree_add(path, latency);
	strcpy(strrchr(path, '/'), "/disable");
	tree_add(path, disable);
}

static void test_idle(void **state)
{
	const struct tw_environ *env;

	(void)state;
	assert_int_equal(read_tree()->idle_latency_us, TW_NO_NUMBER);
	tree_add(CPU_DIR "cpuidle/current_driver", "intel_idle\n");
	tree_add(CPU_DIR "cpuidle/current_governor_ro", "menu\n");
	add_idle_state(2, 0, "POLL\n", "0\n", "0\n");
	add_idle_state(2, 1, "C1\n", "2\n", "0\n");
	add_idle_state(3, 0, "POLL\n", "0\n", "0\n");
	add_idle_state(3, 1, "C1\n", "2\n", "0\n");
	add_idle_state(3, 2, "C6\n", "133\n", "0\n");
	add_idle_state(1, 0, "C9\n", "999\n", "0\n");
	env = read_tree();
	assert_string_equal(env->idle_driver, "intel_idle");
	assert_string_equal(env->idle_governor, "menu");
	assert_string_equal(env->idle_state, "C6");
	assert_int_equal(env->idle_latency_us, 133);
	assert_int_equal(env->dma_latency_us, TW_NO_NUMBER);
	add_idle_state(3, 2, "C6\n", "133\n", "1\n");
	assert_int_equal(read_tree()->idle_latency_us, 2);
	add_idle_state(2, 1, "C1\n", "2\n", "1\n");
	add_idle_state(3, 1, "C1\n", "2\n", "1\n");
	assert_int_equal(read_tree()->idle_latency_us, 0);
	add_idle_state(2, 0, "POLL\n", "0\n", "1\n");
	add_idle_state(3, 0, "POLL\n", "0\n", "1\n");
	assert_int_equal(read_tree()->idle_latency_us, 0);
	tree_add(CPU_DIR "cpuidle/current_governor", "teo\n");
	assert_string_equal(read_tree()->idle_governor, "teo");
}

/* The first of equals, and any of as many as a kernel has. */
static void test_idle_states(void **state)
{
	int i;

	(void)state;
	add_idle_state(2, 0, "C1\n", "2\n", "0\n");
	add_idle_state(2, 1, "C1E\n", "2\n", "0\n");
	assert_string_equal(read_tree()->idle_state, "C1");
	/* CPUIDLE_STATE_MAX is 10. */
	for (i = 2; i < 9; i++)
		add_idle_state(2, i, "C3\n", "3\n", "0\n");
	add_idle_state(2, 9, "C10\n", "890\n", "0\n");
	assert_string_equal(read_tree()->idle_state, "C10");
	assert_int_equal(read_tree()->idle_latency_us, 890);
}

static void test_last(void **state)
{
	(void)state;
	assert_int_equal(tw_environ_last(tree_root), CPU_SETSIZE - 1);
	tree_add(CPU_DIR "possible", "0\n");
	assert_int_equal(tw_environ_last(tree_root), 0);
	tree_add(CPU_DIR "possible", "0-1\n");
	assert_int_equal(tw_environ_last(tree_root), 1);
	tree_add(CPU_DIR "possible", "0-2,7\n");
	assert_int_equal(tw_environ_last(tree_root), 7);
	tree_add(CPU_DIR "possible", "0-\n");
	assert_int_equal(tw_environ_last(tree_root), CPU_SETSIZE - 1);
}

static void test_dma_latency(void **state)
{
	const int32_t bound = 20;

	(void)state;
	tree_bytes("/dev/cpu_dma_latency", &bound, sizeof(bound));
	assert_int_equal(read_tree()->dma_latency_us, 20);
	tree_bytes("/dev/cpu_dma_latency", &bound, 3);
	assert_int_equal(read_tree()->dma_latency_us, TW_NO_NUMBER);
	tree_add("/dev/cpu_dma_latency", "");
	assert_int_equal(read_tree()->dma_latency_us, TW_NO_NUMBER);
}

static void test_siblings(void **state)
{
	const struct tw_environ *env = read_tree();

	(void)state;
	assert_false(env->siblings.known);
	assert_int_equal(env->smt, TW_NO_FLAG);
	tree_add(CPU_DIR "smt/active", "1\n");
	tree_add(CPU_DIR "cpu2/topology/thread_siblings_list", "2,6\n");
	tree_add(CPU_DIR "cpu3/topology/thread_siblings_list", "3,7\n");
	env = read_tree();
	assert_int_equal(env->smt, 1);
	assert_string_equal(listed(&env->siblings), "6 7");
	assert_int_equal(env->smt_cpu, 2);
	assert_int_equal(env->smt_sibling, 6);
	tree_add(CPU_DIR "online", "0-6\n");
	assert_string_equal(listed(&read_tree()->siblings), "6");
	/* Client beside server is what is told, if it is so. */
	tree_add(CPU_DIR "cpu2/topology/thread_siblings_list", "2-4\n");
	tree_add(CPU_DIR "cpu3/topology/thread_siblings_list", "2-4\n");
	env = read_tree();
	assert_string_equal(listed(&env->siblings), "2 3 4");
	assert_int_equal(env->smt_cpu, 3);
	assert_int_equal(env->smt_sibling, 2);
}

static void test_nodes(void **state)
{
	struct tw_environ_params params = usual_params();
	const struct tw_environ *env = read_tree();
	struct tw_environ other;

	(void)state;
	assert_int_equal(env->nodes, TW_NO_NUMBER);
	tree_add("/sys/devices/system/node/online", "0,2\n");
	tree_add("/sys/devices/system/node/node0/cpulist", "0-2\n");
	tree_add("/sys/devices/system/node/node1/cpulist", "3\n");
	tree_add("/sys/devices/system/node/node2/cpulist", "3-5\n");
	/* These two are offline. */
	tree_add("/sys/devices/system/node/node3/cpulist", "2-3\n");
	env = read_tree();
	assert_int_equal(env->nodes, 2);
	assert_int_equal(env->server_node, 0);
	assert_int_equal(env->client_node, 2);
	params.client = one_cpu(0);
	params.server = one_cpu(4);
	tw_environ_read(&other, tree_root, &params);
	assert_int_equal(other.client_node, 0);
	assert_int_equal(other.server_node, 2);
	params = usual_params();
	/* A side on two nodes is on none, and one without CPUs neither. */
	CPU_SET(4, &params.server);
	CPU_ZERO(&params.client);
	tw_environ_read(&other, tree_root, &params);
	assert_int_equal(other.server_node, TW_NO_NUMBER);
	assert_int_equal(other.client_node, TW_NO_NUMBER);
}

#define HEAD	"            CPU0       CPU1       CPU2       CPU3\n"

/* Each IRQ of them may fire on CPU 3. */
static void test_which_irqs_count(void **state)
{
	static const struct {
		const char *rows;
		int64_t count;
		const char *names;
	} rows[] = {
		{ HEAD " 24: 1 2 3 4  IO-APIC   5-edge      eth0\n", 1,
		  "24 eth0" },
		{ HEAD " 24: 1 2 3 4  IO-APIC   5-edge      usb1, i801 smb\n"
		  " 25: 0 0 0 0  GICv3 142 Level     fe201000.serial\n", 2,
		  "24 usb1, i801 smb, 25 fe201000.serial" },
		{ HEAD " 24: 1 2 3 4 PCI-MSI 1-edge      a\n"
		  " 25: 1 2 3 4 PCI-MSI 2-edge      b\n"
		  " 24: 1 2 3 4 PCI-MSI 3-edge      c\n"
		  " 25: 1 2 3 4 PCI-MSI 4-edge      d\n", 4,
		  "24 a, 25 b, 24 c" },
		/* Nobody handles these. */
		{ HEAD " 24: 1 2 3 4  IO-APIC   5-edge    \n", 0, "" },
		/* And of these each CPU has its own. */
		{ HEAD "  0: 9 0 0 0  IO-APIC   2-edge      timer\n"
		  " 24: 1 2 3 4     GICv3  27 Level     kvm guest vtimer\n"
		  " 25: 1 2 3 4     GIC-0  23 Level     other\n"
		  " 24: 1 2 3 4  RISC-V INTC   5 Edge      riscv-timer\n"
		  " 25: 1 2 3 4  xen-percpu    -virq      timer0\n"
		  "NMI: 1 2 3 4  Non-maskable interrupts\n"
		  "LOC: 1 2 3 4  Local timer interrupts\n"
		  "ERR: 0\n", 0, "" },
		{ HEAD " 24: 1 2 3 4  riscv-intc   5 Edge      a\n"
		  " 24: 1 2 3 4  RISC-V INTC   5 Edge      b\n"
		  " 24: 1 2 3 4  xen-percpu    -virq      c\n"
		  " 24: 1 2 3 4     GIC-0  31 Level     d\n"
		  " 24: 1 2 3 4  X   1 Level     timer\n"
		  " 24: 1 2 3 4  X   1 Level     arch_timer\n"
		  " 24: 1 2 3 4  X   1 Level     riscv-timer\n"
		  " 24: 1 2 3 4  X   1 Level     arm-pmu\n"
		  " 24: 1 2 3 4  X   1 Level     cascade\n"
		  " 24: 1 2 3 4  X   1 Level     IPI\n", 0, "" },
		/* The first line of a GIC that is not a CPU's own. */
		{ HEAD " 24: 1 2 3 4     GIC-0  32 Level     eth0\n", 1,
		  "24 eth0" },
		/* Message-signaled ones of a GICv2 count from 0 per device. */
		{ HEAD " 24: 1 2 3 4  GICv2m-PCI-MSIX-0000:00:01.0   0 Edge      virtio0-config\n"
		  " 25: 1 2 3 4  GICv2m-PCI-MSI-0000:00:02.0  31 Edge      nvme0\n",
		  2, "24 virtio0-config, 25 nvme0" },
		/* A number is no interrupt without its colon. */
		{ HEAD " 24  1 2 3 4  IO-APIC   5-edge      eth0\n", 0, "" },
		/* No affinity file. */
		{ HEAD " 26: 1 2 3 4  IO-APIC   5-edge      eth0\n", 0, "" },
		{ HEAD, 0, "" },
		{ HEAD ":::\n24\n24:\n-1: 1 2  x  y\n99999999999: 1  a  b\n"
		  " 24: 1\n 24:1  \n", 0, "" },
		{ HEAD " 24: 1 2 3 4  X   5-edge      \033[2J\x7f\xff~\n", 1,
		  "24 ?[2J??~" },
		/* Another file than it should be. */
		{ "rubbish\n 24: 1 2 3 4  IO-APIC   5-edge      eth0\n",
		  TW_NO_NUMBER, "" },
		{ "", TW_NO_NUMBER, "" },
	};
	const struct tw_environ *env;
	size_t i;

	(void)state;
	assert_int_equal(read_tree()->irqs, TW_NO_NUMBER);
	tree_add("/proc/irq/0/smp_affinity_list", "0-3\n");
	tree_add("/proc/irq/24/smp_affinity_list", "0-3\n");
	tree_add("/proc/irq/25/smp_affinity_list", "0-3\n");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/proc/interrupts", rows[i].rows);
		env = read_tree();
		assert_int_equal(env->irqs, rows[i].count);
		assert_string_equal(env->irq_names, rows[i].names);
	}
}

static void test_where_irqs_fire(void **state)
{
	static const struct {
		const char *effective, *allowed;
		int64_t count;
	} rows[] = {
		{ "3\n", "0-7\n", 1 }, { "1\n", "0-7\n", 0 },
		{ NULL, "0-7\n", 1 }, { NULL, "0-1,4-7\n", 0 },
		{ "\n", "0-7\n", 0 }, { "5-3\n", "2\n", 1 },
		{ "x", "0-", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_clear();
		tree_add("/proc/interrupts",
			 HEAD " 24: 1 2 3 4  IO-APIC   5-edge      eth0\n");
		if (rows[i].effective)
			tree_add("/proc/irq/24/effective_affinity_list",
				 rows[i].effective);
		tree_add("/proc/irq/24/smp_affinity_list", rows[i].allowed);
		assert_int_equal(read_tree()->irqs, rows[i].count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_governors),
		tree_test(test_idle),
		tree_test(test_idle_states),
		tree_test(test_last),
		tree_test(test_dma_latency),
		tree_test(test_siblings),
		tree_test(test_nodes),
		tree_test(test_which_irqs_count),
		tree_test(test_where_irqs_fire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
