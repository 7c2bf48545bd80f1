// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync2, message, pipe, unix: a task asks, another answers. Semaphores are two,
 * one each way: with one, a task would take back what it has posted. A task
 * that waits for a Unix stream also wakes when the other has read its last
 * message: Linux switches four times a trial, where a pipe needs two. stream:
 * only the last of many messages is answered, so that before it only an empty
 * or a full queue makes one of the tasks wait.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "pt_exchange.h"
#include "pt_report.h"
#include "pt_rows.h"

#define MB_PER_GB	1000

/* By the kind's way, counted. @side: the task's, as a constant. */
static inline int give(struct pt_task *task, const struct pt_way *way,
		       struct pt_exchange *room, int side)
{
	room->side[side].sent++;
	return way->give(task, &room->channel[side]);
}

static inline int take(struct pt_task *task, const struct pt_way *way,
		       struct pt_exchange *room, int side)
{
	int err = way->take(task, &room->channel[!side]);

	if (!way->stamps)
		pt_stamp(task, PT_ARRIVED(side));
	room->side[side].received++;
	return err;
}

/* All messages have the same pattern, which is compared in the answer only. */
static int ask(struct pt_task *task)
{
	const struct pt_way *way = pt_kind_ops(task->in);
	struct pt_exchange *room = pt_room(task);
	struct pt_side *side = &room->side[PT_ASKS];
	size_t size = room->channel->size, head = pt_content_head(size);
	int i, err;

	pt_content_fill(side->buffer, size, (uint64_t)side->sent + 1);
	pt_stamp(task, 0);
	err = give(task, way, room, PT_ASKS);
	for (i = 1; i < way->burst && !err; i++) {
		pt_content_fill(side->buffer, head, (uint64_t)side->sent + 1);
		err = give(task, way, room, PT_ASKS);
	}
	if (!err)
		err = take(task, way, room, PT_ASKS);
	side->wrong += !err && !pt_content_is(side->buffer, size,
					      (uint64_t)side->sent);
	return err;
}

/* The other one waits for the next trial. An eventfd needs a number. */
static int run_asks(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	int err = pt_lead(task, ask);

	pt_content_fill(room->side[PT_ASKS].buffer, room->channel->size, 1);
	return err ? err : give(task, pt_kind_ops(task->in), room, PT_ASKS);
}

/* What it received last is what it sends. */
static int run_answers(struct pt_task *task)
{
	const struct pt_way *way = pt_kind_ops(task->in);
	struct pt_exchange *room = pt_room(task);
	struct pt_side *side = &room->side[PT_ANSWERS];
	size_t head = pt_content_head(room->channel->size);
	int i, err = take(task, way, room, PT_ANSWERS);

	while (!err && !pt_over(task)) {
		for (i = 1; i < way->burst && !err; i++) {
			side->wrong += !pt_content_is(side->buffer, head,
				(uint64_t)side->received);
			err = take(task, way, room, PT_ANSWERS);
		}
		if (!err)
			err = give(task, way, room, PT_ANSWERS);
		if (!err)
			err = take(task, way, room, PT_ANSWERS);
	}
	return err;
}

static int open_both(struct pt_case *c)
{
	const struct pt_way *way = pt_kind_ops(c);
	struct pt_exchange *room = c->room;
	int i, err = 0;

	for (i = 0; i < 2; i++) {
		room->channel[i].size = way->size ? way->size :
						    (size_t)pt_kind_value(c);
		room->channel[i].content[1] = room->side[i].buffer;
		room->channel[i].content[0] = room->side[!i].buffer;
	}
	for (i = 0; !err && i < 2; i++)
		err = way->open(c, &room->channel[i]);
	return err;
}

