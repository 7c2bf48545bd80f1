// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread: a task creates a thread of its own priority, and joins it. The
 * thread's first action is its timestamp, and its last.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_rows.h"

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
	if (pt_config.trace)
		begun->pid = (int)syscall(SYS_gettid);
	return begun;
}

static int create_and_join(struct pt_task *task, struct pt_trial *trial)
{
	struct begun begun = { .task = task };
	pthread_t thread;
	void *result;
	int err;

	trial->t_ns[0] = pt_now(task);
	err = pthread_create(&thread, pt_room(task), begin, &begun);
	trial->t_ns[1] = pt_now(task);
	if (!err)
		err = pthread_join(thread, &result);
	trial->t_ns[3] = pt_now(task);
	trial->t_ns[2] = begun.at_ns;
	trial->pid = begun.pid;
	if (!err && result != &begun)
		err = EBADMSG;
	return err ? pt_failed(task, "a thread, created and joined,", -err) : 0;
}

static int run(struct pt_task *task)
{
	pthread_attr_t *attributes = pt_room(task);

	pthread_attr_init(attributes);
	pthread_attr_setstacksize(attributes, STACK);
	return pt_lead(task, create_and_join);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("create", "Call that creates a thread", 0, 1,
		  PT_SPAN(PT_TO_RUN, 0, 0)),
	PT_METRIC("first", "From there to the thread running", 0, 2,
		  PT_SPAN(PT_TO_WAIT, PT_OF_TRIAL, 0)),
	PT_METRIC("join", "The thread running to it joined", 2, 3,
		  PT_SPAN(PT_TO_WAIT, 0, PT_OF_TRIAL)),
	PT_METRIC("life", "Thread created and joined", 0, 3, .rate = "threads"),
	{ .token = NULL }
};

const struct pt_test pt_thread = {
	.name = "thread",
	.about = "a thread is created, runs and is joined",
	.flags = PT_ALONE | PT_PACED,
	.metrics = metrics, .run = run, .switches = 1,
	.trials = 5000, .room = sizeof(pthread_attr_t),
};
