// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * switch: a starter creates a task of high priority and one of the lowest. The
 * first ends with a timestamp, the second begins with one: between them are the
 * end of a task, a switch, and the beginning of a task. For processes these are
 * long: memory is returned, and the first page faults come before a timestamp.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "pt_rows.h"
#include "pt_task.h"

enum { HIGH, LOW, SIDES };

/* A task of one trial. */
struct side {
	struct pt_task *starter;
	int64_t t_ns;
	pthread_t thread;
	pid_t pid;
	bool tells;		/* its pid: high's call would be in the trial */
};

struct shared {
	struct side side[SIDES];
	int64_t early;		/* trials in which low began too early */
};

struct ways {
	int (*start)(struct side *side, int policy, int priority);
	int (*await)(struct side *side);
};

static void *live(void *arg)
{
	struct side *side = arg;

	side->t_ns = pt_now(side->starter);
	if (side->tells)
		side->pid = (pid_t)syscall(SYS_gettid);
	return NULL;
}

static int start_thread(struct side *side, int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attributes;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, policy);
	pthread_attr_setschedparam(&attributes, &param);
	pthread_attr_setstacksize(&attributes, PT_STACK);
	err = pthread_create(&side->thread, &attributes, live, side);
	pthread_attr_destroy(&attributes);
	return err ? pt_failed(side->starter, "pthread_create", -err) : 0;
}

static int await_thread(struct side *side)
{
	return -pthread_join(side->thread, NULL);
}

/* It runs when the starter waits, and then has its own priority. */
static int start_process(struct side *side, int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	pid_t pid = fork();

	/* Both have *side in common: the child must not store its 0 there. */
	if (!pid) {
		live(side);
		_exit(0);
	}
	side->pid = pid;
	if (pid < 0)
		return pt_failed(side->starter, "fork", -errno);
	return sched_setscheduler(side->pid, policy, &param) ?
	       pt_failed(side->starter, "sched_setscheduler", -errno) : 0;
}

static int await_process(struct side *side)
{
	int status;

	while (waitpid(side->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status ? -ECHILD : 0;
}

static const struct ways as_threads = { start_thread, await_thread };
static const struct ways as_processes = { start_process, await_process };

/*
 * The starter is woken before the low task has gone for good. What is left of
 * it would be in the next trial: so it gets the CPU first.
 */
static int let_low_go(const struct pt_task *task, int policy)
{
	const struct sched_param low = { .sched_priority = 1 };
	const struct sched_param own = { .sched_priority = task->priority };

	if (sched_setscheduler(0, policy, &low))
		return -errno;
	sched_yield();
	return sched_setscheduler(0, policy, &own) ? -errno : 0;
}

/* Low ends last: waiting for high would mean to run between the two. */
static int run_once(struct pt_task *task, struct pt_trial *trial)
{
	const struct ways *ways = task->in->choice.process ? &as_processes :
							     &as_threads;
	struct shared *shared = pt_room(task);
	struct side *high = &shared->side[HIGH], *low = &shared->side[LOW];
	int policy = tw_config.policy;
	int err;

	err = ways->start(high, policy, task->priority - 1);
	if (!err)
		err = ways->start(low, policy, 1);
	if (!err)
		err = ways->await(low);
	if (!err)
		err = ways->await(high);
	trial->t_ns[0] = high->t_ns;
	trial->t_ns[1] = low->t_ns;
	trial->pid = low->pid;
	shared->early += low->t_ns < high->t_ns;
	return err ? err : let_low_go(task, policy);
}

static int run(struct pt_task *task)
{
	struct shared *shared = pt_room(task);

	shared->side[HIGH].starter = task;
	shared->side[LOW].starter = task;
	shared->side[LOW].tells = pt_config.trace;
	return pt_lead(task, run_once);
}

static void verify(struct pt_case *c)
{
	pt_verdict_early(c, ((struct shared *)c->room)->early);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("handover", "End of a task to another's begin", 0, 1,
		  PT_SPAN(PT_TO_RUN, PT_OF_TRIAL, 0)),
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "creates", PT_ABOVE, .run = run },
	{ .name = NULL }
};

/* The starter waits for low; what is left of that may be a second switch. */
const struct pt_test pt_switch = {
	.name = "switch",
	.about = "a high task ends, one of the lowest priority begins",
	.groups = PT_OVERHEADS,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS,
	.metrics = metrics, .roles = roles, .switches = 1,
	.trials = 10000, .room = sizeof(struct shared),
	.verify = verify,
};
