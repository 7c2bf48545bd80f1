// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The process that starts the tasks of a case, watches them, and ends them: it
 * is above all of them, so that nothing that they do can keep it from that.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pt_record.h"
#include "pt_task.h"

#define READY_MS	4000	/* limit for the tasks to get ready */
#define TICK_MS		250	/* how often the tasks are looked at */

static pid_t main_pid;

static const struct pt_role *roles_of(const struct pt_case *c)
{
	static struct pt_role alone[2] = { { .name = "high", PT_HIGH } };
	const struct pt_kind *kind = c->choice.kind;

	alone[0].once = c->choice.test->once;
	alone[0].run = c->choice.test->run;
	return kind && kind->roles ? kind->roles :
	       c->choice.test->roles ? c->choice.test->roles : alone;
}

/* As many copies of the last role as the test says. */
static int count_tasks(const struct pt_case *c)
{
	const struct pt_role *roles = roles_of(c);
	int count = 0;

	while (roles[count].name)
		count++;
	return c->choice.test->copies ?
	       count - 1 + c->choice.test->copies(c) : count;
}

static int priority_of(const struct pt_task *task)
{
	static const enum pt_level ordered[] = {
		[PT_HIGHER] = PT_HIGH, [PT_LOWER] = PT_LOW,
		[PT_EQUAL] = PT_MID,
	};
	enum pt_level level = task->role->level;

	if (!tw_config.priority)
		return 0;
	if (level == PT_BOTTOM)
		return 1;
	if (level == PT_STEPPED)
		return pt_config_priority(PT_HIGH) - task->copy;
	return pt_config_priority(level == PT_ORDERED ?
				  ordered[pt_config.order] : level);
}

static void describe(struct pt_case *c, int number)
{
	struct pt_task *task = &c->task[number];
	const struct pt_role *role = roles_of(c);
	bool other;

	task->number = task->copy = number;
	for (; task->copy && role[1].name; task->copy--)
		role++;
	task->role = role;
	snprintf(task->name, sizeof(task->name), "prim-%.10s", role->name);
	task->priority = priority_of(task);
	other = c->choice.test->flags & PT_SPREAD ? task->copy % 2 :
						    role->other_cpu;
	task->cpus = c->choice.cross && other ? pt_config.other_cpus :
						pt_config.same_cpus;
	sem_init(&task->gate, 1, 0);
}

/* If a thread fails, the others would wait for it: all of them end. */
static void *live_thread(void *arg)
{
	struct pt_task *task = arg;

	if (pt_task_live(task) && atomic_load(&task->in->go))
		_exit(EXIT_FAILURE);
	return NULL;
}

static int live_process(void *arg)
{
	return pt_task_live(arg);
}

static int start_thread(struct pt_task *task)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PT_STACK);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attributes, live_thread, task);
	pthread_attr_destroy(&attributes);
	return -err;
}

/* Whether a process has failed: the first one is named. */
static bool reap(struct pt_case *c)
{
	int i;

	for (i = 0; i < c->task_count && !c->culprit; i++) {
		struct tw_process *process = &c->task[i].process;

		if (tw_process_ended(process) && process->status)
			c->culprit = &c->task[i];
	}
	return c->culprit;
}

/* To die, they need a CPU: ours. Threads end with this process. */
static void end_tasks(struct pt_case *c)
{
	int i;

	for (i = 0; i < c->task_count; i++) {
		const struct tw_process *process = &c->task[i].process;

		if (process->pid && !process->ended)
			kill(process->pid, SIGKILL);
		if (c->task[i].pid && !process->ended)
			sched_setaffinity(c->task[i].pid, sizeof(cpu_set_t),
					  &pt_config.main_cpus);
	}
	for (i = 0; i < c->task_count; i++)
		if (c->task[i].process.pid)
			tw_process_await(&c->task[i].process);
}

