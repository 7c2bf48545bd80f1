// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preempt, monopoly, sync3: tasks of different priorities on one CPU. preempt:
 * a post wakes a higher task, which runs within that call. monopoly: of two
 * that work, the high one ends before the low one begins. sync3: a low task
 * holds a mutex that a high one waits for, when a middle one begins to work;
 * with a protocol, the middle one has to wait too. sync2.mutex is one way only,
 * as nobody may unlock what another has locked.
 */
#include "pt_exchange.h"
#include "pt_rows.h"

#define WORK_US		200	/* of monopoly */
#define PAUSE_NS	(50 * TW_NS_PER_US)
#define STEPS		256	/* of such a step, so many more at most */

/* Of a task: it counts iterations, and never waits for a clock. */
struct work {
	int64_t us;
	int begin, end;		/* timestamps of the trial; 0: it has none */
	int64_t iterations;
};

struct levels {
	struct pt_channel channel;
	struct work work[3];	/* of each task */
	atomic_int ended;	/* monopoly: pieces of work */
};

uint64_t pt_spin(int64_t iterations)
{
	uint64_t value = 1;

	/* Knuth's generator: each step needs the one before. */
	while (iterations-- > 0)
		value = value * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return value;
}

static int64_t spin_took_ns(struct pt_task *task, int64_t iterations)
{
	int64_t took_ns = -tw_now_ns(CLOCK_MONOTONIC);
	uint64_t sum = pt_spin(iterations);

	took_ns += tw_now_ns(CLOCK_MONOTONIC);
	/* The sum is never 0: it only has to be needed. */
	return took_ns + !sum;
}

static int calibrate(struct pt_task *task)
{
	struct levels *levels = pt_room(task);
	struct work *work = &levels->work[task->number];

	work->iterations = pt_calibrate(spin_took_ns, task,
					work->us * TW_NS_PER_US);
	return 0;
}

/* For the time asked for at least: the CPU may be faster than before. */
static int do_work(struct pt_task *task)
{
	struct levels *levels = pt_room(task);
	struct work *work = &levels->work[task->number];
	int64_t end_ns, begin_ns = pt_stamp(task, work->begin);
	uint64_t sum = pt_spin(work->iterations), more = 0;
	int i;

	end_ns = pt_now(task);
	for (i = 0; i < STEPS &&
	     end_ns - begin_ns < work->us * TW_NS_PER_US; i++) {
		more += pt_spin(work->iterations / STEPS + 1);
		end_ns = pt_now(task);
	}
	if (work->end)
		task->in->stamp[work->end].ns = end_ns;
	return pt_check_sum(task, sum + (more == 1));
}

/* The higher one comes first: it has to wait when the lower one begins. */
enum { PREEMPT_HIGH, PREEMPT_LOW };

static int preempt(struct pt_task *task)
{
	pt_stamp(task, 1);
	return 0;
}

static int post(struct pt_task *task)
{
	pt_stamp(task, 0);
	pt_wake(task, PREEMPT_HIGH);
	pt_stamp(task, 2);
	return 0;
}

PT_TEST(preempt, "a post wakes a higher task, which runs at once",
	.groups = PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME | PT_PACED,
	.metrics = PT_TABLE(metric,
		PT_METRIC("preempt", "Post to the higher task running", 0, 1,
			  .rate = "preemptions", PT_WHO(PT_TO_WAIT, 0, 1)),
		PT_METRIC("resume", "From there to the post's return", 1, 2,
			  PT_WHO(PT_TO_WAIT, 1, 0)),
		PT_METRIC("post", "The whole post", 0, 2)),
	.roles = PT_TABLE(role,
		[PREEMPT_HIGH] = { "high", PT_HIGH, .serve = preempt },
		[PREEMPT_LOW] = { "low", PT_LOW, .once = post }),
	.switches = 2,
	.trials = 10000, .late = 1, .early = 0,
	.wrong = "%lld posts returned before the higher task had run");

enum { RELEASES, RELEASED_HIGH, RELEASED_LOW };

static int open_monopoly(struct pt_case *c)
{
	struct levels *levels = c->room;

	levels->work[RELEASED_HIGH] = (struct work) { WORK_US, 4, 1, 0 };
	levels->work[RELEASED_LOW] = (struct work) { WORK_US, 3, 2, 0 };
	return 0;
}

/* Above both: neither begins before it waits. The last one wakes it. */
static int release(struct pt_task *task)
{
	pt_stamp(task, 0);
	pt_wake(task, RELEASED_LOW);
	pt_wake(task, RELEASED_HIGH);
	pt_await(task);
	return 0;
}

static int work_released(struct pt_task *task)
{
	struct levels *levels = pt_room(task);
	int err = do_work(task);

	return err || ++levels->ended % 2 ? err : pt_wake(task, RELEASES);
}

