// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread, switch: tasks that live for one trial. thread: one of the creator's
 * priority; its first action is its timestamp, and its last. switch: one of
 * high priority and one of the lowest. The first ends with a timestamp, the
 * second begins with one: between them are the end of a task, a switch, and the
 * beginning of a task. For processes these are long: memory is returned, and
 * the first page faults come before a timestamp.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pt_rows.h"

#define STACK	(64 * 1024)	/* of thread; all of it may be locked */

/* Tasks of one trial, by the timestamp that each takes. The room is of them. */
enum { HIGH, LOW, THREAD, BORN };

struct born {
	struct pt_task *creator;
	struct sched_param param;	/* not thread's */
	pthread_attr_t attributes;
	pthread_t thread;
	pid_t pid;
};

static void *live(void *arg)
{
	struct born *born = arg;
	const struct born *all = pt_room(born->creator);

	pt_stamp(born->creator, (int)(born - all));
	/* The call of high would be in the trial. */
	if (pt_config.trace && born != &all[HIGH])
		born->creator->in->born = (int)syscall(SYS_gettid);
	return NULL;
}

static int prepare(struct pt_task *task)
{
	struct born *born = pt_room(task);
	int i;

	for (i = 0; i < BORN; i++, born++) {
		born->creator = task;
		pthread_attr_init(&born->attributes);
		pthread_attr_setstacksize(&born->attributes,
					  i == THREAD ? STACK : PT_STACK);
		if (i == THREAD)
			continue;
		born->param.sched_priority = i == HIGH ? task->priority - 1 : 1;
		pthread_attr_setinheritsched(&born->attributes,
					     PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&born->attributes,
					    tw_config.policy);
		pthread_attr_setschedparam(&born->attributes, &born->param);
	}
	return 0;
}

static int create_and_join(struct pt_task *task)
{
	struct born *born = (struct born *)pt_room(task) + THREAD;
	int err;

	pt_stamp(task, 0);
	err = pthread_create(&born->thread, &born->attributes, live, born);
	pt_stamp(task, 1);
	if (!err)
		err = pthread_join(born->thread, NULL);
	pt_stamp(task, 3);
	return err ? pt_failed(task, "creating and joining a thread", -err) : 0;
}

PT_TEST(thread, "a thread is created, runs and is joined",
	.flags = PT_ALONE | PT_PACED,
	.metrics = PT_TABLE(metric,
		PT_METRIC("create", "Call that creates a thread", 0, 1,
			  PT_RUNS),
		PT_METRIC("first", "From there to the thread running", 0, 2,
			  PT_WHO(PT_TO_WAIT, PT_OF_TRIAL, 0)),
		PT_METRIC("join", "The thread running to it joined", 2, 3,
			  PT_WHO(PT_TO_WAIT, 0, PT_OF_TRIAL)),
		PT_METRIC("life", "Thread created and joined", 0, 3,
			  .rate = "threads")),
	.once = create_and_join, .switches = 1,
	.trials = 5000, .room = BORN * sizeof(struct born), .enter = prepare);

static int start_thread(struct born *born)
{
	int err = pthread_create(&born->thread, &born->attributes, live, born);

	return err ? pt_failed(born->creator, "pthread_create", -err) : 0;
}

static int await_thread(struct born *born)
{
	return -pthread_join(born->thread, NULL);
}

/* It runs when the creator waits, and then has its own priority. */
static int start_process(struct born *born)
{
	pid_t pid = fork();

	/* Both have *born in common: the child must not store its 0 there. */
	if (!pid) {
		live(born);
		_exit(0);
	}
	born->pid = pid;
	if (pid < 0)
		return pt_failed(born->creator, "fork", -errno);
	return tw_policy_set(pid, tw_config.policy, &born->param) ?
	       pt_failed(born->creator, "sched_setscheduler", -errno) : 0;
}

static int await_process(struct born *born)
{
	int status;

	while (waitpid(born->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status ? -ECHILD : 0;
}

/*
 * The creator is woken before the low task has gone for good. What is left of
 * it would be in the next trial: so it gets the CPU first.
 */
static int let_low_go(const struct pt_task *task, const struct born *low)
{
	const struct sched_param own = { .sched_priority = task->priority };

	if (tw_policy_set(0, tw_config.policy, &low->param))
		return -errno;
	sched_yield();
	return tw_policy_set(0, tw_config.policy, &own) ? -errno : 0;
}

/* Low ends last: waiting for high would mean to run between the two. */
static int hand_over(struct pt_task *task)
{
	bool process = task->in->choice.process;
	int (*start)(struct born *born) = process ? start_process :
						    start_thread;
	int (*await)(struct born *born) = process ? await_process :
						    await_thread;
	struct born *born = pt_room(task);
	int err = start(&born[HIGH]);

	if (!err)
		err = start(&born[LOW]);
	if (!err)
		err = await(&born[LOW]);
	if (!err)
		err = await(&born[HIGH]);
	return err ? err : let_low_go(task, &born[LOW]);
}

/* The creator waits for low; what is left of that may be a second switch. */
PT_TEST(switch, "from a high task's end to a low one's begin",
	.groups = PT_OVERHEADS,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS | PT_TELLS,
	.metrics = PT_TABLE(metric,
		PT_METRIC("handover", "End of a task to another's begin", 0, 1,
			  PT_WHO(PT_TO_RUN, PT_OF_TRIAL, 0))),
	.roles = PT_TABLE(role,
		{ "creates", PT_ABOVE, .once = hand_over }),
	.switches = 1,
	.trials = 10000, .room = BORN * sizeof(struct born),
	.enter = prepare, .late = LOW, .early = HIGH, .wrong = PT_EARLY);
