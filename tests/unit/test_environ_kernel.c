// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel is and what it was booted with. */
#include "tree.h"

#define CONFIG	"/boot/config-6.12.0"
#define DEBUG	"/sys/kernel/debug/sched/preempt"

static const struct model {
	const char *version, *config, *debug, *realtime, *cmdline;
	const char *model, *mode, *file;
	int lazy;
} model_rows[] = {
	{ "Linux version 6.1.0-rt (x@y) #1 SMP PREEMPT_RT Debian\n", NULL,
	  NULL, "1\n", NULL, "PREEMPT_RT", "", "/sys/kernel/realtime", -1 },
	{ "Linux version 6.1.0-rt (x@y) #1 SMP PREEMPT_RT Debian\n", NULL,
	  NULL, NULL, NULL, "PREEMPT_RT", "", "/proc/version", -1 },
	{ "Linux version 4.9 (x@y) #1 SMP PREEMPT RT\n", NULL, NULL, NULL,
	  NULL, "PREEMPT_RT", "", "/proc/version", -1 },
	{ "Linux 6.12 #1 SMP PREEMPT_RT\n", NULL, "full (lazy)\n", "1\n", NULL,
	  "PREEMPT_RT", "lazy", "/sys/kernel/realtime", 1 },
	{ "Linux 6.1 #1 SMP PREEMPT_DYNAMIC\n", NULL,
	  "none (voluntary) full \n", NULL, "preempt=full",
	  "PREEMPT_DYNAMIC", "voluntary", "/proc/version", 0 },
	{ "Linux 6.12 #1 SMP PREEMPT_DYNAMIC\n", NULL,
	  "none voluntary (full) lazy \n", NULL, NULL,
	  "PREEMPT_DYNAMIC", "full", "/proc/version", 1 },
	{ "Linux 6.12 #1 SMP PREEMPT_DYNAMIC\n", NULL, NULL, NULL,
	  "quiet preempt=none", "PREEMPT_DYNAMIC", "none", "/proc/version",
	  -1 },
	{ "Linux 6.12 #1 SMP PREEMPT_DYNAMIC\n",
	  "CONFIG_PREEMPT_LAZY=y\nCONFIG_PREEMPT_DYNAMIC=y\n", NULL, NULL,
	  "quiet", "PREEMPT_DYNAMIC", "lazy", "/proc/version", 1 },
	{ "Linux 6.12 #1 SMP PREEMPT_RT\n",
	  "CONFIG_PREEMPT=y\nCONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_DYNAMIC=y\n",
	  NULL, NULL, "preempt=lazy", "PREEMPT_RT", "lazy", "/proc/version",
	  0 },
	/* One that cannot change its mode is not told to. */
	{ "Linux 5.4 #1 SMP PREEMPT\n",
	  "# CONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT=y", NULL, NULL,
	  "preempt=none", "PREEMPT", "full", "/proc/version", 0 },
	{ "Linux 6.1 #1 SMP Debian\n", "CONFIG_PREEMPT_VOLUNTARY=y\n", NULL,
	  NULL, NULL, "PREEMPT_VOLUNTARY", "voluntary", "/boot/config-*", 0 },
	{ "Linux 6.1 #1 SMP Debian\n",
	  "# CONFIG_PREEMPT_VOLUNTARY is not set\nCONFIG_PREEMPT_NONE=y\n",
	  NULL, NULL, NULL, "PREEMPT_NONE", "none", "/boot/config-*", 0 },
	/* The configuration of another kernel: this one's version denies it. */
	{ "Linux 6.1 #1 SMP Debian\n",
	  "CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_VOLUNTARY=y\n", NULL, NULL,
	  NULL, "PREEMPT_VOLUNTARY", "voluntary", "/boot/config-*", 0 },
	{ "\n", "CONFIG_PREEMPT=y\n", NULL, NULL, NULL, "PREEMPT", "full",
	  "/boot/config-*", 0 },
	{ "Linux 6.1 #1 SMP Debian\n", NULL, NULL, NULL, NULL,
	  "PREEMPT_NONE or PREEMPT_VOLUNTARY", "", "/proc/version", -1 },
	{ NULL, "X=y\nCONFIG_PREEMPT_RT=y\n", NULL, "0\n", NULL,
	  "PREEMPT_RT", "", "/boot/config-*", 0 },
	{ NULL, "NO_CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_RT=yes\n", NULL, NULL,
	  NULL, "", "", NULL, 0 },
	{ NULL, "NO_CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_RT=y\n", NULL, NULL,
	  NULL, "PREEMPT_RT", "", "/boot/config-*", 0 },
	{ NULL, "CONFIG_PREEMPT_RT_FULL=y\n", NULL, NULL, NULL,
	  "PREEMPT_RT", "", "/boot/config-*", 0 },
	{ NULL, NULL, "(full) lazy)\n", NULL, NULL, "", "full", NULL, 1 },
	{ NULL, NULL, "(()full\n", NULL, NULL, "", "(", NULL, 0 },
	{ NULL, NULL, ")full(\n", NULL, NULL, "", "", NULL, 0 },
	{ NULL, NULL, NULL, NULL, NULL, "", "", NULL, -1 },
};

