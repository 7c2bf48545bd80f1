// SPDX-License-Identifier: GPL-2.0-or-later
/* The rest of the system's state, and the state of this one. */
#include <fcntl.h>

#include "tree.h"

static void test_nothing(void **state)
{
	const struct tw_environ *env = read_tree();

	(void)state;
	assert_string_equal(env->release, "");
	assert_false(env->throttle.known);
	assert_int_equal(env->timer_slack_ns, TW_NO_NUMBER);
	assert_int_equal(env->irqbalance, TW_NO_FLAG);
	assert_int_equal(env->is_virtual, TW_NO_FLAG);
	assert_int_equal(env->steal_ppm, TW_NO_NUMBER);
	assert_int_equal(env->tracing, TW_NO_FLAG);
	assert_int_equal(env->trace_events, TW_NO_FLAG);
	assert_int_equal(env->numa_balancing, TW_NO_FLAG);
	assert_int_equal(env->timer_migration, TW_NO_FLAG);
	assert_int_equal(env->timer_thread_prio, TW_NO_NUMBER);
	assert_int_equal(env->watchdog, TW_NO_FLAG);
	assert_int_equal(env->nmi_watchdog, TW_NO_FLAG);
	assert_int_equal(env->lazy, TW_NO_FLAG);
	assert_int_equal(env->threadirqs, TW_NO_FLAG);
	assert_int_equal(env->smt, TW_NO_FLAG);
	assert_int_equal(env->smt_cpu, -1);
	assert_int_equal(env->smt_sibling, -1);
	assert_int_equal(env->irqs, TW_NO_NUMBER);
	assert_false(env->watched.known);
	assert_false(env->online.known);
}

