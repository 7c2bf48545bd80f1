// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order: tasks of eight priorities wait for a condition. Told all at once, they
 * have to go on in the order of their priorities.
 */

#include "pt_channel.h"
#include "pt_rows.h"

#define WAITERS	8

struct shared {
	struct pt_channel channel;
	sem_t done;
	int turn;		/* that the waiters wait for */
	int ready, woken;
	int order[WAITERS];	/* the copies as they went on; 0: highest */
	int64_t first_ns, last_ns;
	int64_t inversions;
};

int pt_order_inversions(const int order[], int count)
{
	int i, inversions = 0;

	for (i = 1; i < count; i++)
		inversions += order[i] < order[i - 1];
	return inversions;
}

static int copies(const struct pt_case *c)
{
	return WAITERS;
}

static int open_condition(struct pt_case *c)
{
	struct shared *shared = c->room;

	if (tw_config.priority < WAITERS)
		return pt_refuse(c, -EINVAL, "%d tasks have priorities from -p downwards; give -p %d or more",
				 WAITERS, WAITERS);
	sem_init(&shared->done, 1, 0);
	return pt_kind_value(c) ? pt_channel_pi(&shared->channel, c) :
				  pt_channel_cond(&shared->channel, c);
}

static int wake(struct pt_task *task, int64_t *begin_ns)
{
	struct shared *shared = pt_room(task);
	int err = pthread_mutex_lock(&shared->channel.mutex);

	if (err)
		return -err;
	shared->turn++;
	shared->woken = 0;
	*begin_ns = pt_now(task);
	err = pthread_cond_broadcast(&shared->channel.cond);
	pthread_mutex_unlock(&shared->channel.mutex);
	return -err;
}

static int wake_once(struct pt_task *task, struct pt_trial *trial)
{
	struct shared *shared = pt_room(task);
	int err = wake(task, &trial->t_ns[0]);

	if (!err)
		err = pt_wait(&shared->done);
	trial->t_ns[1] = shared->first_ns;
	trial->t_ns[2] = shared->last_ns;
	shared->inversions += pt_order_inversions(shared->order, WAITERS);
	return err;
}

static int run_starter(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int err = pt_wait(&shared->done);	/* until all wait */
	int64_t at_ns;

	if (!err)
		err = pt_lead(task, wake_once);
	return err ? err : wake(task, &at_ns);
}

/* Holds the mutex; the last one tells the starter. */
static int go_on(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int64_t now_ns = pt_now(task);

	if (!shared->woken)
		shared->first_ns = now_ns;
	shared->order[shared->woken++] = task->copy;
	if (shared->woken < WAITERS)
		return 0;
	shared->last_ns = now_ns;
	return pt_post(&shared->done);
}

static int run_waiter(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	struct pt_channel *channel = &shared->channel;
	int turn = 0, err = pthread_mutex_lock(&channel->mutex);

	if (err)
		return -err;
	if (++shared->ready == WAITERS)
		sem_post(&shared->done);
	for (;;) {
		while (!err && turn == shared->turn)
			err = pthread_cond_wait(&channel->cond,
						&channel->mutex);
		if (err || pt_over(task))
			break;
		turn++;
		err = -go_on(task);
	}
	pthread_mutex_unlock(&channel->mutex);
	return -err;
}

static void verify(struct pt_case *c)
{
	const struct shared *shared = c->room;

	pt_verdict(c, shared->inversions,
		   "%lld inversions of %d priorities in %llu trials, those of the warm-up included",
		   (long long)shared->inversions, WAITERS,
		   (unsigned long long)atomic_load(&c->done));
}

static const struct pt_metric metrics[] = {
	PT_METRIC("first", "Broadcast to the first task", 0, 1,
		  PT_SPAN(PT_TO_WAIT, 1, 0)),
	PT_METRIC("last", "Broadcast to the last task", 0, 2,
		  PT_SPAN(PT_TO_WAIT, WAITERS, 0)),
	{ .token = NULL }
};

/*
 * One to each waiter and one back; the starter then needs the mutex that the
 * last one holds until it waits again.
 */
static const struct pt_kind kinds[] = {
	{ "cond", .switches = WAITERS + 3 },
	{ "pi", .value = 1, .switches = WAITERS + 3 },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "wakes", PT_ABOVE, .run = run_starter },
	{ "waits", PT_STEPPED, .run = run_waiter },
	{ .name = NULL }
};

const struct pt_test pt_order = {
	.name = "order",
	.about = "a broadcast to tasks of eight priorities",
	.flags = PT_SAME | PT_REALTIME,
	.kinds = kinds, .metrics = metrics, .roles = roles, .copies = copies,
	.trials = 1000, .room = sizeof(struct shared),
	.open = open_condition, .verify = verify,
};
