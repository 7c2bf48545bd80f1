// SPDX-License-Identifier: GPL-2.0-or-later
/* Idle states: /dev/cpu_dma_latency is replaced by a file of the test. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "child.h"
#include "tw_array.h"
#include "tw_idle.h"

static const char *dma_latency;

int open(const char *path, int flags, ...)
{
	if (!strcmp(path, "/dev/cpu_dma_latency"))
		path = dma_latency;
	return openat(AT_FDCWD, path, flags);
}

/* The number that the next file gets. */
static int next_fd(void)
{
	int fd = dup(2);

	close(fd);
	return fd;
}

/* Exits with 3 if there is a descriptor that exec() closes. */
static void do_limit(void)
{
	int fd = next_fd();
	bool limited = tw_idle_limit(7);
	int flags = fcntl(fd, F_GETFD);

	fflush(stdout);
	_exit(!limited ? flags < 0 ? 2 : 5 : flags & FD_CLOEXEC ? 3 : 4);
}

TEST(test_limit)
{
	static const struct {
		const char *path, *out, *err;
		int status;
	} rows[] = {
		{ "/dev/null", "# /dev/cpu_dma_latency set to 7us\n", "", 3 },
		{ "/dev/full", "", "WARN: cannot set /dev/cpu_dma_latency "
			"to 7us: No space left on device\n", 2 },
		{ "/nowhere", "", "WARN: cannot set /dev/cpu_dma_latency "
			"to 7us: No such file or directory\n", 2 },
	};
	struct outcome o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		dma_latency = rows[i].path;
		o = run(do_limit);
		assert_string_equal(o.out, rows[i].out);
		assert_string_equal(o.err, rows[i].err);
		assert_int_equal(o.exit_code, rows[i].status);
	}
}

TEST(test_limit_value)
{
	char path[] = "/tmp/test_core_idle.XXXXXX";
	int fd = mkstemp(path);
	int32_t values[2];

	assert_true(fd >= 0);
	dma_latency = path;
	assert_true(tw_idle_limit(0x123456));
	assert_int_equal(read(fd, values, sizeof(values)), sizeof(values[0]));
	assert_int_equal(values[0], 0x123456);
	close(fd);
	unlink(path);
}
