// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preempt: a task posts the semaphore that a higher one waits for. The higher
 * one runs within that call, and waits again; then the call returns.
 */
#include <semaphore.h>

#include "pt_rows.h"

struct pair {
	sem_t sem;
	bool end;
	uint64_t late;		/* posts that returned first */
};

static int wait_high(struct pt_task *task)
{
	struct pair *pair = pt_room(task);

	while (!sem_wait(&pair->sem) && !pair->end)
		task->in->stamp_ns = pt_now(task);
	return 0;
}

static int post_once(struct pt_task *task, struct pt_trial *trial)
{
	struct pair *pair = pt_room(task);

	trial->t_ns[0] = pt_now(task);
	sem_post(&pair->sem);
	trial->t_ns[2] = pt_now(task);
	trial->t_ns[1] = task->in->stamp_ns;
	pair->late += trial->t_ns[1] < trial->t_ns[0];
	return 0;
}

static int post_low(struct pt_task *task)
{
	struct pair *pair = pt_room(task);
	int err = pt_lead(task, post_once);

	pair->end = true;
	sem_post(&pair->sem);
	return err;
}

static int open_pair(struct pt_case *c)
{
	sem_init(&((struct pair *)c->room)->sem, 1, 0);
	return 0;
}

static void verify(struct pt_case *c)
{
	const struct pair *pair = c->room;

	if (pair->late)
		pt_verdict(c, true, "%llu posts returned before the higher task had run",
			   (unsigned long long)pair->late);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("preempt", "Post to the higher task running", 0, 1,
		  .rate = "preemptions", PT_SPAN(PT_TO_WAIT, 0, 1)),
	PT_METRIC("resume", "From there to the post's return", 1, 2,
		  PT_SPAN(PT_TO_WAIT, 1, 0)),
	PT_METRIC("post", "The whole post", 0, 2),
	{ .token = NULL }
};

/* The higher one first: it has to wait when the lower one begins. */
static const struct pt_role roles[] = {
	{ "high", PT_HIGH, .run = wait_high },
	{ "low", PT_LOW, .run = post_low },
	{ .name = NULL }
};

const struct pt_test pt_preempt = {
	.name = "preempt",
	.about = "a post wakes a higher task, which runs at once",
	.groups = PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME | PT_PACED,
	.metrics = metrics, .roles = roles, .switches = 2,
	.trials = 10000, .room = sizeof(struct pair),
	.open = open_pair, .verify = verify,
};