static void test_plain_facts(void **state)
{
	static const struct tree_file files[] = {
		{ "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  "hpet\n" },
		{ "/sys/devices/system/clocksource/clocksource0/available_clocksource",
		  "tsc hpet acpi_pm \n" },
		{ "/proc/self/timerslack_ns", "50000\n" },
		{ "/proc/sys/kernel/numa_balancing", "2\n" },
		{ "/proc/sys/kernel/timer_migration", "0\n" },
		{ "/proc/sys/kernel/watchdog", "1\n" },
		{ "/proc/sys/kernel/nmi_watchdog", "0\n" },
		{ "/proc/sys/kernel/watchdog_cpumask", "0-2\n" },
		{ "/proc/sys/kernel/sched_rt_runtime_us", "-1\n" },
		{ "/proc/sys/kernel/sched_rt_period_us", "1000000\n" },
		{ "/sys/kernel/tracing/tracing_on", "1\n" },
		{ "/sys/kernel/tracing/current_tracer", "function\n" },
		{ "/sys/kernel/tracing/events/enable", "X\n" },
	};
	const struct tw_environ *env;

	(void)state;
	tree_fill(files, sizeof(files) / sizeof(files[0]));
	env = read_tree();
	assert_string_equal(env->clocksource, "hpet");
	assert_string_equal(env->clocksources, "tsc hpet acpi_pm");
	assert_int_equal(env->timer_slack_ns, 50000);
	assert_int_equal(env->numa_balancing, 1);
	assert_int_equal(env->timer_migration, 0);
	assert_int_equal(env->watchdog, 1);
	assert_int_equal(env->nmi_watchdog, 0);
	assert_string_equal(listed(&env->watched), "0 1 2");
	assert_true(env->throttle.known);
	assert_int_equal(env->throttle.runtime_us, -1);
	assert_int_equal(env->tracing, 1);
	assert_string_equal(env->tracer, "function");
	assert_int_equal(env->trace_events, 1);
	tree_add("/sys/kernel/tracing/events/enable", "0\n");
	assert_int_equal(read_tree()->trace_events, 0);
	tree_add("/sys/kernel/tracing/events/enable", "\n");
	assert_int_equal(read_tree()->trace_events, TW_NO_FLAG);
}

static void test_huge_pages(void **state)
{
	static const struct {
		const char *file, *want;
	} rows[] = {
		{ "always [madvise] never\n", "madvise" },
		{ "[always] madvise never", "always" },
		{ "always madvise [never]\n", "never" },
		{ "", "" }, { "always\n", "" }, { "[]\n", "" }, { "[", "" },
		{ "a ][never]", "never" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/sys/kernel/mm/transparent_hugepage/enabled",
			 rows[i].file);
		assert_string_equal(read_tree()->huge_pages, rows[i].want);
	}
}

/* Our CPU cgroup, where it is told of at all. */
static void test_cgroup(void **state)
{
	static const struct {
		struct tree_file files[4];
		int64_t runtime_us, period_us;
		const char *file;
	} rows[] = {
		{ { { "/proc/self/cgroup", "4:memory:/m\n2:cpuacct,cpu:/a/b\n0::/c\n" },
		    { "/sys/fs/cgroup/cpu/a/b/cpu.rt_runtime_us", "5\n" },
		    { "/sys/fs/cgroup/cpu/a/b/cpu.rt_period_us", "50\n" },
		    { "/sys/fs/cgroup/cpu/cpu.rt_period_us", "51\n" } }, 5, 50,
		  "/sys/fs/cgroup/cpu/a/b/cpu.rt_runtime_us" },
		{ { { "/proc/self/cgroup", "2:cpu,cpuacct:/a\n" },
		    { "/sys/fs/cgroup/cpu,cpuacct/a/cpu.rt_runtime_us", "6\n" } },
		  6, TW_NO_NUMBER, "/sys/fs/cgroup/cpu,cpuacct/a/cpu.rt_runtime_us" },
		/* A colon of the path; and a root, whose share is not ours. */
		{ { { "/proc/self/cgroup", "2:cpu:/a:b\n" },
		    { "/sys/fs/cgroup/cpu/b/cpu.rt_runtime_us", "3\n" },
		    { "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "2\n" },
		    { "/sys/fs/cgroup/cpu/a:b/cpu.rt_runtime_us", "4\n" } }, 4,
		  TW_NO_NUMBER, "/sys/fs/cgroup/cpu/a:b/cpu.rt_runtime_us" },
		{ { { "/proc/self/cgroup", "2:cpu:/\n" },
		    { "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "7\n" } }, 7,
		  TW_NO_NUMBER,
		  "/sys/fs/cgroup/cpu/cpu.rt_runtime_us" },
		/* The path of the host, seen within a container. */
		{ { { "/proc/self/cgroup", "2:cpu:/docker/1\n" },
		    { "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "8\n" } }, 8,
		  TW_NO_NUMBER,
		  "/sys/fs/cgroup/cpu/cpu.rt_runtime_us" },
		{ { { "/proc/self/cgroup", "2:cpuset:/a\n0::/a\n" },
		    { "/sys/fs/cgroup/cpu/a/cpu.rt_runtime_us", "9\n" } },
		  TW_NO_NUMBER, TW_NO_NUMBER, "" },
		{ { { "/proc/self/cgroup", ":::\n:\n\ncpu\n2:cpu\n2:cpu:\n" } },
		  TW_NO_NUMBER, TW_NO_NUMBER, "" },
	};
	const struct tw_environ *env;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_clear();
		tree_fill(rows[i].files, 4);
		env = read_tree();
		assert_int_equal(env->cgroup.runtime_us, rows[i].runtime_us);
		assert_int_equal(env->cgroup.period_us, rows[i].period_us);
		assert_string_equal(env->cgroup.file, rows[i].file);
	}
}

static bool has_share(void)
{
	struct tw_cgroup cgroup;

	tw_cgroup_read(&cgroup, tree_root);
	return *cgroup.file;
}

/* Without a cgroup of our own, wherever it is mounted. */
static void test_cgroup_exists(void **state)
{
	(void)state;
	assert_false(has_share());
	tree_add("/sys/fs/cgroup/cpu,cpuacct/cpu.rt_runtime_us", "0\n");
	assert_true(has_share());
	tree_clear();
	tree_add("/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "0\n");
	assert_true(has_share());
	tree_clear();
	tree_add("/sys/fs/cgroup/cpu/cpu.shares", "0\n");
	assert_false(has_share());
}

#define DMI	"/sys/class/dmi/id/"

static void test_virtual(void **state)
{
	static const struct {
		struct tree_file files[4];
		int want;
	} rows[] = {
		{ { { "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lahf\n" } },
		  1 },
		{ { { "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu lahf\nbugs: hypervisor\n" } },
		  0 },
		{ { { "/proc/cpuinfo", "Features\t: fp asimd\n" } }, -1 },
		{ { { "/proc/cpuinfo", "Features\t: fp asimd\n" },
		    { DMI "sys_vendor", "QEMU\n" } }, 1 },
		{ { { DMI "sys_vendor", "Microsoft Corporation\n" },
		    { DMI "product_name", "Virtual Machine\n" } }, 1 },
		{ { { DMI "sys_vendor", "Dell Inc.\n" },
		    { DMI "product_name", "PowerEdge\n" } }, 0 },
		/* What is a machine's own name is none of a hypervisor. */
		{ { { DMI "product_name", "PowerEdge\n" } }, 0 },
		{ { { DMI "sys_vendor", "Dell Inc.\n" } }, 0 },
		{ { { "/sys/hypervisor/type", "xen\n" } }, 1 },
		{ { { "/proc/cpuinfo", "" } }, -1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_clear();
		tree_fill(rows[i].files, 4);
		assert_int_equal(read_tree()->is_virtual, rows[i].want);
	}
}

/* As the makers of hypervisors name their machines. */
static void test_virtual_names(void **state)
{
	static const char *const names[] = {
		"QEMU", "KVM", "Virtual Machine", "VMware, Inc.", "Xen",
		"HVM domU", "Google Compute Engine", "Bochs", "Parallels ARM",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tree_clear();
		tree_add(DMI "sys_vendor", names[i]);
		assert_int_equal(read_tree()->is_virtual, 1);
		tree_clear();
		tree_add(DMI "product_name", names[i]);
		assert_int_equal(read_tree()->is_virtual, 1);
	}
}

/* What lies beneath the kernel; unknown is "". */
static void test_machine(void **state)
{
	static const struct tree_file files[] = {
		{ "/proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0x2006e05\nflags\t\t: fpu\n\nprocessor\t: 1\nmicrocode\t: 0x1\n" },
		{ DMI "bios_vendor", "Some \"Vendor\", Inc.\n" },
		{ DMI "bios_version", " 2.10.2 \n" },
		{ DMI "bios_date", "02/24/2021\n" },
	};
	const struct tw_environ *env = read_tree();

	(void)state;
	assert_string_equal(env->microcode, "");
	assert_string_equal(env->firmware_vendor, "");
	assert_string_equal(env->firmware_version, "");
	assert_string_equal(env->firmware_date, "");
	assert_string_equal(env->model, "");
	tree_fill(files, sizeof(files) / sizeof(files[0]));
	tree_bytes("/proc/device-tree/model", "A Board Rev 1.1\0", 16);
	env = read_tree();
	assert_string_equal(env->microcode, "0x2006e05");
	assert_string_equal(env->firmware_vendor, "Some \"Vendor\", Inc.");
	assert_string_equal(env->firmware_version, "2.10.2");
	assert_string_equal(env->firmware_date, "02/24/2021");
	assert_string_equal(env->model, "A Board Rev 1.1");

	tree_add("/proc/cpuinfo", "processor\t: 0\nmicrocode\t: \n");
	assert_string_equal(read_tree()->microcode, "");
	tree_add("/proc/cpuinfo", "Processor\t: ARMv7\nFeatures\t: fp\n");
	assert_string_equal(read_tree()->microcode, "");
}

/* Of CPUs 2 and 3 alone. */
static void test_steal(void **state)
{
	static const struct {
		const char *file;
		int64_t want;
	} rows[] = {
		{ "cpu  9 9 9 9 9 9 9 9 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\n"
		  "cpu2 10 10 10 10 10 10 10 30 0 0\n"
		  "cpu3 100 0 0 0 0 0 0 0 0 0\nintr 1 2 3\n", 150000 },
		{ "cpu2 1 1 1 1 1 1 1 0 0 0\n", 0 },
		{ "cpu2 0 0 0 0 0 0 0 0 0 0\n", TW_NO_NUMBER },
		{ "cpu2 1 1 1 1\n", TW_NO_NUMBER },
		{ "cpu2 nan inf 0 0 0 0 0 1\n", TW_NO_NUMBER },
		{ "cpu2 1 1 1 1 1 1 1 99999999999999999999999999 0 0\n",
		  1000000 },
		{ "cpu99999999 1 1 1 1 1 1 1 1\ncpu1024 1 1 1 1 1 1 1 1\n",
		  TW_NO_NUMBER },
		{ "", TW_NO_NUMBER },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/proc/stat", rows[i].file);
		assert_int_equal(read_tree()->steal_ppm, rows[i].want);
	}
}

/* Neither a file nor a directory stays open. */
static void test_no_descriptor_is_left(void **state)
{
	int before, after;

	(void)state;
	tree_add("/proc/17/comm", "bash\n");
	tree_add("/sys/kernel/tracing/instances/twowaytest-1-0/trace", "");
	before = fcntl(STDIN_FILENO, F_DUPFD, 0);
	close(before);
	read_tree();
	after = fcntl(STDIN_FILENO, F_DUPFD, 0);
	close(after);
	assert_int_equal(after, before);
}

/* This machine's, whatever it is. */
static void test_real_system(void **state)
{
	struct tw_environ_params params = usual_params();
	struct tw_environ env;

	(void)state;
	tw_environ_read(&env, "", &params);
	assert_string_not_equal(env.release, "");
	assert_string_not_equal(env.preemption, "");
	params.client = params.server = one_cpu(CPU_SETSIZE - 1);
	tw_environ_read(&env, "", &params);
	assert_string_not_equal(env.release, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_nothing),
		tree_test(test_plain_facts),
		tree_test(test_huge_pages),
		tree_test(test_cgroup),
		tree_test(test_cgroup_exists),
		tree_test(test_virtual),
		tree_test(test_virtual_names),
		tree_test(test_machine),
		tree_test(test_steal),
		tree_test(test_no_descriptor_is_left),
		cmocka_unit_test(test_real_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
