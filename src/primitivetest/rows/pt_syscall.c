// SPDX-License-Identifier: GPL-2.0-or-later
/* syscall: what a system call that does little costs. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/pt_record.h"
#include "rows/pt_rows.h"

#define CALLS	100

struct call {
	const char *path;
	/* The same result each time; or -errno. */
	int64_t (*call)(int fd, const char *path);
};

static int64_t call_getppid(int fd, const char *path)
{
	(void)fd;
	(void)path;
	return syscall(SYS_getppid);
}

static int64_t call_read(int fd, const char *path)
{
	char byte = 1;

	(void)path;
	return read(fd, &byte, 1) == 1 ? byte : -errno;
}

static int64_t call_write(int fd, const char *path)
{
	const char byte = 1;

	(void)path;
	return write(fd, &byte, 1) == 1 ? byte : -errno;
}

static int64_t call_fstat(int fd, const char *path)
{
	struct stat status;

	(void)path;
	return fstat(fd, &status) ? -errno : (int64_t)status.st_mode;
}

static int64_t call_open(int fd, const char *path)
{
	(void)fd;
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 || close(fd) ? -errno : fd;
}

static int many(const struct call *call, int fd, uint64_t *sum)
{
	int64_t result;
	int i;

	for (i = 0, *sum = 0; i < CALLS; i++) {
		result = call->call(fd, call->path);
		if (result < 0)
			return (int)result;
		*sum += (uint64_t)result;
	}
	return 0;
}

static int run(struct pt_task *task)
{
	const struct call *call = task->in->choice.kind->ops;
	int fd = open(call->path, O_RDWR | O_CLOEXEC);
	struct pt_trial trial = { .t_ns[0] = 0 };
	uint64_t sum;
	int err = 0;

	if (fd < 0)
		return pt_failed(task, call->path, -errno);
	while (!err && pt_more(task)) {
		trial.t_ns[0] = pt_now(task);
		err = many(call, fd, &sum);
		trial.t_ns[1] = pt_now(task);
		if (!err)
			err = pt_check_sum(task, sum);
		if (!err)
			pt_record(task, &trial);
	}
	close(fd);
	return err;
}

static const struct call of_getppid = { "/dev/null", call_getppid };
static const struct call of_read = { "/dev/zero", call_read };
static const struct call of_write = { "/dev/null", call_write };
static const struct call of_fstat = { "/dev/null", call_fstat };
static const struct call of_open = { "/dev/null", call_open };

static const struct pt_metric metrics[] = {
	{ .token = "call", .label = "A system call, of 100", .from = 0,
	  .to = 1, .per = CALLS, .rate = "calls",
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "getppid", .ops = &of_getppid },
	{ "read", .ops = &of_read },
	{ "write", .ops = &of_write },
	{ "fstat", .ops = &of_fstat },
	{ "open", .ops = &of_open },	/* and close: two calls */
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_syscall = {
	.name = "syscall",
	.about = "system calls that do little; open: and close",
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 1000,
};