static void test_preemption(void **state)
{
	const struct tw_environ *env;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(model_rows) / sizeof(model_rows[0]); i++) {
		const struct model *row = &model_rows[i];
		const struct tree_file files[] = {
			{ "/proc/version", row->version }, { CONFIG, row->config },
			{ DEBUG, row->debug },
			{ "/sys/kernel/realtime", row->realtime },
			{ "/proc/cmdline", row->cmdline },
		};
		size_t f;

		tree_clear();
		tree_add("/proc/sys/kernel/osrelease", "6.12.0\n");
		for (f = 0; f < sizeof(files) / sizeof(files[0]); f++)
			if (files[f].text)
				tree_add(files[f].path, files[f].text);
		env = read_tree();
		assert_string_equal(env->release, "6.12.0");
		assert_string_equal(env->preemption, row->model);
		assert_string_equal(env->preempt_mode, row->mode);
		assert_int_equal(env->lazy, row->lazy);
		assert_int_equal(env->realtime,
				 row->realtime && *row->realtime == '1');
		if (row->file)
			assert_string_equal(env->preemption_file, row->file);
	}
}

/* A text with one word as long as the line may be. */
static void test_long_mode(void **state)
{
	char line[5000];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	line[0] = '(';
	line[4000] = ')';
	tree_add(DEBUG, line);
	assert_string_equal(read_tree()->preempt_mode, "");
	line[250] = ')';
	tree_add(DEBUG, line);
	assert_int_equal(strlen(read_tree()->preempt_mode), 249);
	memcpy(line, "preempt=", 8);
	memset(line + 8, 'y', 1000);
	tree_clear();
	tree_add("/proc/cmdline", line);
	assert_int_equal(strlen(read_tree()->preempt), TW_FACT_MAX - 1);
	/* Too long by the byte that ends it, and just short enough. */
	line[8 + TW_FACT_MAX] = '\0';
	tree_add("/proc/cmdline", line);
	assert_int_equal(strlen(read_tree()->preempt), TW_FACT_MAX - 1);
	line[8 + TW_FACT_MAX - 1] = '\0';
	tree_add("/proc/cmdline", line);
	assert_int_equal(strlen(read_tree()->preempt), TW_FACT_MAX - 1);
}

