// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_await.h"
#include "tw_child.h"
#include "tw_cpus.h"
#include "tw_output.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_process.h"
#include "tw_say.h"

#define START_MS	5000	/* to get ready */
#define FILES		1024	/* that may be open, before Linux 5.9 */

static void __attribute__((noreturn))
refused(enum tw_role role, const char *what, const char *needed)
{
	tw_say_fatal("the %s cannot get its %s: %m%s\n",
		     tw_config_roles[role], what, needed);
}

/*
 * What it has already, a sandbox need not permit. An ordinary task may keep the
 * flag by which children do not get a policy of real time.
 */
int tw_process_schedule(int pair, int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	struct sched_param now = { .sched_priority = -1 };
	int has = tw_policy_get(0, &now);

	if (!priority && has >= 0)
		has &= ~SCHED_RESET_ON_FORK;
	return has == policy && now.sched_priority == priority ? 0 :
	       tw_policy_set(0, policy, &param);
}

static bool has_cpus(const cpu_set_t *wanted)
{
	cpu_set_t cpus;

	return !tw_cpus_get(0, &cpus) && CPU_EQUAL(&cpus, wanted);
}

void tw_process_configure(enum tw_role role, int number, struct tw_rank rank)
{
	char list[TW_PLACE_LIST];
	cpu_set_t wanted;

	/* Priority first, or the process may never run on a busy CPU. */
	if (tw_config.schedule(number, rank.policy, rank.priority))
		refused(role, "scheduling policy and priority",
			!rank.priority ? "; a sandbox (seccomp) may refuse it" :
			geteuid() ? "; needed is root, CAP_SYS_NICE or a higher \"ulimit -r\"" :
			"; root is refused if the kernel has RT_GROUP_SCHED and the cgroup has no real-time runtime (then move the shell to the root cgroup), in a user namespace, without CAP_SYS_NICE, and by a sandbox (seccomp)");
	tw_place(role, number, &wanted);
	errno = EPERM;
	if (!has_cpus(&wanted) &&
	    (sched_setaffinity(0, sizeof(wanted), &wanted) ||
	     !has_cpus(&wanted))) {
		tw_place_list(&wanted, list, sizeof(list));
		tw_say_fatal("the %s cannot get its CPUs, %s: %m\n",
			     tw_config_roles[role], list);
	}
	/* main is not measured, and needs more than an ordinary user may lock. */
	if (tw_config.mlockall && role != TW_MAIN &&
	    mlockall(MCL_CURRENT | MCL_FUTURE))
		refused(role, "locked memory", "; needed is root, CAP_IPC_LOCK or a higher \"ulimit -l\"");
}

/* Empty: the signal only has to interrupt system calls. */
static void on_stop(int signal)
{
}

/* Only main acts on signals that the terminal sends to all. */
static void set_signals(enum tw_role role)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	struct sigaction action = { .sa_handler = SIG_IGN };
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &action, NULL);
	action.sa_handler = on_stop;
	sigaction(TW_STOP_SIGNAL, &action, NULL);
	if (role == TW_LOAD) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void __attribute__((noreturn))
be_child(enum tw_role role, int number, struct tw_rank rank, int ready,
	 int (*live)(void *arg), void *arg)
{
	char name[16];

	set_signals(role);
	snprintf(name, sizeof(name), "twoway-%s", tw_config_roles[role]);
	prctl(PR_SET_NAME, name);
	if (role == TW_LOAD)
		setpgid(0, 0);
#ifdef __GLIBC__
	malloc_trim(0);	/* what is free need not be locked */
#endif
	tw_process_configure(role, number, rank);
	if (write(ready, "", 1) != 1)
		_exit(EXIT_FAILURE);
	close(ready);
	/* Not exit(): it would write the parent's stdio buffers again. */
	_exit(-live(arg));
}

static void close_all(unsigned int from, unsigned int to)
{
#ifdef SYS_close_range
	if (from > to || !syscall(SYS_close_range, from, to, 0))
		return;
#endif
	for (; from <= to && from < FILES; from++)
		close((int)from);
}

void tw_process_close(int but, int but_also, int and_also)
{
	const int kept[] = { but, but_also, and_also };
	unsigned int from = STDERR_FILENO + 1, next;
	size_t i;

	do {
		next = UINT_MAX;
		for (i = 0; i < ARRAY_SIZE(kept); i++)
			if (kept[i] >= (int)from && (unsigned int)kept[i] < next)
				next = kept[i];
		close_all(from, next - 1);
		from = next + 1;
	} while (from);
}

/* Killed first, it does not see that it is moved. */
void tw_process_kill(struct tw_process *process)
{
	cpu_set_t cpus;

	if (!process->pid || process->ended)
		return;
	kill(process->pid, SIGKILL);
	if (!tw_cpus_get(0, &cpus))
		sched_setaffinity(process->pid, sizeof(cpus), &cpus);
	tw_process_ends(process, TW_STOP_MS);
}

/*
 * A child that ends without the ready byte has printed the reason, unless it
 * was killed.
 */
