// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread: a task creates a thread of its own priority, and joins it. The
 * thread's first action is its timestamp, and its last.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_rows.h"

#define STACK		(64 * 1024)	/* all of it may be locked */

struct begun {
	const struct pt_task *task;
	int64_t at_ns;
	int pid;		/* with --trace */
};

static void *begin(void *arg)
{
	struct begun *begun = arg;

	begun->at_ns = pt_now(begun->task);
	if (begun->task->in->config->trace)
		begun->pid = (int)syscall(SYS_gettid);
	return begun;
}

static int create_and_join(const struct pt_task *task,
			   const pthread_attr_t *attributes,
			   struct pt_trial *trial)
{
	struct begun begun = { .task = task };
	pthread_t thread;
	void *result;
	int err;

	trial->t_ns[0] = pt_now(task);
	err = pthread_create(&thread, attributes, begin, &begun);
	trial->t_ns[1] = pt_now(task);
	if (!err)
		err = pthread_join(thread, &result);
	trial->t_ns[3] = pt_now(task);
	trial->t_ns[2] = begun.at_ns;
	trial->pid = begun.pid;
	if (err)
		return -err;
	return result == &begun ? 0 : -EBADMSG;
}

static int run(struct pt_task *task)
{
	struct pt_trial trial = { .t_ns = { 0 } };
	pthread_attr_t attributes;
	struct pt_pace pace;
	int err = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		pt_pace_wait(&pace);
		err = create_and_join(task, &attributes, &trial);
		if (!err)
			pt_record(task, &trial);
	}
	pthread_attr_destroy(&attributes);
	return err ? pt_failed(task, "a thread, created and joined,", err) : 0;
}

static const struct pt_metric metrics[] = {
	{ .token = "create", .label = "Call that creates a thread",
	  .from = 0, .to = 1, .span = { PT_TO_RUN, 0, 0 } },
	{ .token = "first", .label = "From there to the thread running",
	  .from = 0, .to = 2, .span = { PT_TO_WAIT, PT_OF_TRIAL, 0 } },
	{ .token = "join", .label = "The thread running to it joined",
	  .from = 2, .to = 3, .span = { PT_TO_WAIT, 0, PT_OF_TRIAL } },
	{ .token = "life", .label = "Thread created and joined",
	  .from = 0, .to = 3, .rate = "threads" },
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_thread = {
	.name = "thread",
	.about = "a thread is created, runs and is joined",
	.groups = 0,
	.flags = PT_ALONE,
	.metrics = metrics, .roles = roles, .switches = 1,
	.trials = 5000,
};