static void test_boot_params(void **state)
{
	const struct tw_environ *env;

	(void)state;
	tree_add("/proc/cmdline",
		 "root=/dev/sda1 xisolcpus=9 isolcpus=1 isolcpus=domain,2-3 nohz-full=2 idle=poll foo=\"a idle=halt\" skew_tick=1 mitigations=off threadirqs rcu_nocbs -- skew_tick=0\n");
	env = read_tree();
	assert_string_equal(env->isolcpus, "domain,2-3");
	assert_string_equal(env->nohz_full, "2");
	assert_string_equal(env->idle, "poll");
	assert_string_equal(env->skew_tick, "1");
	assert_string_equal(env->mitigations, "off");
	assert_string_equal(env->rcu_nocbs, "");
	assert_string_equal(env->preempt, "");
	assert_int_equal(env->threadirqs, 1);

	/* The last one counts, also if it has no value. */
	tree_add("/proc/cmdline", "skew_tick=1\tidle=poll skew_tick");
	env = read_tree();
	assert_string_equal(env->skew_tick, "");
	assert_string_equal(env->idle, "poll");

	tree_add("/proc/cmdline", "quiet");
	env = read_tree();
	assert_string_equal(env->isolcpus, "");
	assert_int_equal(env->threadirqs, 0);
	tree_clear();
	assert_int_equal(read_tree()->threadirqs, TW_NO_FLAG);
}

#define CPU_DIR	"/sys/devices/system/cpu/"

static void test_isolation(void **state)
{
	static const struct {
		struct tree_file files[5];
		const char *isolated, *tickless, *no_callbacks;
	} rows[] = {
		{ { { CPU_DIR "isolated", "2-3\n" },
		    { CPU_DIR "nohz_full", "3\n" },
		    { "/proc/cmdline", "isolcpus=7 nohz_full=8 rcu_nocbs=2" } },
		  "2 3", "3", "2 3" },
		/* As some kernels say that there are none. */
		{ { { CPU_DIR "isolated", "\n" },
		    { CPU_DIR "nohz_full", "  (null)\n" },
		    { "/proc/cmdline", "quiet\n" } }, "", "", "" },
		/* A kernel that knows no nohz_full, whatever it is told. */
		{ { { CPU_DIR "isolated", "2\n" },
		    { "/proc/cmdline", "nohz_full=2" } }, "2", "", "" },
		{ { { CPU_DIR "isolated", "1\n" },
		    { "/sys/fs/cgroup/cpuset.cpus.isolated", "4-5\n" } },
		  "1 4 5", "", "?" },
		{ { { "/proc/cmdline", "isolcpus=2-3 nohz_full=3 rcu_nocbs=all" },
		    { CPU_DIR "possible", "0-3\n" } }, "2 3", "3", "0 1 2 3" },
		{ { { "/proc/cmdline", "isolcpus=managed_irq,domain,2-N" },
		    { CPU_DIR "possible", "0-4\n" } }, "2 3 4", "", "" },
		{ { { "/proc/cmdline", "isolcpus=managed_irq,nohz,2-3" } },
		  "", "", "" },
		{ { { "/proc/cmdline", "isolcpus=domain" } }, "", "", "" },
		/* No flag: the kernel refuses it. */
		{ { { "/proc/cmdline", "isolcpus=dom,2-3" } }, "", "", "" },
		{ { { "/proc/cmdline", "isolcpus=N" },
		    { CPU_DIR "possible", "0-4\n" } }, "4", "", "" },
		{ { { "/proc/cmdline", "isolcpus=5-3 nohz_full=0- rcu_nocbs=x" } },
		  "?", "?", "?" },
		{ { { CPU_DIR "isolated", "5-3\n" } }, "?", "?", "?" },
		{ { { NULL, NULL } }, "?", "?", "?" },
	};
	const struct tw_environ *env;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_clear();
		tree_fill(rows[i].files, 5);
		env = read_tree();
		assert_string_equal(listed(&env->isolated), rows[i].isolated);
		assert_string_equal(listed(&env->tickless), rows[i].tickless);
		assert_string_equal(listed(&env->no_callbacks),
				    rows[i].no_callbacks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_preemption),
		tree_test(test_long_mode),
		tree_test(test_boot_params),
		tree_test(test_isolation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
