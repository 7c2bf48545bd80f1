// SPDX-License-Identifier: GPL-2.0-or-later
/* The one setting of the system that a run may change, and its way back. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_system.h"
#include "tw_throttle.h"

static int read_setting(int64_t *value_us)
{
	FILE *file = fopen(TW_THROTTLE_FILE, "r");
	int count;

	if (!file)
		return -errno;
	count = fscanf(file, "%" SCNd64, value_us);
	fclose(file);
	return count == 1 ? 0 : -EIO;
}

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

/* Waits for main's end of the pipe to close, by whatever end main takes. */
static _Noreturn void guard_setting(int fd, int64_t old_us)
{
	char byte;

	/* Out of reach of what is sent to main's whole group. */
	setsid();
	prctl(PR_SET_NAME, "twoway-guard");
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(write_setting(old_us) ? EXIT_FAILURE : EXIT_SUCCESS);
}

int tw_guard_open(struct tw_guard *guard, int64_t runtime_us)
{
	sigset_t blocked, old;
	int pipe_fds[2];
	int err;

	guard->fd = -1;
	err = read_setting(&guard->old_us);
	if (err)
		return err;
	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	/* The guardian must not be there for an instant that a signal ends. */
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, &old);
	guard->pid = fork();
	if (!guard->pid) {
		tw_system_close_others(&pipe_fds[0], 1);
		guard_setting(pipe_fds[0], guard->old_us);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pipe_fds[0]);
	guard->fd = pipe_fds[1];
	/* Changed only now that somebody is there to change it back. */
	err = guard->pid < 0 ? -EAGAIN : write_setting(runtime_us);
	if (err)
		tw_guard_close(guard);
	return err;
}

void tw_guard_close(struct tw_guard *guard)
{
	int status = -1;

	if (guard->fd < 0)
		return;
	close(guard->fd);
	guard->fd = -1;
	if (guard->pid > 0)
		waitpid(guard->pid, &status, 0);
	if (status)		/* it was killed, or could not */
		write_setting(guard->old_us);
}
