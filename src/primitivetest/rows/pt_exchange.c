// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "pt_exchange.h"

static const struct pt_way *way_of(const struct pt_task *task)
{
	return pt_kind_ops(task->in);
}

int pt_exchange_give(struct pt_task *task)
{
	pt_side(task)->sent++;
	return way_of(task)->give(task);
}

int pt_exchange_take(struct pt_task *task, int64_t *at_ns)
{
	int err = way_of(task)->take(task, at_ns);

	pt_side(task)->received += !err;
	return err;
}

static int ask_once(struct pt_task *task, struct pt_trial *trial)
{
	const struct pt_way *way = way_of(task);
	uint64_t number = pt_done(task);
	int err;

	if (way->fill)
		way->fill(task, number);
	trial->t_ns[0] = pt_now(task);
	err = pt_exchange_give(task);
	if (!err)
		err = pt_exchange_take(task, &trial->t_ns[2]);
	trial->t_ns[1] = task->in->stamp_ns;
	if (way->is_filled && !err)
		pt_side(task)->wrong += !way->is_filled(task, number);
	return err;
}

static int enter(struct pt_task *task)
{
	const struct pt_way *way = way_of(task);

	return way->enter ? way->enter(task) : 0;
}

static int ask(struct pt_task *task)
{
	int err = enter(task);

	if (!err)
		err = pt_lead(task, ask_once);
	/* The other one waits for the next trial. */
	return err ? err : pt_exchange_give(task);
}

/* What it received is what it sends: the one that asks compares. */
static int answer(struct pt_task *task)
{
	int err = enter(task);
	int64_t at_ns;

	while (!err) {
		err = pt_exchange_take(task, &at_ns);
		if (err || pt_over(task))
			break;
		task->in->stamp_ns = at_ns;
		err = pt_exchange_give(task);
	}
	return err;
}

int pt_answer(struct pt_task *task, int (*take)(struct pt_task *task),
	     int (*serve)(struct pt_task *task))
{
	int err = take(task);

	while (!err && !pt_over(task)) {
		err = serve(task);
		if (!err)
			err = take(task);
	}
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

static size_t number_size(size_t size)
{
	return size < sizeof(uint64_t) ? size : sizeof(uint64_t);
}

/* The lowest byte first: a short message has that one. */
void pt_content_count(unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	for (i = 0; i < number_size(size); i++)
		message[i] = (unsigned char)(number >> 8 * i);
}

bool pt_content_is_counted(const unsigned char *message, size_t size,
			   uint64_t number)
{
	unsigned char expected[sizeof(uint64_t)];

	pt_content_count(expected, size, number);
	return !memcmp(message, expected, number_size(size));
}

static unsigned char pattern(size_t i, size_t size)
{
	return (unsigned char)(i * 167 + size);
}

void pt_content_fill(unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	pt_content_count(message, size, number);
	for (i = number_size(size); i < size; i++)
		message[i] = pattern(i, size);
}

bool pt_content_is(const unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	for (i = number_size(size); i < size; i++)
		if (message[i] != pattern(i, size))
			return false;
	return pt_content_is_counted(message, size, number);
}

void pt_message_fill(struct pt_task *task, uint64_t number)
{
	pt_content_fill(pt_side(task)->buffer, pt_kind_value(task->in),
			number);
}

bool pt_message_is_filled(struct pt_task *task, uint64_t number)
{
	return pt_content_is(pt_side(task)->buffer, pt_kind_value(task->in),
			     number);
}

const struct pt_metric pt_exchange_metrics[] = {
	PT_METRIC("out", "To the other task", 0, 1, PT_SPAN(PT_TO_WAIT, 1, 0)),
	PT_METRIC("back", "Its answer", 1, 2, PT_SPAN(PT_TO_WAIT, 0, 1)),
	PT_METRIC("roundtrip", "To the other task and back", 0, 2,
		  .rate = "round trips"),
	{ .token = NULL }
};

const struct pt_role pt_exchange_roles[] = {
	[PT_ASKS] = { "asks", PT_MID, .run = ask },
	[PT_ANSWERS] = { "answers", PT_ORDERED, true, .run = answer },
	{ .name = NULL }
};
