// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written to the files of an instance, and which instances are
 * removed: in directories of plain files, where every right is given.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>

#include "tree.h"

static bool full;

/* Of what the kernel does not know, as for a list of events. */
static ssize_t write_by_script(int fd, const void *buf, size_t len)
{
	const char *text = buf;

	if (!strncmp(text, "unknown", 7) || !strncmp(text, "gone", 4)) {
		errno = text[0] == 'u' ? EINVAL : ENOENT;
		return -1;
	}
	if (!strncmp(text, "full", 4) || (full && !strncmp(text, "sched", 5))) {
		errno = ENOSPC;
		return -1;
	}
	return write(fd, buf, len);
}

#define write write_by_script
#include "cause/tw_trace_own.c"
#undef write

static char why[TW_TRACE_WHY];

/* The text of a file below the tree, until the next call. */
static const char *text_of(const char *name)
{
	static char text[4096];
	char path[PATH_MAX];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", tree_root, name);
	file = fopen(path, "r");
	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	return text;
}

static void add_files(void)
{
	static const char *const names[] = {
		"/tracing_on", "/trace_options", "/trace_clock",
		"/tracing_cpumask", "/buffer_size_kb", "/set_event",
		"/events/sched/enable", "/events/irq/enable",
	};
	char name[64];
	size_t i;
	int cpu;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		tree_add(names[i], "");
	for (cpu = 0; cpu < 130; cpu++) {
		snprintf(name, sizeof(name), "/per_cpu/cpu%d/buffer_size_kb",
			 cpu);
		tree_add(name, "");
	}
	memset(why, 0, sizeof(why));
}