/* To high, to low, and back to the starter. */
PT_TEST(monopoly, "a high task's work, before one of the lowest priority",
	.groups = PT_OVERHEADS,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS | PT_TELLS,
	.metrics = PT_TABLE(metric,
		PT_METRIC("high", "Release to the high task's end", 0, 1,
			  PT_WHO(PT_TO_WAIT_LONG, RELEASED_HIGH, RELEASES)),
		PT_METRIC("low", "Release to the low task's end", 0, 2,
			  PT_WHO(PT_TO_WAIT_LONG, RELEASED_LOW, RELEASES))),
	.roles = PT_TABLE(role,
		[RELEASES] = { "releases", PT_ABOVE, .once = release },
		[RELEASED_HIGH] = { "high", PT_HIGH, .serve = work_released },
		[RELEASED_LOW] = { "low", PT_BOTTOM, .serve = work_released }),
	.switches = 3,
	.trials = 1000, .room = sizeof(struct levels), .enter = calibrate,
	.open = open_monopoly, .late = 3, .early = 1, .wrong = PT_EARLY);

enum { LOW, MID, HIGH };

static int open_mutex(struct pt_case *c)
{
	struct levels *levels = c->room;

	levels->work[LOW] = (struct work) { pt_config.hold_us, 3, 4, 0 };
	levels->work[MID] = (struct work) { pt_config.hog_us, 2, 0, 0 };
	return pt_mutex_open(c, &levels->channel);
}

/* High and mid have ended when low has the CPU again. */
static int hold(struct pt_task *task)
{
	const struct pt_stamp *t = task->in->stamp;
	struct levels *levels = pt_room(task);
	int unlocked, err = -pthread_mutex_lock(&levels->channel.mutex);

	if (err)
		return err;
	pt_stamp(task, 0);
	pt_wake(task, HIGH);
	pt_wake(task, MID);
	err = do_work(task);
	unlocked = -pthread_mutex_unlock(&levels->channel.mutex);
	if (err || unlocked)
		return err ? err : unlocked;
	pt_await(task);
	pt_await(task);
	if (!pt_warms_up(task))
		task->in->number += t[2].ns >= t[1].ns;
	return 0;
}

static int hog(struct pt_task *task)
{
	int err = do_work(task);

	return err ? err : pt_wake(task, LOW);
}

/* It waits for the mutex of the first task, which it then wakes. */
static int lock(struct pt_task *task)
{
	struct pt_channel *channel = pt_room(task);
	int err = -pthread_mutex_lock(&channel->mutex);

	pt_stamp(task, 1);
	if (!err)
		err = -pthread_mutex_unlock(&channel->mutex);
	return err ? err : pt_wake(task, LOW);
}

/* Whether mid had to wait until high had the mutex, in all trials or none. */
static void verify_mutex(struct pt_case *c)
{
	int64_t trials = (int64_t)c->column[0].stats.count;
	bool waits = pt_kind_value(c) != PTHREAD_PRIO_NONE;

	pt_verdict(c, c->number != (waits ? trials : 0),
		   "the middle task waited for the high one in %lld of %lld trials",
		   (long long)c->number, (long long)trials);
}

#define INVERSION \
	PT_METRIC("inversion", "High waits for the mutex", 0, 1, \
		  PT_WHO(PT_TO_WAIT_LONG, HIGH, LOW))

/*
 * A switch each when high begins, waits for the mutex, gets it, when mid begins
 * and ends, and when it is low's turn again: with inherit, mid begins when
 * high ends; with protect, high begins when low ends.
 */
PT_TEST(sync3, "a high task's wait for a low one's mutex; a middle one works",
	.groups = PT_AEGIS | PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS,
	.kinds = PT_TABLE(kind,
		{ "none", .value = PTHREAD_PRIO_NONE, .switches = 6,
		  .metrics = PT_TABLE(metric, INVERSION) },
		{ "inherit", .value = PTHREAD_PRIO_INHERIT, .switches = 5 },
		{ "protect", .value = PTHREAD_PRIO_PROTECT, .switches = 3 }),
	.metrics = PT_TABLE(metric,
		INVERSION,
		/* Without what that took, whatever was asked. */
		PT_METRIC2("handover", "The same without the low task's work",
			   0, 1, 4, 3)),
	.roles = PT_TABLE(role,
		[LOW] = { "low", PT_LOW, .once = hold },
		[MID] = { "mid", PT_MID, .serve = hog },
		[HIGH] = { "high", PT_HIGH, .serve = lock }),
	.trials = 1000, .room = sizeof(struct levels), .enter = calibrate,
	.open = open_mutex, .verify = verify_mutex);

/*
 * The other one ends its turn before the next: it waits only when told to. If
 * it does not do that at once, this one sleeps, so that it gets there.
 */
static int unlock(struct pt_task *task)
{
	struct pt_channel *channel = pt_room(task);
	const struct timespec pause = tw_ns_to_ts(PAUSE_NS);
	int err = pthread_mutex_lock(&channel->mutex);

	pt_wake(task, PT_ANSWERS);
	if (!task->priority || task->in->choice.cross ||
	    pt_config.order != PT_HIGHER)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	pt_stamp(task, 0);
	err |= pthread_mutex_unlock(&channel->mutex);
	pt_await(task);
	return -err;
}

const struct pt_metric pt_mutex_metrics[] = {
	PT_METRIC("out", "Unlock what the other task waits for", 0, 1,
		  PT_WHO(PT_TO_WAIT, PT_ANSWERS, PT_ASKS), .rate = "mutexes"),
	{ .token = NULL }
};

const struct pt_role pt_mutex_roles[] = {
	[PT_ASKS] = { "asks", PT_MID, .once = unlock },
	[PT_ANSWERS] = { "answers", PT_ORDERED, true, .serve = lock },
	{ .name = NULL }
};