void pt_exchange_verify(struct pt_case *c)
{
	const struct pt_exchange *room = c->room;
	const struct pt_side *asks = &room->side[PT_ASKS];
	const struct pt_side *answers = &room->side[PT_ANSWERS];
	long long sent = asks->sent + answers->sent;
	long long received = asks->received + answers->received;
	long long wrong = asks->wrong + answers->wrong;

	pt_verdict(c, sent != received || wrong,
		   "%lld sent, %lld received, %lld of them with other content",
		   sent, received, wrong);
}

static unsigned char pattern(size_t i, size_t size)
{
	return (unsigned char)(i * 167 + size);
}

/* The lowest byte first: a short message has that one. */
void pt_content_fill(unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	number = htole64(number);
	memcpy(message, &number, pt_content_head(size));
	for (i = pt_content_head(size); i < size; i++)
		message[i] = pattern(i, size);
}

bool pt_content_is(const unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	for (i = pt_content_head(size); i < size; i++)
		if (message[i] != pattern(i, size))
			return false;
	number = htole64(number);
	return !memcmp(message, &number, pt_content_head(size));
}

/* The mean and the minimum, without so many calls of which @name has two. */
static void derive_switch(const struct pt_case *c, const char *what, int calls,
			  const char *name, const char *formula)
{
	struct pt_sum trip, pair;

	if (!pt_sum_in(c, "roundtrip", &trip) || !pt_sum_of(name, &pair))
		return;
	pt_derive((trip.mean_ns - calls * pair.mean_ns / 2) / 2, "ns",
		  formula, "%s.%s", c->name, what);
	pt_derive((trip.min_ns - calls * pair.min_ns / 2) / 2, "ns",
		  formula, "%s.%s.min", c->name, what);
}

/*
 * AEGIS's switch is without what sync1's calls cost. The net one is without
 * the system calls of a round trip: how many there are is known if the one that
 * answers runs at once, so that some find the semaphore posted.
 */
static void derive(const struct pt_case *c)
{
	const struct pt_kind *kind = c->choice.kind;
	const struct pt_way *way = kind->ops;
	char name[PT_NAME], formula[PT_TEXT];

	snprintf(name, sizeof(name), "sync1.%s.pair", kind->name);
	derive_switch(c, "switch", 4, name, "roundtrip / 2 - sync1 pair");
	if (way->futex)
		snprintf(name, sizeof(name), "sync1.futex.pair");
	snprintf(formula, sizeof(formula), "(roundtrip - %d / 2 of %s) / 2",
		 kind->calls, name);
	if (tw_config.priority && !c->choice.cross &&
	    pt_config.order == PT_HIGHER)
		derive_switch(c, "switch_net", kind->calls, name, formula);
}

/*
 * If the one that receives has the higher priority, it takes each message at
 * once. If it has the lower one, the other one waits with each message that the
 * queue has no room for, and for the end. If they have the same, those in the
 * queue, the one that a sender waits with and the one for which a receiver
 * waits pass between two switches. On two CPUs, only the beginning and the end
 * are known: then one waits for the other.
 */
static int stream_switches(const struct pt_case *c)
{
	static const int by_order[] = {
		[PT_HIGHER] = 2 * PT_BURST,
		[PT_LOWER] = 2 * (PT_BURST - PT_QUEUE + 1),
		[PT_EQUAL] = 2 * (PT_BURST / (PT_QUEUE + 2)),
	};

	return c->choice.cross ? 2 :
	       by_order[tw_config.priority ? pt_config.order : PT_EQUAL];
}

static void derive_rate(const struct pt_case *c)
{
	struct pt_sum message;

	if (pt_sum_in(c, "message", &message))
		pt_derive((double)pt_kind_value(c) * MB_PER_GB /
			  message.mean_ns, "MB/s", "size / mean of message",
			  "%s.rate", c->name);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("out", "To the other task", 0, 1,
		  PT_WHO(PT_TO_WAIT, PT_ANSWERS, PT_ASKS)),
	PT_METRIC("back", "Its answer", 1, 2,
		  PT_WHO(PT_TO_WAIT, PT_ASKS, PT_ANSWERS)),
	PT_METRIC("roundtrip", "To the other task and back", 0, 2,
		  .rate = "round trips"),
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	[PT_ASKS] = { "asks", PT_MID, .run = run_asks },
	[PT_ANSWERS] = { "answers", PT_ORDERED, true, .run = run_answers },
	{ .name = NULL }
};