static int await_ready(struct tw_process *process, int ready)
{
	int err = tw_await(ready, POLLIN, tw_await_stop_fd(),
			   tw_await_in_ms(START_MS));
	char byte;

	if (err == -ETIMEDOUT)
		tw_say_warn("the %s (pid %d) was not ready within %d s: it gets no CPU time; look for a task of higher priority on its CPU\n",
			    process->name, process->pid, START_MS / 1000);
	if (err) {
		tw_process_kill(process);
	} else if (read(ready, &byte, 1) != 1) {
		err = -ECHILD;
		tw_process_ends(process, TW_STOP_MS);
		tw_process_failed(process, true);
	}
	close(ready);
	return err;
}

void tw_process_read(struct tw_process *process)
{
	struct sched_param param = { .sched_priority = 0 };

	process->policy = tw_policy_get(process->pid, &param) &
			  ~SCHED_RESET_ON_FORK;
	process->priority = param.sched_priority;
	tw_cpus_get(process->pid, &process->cpus);
}

bool tw_process_changed(const struct tw_process *begun,
			const struct tw_process *left)
{
	return left->pid && (begun->policy != left->policy ||
			     begun->priority != left->priority ||
			     !CPU_EQUAL(&begun->cpus, &left->cpus));
}

static void print_settings(FILE *file, const struct tw_process *of)
{
	char cpus[TW_PLACE_LIST];

	tw_place_list(&of->cpus, cpus, sizeof(cpus));
	fprintf(file, "policy %s, priority %d, CPUs %s",
		tw_policy_name(of->policy), of->priority, cpus);
}

void tw_process_print_change(FILE *file, const char *before,
			     const struct tw_process *begun,
			     const struct tw_process *left)
{
	if (!tw_process_changed(begun, left))
		return;
	fputs(before, file);
	print_settings(file, begun);
	fprintf(file, " to ");
	print_settings(file, left);
	fprintf(file, "\n");
}

int tw_process_start(struct tw_process *process, enum tw_role role,
		     int number, struct tw_rank rank, int (*live)(void *arg),
		     void *arg)
{
	struct tw_process child;
	pid_t pid;
	int err, fds[2];

	tw_output_flush();
	pid = pipe2(fds, O_CLOEXEC) ? -1 : tw_child_start(SIGKILL);
	if (pid < 0) {
		err = -errno;
		tw_say_warn("cannot start the %s: %m; see \"ulimit -n\" and \"ulimit -u\"\n",
			    tw_config_roles[role]);
		return err;
	}
	if (!pid)
		be_child(role, number, rank, fds[1], live, arg);
	child = (struct tw_process) {
		.pid = pid, .name = tw_config_roles[role],
		.group = role == TW_LOAD,
	};
	close(fds[1]);
	err = await_ready(&child, fds[0]);
	if (err)
		return err;
	tw_process_read(&child);
	/* It is shared memory: only main writes it. */
	*process = child;
	return 0;
}

bool tw_process_ends(struct tw_process *process, int ms)
{
	if (!process->pid || process->ended ||
	    !tw_child_ends(process->pid, ms, WNOWAIT, &process->status))
		return process->ended;
	process->ended = true;
	if (!process->group)
		tw_child_reap_later(process->pid);
	return true;
}

/*
 * A load is asked once, as it may first end what it has started. Orphans of its
 * group come to main, which is their subreaper.
 */
bool tw_process_stop_failed(struct tw_process *process)
{
	bool group = process->group;
	int ms;

	if (!process->pid)
		return false;
	/* Repeatedly: a signal may come just before the child waits for it. */
	for (ms = 0; ms < TW_STOP_MS && !tw_process_ends(process, !!ms); ms++)
		if (!group || !ms)
			kill(process->pid, group ? SIGTERM : TW_STOP_SIGNAL);
	if (ms == TW_STOP_MS)
		tw_say_warn("the %s (pid %d) did not end within %d s and is killed\n",
			    process->name, process->pid, TW_STOP_MS / 1000);
	if (ms == TW_STOP_MS || group)
		kill(group ? -process->pid : process->pid, SIGKILL);
	tw_process_ends(process, TW_STOP_MS);
	if (group)
		tw_child_reap_group(process->pid, TW_STOP_MS);
	return ms == TW_STOP_MS ||
	       (group && WIFEXITED(process->status) && process->status);
}

bool tw_process_failed(const struct tw_process *process, bool killed)
{
	int status = process->status;

	if (!process->ended || !status || (killed && !WIFSIGNALED(status)))
		return false;
	if (WIFSIGNALED(status))
		tw_say_warn("the %s (pid %d) was killed by signal %d (%s)\n",
			    process->name, process->pid, WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else
		tw_say_warn("the %s (pid %d) stopped: %s\n", process->name,
			    process->pid, WEXITSTATUS(status) == ECHILD ?
			    "what it started has failed" :
			    WEXITSTATUS(status) == EAGAIN && !process->group ?
			    "the kernel refused a timer; see \"ulimit -i\"" :
			    strerror(WEXITSTATUS(status)));
	return true;
}
