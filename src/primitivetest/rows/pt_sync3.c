// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync3: a low task holds a mutex that a high one waits for, when a middle one
 * begins to work. Without a protocol the high task waits for the middle one
 * too. With one, the low task has the high one's priority until it unlocks.
 */
#include "pt_channel.h"
#include <string.h>

#include "pt_exchange.h"
#include "pt_rows.h"
#include "pt_spin.h"

struct shared {
	pthread_mutex_t mutex;
	sem_t high_go, mid_go;
	sem_t high_done, mid_done;
	int64_t hold, hog;	/* iterations */
	int64_t high_ns;	/* when high had the mutex */
	int64_t mid_ns;		/* when mid began to work */
};

static int open_mutex(struct pt_case *c)
{
	struct shared *shared = c->room;
	int err = pt_mutex_open(&shared->mutex, (int)pt_kind_value(c),
				pt_config_priority(PT_HIGH));

	sem_init(&shared->high_go, 1, 0);
	sem_init(&shared->mid_go, 1, 0);
	sem_init(&shared->high_done, 1, 0);
	sem_init(&shared->mid_done, 1, 0);
	return err ? pt_refuse(c, err, "mutexes with this protocol: %s",
			       strerror(-err)) : 0;
}

/* One trial; high and mid have ended when low has the CPU again. */
static int invert(struct pt_task *task, struct pt_trial *trial)
{
	struct shared *shared = pt_room(task);
	int failed = pthread_mutex_lock(&shared->mutex), err;

	if (failed)
		return pt_failed(task, "pthread_mutex_lock", -failed);
	trial->t_ns[0] = pt_now(task);
	sem_post(&shared->high_go);
	sem_post(&shared->mid_go);
	err = pt_spin_for(task, shared->hold, pt_config.hold_us,
			  &trial->t_ns[3], &trial->t_ns[4]);
	failed = pthread_mutex_unlock(&shared->mutex);
	if (failed)
		return pt_failed(task, "pthread_mutex_unlock", -failed);
	if (!err)
		err = pt_wait(&shared->high_done);
	if (!err)
		err = pt_wait(&shared->mid_done);
	trial->t_ns[1] = shared->high_ns;
	trial->t_ns[2] = shared->mid_ns;
	if (!pt_warms_up(task))
		task->in->number += trial->t_ns[2] >= trial->t_ns[1];
	return err;
}

static int run_low(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int err;

	shared->hold = pt_spin_iterations(pt_config.hold_us);
	err = pt_lead(task, invert);
	sem_post(&shared->high_go);
	sem_post(&shared->mid_go);
	return err;
}

static int await_mid(struct pt_task *task)
{
	return pt_wait(&((struct shared *)pt_room(task))->mid_go);
}

static int work_mid(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int64_t end_ns;
	int err = pt_spin_for(task, shared->hog, pt_config.hog_us,
			      &shared->mid_ns, &end_ns);

	return err ? err : pt_post(&shared->mid_done);
}

static int run_mid(struct pt_task *task)
{
	((struct shared *)pt_room(task))->hog =
		pt_spin_iterations(pt_config.hog_us);
	return pt_answer(task, await_mid, work_mid);
}

static int await_high(struct pt_task *task)
{
	return pt_wait(&((struct shared *)pt_room(task))->high_go);
}

static int lock_high(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int err = -pthread_mutex_lock(&shared->mutex);

	shared->high_ns = pt_now(task);
	if (!err)
		err = -pthread_mutex_unlock(&shared->mutex);
	return err ? err : pt_post(&shared->high_done);
}

static int run_high(struct pt_task *task)
{
	return pt_answer(task, await_high, lock_high);
}

/* Whether mid had to wait until high had the mutex, in all trials or none. */
static void verify(struct pt_case *c)
{
	int64_t trials = (int64_t)c->column[0].stats.count;
	bool waits = pt_kind_value(c) != PTHREAD_PRIO_NONE;

	pt_verdict(c, c->number != (waits ? trials : 0),
		   "the middle task waited for the high one in %lld of %lld trials",
		   (long long)c->number, (long long)trials);
}

/* Without what low's work took, whatever was asked. */
static int64_t handover_ps(const struct pt_trial *now,
			   const struct pt_trial *before)
{
	return (now->t_ns[1] - now->t_ns[0] - now->t_ns[4] + now->t_ns[3]) *
	       PT_PS_PER_NS;
}

#define INVERSION \
	PT_METRIC("inversion", "High waits for the mutex", 0, 1, \
		  PT_SPAN(PT_TO_WAIT_LONG, 2, 0))

static const struct pt_metric none_metrics[] = {
	INVERSION, { .token = NULL }
};

static const struct pt_metric metrics[] = {
	INVERSION,
	PT_METRIC("handover", "The same without the low task's work", 0, 0,
		  .value_ps = handover_ps),
	{ .token = NULL }
};

/*
 * A switch each when high begins, waits for the mutex, gets it, when mid begins
 * and ends, and when it is low's turn again: with inherit, mid begins when
 * high ends; with protect, high begins when low ends.
 */
static const struct pt_kind kinds[] = {
	{ "none", .value = PTHREAD_PRIO_NONE, .switches = 6,
	  .metrics = none_metrics },
	{ "inherit", .value = PTHREAD_PRIO_INHERIT, .switches = 5 },
	{ "protect", .value = PTHREAD_PRIO_PROTECT, .switches = 3 },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "low", PT_LOW, .run = run_low },
	{ "mid", PT_MID, .run = run_mid },
	{ "high", PT_HIGH, .run = run_high },
	{ .name = NULL }
};

const struct pt_test pt_sync3 = {
	.name = "sync3",
	.about = "a high task waits for a low one's mutex, a middle one works",
	.groups = PT_AEGIS | PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME | PT_SPINS,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 1000, .room = sizeof(struct shared),
	.open = open_mutex, .verify = verify,
};
