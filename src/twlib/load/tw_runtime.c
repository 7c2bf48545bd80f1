// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --rt-runtime: changes sched_rt_runtime_us of the whole system during a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/tw_kfile.h"
#include "base/tw_time.h"
#include "load/tw_runtime.h"

static int write_setting(int64_t value_us)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRId64 "\n", value_us);
	int fd, err = 0;

	fd = open(TW_THROTTLE_FILE, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != len)
		err = -errno;
	close(fd);
	return err;
}

/*
 * After a task, main or another, has left SCHED_DEADLINE, the kernel may keep
 * its bandwidth reserved for some ms, and refuses the change until then.
 */
static int change_setting(int64_t value_us)
{
	const struct timespec pause = { .tv_nsec = 10 * TW_NS_PER_MS };
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + TW_NS_PER_S;
	int err;

	while ((err = write_setting(value_us)) == -EBUSY &&
	       tw_now_ns(CLOCK_MONOTONIC) < end_ns)
		nanosleep(&pause, NULL);
	return err;
}

static int restore(const void *what)
{
	const struct tw_runtime *runtime = what;

	return change_setting(runtime->old_us);
}

/* One run at a time: a second would restore the value of the first. */
static int lock_setting(void)
{
	const struct timespec pause = { .tv_nsec = 10 * TW_NS_PER_MS };
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + TW_NS_PER_S;
	int fd = open(TW_RUNTIME_LOCK, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* The guardian of a killed run holds the lock until it has finished. */
	while (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		if (tw_now_ns(CLOCK_MONOTONIC) > end_ns) {
			close(fd);
			return -EALREADY;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

int tw_runtime_open(struct tw_runtime *runtime, int64_t runtime_us)
{
	int err = 0;

	runtime->guard.fd = -1;
	runtime->lock_fd = lock_setting();
	if (runtime->lock_fd < 0)
		return runtime->lock_fd;
	if (!tw_kfile_number("", &runtime->old_us, TW_THROTTLE_FILE))
		err = -ENOENT;
	if (!err)
		err = tw_guard_open(&runtime->guard, restore, runtime,
				    runtime->lock_fd);
	/* Only after the guardian, which restores it, was started. */
	if (!err)
		err = change_setting(runtime_us);
	if (err)
		tw_runtime_close(runtime);
	return err;
}

void tw_runtime_close(struct tw_runtime *runtime)
{
	tw_guard_close(&runtime->guard);
	if (runtime->lock_fd >= 0)
		close(runtime->lock_fd);
	runtime->lock_fd = -1;
}
