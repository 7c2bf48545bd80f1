// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * yield, shuffle, order: tasks that take turns on one CPU. yield: of one
 * priority, they call sched_yield(); between two calls, each reads data of its
 * own, which the others push out of the caches; a trial is the switch from the
 * last task to the first. shuffle (Rhealstone): a task asks for a semaphore
 * that another of its priority holds, which then releases it; how long it is
 * held is not counted. order: of eight priorities, they wait for a condition,
 * and have to go on in the order of these.
 */
#include <sched.h>

#include "pt_exchange.h"
#include "pt_rows.h"

#define EQUALS_MAX	16
#define KIB_MAX		64
#define LINE		64
#define LINES		(KIB_MAX * 1024 / LINE)
#define WAITERS		8

struct equals {
	uint64_t yields;	/* of all */
	uint64_t data[EQUALS_MAX][LINES][LINE / sizeof(uint64_t)];
};

/* Its data are there: 1, 2, 3 ... */
static int fill(struct pt_task *task)
{
	struct equals *equals = pt_room(task);
	int i;

	for (i = 0; i < pt_kind_value(task->in); i++)
		equals->data[task->copy][i][0] = (uint64_t)i + 1;
	return 0;
}

static uint64_t touch(struct pt_task *task)
{
	const struct equals *equals = pt_room(task);
	int64_t i, lines = pt_kind_value(task->in);
	uint64_t sum = 0;

	for (i = 0; i < lines; i++)
		sum += equals->data[task->copy][i][0];
	return sum;
}

static void yield(struct pt_task *task)
{
	struct equals *equals = pt_room(task);

	equals->yields++;
	pt_stamp(task, 0);
	sched_yield();
}

/* The first runs again when all others have yielded, too: the last stamp. */
static int lap(struct pt_task *task)
{
	struct equals *equals = pt_room(task);
	uint64_t sum, yields = equals->yields + task->in->task_count;

	yield(task);
	pt_stamp(task, 1);
	sum = touch(task);
	pt_stamp(task, 2);
	task->in->wrong += equals->yields != yields;
	return pt_check_sum(task, sum);
}

/* The first one leads. They run in turn, when it yields. */
static int run_equal(struct pt_task *task)
{
	int i, err = 0, count = task->in->task_count;

	if (task->copy) {
		pt_wake(task, 0);
		pt_await(task);
		while (!err && !pt_over(task)) {
			err = pt_check_sum(task, touch(task));
			yield(task);
		}
		return err;
	}
	for (i = 1; i < count; i++)
		pt_await(task);
	for (i = 1; i < count; i++)
		pt_wake(task, i);
	return pt_lead(task, lap);
}

#define KIND(tasks, kib) \
	{ #tasks "x" #kib, kib * 1024 / LINE, .switches = tasks, \
	  .copies = tasks }

PT_TEST(yield, "sched_yield() to a task of the same priority; the kind: tasks x KiB touched",
	.groups = PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME | PT_TURNS,
	.kinds = PT_TABLE(kind,
		KIND(2, 0), KIND(2, 16), KIND(2, 64),
		KIND(8, 0), KIND(8, 16), KIND(8, 64),
		KIND(16, 0), KIND(16, 16), KIND(16, 64)),
	.metrics = PT_TABLE(metric,
		PT_METRIC("switch", "Switch to a task of one's priority", 0, 1,
			  .rate = "switches", PT_RUNS),
		PT_METRIC("touched", "Switch, and its data read", 0, 2,
			  PT_RUNS)),
	.roles = PT_TABLE(role,
		{ "yields", PT_HIGH, .run = run_equal }),
	.enter = fill, .trials = 2000, .room = sizeof(struct equals),
	.wrong = "in %lld laps, not each task yielded once");

enum { ASKS, HOLDS };

/* What is asked for: the gate of the task that holds it. */
static sem_t *shuffled(const struct pt_task *task)
{
	return &task->in->task[HOLDS].gate;
}

static int hold(struct pt_task *task)
{
	pt_wake(task, ASKS);
	for (;;) {
		pt_wait(shuffled(task));
		sched_yield();
		pt_stamp(task, 1);
		if (pt_over(task))
			return 0;
		pt_stamp(task, 2);
		sem_post(shuffled(task));
		sched_yield();
	}
}

/* It has the semaphore, and lets the other one take it before it asks. */
static int ask(struct pt_task *task)
{
	sem_post(shuffled(task));
	sched_yield();
	pt_stamp(task, 0);
	pt_wait(shuffled(task));
	pt_stamp(task, 3);
	return 0;
}

static int run_asks(struct pt_task *task)
{
	pt_await(task);
	return pt_lead(task, ask);
}

