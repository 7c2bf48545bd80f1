// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync2, message, pipe, unix: a task asks, another answers. Semaphores are two,
 * one each way: with one, a task would take back what it has posted. A task
 * that waits for a Unix stream also wakes when the other has read its last
 * message: Linux switches four times a trial, where a pipe needs two.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "pt_exchange.h"
#include "pt_report.h"
#include "pt_rows.h"

int pt_give(struct pt_task *task)
{
	const struct pt_way *way = pt_kind_ops(task->in);
	struct pt_exchange *room = pt_room(task);
	int err = way->give(task, &room->channel[task->number]);

	pt_side(task)->sent += !err;
	return err;
}

int pt_take(struct pt_task *task, int64_t *at_ns)
{
	const struct pt_way *way = pt_kind_ops(task->in);
	struct pt_exchange *room = pt_room(task);
	int err = way->take(task, &room->channel[!task->number]);

	*at_ns = way->arrived_ns ? way->arrived_ns(task) : pt_now(task);
	pt_side(task)->received += !err;
	return err;
}

static int ask(struct pt_task *task, struct pt_trial *trial)
{
	const struct pt_way *way = pt_kind_ops(task->in);
	size_t size = way->size ? way->size : pt_kind_value(task->in);
	struct pt_side *side = pt_side(task);
	uint64_t number = pt_done(task);
	int err;

	pt_content_fill(side->buffer, size, number);
	trial->t_ns[0] = pt_now(task);
	err = pt_give(task);
	if (!err)
		err = pt_take(task, &trial->t_ns[2]);
	trial->t_ns[1] = task->in->stamp_ns;
	side->wrong += !err && !pt_content_is(side->buffer, size, number);
	return err;
}

/* The other one waits for the next trial. */
static int run_asks(struct pt_task *task)
{
	int err = pt_lead(task, ask);

	return err ? err : pt_give(task);
}

/* What it received is what it sends: the one that asks compares. */
static int run_answers(struct pt_task *task)
{
	int64_t at_ns;
	int err = pt_take(task, &at_ns);

	while (!err && !pt_over(task)) {
		task->in->stamp_ns = at_ns;
		err = pt_give(task);
		if (!err)
			err = pt_take(task, &at_ns);
	}
	return err;
}

int pt_exchange_open(struct pt_case *c)
{
	const struct pt_way *way = pt_kind_ops(c);
	struct pt_exchange *room = c->room;
	int err = way->open(c, &room->channel[PT_ASKS]);

	return err ? err : way->open(c, &room->channel[PT_ANSWERS]);
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

static const struct pt_metric metrics[] = {
	PT_METRIC("out", "To the other task", 0, 1,
		  PT_SPAN(PT_TO_WAIT, PT_ANSWERS, PT_ASKS)),
	PT_METRIC("back", "Its answer", 1, 2,
		  PT_SPAN(PT_TO_WAIT, PT_ASKS, PT_ANSWERS)),
	PT_METRIC("roundtrip", "To the other task and back", 0, 2,
		  .rate = "round trips"),
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	[PT_ASKS] = { "asks", PT_MID, .run = run_asks },
	[PT_ANSWERS] = { "answers", PT_ORDERED, true, .run = run_answers },
	{ .name = NULL }
};

static const struct pt_kind pt_sync2_kinds[] = {
	{ "unnamed", .ops = &pt_way_unnamed, .switches = 2, .calls = 2 },
	{ "named", .ops = &pt_way_named, .switches = 2, .calls = 2 },
	{ "sysv", .ops = &pt_way_sysv, .switches = 2, .calls = 4 },
	{ "eventfd", .ops = &pt_way_eventfd, .switches = 2, .calls = 4 },
	{ "futex", .ops = &pt_way_futex, .switches = 2, .calls = 3 },
	{ "cond", .ops = &pt_way_cond, .switches = 2, .calls = 3 },
	{ "pi", .ops = &pt_way_pi, .switches = 2, .calls = 3 },
	{ "mutex", .ops = &pt_way_cond, .switches = 4,
	  .metrics = pt_mutex_metrics, .roles = pt_mutex_roles },
	{ .name = NULL }
};

static const struct pt_kind pt_signal_kinds[] = {
	{ "sigwaitinfo", .ops = &pt_way_sigwaitinfo },
	{ "handler", .ops = &pt_way_handler },
	{ "signalfd", .ops = &pt_way_signalfd },
	{ "queue", .ops = &pt_way_sigwaitinfo, .trials = 1000,
	  .metrics = pt_queue_metrics, .roles = pt_queue_roles },
	{ .name = NULL }
};

#define SIZES(way, first) \
	{ #first, .value = first, .ops = &pt_way_##way }, \
	{ "64", .value = 64, .ops = &pt_way_##way }, \
	{ "1024", .value = 1024, .ops = &pt_way_##way }, \
	{ "8192", .value = 8192, .ops = &pt_way_##way }, \
	{ .name = NULL }

const struct pt_kind pt_message_kinds[] = { SIZES(message, 8) };
static const struct pt_kind pt_pipe_kinds[] = { SIZES(pipe, 1) };
static const struct pt_kind pt_unix_kinds[] = { SIZES(unix, 1) };

#define EXCHANGE(text, ...) \
	const struct pt_test pt_##text = { \
		.name = #text, .flags = PT_PACED, .kinds = pt_##text##_kinds, \
		.metrics = metrics, .roles = roles, .switches = 2, \
		.trials = 10000, .room = sizeof(struct pt_exchange), \
		.open = pt_exchange_open, __VA_ARGS__ \
	}

EXCHANGE(sync2, .about = "semaphore to another task and back",
	 .groups = PT_AEGIS | PT_SAMPLES, .close = pt_way_close,
	 .derive = derive);
EXCHANGE(message, .own = PT_OWN_SIZE, .verify = pt_exchange_verify,
	 .about = "message to another task and back; the kind is its size",
	 .groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE);
EXCHANGE(signal, .about = "real-time signal to another task and back",
	 .groups = PT_AEGIS | PT_SAMPLES, .enter = pt_signal_enter,
	 .verify = pt_signal_verify);
EXCHANGE(pipe, .own = PT_OWN_SIZE, .verify = pt_exchange_verify,
	 .about = "bytes through a pipe and back; the kind is their number");
EXCHANGE(unix, .own = PT_OWN_SIZE, .verify = pt_exchange_verify,
	 .about = "bytes through a Unix socket and back; the kind: how many",
	 .spare_switches = 2);
