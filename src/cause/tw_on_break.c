// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_child.h"
#include "tw_guard.h"
#include "tw_memory.h"
#include "tw_on_break.h"
#include "tw_option.h"
#include "tw_policy.h"
#include "tw_process.h"
#include "tw_say.h"
#include "tw_time.h"

#define LIMIT_S		10

struct tw_on_break tw_on_break;

static struct tw_process shell;
static int64_t end_ns;		/* when it must have ended */
static struct tw_guard guard;
static pid_t *group;		/* the shell's, which the guard sees; 0: none */

void tw_on_break_parse(const struct tw_option *option, char *value)
{
	if (!*value)
		tw_option_refuse(option, value, "allowed is a command of the shell");
	tw_on_break.command = value;
}

static int kill_group(void)
{
	if (*group)
		kill(-*group, SIGKILL);
	return 0;
}

void tw_on_break_begin(void)
{
	if (!tw_on_break.command)
		return;
	group = tw_memory_shared(sizeof(*group));
	tw_guard_start(&guard, kill_group);
}

static void __attribute__((noreturn))
be_shell(int input)
{
	const struct sched_param ordinary = { .sched_priority = 0 };

	setpgid(0, 0);
	*group = getpid();
	tw_policy_set(0, SCHED_OTHER, &ordinary);
	dup2(input, STDIN_FILENO);
	/* Standard output is for the results alone. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGHUP, SIG_DFL);
	tw_child_shell(tw_on_break.command);
	tw_say_warn("--on-break: cannot run /bin/sh: %m\n");
	_exit(EXIT_FAILURE);
}

static void set_environment(const struct tw_on_break_about about[])
{
	char name[32], number[24];

	for (; about->name; about++) {
		snprintf(name, sizeof(name), "TWOWAYTEST_BREAK_%s",
			 about->name);
		snprintf(number, sizeof(number), "%" PRId64, about->number);
		setenv(name, about->text ? about->text : number, 1);
	}
}

void tw_on_break_start(const struct tw_on_break_about about[],
		       void (*print)(FILE *file))
{
	FILE *input;
	pid_t pid;

	if (shell.pid)
		tw_on_break.left_out++;
	if (shell.pid || !tw_on_break.command)
		return;
	input = fdopen(memfd_create("on-break", MFD_CLOEXEC), "w");
	if (!input) {
		tw_say_warn("--on-break: no memory for its standard input: %m\n");
		return;
	}
	print(input);
	fflush(input);
	lseek(fileno(input), 0, SEEK_SET);
	pid = tw_child_start(SIGKILL);
	if (!pid) {
		set_environment(about);
		be_shell(fileno(input));
	}
	if (pid < 0)
		tw_say_warn("--on-break: cannot start the command: %m\n");
	fclose(input);
	if (pid < 0)
		return;
	setpgid(pid, pid);
	shell = (struct tw_process) {
		.pid = pid, .name = "command of --on-break", .group = true,
	};
	end_ns = tw_now_ns(CLOCK_MONOTONIC) + LIMIT_S * TW_NS_PER_S;
	tw_on_break.run++;
}

void tw_on_break_watch(void)
{
	bool late;
	int status;

	if (!shell.pid)
		return;
	late = !tw_process_ends(&shell, 0);
	if (late && tw_now_ns(CLOCK_MONOTONIC) < end_ns)
		return;
	tw_process_stop_failed(&shell);
	status = shell.status;
	if (late)
		tw_say_warn("--on-break: the command did not end within %d s and was ended\n",
			    LIMIT_S);
	else if (WIFSIGNALED(status))
		tw_say_warn("--on-break: the command was killed by signal %d (%s)\n",
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status)
		tw_say_warn("--on-break: the command ended with exit status %d\n",
			    WEXITSTATUS(status));
	tw_on_break.failed += late || status;
	*group = shell.pid = 0;
}

void tw_on_break_end(void)
{
	for (tw_on_break_watch(); shell.pid; tw_on_break_watch())
		tw_process_ends(&shell, 1);
	if (tw_on_break.command)
		tw_guard_end(&guard);
}

void tw_on_break_text(FILE *file)
{
	if (tw_on_break.command)
		fprintf(file, "# On break: run %" PRIu64 ", failed %" PRIu64
			", left out %" PRIu64 "\n", tw_on_break.run,
			tw_on_break.failed, tw_on_break.left_out);
}
