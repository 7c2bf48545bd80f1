// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync2: a task posts and waits, another answers. There are two semaphores,
 * one each way: with one, the poster would take back what it has posted.
 */
#include <stdio.h>

#include "pt_exchange.h"
#include "pt_report.h"
#include "pt_rows.h"

#define PAUSE_NS	(50 * TW_NS_PER_US)

enum { GO, DONE };

/* A way, and how it is opened. */
struct sync {
	struct pt_way way;	/* first: it is what pt_exchange.c sees */
	int (*open)(struct pt_channel *channel, struct pt_case *c);
};

/* A kind: give() posts one's own channel, take() waits for the other's. */
#define KIND_OF(name, calls) \
	static int give_##name(struct pt_task *task) \
	{ \
		struct pt_exchange *room = pt_room(task); \
		return pt_##calls##_give(&room->channel[task->number]); \
	} \
	static int take_##name(struct pt_task *task, int64_t *at_ns) \
	{ \
		struct pt_exchange *room = pt_room(task); \
		int err = pt_##calls##_take(&room->channel[!task->number]); \
		*at_ns = pt_now(task); \
		return err; \
	} \
	static const struct sync of_##name = { \
		{ .give = give_##name, .take = take_##name }, \
		pt_channel_##name, \
	}

KIND_OF(unnamed, sem);
KIND_OF(named, sem);
KIND_OF(sysv, sysv);
KIND_OF(eventfd, eventfd);
KIND_OF(futex, futex);
KIND_OF(cond, cond);
KIND_OF(pi, cond);

/*
 * The mutex: nobody may unlock what another has locked, so that there is one
 * way only: a task unlocks what the other one waits for. The semaphores only
 * say when the other one shall lock, and that it has.
 */
static int open_mutex(struct pt_channel *channel, struct pt_case *c)
{
	int err = pt_channel_cond(channel, c);

	return err ? err : pt_channel_unnamed(channel, c);
}

static const struct sync of_mutex = { .open = open_mutex };

/*
 * Whether the other one waits for the mutex as soon as it is told to; else this
 * one has to sleep, so that the other one gets there.
 */
static bool waits_at_once(const struct pt_task *task)
{
	return task->priority && !task->in->choice.cross &&
	       pt_config.order == PT_HIGHER;
}

/* The other one ends its turn before the next: it waits only when told to. */
static int unlock_once(struct pt_task *task, struct pt_trial *trial)
{
	struct pt_exchange *room = pt_room(task);
	const struct timespec pause = tw_ns_to_ts(PAUSE_NS);
	int err = pthread_mutex_lock(&room->channel[GO].mutex);

	if (err)
		return pt_failed(task, "pthread_mutex_lock", -err);
	pt_sem_give(&room->channel[GO]);
	if (!waits_at_once(task))
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	trial->t_ns[0] = pt_now(task);
	err = pthread_mutex_unlock(&room->channel[GO].mutex);
	if (err)
		return pt_failed(task, "pthread_mutex_unlock", -err);
	err = pt_wait(room->channel[DONE].sem);
	trial->t_ns[1] = task->in->stamp_ns;
	return err;
}

static int unlock(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	int err = pt_lead(task, unlock_once);

	return err ? err : pt_sem_give(&room->channel[GO]);
}

static int await_go(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);

	return pt_wait(room->channel[GO].sem);
}

static int lock_once(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	int err = pthread_mutex_lock(&room->channel[GO].mutex);

	task->in->stamp_ns = pt_now(task);
	if (err)
		return pt_failed(task, "pthread_mutex_lock", -err);
	pthread_mutex_unlock(&room->channel[GO].mutex);
	return pt_sem_give(&room->channel[DONE]);
}

static int lock(struct pt_task *task)
{
	return pt_answer(task, await_go, lock_once);
}

static const struct pt_metric mutex_metrics[] = {
	PT_METRIC("out", "Unlock what the other task waits for", 0, 1,
		  PT_SPAN(PT_TO_WAIT, 1, 0), .rate = "mutexes"),
	{ .token = NULL }
};

static const struct pt_role mutex_roles[] = {
	{ "asks", PT_MID, .run = unlock },
	{ "answers", PT_ORDERED, true, .run = lock },
	{ .name = NULL }
};

static int open_channels(struct pt_case *c)
{
	const struct sync *sync = pt_kind_ops(c);
	struct pt_exchange *room = c->room;
	int i, err = 0;

	for (i = 0; !err && i < 2; i++)
		err = sync->open(&room->channel[i], c);
	return err;
}

/*
 * AEGIS's switch is without what sync1's calls cost. The net one is without
 * the system calls of a round trip: how many there are is known if the one that
 * answers runs at once, so that some find the semaphore posted.
 */
static void derive(const struct pt_case *c)
{
	const struct pt_kind *kind = c->choice.kind;
	struct pt_sum trip, pair;
	char name[PT_NAME + 16], formula[PT_TEXT];

	if (!pt_sum_in(c, "roundtrip", &trip))
		return;
	snprintf(name, sizeof(name), "sync1.%s.pair", kind->name);
	if (pt_sum_of(name, &pair)) {
		pt_derive(trip.mean_ns / 2 - pair.mean_ns, "ns",
			  "roundtrip / 2 - sync1 pair", "%s.switch", c->name);
		pt_derive(trip.min_ns / 2 - pair.min_ns, "ns",
			  "roundtrip / 2 - sync1 pair", "%s.switch.min",
			  c->name);
	}
	if (!kind->value)
		snprintf(name, sizeof(name), "sync1.futex.pair");
	if (!kind->calls || !tw_config.priority || c->choice.cross ||
	    pt_config.order != PT_HIGHER || !pt_sum_of(name, &pair))
		return;
	snprintf(formula, sizeof(formula), "(roundtrip - %d / 2 of %s) / 2",
		 kind->calls, name);
	pt_derive((trip.mean_ns - kind->calls * pair.mean_ns / 2) / 2, "ns",
		  formula, "%s.switch_net", c->name);
	pt_derive((trip.min_ns - kind->calls * pair.min_ns / 2) / 2, "ns",
		  formula, "%s.switch_net.min", c->name);
}

/* @value: its calls are those of its own sync1, not futexes. */
static const struct pt_kind kinds[] = {
	{ "unnamed", .ops = &of_unnamed, .switches = 2, .calls = 2 },
	{ "named", .ops = &of_named, .switches = 2, .calls = 2 },
	{ "sysv", .value = 1, .ops = &of_sysv, .switches = 2, .calls = 4 },
	{ "eventfd", .value = 1, .ops = &of_eventfd, .switches = 2,
	  .calls = 4 },
	{ "futex", .ops = &of_futex, .switches = 2, .calls = 3 },
	{ "cond", .ops = &of_cond, .switches = 2, .calls = 3 },
	{ "pi", .ops = &of_pi, .switches = 2, .calls = 3 },
	{ "mutex", .ops = &of_mutex, .switches = 4, .metrics = mutex_metrics,
	  .roles = mutex_roles },
	{ .name = NULL }
};

const struct pt_test pt_sync2 = {
	.name = "sync2",
	.about = "semaphore to another task and back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_PACED,
	.kinds = kinds, .metrics = pt_exchange_metrics,
	.roles = pt_exchange_roles,
	.trials = 10000, .room = sizeof(struct pt_exchange),
	.open = open_channels, .close = pt_channel_close, .derive = derive,
};
