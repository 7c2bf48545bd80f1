// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --rt-runtime: changes sched_rt_runtime_us of the whole system for the run. A
 * guard restores it, whatever ends main.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tw_guard.h"
#include "tw_part.h"
#include "tw_read.h"

#define SETTING		"/proc/sys/kernel/sched_rt_runtime_us"
/*
 * Locked for as long as the setting is changed. Everybody may open the setting
 * itself, and could lock it; this file exists on the same systems, and only
 * root may open it.
 */
#define LOCK		"/proc/sys/kernel/cad_pid"
#define KEEP		(-2)
#define TRIES		100	/* 10 ms apart */

static int64_t runtime_us = KEEP, old_us;
/* Open until the end: there may be no other then. */
static int setting_fd, lock_fd;
static struct tw_guard guard;

static const struct tw_option options[] = {
	{ 0, "rt-runtime", TW_NUMBER, &runtime_us, "US", -1, 1000000,
	  .help = "sched_rt_runtime_us for the run; -1, 0: no limit" },
	{ .name = NULL }
};

/* Returns 0 or -errno. */
static int write_setting(int64_t us)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "%lld\n", (long long)us);

	return pwrite(setting_fd, text, length, 0) == length ? 0 : -errno;
}

/* Returns 0, or -errno of the last try if each was @again. */
static int repeat(int (*try)(int64_t value), int64_t value, int again)
{
	int i, err = try(value);

	for (i = 0; i < TRIES && err == again; i++) {
		usleep(10000);
		err = try(value);
	}
	return err;
}

/* The kernel may reserve time some ms longer than a deadline task lives. */
static int change(int64_t us)
{
	return repeat(write_setting, us, -EBUSY);
}

static int restore(void)
{
	int err = change(old_us);

	if (err)
		tw_say_warn("%s: cannot restore %lld: %s\n", SETTING,
			    (long long)old_us, strerror(-err));
	return err;
}

static void at_exit(void)
{
	tw_guard_end(&guard);
}

static int lock(int64_t fd)
{
	return flock((int)fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

/* A second run would restore what the first has set. */
static void open_setting(void)
{
	lock_fd = open(LOCK, O_RDONLY | O_CLOEXEC);
	setting_fd = open(SETTING, O_WRONLY | O_CLOEXEC);
	if (lock_fd < 0 || setting_fd < 0)
		tw_say_fatal("--rt-runtime=%d: cannot write %s: %m; this needs root and a /proc/sys that can be written\n",
			     (int)runtime_us, SETTING);
	/* The guard of a run that was killed holds it for a moment. */
	if (repeat(lock, lock_fd, -EWOULDBLOCK))
		tw_say_fatal("--rt-runtime=%d: another run has set %s until it ends\n",
			     (int)runtime_us, SETTING);
}

/* Main has its policy now: a deadline task could start no process. */
static void begin(struct tw_run *run)
{
	int err;

	if (runtime_us == KEEP || run->step)
		return;
	open_setting();
	if (!tw_read_number(&old_us, SETTING))
		tw_say_fatal("--rt-runtime=%d: cannot read %s\n",
			     (int)runtime_us, SETTING);
	guard.fds[0] = setting_fd;
	guard.fds[1] = lock_fd;
	tw_guard_start(&guard, restore);
	atexit(at_exit);
	err = change(runtime_us);
	if (err)
		tw_say_fatal("--rt-runtime=%d: cannot write %s: %s; %s\n",
			     (int)runtime_us, SETTING, strerror(-err),
			     err == -EBUSY ?
			     "the kernel has reserved more time for SCHED_DEADLINE tasks, or since Linux 6.12 for its fair server (as a rule 50000 us of each 1000000)" :
			     "allowed is at most sched_rt_period_us, and not less than a CPU cgroup has (cpu.rt_runtime_us)");
}

const struct tw_part tw_part_runtime = {
	.options = options, .group = TW_LOADS, .begin = begin,
};
