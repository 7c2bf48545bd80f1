// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * monopoly: a starter releases a task of the lowest priority, then one of high
 * priority. Both work: the high one has to end before the other begins.
 */
#include <errno.h>

#include "core/pt_record.h"
#include "rows/pt_rows.h"
#include "rows/pt_spin.h"

#define WORK_US	200

enum { HIGH, LOW, SIDES };

struct side {
	sem_t go, done;
	int64_t begin_ns, end_ns;
};

struct shared {
	struct side side[SIDES];
	int64_t early;		/* trials in which low began before high's end */
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
	return sem_wait(&shared->side[LOW].done) ||
	       sem_wait(&shared->side[HIGH].done) ? -errno : 0;
}

/* Above both: neither begins before it waits. */
static int run_starter(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	const struct side *high = &shared->side[HIGH];
	const struct side *low = &shared->side[LOW];
	struct pt_trial trial = { .t_ns = { 0 } };
	int err = await(shared);	/* they know how much to work */

	while (!err && pt_more(task)) {
		trial.t_ns[0] = pt_now(task);
		release(shared);
		err = await(shared);
		if (err)
			return err;
		trial.t_ns[1] = high->end_ns;
		trial.t_ns[2] = low->end_ns;
		trial.t_ns[3] = low->begin_ns;
		shared->early += low->begin_ns < high->end_ns;
		pt_record(task, &trial);
		pt_rest(task);
	}
	release(shared);
	return err;
}

static int work(struct pt_task *task, struct side *side, int64_t iterations)
{
	uint64_t sum;

	side->begin_ns = pt_now(task);
	sum = pt_spin(iterations);
	side->end_ns = pt_now(task);
	return pt_check_sum(task, sum);
}

static int serve(struct pt_task *task, struct side *side)
{
	int64_t iterations = pt_spin_iterations(WORK_US);
	int err = sem_post(&side->done) ? -errno : 0;

	while (!err) {
		err = sem_wait(&side->go) ? -errno : 0;
		if (err || pt_over(task))
			return err;
		err = work(task, side, iterations);
		if (!err && sem_post(&side->done))
			err = -errno;
	}
	return err;
}

static int run_high(struct pt_task *task)
{
	struct shared *shared = pt_room(task);

	return serve(task, &shared->side[HIGH]);
}

static int run_low(struct pt_task *task)
{
	struct shared *shared = pt_room(task);

	return serve(task, &shared->side[LOW]);
}

static void verify(struct pt_case *c)
{
	const struct shared *shared = c->room;

	pt_verdict(c, shared->early,
		   "the low task began before the high one's end in %lld of %llu trials, those of the warm-up included",
		   (long long)shared->early,
		   (unsigned long long)atomic_load(&c->done));
}

static const struct pt_metric metrics[] = {
	{ .token = "high", .label = "Release to the high task's end",
	  .from = 0, .to = 1, .span = { PT_TO_WAIT_LONG, 1, 0 } },
	{ .token = "low", .label = "Release to the low task's end",
	  .from = 0, .to = 2, .span = { PT_TO_WAIT_LONG, 2, 0 } },
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "releases", PT_ABOVE, false, run_starter },
	{ "high", PT_HIGH, false, run_high },
	{ "low", PT_BOTTOM, false, run_low },
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
