// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/tw_rsh.h"

#define COMMAND_MAX	4096

struct start {
	const char *command;
	int in_fd, out_fd;	/* the child's */
};

static int live(void *arg)
{
	static const int usual[] = { SIGPIPE, SIGXFSZ, SIGCHLD };
	const struct start *start = arg;
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		signal(usual[i], SIG_DFL);
	/* Typed at the terminal: main still wants to end the run by it. */
	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(start->in_fd, STDIN_FILENO) < 0 ||
	    dup2(start->out_fd, STDOUT_FILENO) < 0)
		return -errno;
	execl("/bin/sh", "sh", "-c", start->command, (char *)NULL);
	return -errno;
}

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static int fork_it(struct tw_rsh *rsh, const char *command, const int to[2],
		   const int from[2])
{
	struct start start = {
		.command = command, .in_fd = to[0], .out_fd = from[1],
	};
	/* In our group: it may ask at the terminal for a password. */
	const struct tw_child_how how = {
		.death_signal = SIGTERM,
		.keep = { to[0], from[1] }, .live = live, .arg = &start,
	};

	return tw_child_fork(&rsh->child, &how);
}

int tw_rsh_start(struct tw_rsh *rsh, const char *command, const char *program,
		 const char *option)
{
	char text[COMMAND_MAX];
	int to[2], from[2], err;

	if (snprintf(text, sizeof(text), "%s %s --server=stdio%s%s", command,
		     program, *option ? " " : "", option) >= (int)sizeof(text))
		return -E2BIG;
	if (pipe2(to, O_CLOEXEC))
		return -errno;
	if (pipe2(from, O_CLOEXEC)) {
		err = -errno;
		close_both(to);
		return err;
	}
	err = fork_it(rsh, text, to, from);
	if (err) {
		close_both(to);
		close_both(from);
		return err;
	}
	close(to[0]);
	close(from[1]);
	rsh->out_fd = to[1];
	rsh->in_fd = from[0];
	fcntl(rsh->out_fd, F_SETFL, O_NONBLOCK);
	fcntl(rsh->in_fd, F_SETFL, O_NONBLOCK);
	return 0;
}

int tw_rsh_end(struct tw_rsh *rsh, int limit_ms)
{
	if (!rsh->child.pid)
		return 0;
	return tw_child_stop(&rsh->child, 0, limit_ms) ? -1 :
							 rsh->child.status;
}
