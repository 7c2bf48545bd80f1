// SPDX-License-Identifier: GPL-2.0-or-later
/* A task: applies its settings, verifies them, and runs its trials. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_record.h"
#include "pt_task.h"

const char *pt_settle(int priority, const cpu_set_t *cpus)
{
	const struct sched_param param = { .sched_priority = priority };
	cpu_set_t now;

	/* First: with a lower priority it might never run on a busy CPU. */
	if (sched_setscheduler(0, tw_config.policy, &param))
		return "its scheduling policy";
	errno = EPERM;
	if (sched_setaffinity(0, sizeof(*cpus), cpus) ||
	    sched_getaffinity(0, sizeof(now), &now) || !CPU_EQUAL(&now, cpus))
		return "its CPU";
	return NULL;
}

static void read_settings(struct pt_settings *settings)
{
	struct sched_param param = { .sched_priority = 0 };

	settings->policy = sched_getscheduler(0);
	sched_getparam(0, &param);
	settings->priority = param.sched_priority;
	sched_getaffinity(0, sizeof(settings->cpus), &settings->cpus);
}

bool pt_task_changed(const struct pt_task *task)
{
	return task->settings.policy != task->left.policy ||
	       task->settings.priority != task->left.priority ||
	       !CPU_EQUAL(&task->settings.cpus, &task->left.cpus);
}

static int64_t to_us(const struct timeval *time)
{
	return time->tv_sec * INT64_C(1000000) + time->tv_usec;
}

/* Adds what the thread has used, @sign times. */
static void add_usage(struct pt_usage *to, int sign)
{
	struct rusage now = { .ru_minflt = 0 };

	getrusage(RUSAGE_THREAD, &now);
	to->minor_faults += sign * now.ru_minflt;
	to->major_faults += sign * now.ru_majflt;
	to->voluntary += sign * now.ru_nvcsw;
	to->involuntary += sign * now.ru_nivcsw;
	to->cpu_us += sign * (to_us(&now.ru_utime) + to_us(&now.ru_stime));
}

void pt_prefault(void *memory, size_t size)
{
	volatile char *bytes = memory;
	size_t at;

	for (at = 0; at < size; at += 4096)
		bytes[at] = bytes[at];
}

static int run(struct pt_task *task)
{
	const struct pt_role *role = task->role;

	return role->once ? pt_lead(task, role->once) :
	       role->serve ? pt_serve(task, role->serve) : role->run(task);
}

int pt_task_live(struct pt_task *task)
{
	const struct pt_test *test = task->in->choice.test;
	struct pt_usage used = { .minor_faults = 0 };
	const char *refused;
	int err;

	prctl(PR_SET_NAME, task->name);
	task->pid = (int)syscall(SYS_gettid);
	refused = pt_settle(task->priority, &task->cpus);
	if (!refused && tw_config.mlockall &&
	    mlockall(MCL_CURRENT | MCL_FUTURE))
		refused = "to lock its memory";
	err = refused ? pt_failed(task, refused, -errno) : 0;
	read_settings(&task->settings);
	if (!err && tw_config.mlockall)
		pt_prefault(task->in->room, test->room);
	if (!err && test->enter)
		err = test->enter(task);
	sem_post(&task->in->ready);
	if (err)
		return err;
	pt_wait(&task->gate);
	add_usage(&used, -1);
	err = run(task);
	add_usage(&used, 1);
	task->used = used;	/* of one that is killed there is none */
	if (!err)
		pt_rest_after(task);
	read_settings(&task->left);
	if (err && !task->failed)
		pt_failed(task, "a system call of its trials", err);
	sem_post(&task->in->ended);
	return err;
}

int pt_fork(struct tw_process *process, const char *name, int death_signal,
	    int (*live)(void *arg), void *arg)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t all;

	if (pid < 0)
		return -errno;
	if (!pid) {
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		prctl(PR_SET_NAME, name);
		prctl(PR_SET_PDEATHSIG, death_signal);
		/* The parent may have died before prctl(). */
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		malloc_trim(0);	/* what is free need not be locked */
		_exit(live(arg) ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	*process = (struct tw_process) { .pid = pid, .name = name };
	return 0;
}

int64_t pt_switches(const struct pt_case *c)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < c->task_count; i++)
		sum += c->task[i].used.voluntary + c->task[i].used.involuntary;
	return sum;
}

static int64_t switches_of_trials(const struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;
	const struct pt_kind *kind = c->choice.kind;
	int each = test->switches_of ? test->switches_of(c) :
		   kind && kind->switches ? kind->switches : test->switches;
	int64_t all = each * (int64_t)atomic_load(&c->done);

	return kind && kind->per ? all / kind->per : all;
}

/* A sleep before a trial may be over before it has begun: none is needed. */
int64_t pt_switches_usual(const struct pt_case *c)
{
	return switches_of_trials(c) + (int64_t)c->paced +
	       c->choice.test->spare_switches * (int64_t)atomic_load(&c->done);
}

/* On two CPUs, a task may get its answer before it sleeps. */
int64_t pt_switches_needed(const struct pt_case *c)
{
	int64_t all = switches_of_trials(c);

	return c->choice.cross ? all / 2 : all;
}

bool pt_switches_lack(const struct pt_case *c)
{
	int64_t needed = pt_switches_needed(c);

	return pt_switches(c) + c->task_count < needed - needed / 100;
}
