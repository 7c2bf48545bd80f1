/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel as far as throttling goes: here in place of the real one. */
#ifndef THROTTLE_H
#define THROTTLE_H

#include <fcntl.h>
#include <unistd.h>

#include "load/tw_part_load.h"
#include "load/tw_runtime.h"

static struct {
	struct tw_throttle throttle;
	bool heard;
	int set_err;		/* of --rt-runtime */
	int64_t set_us;		/* its value; 0: none */
	int opened, closed;	/* --rt-runtime */
} kernel;

void tw_throttle_read(struct tw_throttle *throttle, const char *root,
		      const char *release)
{
	assert_string_equal(root, "");
	assert_true(*release);
	*throttle = kernel.throttle;
}

int tw_throttle_listen(const char *root)
{
	assert_string_equal(root, "");
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool tw_throttle_heard(int fd)
{
	if (fd >= 0)
		assert_int_equal(close(fd), 0);
	return fd >= 0 && kernel.heard;
}

int tw_runtime_open(struct tw_runtime *runtime, int64_t runtime_us)
{
	kernel.set_us = runtime_us;
	if (kernel.set_err)
		return kernel.set_err;
	assert_int_equal(runtime->lock_fd, -1);
	runtime->lock_fd = 1;
	kernel.opened++;
	return 0;
}

void tw_runtime_close(struct tw_runtime *runtime)
{
	if (runtime->lock_fd >= 0)
		kernel.closed++;
	runtime->lock_fd = -1;
}

#endif /* THROTTLE_H */
