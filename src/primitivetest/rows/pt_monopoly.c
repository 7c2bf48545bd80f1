// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * monopoly: a starter releases a task of the lowest priority, then one of high
 * priority. Both work: the high one has to end before the other begins.
 */

#include "pt_exchange.h"
#include "pt_rows.h"
#include "pt_spin.h"

#define WORK_US	200

enum { HIGH, LOW, SIDES };

struct side {
	sem_t go, done;
	int64_t begin_ns, end_ns;
	int64_t iterations;
};

struct shared {
	struct side side[SIDES];
	int64_t early;		/* trials in which low began too early */
};

static int open_semaphores(struct pt_case *c)
{
	struct shared *shared = c->room;
	int i;

	for (i = 0; i < SIDES; i++) {
		sem_init(&shared->side[i].go, 1, 0);
		sem_init(&shared->side[i].done, 1, 0);
	}
	return 0;
}

static void release(struct shared *shared)
{
	sem_post(&shared->side[LOW].go);
	sem_post(&shared->side[HIGH].go);
}

/* First for low, which ends last: high's end does not wake the starter. */
static int await(struct shared *shared)
{
	int err = pt_wait(&shared->side[LOW].done);

	return err ? err : pt_wait(&shared->side[HIGH].done);
}

/* Above both: neither begins before it waits. */
static int release_once(struct pt_task *task, struct pt_trial *trial)
{
	struct shared *shared = pt_room(task);
	const struct side *high = &shared->side[HIGH];
	const struct side *low = &shared->side[LOW];
	int err;

	trial->t_ns[0] = pt_now(task);
	release(shared);
	err = await(shared);
	trial->t_ns[1] = high->end_ns;
	trial->t_ns[2] = low->end_ns;
	trial->t_ns[3] = low->begin_ns;
	shared->early += low->begin_ns < high->end_ns;
	return err;
}

static int run_starter(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int err = await(shared);	/* they know how much to work */

	if (!err)
		err = pt_lead(task, release_once);
	release(shared);
	return err;
}

static struct side *side_of(const struct pt_task *task)
{
	struct shared *shared = pt_room(task);

	return &shared->side[task->number - 1];
}

static int await_go(struct pt_task *task)
{
	return pt_wait(&side_of(task)->go);
}

static int work(struct pt_task *task)
{
	struct side *side = side_of(task);
	uint64_t sum;
	int err;

	side->begin_ns = pt_now(task);
	sum = pt_spin(side->iterations);
	side->end_ns = pt_now(task);
	err = pt_check_sum(task, sum);
	return err ? err : pt_post(&side->done);
}

static int serve(struct pt_task *task)
{
	struct side *side = side_of(task);

	side->iterations = pt_spin_iterations(WORK_US);
	pt_post(&side->done);
	return pt_answer(task, await_go, work);
}

static void verify(struct pt_case *c)
{
	pt_verdict_early(c, ((struct shared *)c->room)->early);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("high", "Release to the high task's end", 0, 1,
		  PT_SPAN(PT_TO_WAIT_LONG, 1, 0)),
	PT_METRIC("low", "Release to the low task's end", 0, 2,
		  PT_SPAN(PT_TO_WAIT_LONG, 2, 0)),
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "releases", PT_ABOVE, .run = run_starter },
	{ "high", PT_HIGH, .run = serve },
	{ "low", PT_BOTTOM, .run = serve },
	{ .name = NULL }
};

/* To high, to low, and back to the starter. */
const struct pt_test pt_monopoly = {
	.name = "monopoly",
	.about = "a high task works before one of the lowest priority",
	.groups = PT_OVERHEADS,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS,
	.metrics = metrics, .roles = roles, .switches = 3,
	.trials = 1000, .room = sizeof(struct shared),
	.open = open_semaphores, .verify = verify,
};
