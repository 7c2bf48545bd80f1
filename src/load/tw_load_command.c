// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load "command": copies of a shell command. A copy that ends is started again.
 * Each copy has two processes of ours above it:
 *
 *	main - load - keeper - shell - what it starts
 *
 * Both are subreapers: what the command starts stays below them, also if it
 * leaves its process group, so they find and kill it at the end. They are two,
 * so that one is left if the other is killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_child.h"
#include "tw_load.h"
#include "tw_option.h"
#include "tw_proc.h"
#include "tw_read.h"
#include "tw_say.h"
#include "tw_time.h"

#define KILL_MS		10000	/* if there is little CPU time */
#define REFUSED_MS	500	/* what cannot be killed; main waits longer */
#define PAUSE_MS	5	/* before the next run */
#define COPIES		"TWOWAYTEST_WORKERS"	/* in the environment */
#define ENVIRON_MAX	(1 << 20)	/* bytes */
#define SHOWN		60	/* characters of the command in messages */

static bool is_child(int pid)
{
	struct tw_stat stat;

	return tw_proc_stat(&stat, pid, pid) &&
	       stat.field[TW_STAT_PARENT] == getpid();
}

/* Into @left, if it cannot be killed. */
static bool kill_child(int pid, void *left)
{
	if (is_child(pid) && kill(pid, SIGKILL))
		*(pid_t *)left = pid;
	return true;
}

/* The children of one that ends become ours, until there are none. */
static int kill_descendants(void)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	pid_t left = 0, pid = 1;

	while (pid >= 0 && tw_now_ns(CLOCK_MONOTONIC) - begin_ns <
	       (left ? REFUSED_MS : KILL_MS) * TW_NS_PER_MS) {
		left = 0;
		tw_proc_each("/proc", kill_child, &left);
		do
			pid = waitpid(-1, NULL, WNOHANG);
		while (pid > 0);
		if (!pid)
			usleep(1000);
	}
	if (pid < 0)
		return 0;
	tw_say_warn("--load=command: its process %d cannot be ended\n", left);
	return EPERM;
}

static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	sigaddset(signals, SIGTERM);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

/*
 * Runs @live in a child until that ends, or until SIGTERM comes, which the
 * kernel sends if our parent dies. Returns the child's status, or -1.
 */
static int keep(const struct tw_load *load,
		int (*live)(const struct tw_load *load))
{
	pid_t pid, ended;
	sigset_t signals;
	int status;

	block_signals(&signals);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = tw_child_start(SIGTERM);
	if (!pid) {
		/* Main may kill the load's; "kill 0" of a script hits its own. */
		setpgid(0, 0);
		_exit(live(load));
	}
	while (pid > 0) {
		while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
			if (ended == pid)
				return status;
		if (sigwaitinfo(&signals, NULL) == SIGTERM)
			return -1;
	}
	tw_say_warn("--load=command: cannot start it: %m\n");
	return EXIT_FAILURE;
}

static void set_priority(const struct tw_load *load, int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (load->priority)
		tw_policy_set(0, policy, &param);
}

static int become_shell(const struct tw_load *load)
{
	static const int ignored[] = { SIGINT, SIGHUP, SIGUSR1 };
	char copies[16];
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_DFL);
	snprintf(copies, sizeof(copies), "%d", load->units);
	setenv(COPIES, copies, 1);
	set_priority(load, load->policy, load->priority);
	tw_child_shell(load->words);
	tw_say_warn("cannot run /bin/sh: %m\n");
	return EXIT_FAILURE;
}

/* The keeper: one run of the command. */
static int run_once(const struct tw_load *load)
{
	int status = keep(load, become_shell);
	size_t line = strcspn(load->words, "\n");
	int length = line < SHOWN ? (int)line : SHOWN;
	const char *dots = load->words[length] ? "..." : "";

	if (status > 0 && WIFSIGNALED(status))
		tw_say_warn("--load=command:%.*s%s: killed by signal %d (%s)\n",
			    length, load->words, dots, WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else if (status > 0)
		tw_say_warn("--load=command:%.*s%s: ended with exit status %d\n",
			    length, load->words, dots, WEXITSTATUS(status));
	return kill_descendants() || status ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* By the environment that all of a command have; one that has ended has none. */
static bool kill_orphan(int pid, void *any)
{
	static const char mark[] = "\0" COPIES "=";
	char *text = is_child(pid) ? calloc(1, ENVIRON_MAX) : NULL;
	char path[32];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	size = text ? tw_read_bytes(text + 1, ENVIRON_MAX - 1, path) : 0;
	if (size > 0 && memmem(text, size, mark, sizeof(mark) - 1))
		*(bool *)any |= !kill(pid, SIGKILL);
	free(text);
	return true;
}

/* When one is killed, its children become ours, too. */
static void command_sweep(void)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + REFUSED_MS * TW_NS_PER_MS;
	bool any;

	do {
		any = false;
		tw_proc_each("/proc", kill_orphan, &any);
		usleep(any * 1000);
	} while (any && tw_now_ns(CLOCK_MONOTONIC) < end_ns);
}

/*
 * With real-time priority, above what it has to kill, which may not leave it
 * any time.
 */
static int command_live(struct tw_load *load)
{
	int status, err;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	set_priority(load, SCHED_FIFO, load->priority + 1);
	while (!(status = keep(load, run_once))) {
		load->count++;
		usleep(PAUSE_MS * 1000);
	}
	err = kill_descendants();
	return -(err || status < 0 ? err : ECHILD);
}

static uint64_t command_done(const struct tw_load *load)
{
	return load->count;
}

static void command_parse(struct tw_load *load, const struct tw_option *option,
			  char *value)
{
	if (!value || !*value)
		tw_option_refuse(option, "command", "allowed is command:SHELL-COMMAND");
	load->words = value;
	load->wanted = 1;
}

const struct tw_load_ops tw_load_command = {
	.name = "command", .unit = "copies", .one = "copy", .work = "runs",
	.parse = command_parse, .live = command_live, .done = command_done,
	.sweep = command_sweep,
};