/* Waits for a post, up to @ms. Returns 0 or -ETIMEDOUT. */
static int await(sem_t *sem, int ms)
{
	int64_t until_ns = tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
	struct timespec until = tw_ns_to_ts(until_ns);

	while (sem_clockwait(sem, CLOCK_MONOTONIC, &until))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int start_tasks(struct pt_case *c)
{
	int i, count = count_tasks(c), err = 0;

	sem_init(&c->ready, 1, 0);
	sem_init(&c->ended, 1, 0);
	for (i = 0; i < count; i++)
		describe(c, i);
	for (i = 0; !err && i < count; i++) {
		err = c->choice.process ?
		      pt_fork(&c->task[i].process, c->task[i].name,
			      SIGKILL, live_process, &c->task[i]) :
		      start_thread(&c->task[i]);
		c->task_count += !err;
	}
	if (err)
		return pt_failed(&c->task[c->task_count], "to start", err);
	for (i = 0; !err && i < count; i++)
		err = await(&c->ready, READY_MS);
	for (i = 0; !err && i < count; i++)
		err = c->task[i].failed ? c->task[i].err : 0;
	return err;
}

/* Whether one has failed, or was killed: the others would wait for it. */
static bool any_failed(struct pt_case *c)
{
	bool failed = reap(c);
	int i;

	if (c->guard && waitpid(c->guard, NULL, WNOHANG))
		pt_failed(&c->task[0], "the guard of its semaphores was killed",
			  -ECHILD);
	for (i = 0; i < c->task_count; i++)
		failed |= c->task[i].failed != NULL;
	return failed;
}

/*
 * Until all tasks have ended, one has failed, or a trial takes too long; or
 * has died, whatever it was, so that what outlives us is removed.
 */
static int watch(struct pt_case *c)
{
	const int64_t limit_ns = pt_case_limit_ms(c) * TW_NS_PER_MS;
	int64_t since_ns = tw_now_ns(CLOCK_MONOTONIC);
	int left = c->task_count;
	uint64_t before = 0, done;

	while (left) {
		left -= !await(&c->ended, TICK_MS);
		if (any_failed(c) || getppid() != main_pid)
			return -ECHILD;
		done = atomic_load(&c->done);
		if (done != before)
			since_ns = tw_now_ns(CLOCK_MONOTONIC);
		before = done;
		if (tw_now_ns(CLOCK_MONOTONIC) - since_ns > limit_ns) {
			c->hung = done + 1;
			return -ETIMEDOUT;
		}
	}
	return 0;
}

static int run_tasks(struct pt_case *c)
{
	int i, err = start_tasks(c);

	if (!err) {
		atomic_store(&c->go, 1);
		for (i = 0; i < c->task_count; i++)
			sem_post(&c->task[i].gate);
		err = watch(c);
	}
	for (i = 0; c->choice.process && !err && i < c->task_count; i++)
		tw_process_await(&c->task[i].process);
	if (!err && reap(c))
		err = -ECHILD;
	if (err)
		end_tasks(c);
	return err;
}

/* Above all tasks, so that none begins before all are there. */
static int live(void *arg)
{
	struct pt_case *c = arg;
	const struct pt_test *test = c->choice.test;
	const char *refused = pt_settle(pt_config_priority(PT_ABOVE),
					&pt_config.main_cpus);
	int err;

	if (refused)
		return pt_refuse(c, -errno, "the process that starts the tasks cannot get %s: %s",
				 refused, strerror(errno));
	err = test->open ? test->open(c) : 0;
	if (err && !*c->refused)
		pt_refuse(c, err, "%s", strerror(-err));
	if (!err)
		err = run_tasks(c);
	if (!err && test->verify)
		test->verify(c);
	if (test->close)
		test->close(c);
	/* Threads that hang end here, too. */
	return err;
}

int pt_starter_start(struct pt_case *c)
{
	main_pid = getpid();
	return pt_fork(&c->starter, "prim-starter", SIGTERM, live, c);
}