/* Each of the tasks yields to the other; one waits, the other yields again. */
PT_TEST(shuffle, "a semaphore passes from its owner to one who waits",
	.groups = PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME | PT_TURNS,
	.metrics = PT_TABLE(metric,
		PT_METRIC("block", "Request to its owner running", 0, 1,
			  PT_WHO(PT_TO_WAIT, HOLDS, ASKS)),
		PT_METRIC("grant", "Release to the task that asked", 2, 3,
			  PT_WHO(PT_TO_WAIT, ASKS, HOLDS)),
		PT_METRIC2("shuffle", "Both", 0, 1, 2, 3,
			   .rate = "shuffles", PT_WHO(PT_TO_ADD, ASKS, ASKS))),
	.roles = PT_TABLE(role,
		[ASKS] = { "asks", PT_HIGH, .run = run_asks },
		[HOLDS] = { "holds", PT_HIGH, .run = hold }),
	.switches = 4,
	.trials = 10000,
	.late = 1, .early = 0,
	.wrong = "%lld times the semaphore was free when it was asked for");

struct waiters {
	struct pt_channel channel;
	int turn;		/* that they wait for */
	int ready, woken;
	int last;		/* copy that went on; 0: the highest */
};

static int open_condition(struct pt_case *c)
{
	const struct pt_way *way = pt_kind_ops(c);
	struct waiters *waiters = c->room;

	if (tw_config.priority < WAITERS)
		return pt_refuse(c, -EINVAL, "%d tasks have priorities from -p downwards; give -p %d or more",
				 WAITERS, WAITERS);
	return way->open(c, &waiters->channel);
}

static int tell(struct pt_task *task)
{
	struct waiters *waiters = pt_room(task);
	int err = pthread_mutex_lock(&waiters->channel.mutex);

	if (err)
		return -err;
	waiters->turn++;
	waiters->woken = waiters->last = 0;
	pt_stamp(task, 0);
	err = pthread_cond_broadcast(&waiters->channel.cond);
	pthread_mutex_unlock(&waiters->channel.mutex);
	if (!err && !pt_over(task))
		pt_await(task);
	return -err;
}

/* Above all: it goes on when they wait, and ends them after the last. */
static int run_tells(struct pt_task *task)
{
	int err;

	pt_await(task);
	err = pt_lead(task, tell);
	return err ? err : tell(task);
}

/* Holds the mutex. */
static int go_on(struct pt_task *task)
{
	struct waiters *waiters = pt_room(task);
	struct pt_stamp *t = task->in->stamp;

	pt_stamp(task, 2);
	if (!waiters->woken++)
		t[1].ns = t[2].ns;
	task->in->wrong += task->copy < waiters->last;
	waiters->last = task->copy;
	return waiters->woken < WAITERS ? 0 : pt_wake(task, 0);
}

static int run_waiter(struct pt_task *task)
{
	struct waiters *waiters = pt_room(task);
	struct pt_channel *channel = &waiters->channel;
	int turn = 0, err = pthread_mutex_lock(&channel->mutex);

	if (err)
		return -err;
	if (++waiters->ready == WAITERS)
		pt_wake(task, 0);
	for (;; turn++) {
		while (!err && turn == waiters->turn)
			err = pthread_cond_wait(&channel->cond,
						&channel->mutex);
		if (err || pt_over(task))
			break;
		err = -go_on(task);
	}
	pthread_mutex_unlock(&channel->mutex);
	return -err;
}

/*
 * One to each waiter and one back; the starter then needs the mutex that the
 * last one holds until it waits again.
 */
PT_TEST(order, "a broadcast to the first of eight priorities",
	.flags = PT_SAME | PT_REALTIME | PT_TELLS,
	.kinds = PT_TABLE(kind,
		{ "cond", .ops = &pt_way_cond, .copies = WAITERS,
		  .switches = WAITERS + 3 },
		{ "pi", PTHREAD_PRIO_INHERIT, &pt_way_cond, .copies = WAITERS,
		  .switches = WAITERS + 3 }),
	.metrics = PT_TABLE(metric,
		PT_METRIC("first", "Broadcast to the first task", 0, 1,
			  PT_WHO(PT_TO_WAIT, 1, 0)),
		PT_METRIC("last", "Broadcast to the last task", 0, 2,
			  PT_WHO(PT_TO_WAIT, WAITERS, 0))),
	.roles = PT_TABLE(role,
		{ "wakes", PT_ABOVE, .run = run_tells },
		{ "waits", PT_STEPPED, .run = run_waiter }),
	.trials = 1000, .room = sizeof(struct waiters),
	.open = open_condition,
	.wrong = "%lld inversions of 8 priorities in %llu trials, those of the warm-up included");
