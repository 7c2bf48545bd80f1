// SPDX-License-Identifier: GPL-2.0-or-later
/* A task: applies its settings, verifies them, and runs its trials. */
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/pt_record.h"
#include "core/pt_task.h"

static int settle(struct pt_task *task)
{
	const struct pt_config *config = task->in->config;
	int err;

	/* First: with a lower priority it might never run on a busy CPU. */
	err = tw_system_schedule(config->policy, task->priority);
	if (err)
		return pt_failed(task, "its scheduling policy", err);
	err = tw_system_pin(&task->cpus);
	if (err)
		return pt_failed(task, "its CPU", err);
	err = config->mlockall ? tw_system_lock_memory() : 0;
	if (err)
		return pt_failed(task, "to lock its memory", err);
	err = tw_system_verify(&task->settings, config->policy,
			       task->priority, &task->cpus, config->mlockall);
	return err ? pt_failed(task, "its settings, read back,", err) : 0;
}

static void read_usage(struct pt_usage *usage)
{
	struct rusage now = { .ru_minflt = 0 };

	getrusage(RUSAGE_THREAD, &now);
	*usage = (struct pt_usage) {
		now.ru_minflt, now.ru_majflt, now.ru_nvcsw, now.ru_nivcsw,
	};
}

static void note_usage(struct pt_task *task, const struct pt_usage *begin)
{
	struct pt_usage end;

	read_usage(&end);
	task->used.minor_faults = end.minor_faults - begin->minor_faults;
	task->used.major_faults = end.major_faults - begin->major_faults;
	task->used.voluntary = end.voluntary - begin->voluntary;
	task->used.involuntary = end.involuntary - begin->involuntary;
}

int pt_task_live(struct pt_task *task)
{
	struct pt_usage begin;
	int err;

	prctl(PR_SET_NAME, task->name);
	task->pid = (int)syscall(SYS_gettid);
	err = settle(task);
	if (!err && task->in->config->mlockall)
		tw_system_prefault(task->in->room,
				   task->in->choice.test->room);
	sem_post(&task->in->ready);
	if (err)
		return err;
	while (sem_wait(&task->gate) && errno == EINTR)
		;
	read_usage(&begin);
	err = task->role->run(task);
	note_usage(task, &begin);
	pt_rest_after(task);
	tw_system_read(&task->left);
	if (err && !task->failed)
		pt_failed(task, "a system call of its trials", err);
	return err;
}

int64_t pt_switches(const struct pt_case *c)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < c->task_count; i++)
		sum += c->task[i].used.voluntary + c->task[i].used.involuntary;
	return sum;
}

/* In a trial. */
static int switches_of(const struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;
	const struct pt_kind *kind = c->choice.kind;

	if (test->switches_of)
		return test->switches_of(c);
	return kind && kind->switches ? kind->switches : test->switches;
}

static int64_t switches_of_trials(const struct pt_case *c)
{
	const struct pt_kind *kind = c->choice.kind;
	int64_t all = switches_of(c) * (int64_t)atomic_load(&c->done);

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
