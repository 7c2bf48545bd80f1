// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "load/tw_load_super.h"
#include "load/tw_load_tree.h"

#define SETTLE_NS	(150 * TW_NS_PER_MS)	/* a copy that fails at once */
#define RESTART_NS	(5 * TW_NS_PER_MS)	/* between two starts */
#define KILL_MS		500
#define FILES		64	/* that a supervisor needs of its own */
/* Bytes of a copy's error output that are read at once, and the pause then. */
#define GULP		65536
#define REST_MS		10

/* Before an error of the copy's start: it is not the command's. */
#define OURS		'\1'

/* Error output of a copy; the first line is kept. */
struct complaint {
	char line[TW_LOAD_WHY];
	size_t used;
	bool whole;
};

struct state {
	const struct tw_load_super *super;
	struct complaint *complaints;
	/* The first is for signals, the others for the copies' error output. */
	struct pollfd *fds;
	struct rlimit files;	/* the limit that the copies get */
};

/* A copy before it executes its program. */
struct copy {
	const struct state *state;
	int index;
	int complaints;		/* the end of the pipe that it writes to */
};

/* In the child, before it becomes another program. */
static int become_ordinary(const struct copy *copy)
{
	const struct tw_load_super *super = copy->state->super;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;
	int signal, err;

	/* First, so that main can read the messages of all later errors. */
	if (dup2(copy->complaints, STDERR_FILENO) < 0 ||
	    dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	err = tw_load_settle(super->load, copy->index);
	if (err)
		return err;
	setrlimit(RLIMIT_NOFILE, &copy->state->files);
	for (signal = 1; signal <= SIGRTMAX; signal++)
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL },
			  NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return super->exec(super->load, copy->index, super->count);
}

static int live(void *arg)
{
	int err = become_ordinary(arg);

	dprintf(STDERR_FILENO, "%c%s", OURS, strerror(-err));
	return err;
}

static int start_copy(struct state *state, int index)
{
	struct copy copy = { .state = state, .index = index };
	struct tw_child_how how = {
		.place = TW_CHILD_OWN_GROUP, .death_signal = SIGKILL,
		.live = live, .arg = &copy,
	};
	struct tw_load *load = state->super->load;
	int fds[2];
	int err;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	copy.complaints = fds[1];
	how.keep[0] = fds[1];
	state->fds[1 + index].fd = fds[0];
	memset(&state->complaints[index], 0, sizeof(*state->complaints));
	err = tw_child_fork(&load->shared->slots[index].child, &how);
	close(fds[1]);
	return err;
}

static void hear(struct complaint *complaint, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len && !complaint->whole; i++) {
		if (text[i] == '\n' ||
		    complaint->used == sizeof(complaint->line) - 1)
			complaint->whole = true;
		else
			complaint->line[complaint->used++] = text[i];
	}
}

/* Reads at most what a pipe holds. Returns true if there was any output. */
static bool listen_to(struct state *state, int index)
{
	int *fd = &state->fds[1 + index].fd;
	char text[4096];
	size_t heard = 0;
	ssize_t len = 0;

	while (*fd >= 0 && heard < GULP) {
		len = read(*fd, text, sizeof(text));
		if (len <= 0)
			break;
		hear(&state->complaints[index], text, len);
		heard += len;
	}
	/* End of file: the copy has closed it or has ended. */
	if (*fd >= 0 && !len) {
		close(*fd);
		*fd = -1;
	}
	return heard;
}

static bool listen_to_all(struct state *state)
{
	bool heard = false;
	int i;

	for (i = 0; i < state->super->copies; i++)
		if (state->fds[1 + i].revents)
			heard |= listen_to(state, i);
	return heard;
}

