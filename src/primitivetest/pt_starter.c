// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tasks of a case, and the process that starts them, watches them, and ends
 * them. It has the CPUs and the priority of main: above all of them, so that
 * nothing that they do can keep it from that.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pt_record.h"
#include "tw_place.h"
#include "tw_process.h"
#include "tw_say.h"

#define READY_MS	4000	/* limit for a thread to get ready */
#define TICK_MS		250	/* how often the tasks are looked at */

static pid_t main_pid;

static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* It has the priority of its role. */
static struct tw_rank rank_of(const struct pt_task *task)
{
	return (struct tw_rank) { tw_config.policy, task->priority };
}

static void read_settings(struct tw_process *process)
{
	process->pid = (int)syscall(SYS_gettid);
	tw_process_read(process);
}

static int run(struct pt_task *task)
{
	const struct pt_test *test = task->in->choice.test;
	const struct pt_role *role = task->role;

	if (role->serve)
		return pt_serve(task, role->serve);
	if (role->run || test->run)
		return role->run ? role->run(task) : test->run(task);
	return pt_lead(task, role->once ? role->once : test->once);
}

/* The life of a task, in its process or thread. */
static int live_task(void *arg)
{
	struct pt_task *task = arg;
	int (*enter)(struct pt_task *task) = task->in->choice.test->enter;
	struct tw_usage used = { .faults = 0 };
	int err;

	prctl(PR_SET_NAME, task->name);
	block_signals();
	read_settings(&task->begun);
	task->pid = task->begun.pid;
	err = enter ? enter(task) : 0;
	if (err && !task->failed)
		pt_failed(task, "to prepare its trials", err);
	sem_post(&task->in->ready);
	if (err)
		return err;
	pt_wait(&task->gate);
	tw_usage_add(&used, -1);
	err = run(task);
	tw_usage_add(&used, 1);
	task->used = used;	/* of one that is killed there is none */
	if (!err)
		pt_rest(task);
	read_settings(&task->left);
	tw_spent_self(&task->spent);
	if (err && !task->failed)
		pt_failed(task, "a system call of its trials", err);
	sem_post(&task->in->ended);
	return err;
}

static void *live_thread(void *arg)
{
	struct pt_task *task = arg;

	tw_process_configure(task->on, task->number, rank_of(task));
	live_task(task);
	return NULL;
}

static int start_thread(struct pt_task *task)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PT_STACK);
	err = pthread_create(&thread, &attributes, live_thread, task);
	pthread_attr_destroy(&attributes);
	if (err)
		tw_say_warn("%s: task %s cannot be started: %s; see \"ulimit -u\"\n",
			    task->in->name, task->name, strerror(err));
	return -err;
}

#ifdef __GLIBC__
#define WAIT_CLOCK	CLOCK_MONOTONIC
#else	/* musl has this one alone */
#define WAIT_CLOCK	CLOCK_REALTIME
#define sem_clockwait(sem, clock, until)	sem_timedwait(sem, until)
#endif

