// SPDX-License-Identifier: GPL-2.0-or-later
/* syscall: what a system call that does little costs. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_rows.h"

#define CALLS	100

struct call {
	const char *path;
	/* The same result each time; or -errno. */
	int64_t (*call)(int fd, const char *path);
};

static int64_t call_getppid(int fd, const char *path)
{
	return syscall(SYS_getppid);
}

static int64_t call_read(int fd, const char *path)
{
	char byte = 1;

	return read(fd, &byte, 1) == 1 ? byte : -errno;
}

static int64_t call_write(int fd, const char *path)
{
	const char byte = 1;

	return write(fd, &byte, 1) == 1 ? byte : -errno;
}

static int64_t call_fstat(int fd, const char *path)
{
	struct stat status;

	return fstat(fd, &status) ? -errno : (int64_t)status.st_mode;
}

static int64_t call_open(int fd, const char *path)
{
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 || close(fd) ? -errno : fd;
}

static int call_many(struct pt_task *task, struct pt_trial *trial)
{
	const struct call *call = pt_kind_ops(task->in);
	int fd = *(int *)pt_room(task), i;
	int64_t result = 0;
	uint64_t sum = 0;

	trial->t_ns[0] = pt_now(task);
	for (i = 0; i < CALLS && result >= 0; i++) {
		result = call->call(fd, call->path);
		sum += (uint64_t)result;
	}
	trial->t_ns[1] = pt_now(task);
	return result < 0 ? pt_failed(task, "the system call", (int)result) :
	       pt_check_sum(task, sum);
}

static int run(struct pt_task *task)
{
	const struct call *call = pt_kind_ops(task->in);
	int fd = open(call->path, O_RDWR | O_CLOEXEC);

	*(int *)pt_room(task) = fd;
	return fd < 0 ? pt_failed(task, call->path, -errno) :
	       pt_lead(task, call_many);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("call", "A system call, of 100", 0, 1, PT_SPAN(PT_TO_RUN, 0, 0),
		  .per = CALLS, .rate = "calls"),
	{ .token = NULL }
};

#define KIND(name, file) \
	{ #name, .ops = &(const struct call) { "/dev/" #file, call_##name } }

static const struct pt_kind kinds[] = {
	KIND(getppid, null),
	KIND(read, zero),
	KIND(write, null),
	KIND(fstat, null),
	KIND(open, null),	/* and close: two calls */
	{ .name = NULL }
};

const struct pt_test pt_syscall = {
	.name = "syscall",
	.about = "system calls that do little; open: and close",
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 1000, .room = sizeof(int),
};
