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

/* Tasks of one trial, by the timestamp that each takes. */
enum { HIGH, LOW, THREAD, BORN };

struct born {
	struct pt_task *creator;
	pthread_t thread;
	pid_t pid;
};

struct room {
	pthread_attr_t attributes;	/* of thread */
	struct born born[BORN];
};

static void *live(void *arg)
{
	struct born *born = arg;
	const struct room *room = pt_room(born->creator);

	pt_stamp(born->creator, (int)(born - room->born));
	/* The call of high would be in the trial. */
	if (pt_config.trace && born != &room->born[HIGH])
		born->creator->in->born = (int)syscall(SYS_gettid);
	return NULL;
}

static int prepare(struct pt_task *task)
{
	struct room *room = pt_room(task);
	int i;

	for (i = 0; i < BORN; i++)
		room->born[i].creator = task;
	return 0;
}

static int create_and_join(struct pt_task *task)
{
	struct room *room = pt_room(task);
	struct born *born = &room->born[THREAD];
	int err;

	pt_stamp(task, 0);
	err = pthread_create(&born->thread, &room->attributes, live, born);
	pt_stamp(task, 1);
	if (!err)
		err = pthread_join(born->thread, NULL);
	pt_stamp(task, 3);
	return err ? pt_failed(task, "creating and joining a thread", -err) : 0;
}

static int open_thread(struct pt_case *c)
{
	struct room *room = c->room;

	pthread_attr_init(&room->attributes);
	return -pthread_attr_setstacksize(&room->attributes, STACK);
}

const struct pt_test pt_thread = {
	.name = "thread",
	.about = "a thread is created, runs and is joined",
	.flags = PT_ALONE | PT_PACED,
	.metrics = PT_TABLE(metric,
		PT_METRIC("create", "Call that creates a thread", 0, 1,
			  PT_RUNS),
		PT_METRIC("first", "From there to the thread running", 0, 2,
			  PT_SPAN(PT_TO_WAIT, PT_OF_TRIAL, 0)),
		PT_METRIC("join", "The thread running to it joined", 2, 3,
			  PT_SPAN(PT_TO_WAIT, 0, PT_OF_TRIAL)),
		PT_METRIC("life", "Thread created and joined", 0, 3,
			  .rate = "threads")),
	.once = create_and_join, .switches = 1,
	.trials = 5000, .room = sizeof(struct room),
	.open = open_thread, .enter = prepare,
};

static int start_thread(struct born *born, const struct sched_param *param)
{
	pthread_attr_t attributes;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, tw_config.policy);
	pthread_attr_setschedparam(&attributes, param);
	pthread_attr_setstacksize(&attributes, PT_STACK);
	err = pthread_create(&born->thread, &attributes, live, born);
	pthread_attr_destroy(&attributes);
	return err ? pt_failed(born->creator, "pthread_create", -err) : 0;
}

static int await_thread(struct born *born)
{
	return -pthread_join(born->thread, NULL);
}

/* It runs when the creator waits, and then has its own priority. */
static int start_process(struct born *born, const struct sched_param *param)
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
	return sched_setscheduler(pid, tw_config.policy, param) ?
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

static const struct way {
	int (*start)(struct born *born, const struct sched_param *param);
	int (*await)(struct born *born);
} ways[] = {
	{ start_thread, await_thread }, { start_process, await_process },
};

/*
 * The creator is woken before the low task has gone for good. What is left of
 * it would be in the next trial: so it gets the CPU first.
 */
static int let_low_go(const struct pt_task *task,
		      const struct sched_param *low)
{
	const struct sched_param own = { .sched_priority = task->priority };

	if (sched_setscheduler(0, tw_config.policy, low))
		return -errno;
	sched_yield();
	return sched_setscheduler(0, tw_config.policy, &own) ? -errno : 0;
}

/* Low ends last: waiting for high would mean to run between the two. */
static int hand_over(struct pt_task *task)
{
	const struct sched_param high = {
		.sched_priority = task->priority - 1,
	};
	const struct sched_param low = { .sched_priority = 1 };
	const struct way *way = &ways[task->in->choice.process];
	const struct pt_stamp *t = task->in->stamp;
	struct room *room = pt_room(task);
	struct born *born = room->born;
	int err = way->start(&born[HIGH], &high);

	if (!err)
		err = way->start(&born[LOW], &low);
	if (!err)
		err = way->await(&born[LOW]);
	if (!err)
		err = way->await(&born[HIGH]);
	task->in->wrong += t[LOW].ns < t[HIGH].ns;
	return err ? err : let_low_go(task, &low);
}

/* The creator waits for low; what is left of that may be a second switch. */
const struct pt_test pt_switch = {
	.name = "switch",
	.about = "a high task ends, one of the lowest priority begins",
	.groups = PT_OVERHEADS,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS | PT_TELLS,
	.metrics = PT_TABLE(metric,
		PT_METRIC("handover", "End of a task to another's begin", 0, 1,
			  PT_SPAN(PT_TO_RUN, PT_OF_TRIAL, 0))),
	.roles = PT_TABLE(role,
		{ "creates", PT_ABOVE, .once = hand_over }),
	.switches = 1,
	.trials = 10000, .room = sizeof(struct room),
	.enter = prepare, .wrong = PT_EARLY,
};
