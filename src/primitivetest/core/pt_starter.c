// SPDX-License-Identifier: GPL-2.0-or-later
/* The process that starts the tasks of a case, and awaits their end. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/pt_task.h"

#define READY_S		4	/* limit for the tasks to get ready */

static pthread_t threads[PT_TASKS];

/* As many copies of the last role as the test says. */
static const struct pt_role *role_of(const struct pt_case *c, int number,
				     int *copy)
{
	const struct pt_role *role = pt_roles(c);
	int left = number;

	*copy = 0;
	for (; left && role[1].name; left--)
		role++;
	*copy = left;
	return role;
}

static int count_tasks(const struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;
	const struct pt_role *role = pt_roles(c);
	int count = 0;

	while (role[count].name)
		count++;
	return test->copies ? count - 1 + test->copies(c) : count;
}

static int priority_of(const struct pt_config *config,
		       const struct pt_task *task)
{
	static const enum pt_level ordered[] = {
		[PT_HIGHER] = PT_HIGH, [PT_LOWER] = PT_LOW,
		[PT_EQUAL] = PT_MID,
	};
	enum pt_level level = task->role->level;

	if (!config->priority)
		return 0;
	if (level == PT_BOTTOM)
		return 1;
	if (level == PT_STEPPED)
		return pt_config_priority(config, PT_HIGH) - task->copy;
	if (level == PT_ORDERED)
		level = ordered[config->order];
	return pt_config_priority(config, level);
}

static bool on_other_cpu(const struct pt_task *task)
{
	bool spread = task->in->choice.test->flags & PT_SPREAD;

	return task->in->choice.cross &&
	       (spread ? task->copy % 2 : task->role->other_cpu);
}

static void describe(struct pt_case *c, int number)
{
	struct pt_task *task = &c->task[number];

	task->number = number;
	task->role = role_of(c, number, &task->copy);
	snprintf(task->name, sizeof(task->name), "prim-%.10s",
		 task->role->name);
	task->priority = priority_of(c->config, task);
	task->cpus = on_other_cpu(task) ? c->config->other_cpus :
					  c->config->same_cpus;
	sem_init(&task->gate, 1, 0);
}

static void *live_thread(void *arg)
{
	/* The others would wait for this one: all of them end. */
	if (pt_task_live(arg) && atomic_load(&((struct pt_task *)arg)->in->go))
		_exit(EXIT_FAILURE);
	return NULL;
}

static int live_process(void *arg)
{
	return pt_task_live(arg);
}

/* For the task that leads; -1: there is none. */
static struct tw_trace_fds trace_of(const struct pt_config *config)
{
	return config->trace ? *config->trace :
			       (struct tw_trace_fds) { -1, -1 };
}

static int start_process(struct pt_task *task)
{
	const struct tw_trace_fds trace = trace_of(task->in->config);
	const struct tw_child_how how = {
		.keep = { trace.mark, trace.stop },
		.name = task->name, .death_signal = SIGKILL,
		.keep_more = task->in->fds,
		.more_count = task->in->fd_count,
		.live = live_process, .arg = task,
	};

	return tw_child_fork(&task->child, &how);
}

static int start_thread(struct pt_task *task)
{
	pthread_attr_t attributes;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PT_STACK);
	err = pthread_create(&threads[task->number], &attributes, live_thread,
			     task);
	pthread_attr_destroy(&attributes);
	return -err;
}

static int await_ready(struct pt_case *c)
{
	struct timespec limit;
	int i;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += READY_S;
	for (i = 0; i < c->task_count; i++)
		while (sem_timedwait(&c->ready, &limit))
			if (errno != EINTR)
				return -errno;
	for (i = 0; i < c->task_count; i++)
		if (c->task[i].failed)
			return c->task[i].err;
	return 0;
}

static int start_tasks(struct pt_case *c)
{
	int i, err = 0;

	sem_init(&c->ready, 1, 0);
	for (i = 0; i < count_tasks(c); i++)
		describe(c, i);
	for (i = 0; !err && i < count_tasks(c); i++) {
		err = c->choice.process ? start_process(&c->task[i]) :
					  start_thread(&c->task[i]);
		c->task_count += !err;
	}
	return err ? pt_failed(&c->task[c->task_count], "to start", err) :
		     await_ready(c);
}

/* Returns the error of the first that failed; then the others are killed. */
static int await_processes(struct pt_case *c)
{
	int i, left = c->task_count;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (left) {
		for (i = 0, left = 0; i < c->task_count; i++) {
			if (!tw_child_reap(&c->task[i].child))
				left++;
			else if (c->task[i].child.status) {
				c->culprit = &c->task[i];
				return -ECHILD;
			}
		}
		if (left)
			sigwaitinfo(&child, NULL);
	}
	return 0;
}

static void kill_processes(struct pt_case *c)
{
	int i;

	for (i = 0; i < c->task_count; i++)
		tw_child_stop(&c->task[i].child, SIGKILL, 100);
}

static int await_tasks(struct pt_case *c)
{
	int i, err;

	if (c->choice.process) {
		err = await_processes(c);
		if (err)
			kill_processes(c);
		return err;
	}
	for (i = 0; i < c->task_count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run_tasks(struct pt_case *c)
{
	int i, err = start_tasks(c);

	if (!err)
		err = tw_child_ready();
	if (err) {
		if (c->choice.process)
			kill_processes(c);
		return err;
	}
	atomic_store(&c->go, 1);
	for (i = 0; i < c->task_count; i++)
		sem_post(&c->task[i].gate);
	return await_tasks(c);
}

/* Above all tasks, so that none begins before all are there. */
static int live(void *arg)
{
	struct pt_case *c = arg;
	const struct pt_test *test = c->choice.test;
	int err = tw_system_schedule(c->config->policy,
				     pt_config_starter_priority(c->config));

	if (!err)
		err = tw_system_pin(&c->config->main_cpus);
	if (err)
		return pt_refuse(c, err, "the process that starts the tasks cannot have priority %d: %s",
				 pt_config_starter_priority(c->config),
				 strerror(-err));
	err = test->open ? test->open(c) : 0;
	if (err && !*c->refused)
		pt_refuse(c, err, "%s", strerror(-err));
	if (err)
		return err;
	err = run_tasks(c);
	if (!err && test->verify)
		test->verify(c);
	if (test->close)
		test->close(c);
	return err;
}

int pt_starter_start(struct pt_case *c, struct tw_child *child)
{
	const struct tw_trace_fds trace = trace_of(c->config);
	const struct tw_child_how how = {
		.keep = { trace.mark, trace.stop },
		.name = "prim-starter", .death_signal = SIGKILL,
		.live = live, .arg = c,
	};

	return tw_child_start(child, &how, TW_CHILD_READY_MS);
}