/* The first line that a copy wrote to stderr follows how it ended. */
static void explain(char *why, int status, const struct complaint *complaint)
{
	const char *line = complaint->line;
	int len;

	if (*line == OURS) {
		snprintf(why, TW_LOAD_WHY, "cannot be started: %s", line + 1);
		return;
	}
	if (WIFSIGNALED(status))
		len = snprintf(why, TW_LOAD_WHY, "killed by signal %d (%s)",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		len = snprintf(why, TW_LOAD_WHY, "ended with exit status %d",
			       WEXITSTATUS(status));
	if (complaint->used)
		snprintf(why + len, TW_LOAD_WHY - (size_t)len,
			 "; it wrote: %s", line);
}

/* Starts the copy that ended again, unless it failed. */
static int copy_ended(struct state *state, int index)
{
	const struct timespec pause = tw_ns_to_ts(RESTART_NS);
	struct tw_load_shared *shared = state->super->load->shared;
	struct tw_load_slot *slot = &shared->slots[index];
	int status = slot->child.status;
	int *fd = &state->fds[1 + index].fd;

	listen_to(state, index);
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	if (status) {
		explain(shared->why, status, &state->complaints[index]);
		return -ECHILD;
	}
	slot->done++;
	shared->restarts++;
	nanosleep(&pause, NULL);
	return start_copy(state, index);
}

/* A child has ended: a copy, or an orphan that we are the parent of now. */
static int child_ended(struct state *state, pid_t pid)
{
	struct tw_load_slot *slots = state->super->load->shared->slots;
	int i;

	for (i = 0; i < state->super->copies; i++) {
		if (slots[i].child.pid != pid)
			continue;
		/* Kill its group before the reap makes the number free. */
		kill(-pid, SIGKILL);
		tw_child_reap(&slots[i].child);
		return copy_ended(state, i);
	}
	waitpid(pid, NULL, WNOHANG);
	return 0;
}

/* Sets *more if there may be another child to reap. */
static int reap_one(struct state *state, bool *more)
{
	siginfo_t info = { .si_pid = 0 };

	*more = !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) &&
		info.si_pid;
	return *more ? child_ended(state, info.si_pid) : 0;
}

static bool told_to_end(const struct state *state)
{
	struct signalfd_siginfo info;

	while (read(state->fds[0].fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGTERM)
			return true;
	return false;
}

/*
 * Reaps children until @end_ns and returns 0. Returns earlier if a copy failed
 * (-errno) or SIGTERM arrived (-ECANCELED).
 */
static int supervise(struct state *state, int64_t end_ns)
{
	bool heard = false, more = false;
	int64_t left_ns;
	int wait_ms, err = 0;

	while (!err) {
		left_ns = end_ns - tw_now_ns(CLOCK_MONOTONIC);
		if (left_ns <= 0)
			return 0;
		wait_ms = left_ns < TW_NS_PER_S ?
			  (int)(left_ns / TW_NS_PER_MS) + 1 : 1000;
		/* Copies that write without end must wait, not use a CPU. */
		if (heard && wait_ms > REST_MS)
			wait_ms = REST_MS;
		/* Do not wait for SIGCHLD: several may have ended already. */
		poll(state->fds, heard ? 1 : 1 + state->super->copies,
		     more ? 0 : wait_ms);
		if (told_to_end(state))
			return -ECANCELED;
		heard = !heard && listen_to_all(state);
		err = reap_one(state, &more);
	}
	return err;
}

/* For commands that change their load with the step. */
static void set_environment(const struct tw_load_super *super)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", super->step);
	setenv("TWOWAYTEST_STEP", number, 1);
	snprintf(number, sizeof(number), "%d", super->count);
	setenv("TWOWAYTEST_WORKERS", number, 1);
}

static int open_state(struct state *state)
{
	int i, copies = state->super->copies;
	struct rlimit files;
	sigset_t signals;

	state->complaints = calloc(copies, sizeof(*state->complaints));
	state->fds = calloc(1 + copies, sizeof(*state->fds));
	if (!state->complaints || !state->fds)
		return -ENOMEM;
	for (i = 0; i <= copies; i++)
		state->fds[i] = (struct pollfd) { -1, POLLIN, 0 };
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	state->fds[0].fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (state->fds[0].fd < 0 || getrlimit(RLIMIT_NOFILE, &state->files))
		return -errno;
	files = state->files;
	if (files.rlim_cur < (rlim_t)copies + FILES)
		files.rlim_cur = files.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &files) ? -errno : 0;
}

static int start_copies(struct state *state)
{
	int i, err = 0;

	for (i = 0; !err && i < state->super->copies; i++)
		err = start_copy(state, i);
	if (!err)
		err = supervise(state, tw_now_ns(CLOCK_MONOTONIC) + SETTLE_NS);
	/* No copy has failed at its start: main can continue. */
	return err ? err : tw_child_ready();
}

int tw_load_supervise(void *arg)
{
	struct state state = { .super = arg };
	char left[TW_LOAD_WHY];
	int err;

	/* It becomes the parent of the copies' orphans, and can end them. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	state.super->load->shared->supervisor = getpid();
	set_environment(state.super);
	err = open_state(&state);
	if (!err)
		err = start_copies(&state);
	if (!err)
		err = supervise(&state, INT64_MAX);
	/* What is left becomes the keeper's child; the keeper reports it. */
	tw_load_kill_tree(KILL_MS, left, sizeof(left));
	return err == -ECANCELED ? 0 : err;
}