static int open_descriptors(void)
{
	int fd, count = 0;

	for (fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* A small ring for all, then larger ones where the CPUs are; on at last. */
static void test_set_up(void **state)
{
	cpu_set_t cpus = one_cpu(3);
	int descriptors;

	(void)state;
	add_files();
	CPU_SET(0, &cpus);
	descriptors = open_descriptors();
	assert_int_equal(set_up(tree_root, "sched:sched_switch", &cpus, why),
			 0);
	assert_int_equal(open_descriptors(), descriptors);
	assert_string_equal(why, "");
	assert_string_equal(text_of("tracing_on"), "01");
	assert_string_equal(text_of("trace_clock"), "mono");
	assert_string_equal(text_of("tracing_cpumask"), "00000009");
	assert_string_equal(text_of("set_event"), "sched:sched_switch");
	assert_string_equal(text_of("buffer_size_kb"), "8");
	assert_string_equal(text_of("per_cpu/cpu0/buffer_size_kb"), "2048");
	assert_string_equal(text_of("per_cpu/cpu1/buffer_size_kb"), "");
	assert_string_equal(text_of("per_cpu/cpu3/buffer_size_kb"), "2048");
	assert_string_equal(text_of("trace_options"),
			    "overwritecontext-infoirq-infonolatency-formatnorawnohexnobinnostacktracenouserstacktrace");
}

/* An option that the kernel lacks is no failure; each other file is. */
static void test_lacking_files(void **state)
{
	static const char *const names[] = {
		"/tracing_on", "/trace_clock", "/tracing_cpumask",
		"/buffer_size_kb", "/per_cpu/cpu3/buffer_size_kb",
		"/set_event",
	};
	cpu_set_t cpus = one_cpu(3);
	char path[PATH_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		add_files();
		snprintf(path, sizeof(path), "%s%s", tree_root, names[i]);
		assert_int_equal(unlink(path), 0);
		/* Events that were not asked for may be lacking. */
		assert_int_equal(set_up(tree_root, "sched_switch", &cpus, why),
				 i == 5 ? -EINVAL : -ENOENT);
		assert_true(*why);
		if (i)
			assert_string_equal(text_of("tracing_on"), "0");
	}
	add_files();
	snprintf(path, sizeof(path), "%s/trace_options", tree_root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(set_up(tree_root, NULL, &cpus, why), 0);
	assert_string_equal(why, "");
	assert_string_equal(text_of("tracing_on"), "01");
}

static void check_mask(const int *set, const char *want)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (; *set >= 0; set++)
		CPU_SET(*set, &cpus);
	add_files();
	assert_int_equal(limit_to(tree_root, &cpus, why), 0);
	assert_string_equal(text_of("tracing_cpumask"), want);
}

static void test_masks(void **state)
{
	char last[CPU_SETSIZE / 32 * 9 + 1] = "80000000";
	int word;

	(void)state;
	for (word = 1; word < CPU_SETSIZE / 32; word++)
		strcat(last, ",00000000");
	check_mask((const int[]) { CPU_SETSIZE - 1, -1 }, last);
	check_mask((const int[]) { 0, -1 }, "00000001");
	check_mask((const int[]) { 31, -1 }, "80000000");
	check_mask((const int[]) { 32, -1 }, "00000001,00000000");
	check_mask((const int[]) { 0, 5, 33, 127, -1 },
		   "80000000,00000000,00000002,00000021");
}

/* Where many CPUs are used, their rings get no larger together. */
static void test_many_cpus(void **state)
{
	static const struct {
		int cpus;
		const char *size;
	} rows[] = {
		{ 1, "2048" }, { 64, "2048" }, { 65, "2016" }, { 128, "1024" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cpu_set_t cpus;
		int cpu;

		CPU_ZERO(&cpus);
		for (cpu = 0; cpu < rows[i].cpus; cpu++)
			CPU_SET(cpu, &cpus);
		add_files();
		assert_int_equal(size_rings(tree_root, &cpus, why), 0);
		assert_string_equal(text_of("per_cpu/cpu0/buffer_size_kb"),
				    rows[i].size);
	}
}

static void check_events(const char *events, int err, const char *want)
{
	add_files();
	assert_int_equal(trace_events(tree_root, events, why), err);
	assert_string_equal(text_of("set_event"), want);
	assert_int_equal(!strstr(why, "this kernel has no event "),
			 err != -EINVAL);
}

/* A system is written with all its events; the first fault is the last. */
static void test_events(void **state)
{
	char usual[1024], plus[1100];
	const char *left;
	size_t len = 0;

	(void)state;
	check_events("sched", 0, "sched:*");
	check_events("sched, sched_switch irq:softirq_entry,irq", 0,
		     "sched:*sched_switchirq:softirq_entryirq:*");
	check_events("unknown,sched", -EINVAL, "");
	check_events("sched,unknown,irq", -EINVAL, "sched:*");
	assert_non_null(strstr(why, " unknown; "));
	check_events("gone,sched", -EINVAL, "");
	check_events("full,sched", -ENOSPC, "");
	assert_string_equal(why, "set_event: No space left on device");
	full = true;
	check_events("+irq", -ENOSPC, "");
	full = false;
	/* The usual ones alone, or with others after them. */
	for (left = TW_TRACE_EVENTS; *left; left++)
		if (*left != ',')
			usual[len++] = *left;
	usual[len] = '\0';
	check_events(NULL, 0, usual);
	snprintf(plus, sizeof(plus), "%ssched:*", usual);
	check_events("+sched", 0, plus);
	/* What nobody asked for by name may be lacking. */
	add_files();
	assert_int_equal(trace_list(tree_root, "unknown,gone,sched", false,
				    why), 0);
	assert_string_equal(text_of("set_event"), "sched:*");
}

static void test_owner(void **state)
{
	(void)state;
	assert_int_equal(owner_of("twowaytest-123-0123abcd"), 123);
	assert_int_equal(owner_of("twowaytest-123-0123abcd5"), 0);
	assert_int_equal(owner_of("twowaytest-123-0123abcd.x"), 0);
	assert_int_equal(owner_of("twowaytest-123-"), 0);
	assert_int_equal(owner_of("twowaytest-123"), 0);
	assert_int_equal(owner_of("twowaytest-x-0123abcd"), 0);
	assert_int_equal(owner_of("otherstest-123-0123abcd"), 0);
	assert_int_equal(owner_of(""), 0);
}

/* Of these programs: no other process is about to open an instance. */
static void test_lives(void **state)
{
	(void)state;
	assert_true(lives(getpid()));
	assert_false(lives(1));
	assert_false(lives(INT_MAX));
	assert_true(is_ours("twowaytest"));
	assert_true(is_ours("primitivetest"));
	assert_false(is_ours("twowaytest2"));
	assert_false(is_ours("sh"));
}

static bool make_dir(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree_root, name);
	return !mkdir(path, 0700);
}

static bool exists(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree_root, name);
	return !access(path, F_OK);
}

/* What killed tests have left, but for what is in use. */
static void test_sweep(void **state)
{
	static struct tw_trace trace;
	char ours[64];
	int descriptors;

	(void)state;
	snprintf(ours, sizeof(ours), "twowaytest-%d-00000001", (int)getpid());
	assert_true(make_dir(ours));
	assert_true(make_dir("twowaytest-1-00000001"));
	assert_true(make_dir("twowaytest-1-00000002"));
	assert_true(make_dir("twowaytest-1-00000003x"));
	tree_add("/twowaytest-1-00000004/busy", "");
	memset(&trace, 0, sizeof(trace));
	descriptors = open_descriptors();
	sweep(&trace, "/nonexistent");
	assert_int_equal(trace.removed, 0);
	sweep(&trace, tree_root);
	assert_int_equal(open_descriptors(), descriptors);
	assert_int_equal(trace.removed, 2);
	assert_int_equal(strncmp(trace.first_removed, "twowaytest-1-0000000",
				 20), 0);
	assert_true(exists(ours));
	assert_true(exists("twowaytest-1-00000003x"));
	assert_true(exists("twowaytest-1-00000004"));
	assert_false(exists("twowaytest-1-00000001"));
	assert_false(exists("twowaytest-1-00000002"));
	/* The name of the first one stays. */
	memset(&trace, 0, sizeof(trace));
	assert_true(make_dir("twowaytest-1-00000005"));
	sweep(&trace, tree_root);
	assert_true(make_dir("twowaytest-1-00000006"));
	sweep(&trace, tree_root);
	assert_int_equal(trace.removed, 2);
	assert_string_equal(trace.first_removed, "twowaytest-1-00000005");
}

/* The guardian and main may both do it. */
static void test_remove(void **state)
{
	static struct tw_trace trace;

	(void)state;
	snprintf(trace.dir, sizeof(trace.dir), "%s/instance", tree_root);
	assert_true(make_dir("instance"));
	assert_int_equal(remove_instance(&trace), 0);
	assert_false(exists("instance"));
	assert_int_equal(remove_instance(&trace), 0);
	tree_add("/instance/x", "");
	assert_int_equal(remove_instance(&trace), -ENOTEMPTY);
}

static void test_collect(void **state)
{
	static struct tw_trace trace;
	char *text = NULL;
	int descriptors = open_descriptors();

	(void)state;
	snprintf(trace.dir, sizeof(trace.dir), "%s", tree_root);
	assert_int_equal(tw_trace_collect(&trace, 0, &text), -ENOENT);
	tree_add("/trace", "# x\n");
	assert_int_equal(tw_trace_collect(&trace, 0, &text), 0);
	assert_string_equal(text, "# x\n");
	free(text);
	assert_int_equal(open_descriptors(), descriptors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_set_up),
		tree_test(test_lacking_files),
		tree_test(test_masks),
		tree_test(test_many_cpus),
		tree_test(test_events),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_lives),
		tree_test(test_sweep),
		tree_test(test_remove),
		tree_test(test_collect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
