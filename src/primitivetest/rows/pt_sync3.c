// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync3: a low task holds a mutex that a high one waits for, when a middle one
 * begins to work. Without a protocol the high task waits for the middle one
 * too. With one, the low task has the high one's priority until it unlocks.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/pt_record.h"
#include "rows/pt_rows.h"
#include "rows/pt_spin.h"

struct shared {
	pthread_mutex_t mutex;
	sem_t high_go, mid_go;
	sem_t high_done, mid_done;
	int64_t high_ns;	/* when high had the mutex */
	int64_t mid_ns;		/* when mid began to work */
};

static int open_mutex(struct pt_case *c)
{
	struct shared *shared = c->room;
	int protocol = (int)pt_kind_value(c);
	pthread_mutexattr_t attributes;
	int err;

	sem_init(&shared->high_go, 1, 0);
	sem_init(&shared->mid_go, 1, 0);
	sem_init(&shared->high_done, 1, 0);
	sem_init(&shared->mid_done, 1, 0);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (!err && protocol == PTHREAD_PRIO_PROTECT)
		err = pthread_mutexattr_setprioceiling(&attributes,
			pt_config_priority(c->config, PT_HIGH));
	if (!err)
		err = pthread_mutex_init(&shared->mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return err ? pt_refuse(c, -err, "mutexes with this protocol: %s",
			       strerror(err)) : 0;
}

/* One trial; high and mid have ended when low has the CPU again. */
static int invert(struct pt_task *task, int64_t iterations, int64_t *begin_ns)
{
	struct shared *shared = pt_room(task);
	int err = pthread_mutex_lock(&shared->mutex);
	uint64_t sum;

	if (err)
		return pt_failed(task, "pthread_mutex_lock", -err);
	*begin_ns = pt_now(task);
	sem_post(&shared->high_go);
	sem_post(&shared->mid_go);
	sum = pt_spin(iterations);
	err = pthread_mutex_unlock(&shared->mutex);
	if (err)
		return pt_failed(task, "pthread_mutex_unlock", -err);
	if (sem_wait(&shared->high_done) || sem_wait(&shared->mid_done))
		return -errno;
	return pt_check_sum(task, sum);
}

static int run_low(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int64_t hold = pt_spin_iterations(task->in->config->hold_us);
	struct pt_trial trial = { .t_ns = { 0 } };
	int err = 0;

	while (!err && pt_more(task)) {
		err = invert(task, hold, &trial.t_ns[0]);
		trial.t_ns[1] = shared->high_ns;
		trial.t_ns[2] = shared->mid_ns;
		if (err)
			return err;
		if (!pt_warms_up(task))
			task->in->number += trial.t_ns[2] >= trial.t_ns[1];
		pt_record(task, &trial);
		pt_rest(task);
	}
	sem_post(&shared->high_go);
	sem_post(&shared->mid_go);
	return err;
}

static int run_mid(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int64_t hog = pt_spin_iterations(task->in->config->hog_us);
	int err = 0;

	while (!err) {
		err = sem_wait(&shared->mid_go) ? -errno : 0;
		if (err || pt_over(task))
			return err;
		shared->mid_ns = pt_now(task);
		err = pt_check_sum(task, pt_spin(hog));
		if (!err && sem_post(&shared->mid_done))
			err = -errno;
	}
	return err;
}

static int run_high(struct pt_task *task)
{
	struct shared *shared = pt_room(task);
	int err = 0;

	while (!err) {
		err = sem_wait(&shared->high_go) ? -errno : 0;
		if (err || pt_over(task))
			return err;
		err = -pthread_mutex_lock(&shared->mutex);
		shared->high_ns = pt_now(task);
		if (!err)
			err = -pthread_mutex_unlock(&shared->mutex);
		if (!err && sem_post(&shared->high_done))
			err = -errno;
	}
	return err;
}

/* Whether mid had to wait until high had the mutex, in all trials or none. */
static void verify(struct pt_case *c)
{
	int64_t trials = (int64_t)tw_series_status(c->series, 0).count;
	bool waits = pt_kind_value(c) != PTHREAD_PRIO_NONE;

	pt_verdict(c, c->number != (waits ? trials : 0),
		   "the middle task waited for the high one in %lld of %lld trials",
		   (long long)c->number, (long long)trials);
}

static const struct pt_metric metrics[] = {
	{ .token = "inversion", .label = "High waits for the mutex",
	  .from = 0, .to = 1, .span = { PT_TO_WAIT_LONG, 2, 0 } },
	{ .token = NULL }
};

/*
 * A switch each when high begins, waits for the mutex, gets it, when mid begins
 * and ends, and when it is low's turn again: with inherit, mid begins when
 * high ends; with protect, high begins when low ends.
 */
static const struct pt_kind kinds[] = {
	{ "none", .value = PTHREAD_PRIO_NONE, .switches = 6 },
	{ "inherit", .value = PTHREAD_PRIO_INHERIT, .switches = 5 },
	{ "protect", .value = PTHREAD_PRIO_PROTECT, .switches = 3 },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "low", PT_LOW, false, run_low },
	{ "mid", PT_MID, false, run_mid },
	{ "high", PT_HIGH, false, run_high },
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
