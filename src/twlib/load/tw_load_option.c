// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/tw_time.h"
#include "load/tw_load_option.h"

#define SHOWN		60	/* bytes of a command in a message */
#define SETTLE_NS	(200 * TW_NS_PER_MS)

/* What follows the colon: a number, or for command the command. */
static int parse_argument(const struct tw_option *option, const char *value,
			  const char *argument, struct tw_run *run)
{
	struct tw_load_choice *choice = option->to;
	const char *digits = "0123456789";
	long count;

	if (choice->kind->takes_command) {
		choice->command = argument;
		return 0;
	}
	count = strtol(argument, NULL, 10);
	if (strspn(argument, digits) != strlen(argument) || count < 1 ||
	    count > TW_LOAD_MAX)
		return tw_option_error(option, value, run,
				       "allowed is %s:N, with N from 1 to %d %s",
				       choice->kind->name, TW_LOAD_MAX,
				       choice->kind->many);
	choice->count = (int)count;
	return 0;
}

int tw_option_load(const struct tw_option *option, const char *value,
		   struct tw_run *run)
{
	struct tw_load_choice *choice = option->to;
	const char *names[TW_KINDS_MAX + 2] = { "none" };
	size_t length = strcspn(value, ":");
	char kind[32];
	int i, found;

	for (i = 0; tw_load_kinds[i]; i++)
		names[i + 1] = tw_load_kinds[i]->name;
	snprintf(kind, sizeof(kind), "%.*s", (int)length, value);
	found = tw_option_find(option, kind, run, names);
	if (found < 0)
		return found;
	if (!found && value[length])
		return tw_option_error(option, value, run,
				       "none has no argument");
	choice->kind = found ? tw_load_kinds[found - 1] : NULL;
	choice->command = NULL;
	choice->count = 0;
	return value[length] ?
	       parse_argument(option, value, value + length + 1, run) : 0;
}

int tw_load_check_arguments(struct tw_run *run,
			    const struct tw_load_choice *choice)
{
	if (!choice->arguments ||
	    (choice->kind && choice->kind->takes_arguments))
		return 0;
	return tw_fail(run, -EINVAL, "--load-args=%.100s: only --load=hackbench takes them",
		       choice->arguments);
}

int tw_load_fail(struct tw_run *run, const struct tw_load_choice *choice,
		 int err, const char *why)
{
	const char *command = choice->command ? choice->command : "";
	int len = (int)strcspn(command, "\n");

	/* A long one is known by its beginning. */
	return tw_fail(run, err, "--load=%s%s%.*s%s: %s", choice->kind->name,
		       *command ? ":" : "", len < SHOWN ? len : SHOWN, command,
		       len > SHOWN || command[len] ? "..." : "",
		       *why ? why : strerror(-err));
}

void tw_load_steady(void)
{
	const struct timespec settle = tw_ns_to_ts(SETTLE_NS);

	nanosleep(&settle, NULL);
}

int tw_load_fail_result(struct tw_run *run,
			const struct tw_load_choice *choice)
{
	return tw_fail(run, -EIO, "--load=%s: a worker's result was wrong: this kernel or machine does not keep the floating-point registers of a preempted task, or its memory fails",
		       choice->kind->name);
}

int tw_load_woken(struct tw_run *run, const struct tw_load_choice *choice,
		  struct tw_load *load)
{
	int number;

	if (!load->shared || !load->ops->died(load))
		return 0;
	if (!WIFSIGNALED(load->dead->status) && load->shared->err)
		return tw_load_fail(run, choice, load->shared->err,
				    load->shared->why);
	if (!WIFSIGNALED(load->dead->status))
		return tw_load_fail(run, choice, -ECHILD,
				    "it ended too early");
	number = WTERMSIG(load->dead->status);
	return tw_fail(run, -ECHILD, "the load (pid %d) was killed by signal %d (%s)",
		       (int)load->dead->pid, number, strsignal(number));
}

void tw_load_finish(struct tw_run *run, const struct tw_load_choice *choice,
		    struct tw_load *load)
{
	char why[TW_LOAD_WHY];
	int err = tw_load_close(load, why);

	if (err)
		tw_load_fail(run, choice, err, why);
}