#define WAY(way, ...)	{ #way, .ops = &pt_way_##way, __VA_ARGS__ }

#define SIZES(way, first) \
	static const struct pt_kind way##_kinds[] = { \
		{ #first, first, .ops = &pt_way_##way }, \
		{ "64", 64, .ops = &pt_way_##way }, \
		{ "1024", 1024, .ops = &pt_way_##way }, \
		{ "8192", 8192, .ops = &pt_way_##way }, { .name = NULL } \
	}

SIZES(message, 8);
SIZES(stream, 8);
SIZES(pipe, 1);
SIZES(unix, 1);

#define TWO_TASKS \
	.flags = PT_PACED, .roles = roles, .open = open_both, \
	.room = sizeof(struct pt_exchange)
#define ROUND_TRIP \
	TWO_TASKS, .metrics = metrics, .switches = 2, .trials = 10000
#define MESSAGE	.own = PT_OWN_SIZE, .verify = pt_exchange_verify

PT_TEST(sync2, "another task woken, and its answer; the kind is how", ROUND_TRIP,
	.groups = PT_AEGIS | PT_SAMPLES,
	.kinds = PT_TABLE(kind,
		WAY(unnamed, .calls = 2, .words = "semaphore"),
		WAY(named, .calls = 2, .words = "named semaphore"),
		WAY(sysv, .calls = 4, .words = "System V semaphore"),
		WAY(eventfd, .calls = 4, .words = "eventfd"),
		WAY(futex, .calls = 3, .words = "futex"),
		WAY(cond, .calls = 3, .words = "condition variable"),
		{ "pi", PTHREAD_PRIO_INHERIT, &pt_way_cond, .calls = 3,
		  .words = "condition variable, and a mutex that inherits" },
		{ "mutex", .ops = &pt_way_cond, .switches = 4,
		  .words = "mutex", .metrics = pt_mutex_metrics, .roles = pt_mutex_roles }),
	.close = pt_way_close, .derive = derive);
PT_TEST(message, "message to another task and back; the kind is its size",
	ROUND_TRIP, MESSAGE, .kinds = message_kinds,
	.groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE);
PT_TEST(stream, "a message of 120 to another task; the kind is its size",
	TWO_TASKS, MESSAGE, .kinds = stream_kinds,
	.groups = PT_AEGIS | PT_SAMPLES,
	.metrics = PT_TABLE(metric,
		PT_METRIC("message", "A message of many", 0, 1,
			  PT_WHO(PT_TO_WAIT_LONG, PT_ANSWERS, PT_ASKS),
			  .per = PT_BURST, .rate = "messages")),
	.switches_of = stream_switches, .trials = 1000, .derive = derive_rate);
PT_TEST(signal, "real-time signal to another task and back", ROUND_TRIP,
	.groups = PT_AEGIS | PT_SAMPLES,
	.kinds = PT_TABLE(kind,
		WAY(sigwaitinfo), WAY(handler), WAY(signalfd),
		{ "queue", .ops = &pt_way_sigwaitinfo, .trials = 1000,
		  .metrics = pt_queue_metrics, .roles = pt_queue_roles }),
	.enter = pt_signal_enter, .verify = pt_signal_verify);
PT_TEST(pipe, "bytes through a pipe and back; the kind is their number",
	ROUND_TRIP, MESSAGE, .kinds = pipe_kinds);
PT_TEST(unix, "bytes through a Unix socket and back; the kind: how many",
	ROUND_TRIP, MESSAGE, .kinds = unix_kinds, .spare_switches = 2);
