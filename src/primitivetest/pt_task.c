// SPDX-License-Identifier: GPL-2.0-or-later
/* A task: reads its settings back and runs its trials; what it has used. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_record.h"

static void read_settings(struct tw_process *process)
{
	process->pid = (int)syscall(SYS_gettid);
	tw_process_read(process);
}

bool pt_task_changed(const struct pt_task *task)
{
	return task->begun.policy != task->left.policy ||
	       task->begun.priority != task->left.priority ||
	       !CPU_EQUAL(&task->begun.cpus, &task->left.cpus);
}

static int64_t to_us(const struct timeval *time)
{
	return time->tv_sec * INT64_C(1000000) + time->tv_usec;
}

/* Adds what the thread has used, @sign times. */
static void add_usage(struct tw_usage *to, int sign)
{
	struct rusage now = { .ru_minflt = 0 };

	getrusage(RUSAGE_THREAD, &now);
	to->faults += sign * (now.ru_minflt + now.ru_majflt);
	to->switches += sign * (now.ru_nvcsw + now.ru_nivcsw);
	to->cpu_us += sign * (to_us(&now.ru_utime) + to_us(&now.ru_stime));
}

/* So that all of what the tasks share is there. */
static void touch(void *memory, size_t size)
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
	struct tw_usage used = { .faults = 0 };
	sigset_t all;
	int err = 0;

	prctl(PR_SET_NAME, task->name);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	read_settings(&task->begun);
	task->pid = task->begun.pid;
	if (tw_config.mlockall)
		touch(task->in->room, test->room);
	if (test->enter)
		err = test->enter(task);
	if (err && !task->failed)
		pt_failed(task, "to prepare its trials", err);
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

int64_t pt_switches(const struct pt_case *c)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < c->task_count; i++)
		sum += (int64_t)c->task[i].used.switches;
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