/* Waits for a post, up to @ms. Returns 0 or -ETIMEDOUT. */
static int await(sem_t *sem, int ms)
{
	int64_t until_ns = tw_now_ns(WAIT_CLOCK) + ms * TW_NS_PER_MS;
	struct timespec until = tw_ns_to_ts(until_ns);

	while (sem_clockwait(sem, WAIT_CLOCK, &until))
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* What fails is told. */
static int start(struct pt_case *c, struct pt_task *task)
{
	int err = c->choice.process ?
		  tw_process_start(&task->process, task->on, task->number,
				   rank_of(task), live_task, task) :
		  start_thread(task);

	if (err)
		return err;
	task->process.name = task->name;
	c->task_count++;
	err = await(&c->ready, READY_MS);
	if (err)
		tw_say_warn("%s: task %s was not ready in time; see what else uses CPU time on its CPU (--check)\n",
			    c->name, task->name);
	return err ? err : task->err;
}

/* Whether a task has failed or was killed, after a message: the first one. */
static bool any_failed(struct pt_case *c)
{
	bool killed = false;
	int i;

	for (i = 0; i < c->task_count && !killed; i++) {
		tw_process_ends(&c->task[i].process, 0);
		killed = tw_process_failed(&c->task[i].process, true);
	}
	for (i = 0; i < c->task_count && !killed; i++)
		if (c->task[i].failed) {
			tw_say_warn("%s: task %s: %s: %s\n",
				    c->name, c->task[i].name, c->task[i].failed,
				    strerror(-c->task[i].err));
			return true;
		}
	if (!killed && c->guard && waitpid(c->guard, NULL, WNOHANG)) {
		tw_say_warn("%s: the guard of its semaphores was killed\n",
			    c->name);
		return true;
	}
	return killed;
}

/*
 * Until all tasks have ended, one has failed, or a trial takes too long; or
 * main has died, whatever it was, so that what outlives us is removed.
 */
static int watch(struct pt_case *c)
{
	const int64_t limit_ns = pt_case_limit_ms(c) * TW_NS_PER_MS;
	int64_t since_ns = tw_now_ns(CLOCK_MONOTONIC);
	int left = c->task_count;
	unsigned long before = 0, done;

	while (left) {
		left -= !await(&c->ended, TICK_MS);
		if (getppid() != main_pid || any_failed(c))
			return -ECHILD;
		done = atomic_load(&c->done);
		if (done != before)
			since_ns = tw_now_ns(CLOCK_MONOTONIC);
		before = done;
		if (tw_now_ns(CLOCK_MONOTONIC) - since_ns <= limit_ns)
			continue;
		tw_say_warn("%s: trial %llu, those of the warm-up included, took longer than %d ms, and was ended; see what else uses CPU time on its CPUs (--check)\n",
			    c->name, (unsigned long long)pt_trials(c) + 1,
			    pt_case_limit_ms(c));
		return -ETIMEDOUT;
	}
	return 0;
}

static int run_tasks(struct pt_case *c)
{
	cpu_set_t own;
	int i, err = 0;

	sem_init(&c->ready, 1, 0);
	sem_init(&c->ended, 1, 0);
	for (i = 0; !err && i < c->tasks; i++)
		err = start(c, &c->task[i]);
	for (i = 0; !err && i < c->tasks; i++)
		sem_post(&c->task[i].gate);
	if (!err)
		err = watch(c);
	else
		any_failed(c);
	tw_place(TW_MAIN, 0, &own);
	for (i = 0; i < c->task_count; i++)
		if (!err)
			tw_process_ends(&c->task[i].process, TW_STOP_MS);
		else if (c->choice.process)
			tw_process_kill(&c->task[i].process);
		else	/* it dies with this process, but for that needs a CPU */
			sched_setaffinity(c->task[i].pid, sizeof(own), &own);
	if (!err && any_failed(c))
		err = -ECHILD;
	return err;
}

static int live(void *arg)
{
	struct pt_case *c = arg;
	const struct pt_test *test = c->choice.test;
	int err;

	prctl(PR_SET_NAME, "prim-starter");
	prctl(PR_SET_PDEATHSIG, 0);	/* see watch() */
	if (getppid() != main_pid)
		return -ECHILD;
	block_signals();
	err = test->open ? test->open(c) : 0;
	if (err && !*c->refused)
		pt_refuse(c, err, "%s", strerror(-err));
	if (!err)
		err = run_tasks(c);
	if (test->flags & PT_TURNS && tw_config.policy != SCHED_FIFO)
		c->wrong = 0;
	if (!err && test->wrong && (c->wrong || test->flags & PT_TELLS))
		pt_verdict(c, c->wrong, test->wrong, (long long)c->wrong,
			   (unsigned long long)pt_trials(c));
	if (!err && test->verify)
		test->verify(c);
	if (test->close)
		test->close(c);
	/* Threads that hang end here, too. */
	return err;
}

int pt_starter_start(struct pt_case *c)
{
	int err;

	main_pid = getpid();
	err = tw_process_start(&c->starter, TW_MAIN, 0, pt_config_above(),
			       live, c);
	c->starter.name = "process that starts the tasks";
	return err;
}
