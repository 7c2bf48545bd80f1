// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shuffle: a task asks for a semaphore that another of its priority holds,
 * which then releases it (Rhealstone). How long it is held is not counted.
 */
#include <sched.h>
#include <semaphore.h>

#include "pt_rows.h"

struct shuffle {
	sem_t sem;
	sem_t here, held;	/* both are there; it is held at first */
	bool end;
	int64_t held_ns, release_ns;
	uint64_t disordered;
};

static int hold(struct pt_task *task)
{
	struct shuffle *shuffle = pt_room(task);
	int err = pt_wait(&shuffle->here);

	if (!err)
		err = pt_wait(&shuffle->sem);
	sem_post(&shuffle->held);
	while (!err) {
		sched_yield();
		shuffle->held_ns = pt_now(task);
		if (shuffle->end)
			break;
		shuffle->release_ns = pt_now(task);
		sem_post(&shuffle->sem);
		sched_yield();
		err = pt_wait(&shuffle->sem);
	}
	return err;
}

/*
 * Leads. It gives the semaphore back, or it would be its own again; the other
 * task takes it, and yields.
 */
static int ask(struct pt_task *task)
{
	struct shuffle *shuffle = pt_room(task);
	struct pt_trial trial = { .t_ns = { 0 } };
	int err;

	sem_post(&shuffle->here);
	err = pt_wait(&shuffle->held);
	while (!err && pt_more(task)) {
		trial.t_ns[0] = pt_now(task);
		err = pt_wait(&shuffle->sem);
		trial.t_ns[3] = pt_now(task);
		trial.t_ns[1] = shuffle->held_ns;
		trial.t_ns[2] = shuffle->release_ns;
		shuffle->disordered += trial.t_ns[1] < trial.t_ns[0];
		if (!err)
			pt_record(task, &trial);
		sem_post(&shuffle->sem);
		sched_yield();
	}
	shuffle->end = true;
	return err;
}

static int open_shuffle(struct pt_case *c)
{
	struct shuffle *shuffle = c->room;

	sem_init(&shuffle->sem, 1, 1);
	sem_init(&shuffle->here, 1, 0);
	sem_init(&shuffle->held, 1, 0);
	return 0;
}

static void verify(struct pt_case *c)
{
	const struct shuffle *shuffle = c->room;

	/* With time slices, a task may lose its turn. */
	if (shuffle->disordered && tw_config.policy == SCHED_FIFO)
		pt_verdict(c, true, "%llu times the semaphore was free when it was asked for",
			   (unsigned long long)shuffle->disordered);
}

static int64_t shuffle_ps(const struct pt_trial *now,
			  const struct pt_trial *before)
{
	return (now->t_ns[1] - now->t_ns[0] + now->t_ns[3] - now->t_ns[2]) *
	       PT_PS_PER_NS;
}

static const struct pt_metric metrics[] = {
	PT_METRIC("block", "Request to its owner running", 0, 1,
		  PT_SPAN(PT_TO_WAIT, 1, 0)),
	PT_METRIC("grant", "Release to the task that asked", 2, 3,
		  PT_SPAN(PT_TO_WAIT, 0, 1)),
	PT_METRIC("shuffle", "Both", 0, 0, .value_ps = shuffle_ps,
		  .rate = "shuffles", PT_SPAN(PT_TO_ADD, 0, 0)),
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "asks", PT_HIGH, .run = ask },
	{ "holds", PT_HIGH, .run = hold },
	{ .name = NULL }
};

/* Each of the tasks yields to the other; one waits, the other yields again. */
const struct pt_test pt_shuffle = {
	.name = "shuffle",
	.about = "a semaphore passes from its owner to one who waits",
	.groups = PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME,
	.metrics = metrics, .roles = roles, .switches = 4,
	.trials = 10000, .room = sizeof(struct shuffle),
	.open = open_shuffle, .verify = verify,
};
