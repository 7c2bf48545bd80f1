// SPDX-License-Identifier: GPL-2.0-or-later
/* The counters of SMIs, in files as the kernel has them for the registers. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/tw_smi.h"
#include "unit.h"

static char root[64];

static void make(const char *name, const char *text)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void make_register(int cpu, uint64_t value, off_t at, size_t bytes)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/dev/cpu/%d", root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/dev/cpu/%d/msr", root, cpu);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &value, bytes, at), bytes);
	close(fd);
}

static int set_up(void **state)
{
	static const char *const dirs[] = { "proc", "dev", "dev/cpu" };
	char path[160];
	size_t i;

	(void)state;
	strcpy(root, "/tmp/test_smi.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		mkdir(path, 0700);
	}
	make("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void test_counts(void **state)
{
	uint32_t count = 0;

	(void)state;
	make_register(0, 7, 0x34, 8);
	make_register(3, UINT64_C(0x500000009), 0x34, 8);
	assert_int_equal(tw_smi_read(root, 0, &count), 0);
	assert_int_equal(count, 7);
	/* Of the register, the lower half counts. */
	assert_int_equal(tw_smi_read(root, 3, &count), 0);
	assert_int_equal(count, 9);
}

static void test_no_register(void **state)
{
	uint32_t count;

	(void)state;
	assert_int_equal(tw_smi_read(root, 0, &count), -ENOENT);
	make_register(1, 7, 0x30, 6);
	assert_int_equal(tw_smi_read(root, 1, &count), -EIO);
}

static void test_other_cpus(void **state)
{
	uint32_t count;

	(void)state;
	make_register(0, 7, 0x34, 8);
	make("proc/cpuinfo", "vendor_id\t: AuthenticAMD\n");
	assert_int_equal(tw_smi_read(root, 0, &count), -ENOTSUP);
	make("proc/cpuinfo", "CPU implementer\t: 0x41\n");
	assert_int_equal(tw_smi_read(root, 0, &count), -ENOTSUP);
}

static void test_why(void **state)
{
	(void)state;
	assert_non_null(strstr(tw_smi_why(-ENOTSUP), "Intel"));
	assert_non_null(strstr(tw_smi_why(-ENOENT), "modprobe msr"));
	assert_non_null(strstr(tw_smi_why(-EACCES), "root"));
	assert_non_null(strstr(tw_smi_why(-EPERM), "lockdown"));
	assert_non_null(strstr(tw_smi_why(-EIO), "hypervisor"));
	assert_string_equal(tw_smi_why(-EMFILE), strerror(EMFILE));
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(test_counts), CASE(test_no_register),
		CASE(test_other_cpus), CASE(test_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
