// SPDX-License-Identifier: GPL-2.0-or-later
/* In what order one server serves its clients, and whom that puts back. */
#include <stdlib.h>

#include "servers.h"

enum { PRIORITY, ARRIVAL, FIXED, ORDERS };

#define STEPS	8

/*
 * What clients do before each wait and in each nap: a digit is a request of
 * that client if it has its last reply, a letter from A on its end. After the
 * last wait, all go.
 */
struct scene {
	const char *waits[STEPS], *naps[STEPS];
	/* By order: the clients served, each with the inversions told. */
	const char *want[ORDERS];
};

static const struct scene *scene;

static void act(const char *actions)
{
	for (; actions && *actions; actions++) {
		int index = *actions - '0';

		if (*actions >= 'A')
			go(*actions - 'A');
		else if (replies_of(index) == client[index].sent)
			send_request(index);
	}
}

static void act_before_wait(size_t at)
{
	int i;

	if (at < STEPS && scene->waits[at]) {
		act(scene->waits[at]);
		return;
	}
	/* One after the other: the last goes first. */
	for (i = CLIENTS; all_answered() && i--;)
		if (!client[i].gone) {
			go(i);
			break;
		}
}

static void act_in_nap(size_t at)
{
	act(at < STEPS ? scene->naps[at] : NULL);
}

struct answer {
	int64_t t1_ns;
	int index;
	uint32_t inversions;
};

static int compare(const void *a, const void *b)
{
	const struct answer *first = a, *second = b;

	return first->t1_ns < second->t1_ns ? -1 : 1;
}

/* All replies in the order of t1, as "1:0 0:1 ". */
static const char *answers(void)
{
	static struct answer found[SERVED_MAX];
	static char text[10 * SERVED_MAX];
	size_t count = 0, used = 0, i;
	uint64_t seq;
	int index;

	for (index = 0; index < CLIENTS; index++)
		for (seq = 1; replies_of(index); seq++) {
			const struct tw_reply reply = read_reply(index, seq);

			assert_true(count < SERVED_MAX);
			found[count++] = (struct answer) {
				reply.t1_ns, index, reply.inversions,
			};
			assert_int_equal(reply.t2_ns, reply.t1_ns + 1);
		}
	qsort(found, count, sizeof(*found), compare);
	*text = '\0';
	for (i = 0; i < count; i++)
		used += snprintf(text + used, sizeof(text) - used, "%d:%u ",
				 found[i].index, found[i].inversions);
	return text;
}

static void check_scene(const struct scene *played)
{
	void *none = NULL;
	size_t order;

	scene = played;
	for (order = 0; order < ORDERS; order++) {
		world.before_wait = act_before_wait;
		world.during_nap = act_in_nap;
		assert_int_equal(serve_by(tw_order_kinds[order], 0), 0);
		assert_string_equal(answers(), scene->want[order]);
		tear_down(&none);
		set_up(&none);
	}
}

static void test_names(void **state)
{
	static const char *const names[] = { "priority", "arrival", "fixed" };
	int i;

	(void)state;
	for (i = 0; i < ORDERS; i++)
		assert_string_equal(tw_order_kinds[i]->name, names[i]);
	assert_null(tw_order_kinds[ORDERS]);
}

static void test_all_at_once(void **state)
{
	static const struct scene at_once = {
		{ "3120" }, { NULL },
		{ "0:0 1:0 2:0 3:0 ", "3:0 1:1 2:1 0:3 ", "0:0 1:0 2:0 3:0 " },
	};

	(void)state;
	check_scene(&at_once);
}

/* Client 0 comes while 2 is served: 3 waits longer than 0, 1 comes last. */
static void test_comes_meanwhile(void **state)
{
	static const struct scene meanwhile = {
		{ "23" }, { "0", "1" },
		{ "2:0 0:1 1:1 3:0 ", "2:0 3:0 0:2 1:2 ", "2:0 3:0 0:2 1:2 " },
	};

	(void)state;
	check_scene(&meanwhile);
}

/* The highest comes again and again, and the lowest waits for ever. */
static void test_starved(void **state)
{
	static const struct scene starved = {
		{ "13", "0", "0", "0" }, { "2" },
		{
			"1:0 0:1 0:1 0:1 2:0 3:0 ", "1:0 3:0 2:1 0:3 ",
			"1:0 3:0 0:2 2:1 0:3 0:3 ",
		},
	};

	(void)state;
	check_scene(&starved);
}

/*
 * The first has had its answer and asks again, after 0 and 3: with arrival,
 * it is behind them.
 */
static void test_asks_again(void **state)
{
	static const struct scene again = {
		{ "12" }, { NULL, "031" },
		{
			"1:0 2:0 0:2 1:1 3:0 ", "1:0 2:0 0:2 3:0 1:2 ",
			"1:0 2:0 0:2 1:1 3:0 ",
		},
	};

	(void)state;
	check_scene(&again);
}

/* All that were ready have their turn, before anybody has a second. */
static void test_rounds(void **state)
{
	static const struct scene rounds = {
		{ "0123" }, { NULL, "0", "1", "2" },
		{
			"0:0 1:0 0:1 1:0 2:0 3:0 ",
			"0:0 1:0 2:0 3:0 0:3 1:2 2:1 ",
			"0:0 1:0 2:0 3:0 0:3 1:2 2:1 ",
		},
	};

	(void)state;
	check_scene(&rounds);
}

/* Those that go, one by one, are no requests, and the rest is served. */
static void test_go_one_by_one(void **state)
{
	static const struct scene going = {
		{ "0123", NULL }, { "A", "B" },
		{ "0:0 1:0 2:0 3:0 ", "0:0 1:0 2:0 3:0 ", "0:0 1:0 2:0 3:0 " },
	};
	static const struct scene gone = {
		{ "AC31" }, { NULL },
		{ "1:0 3:0 ", "3:0 1:1 ", "1:0 3:0 " },
	};

	(void)state;
	check_scene(&going);
	check_scene(&gone);
}

/* By chance, against a model of each order. */
static struct {
	int order;
	uint64_t seed, left;
	uint64_t came[CLIENTS];	/* 0: it does not wait; else in what turn */
	uint64_t arrivals;
	bool round[CLIENTS];	/* fixed: ready when it was asked last */
	int serving;		/* -1: nobody */
	uint32_t counts[CLIENTS];
	uint32_t want[CLIENTS][SERVED_MAX];
	size_t wanted[CLIENTS];
} model;

static void somebody_comes(unsigned int chance)
{
	int i;

	for (i = 0; i < CLIENTS; i++) {
		if (!model.left || model.came[i] || model.serving == i ||
		    (uint64_t)unit_between(&model.seed, 0, 99) >= chance)
			continue;
		model.left--;
		model.came[i] = ++model.arrivals;
		send_request(i);
	}
}

static void note_served(void)
{
	int i;

	for (i = 0; i < model.serving; i++)
		model.counts[i]++;
	model.serving = -1;
}

static bool nobody_waits(void)
{
	int i;

	for (i = 0; i < CLIENTS; i++)
		if (model.came[i])
			return false;
	return true;
}

static void come_before_wait(size_t at)
{
	int i;

	(void)at;
	note_served();
	somebody_comes(20);
	while (nobody_waits() && model.left)
		somebody_comes(50);
	for (i = 0; i < CLIENTS; i++)
		model.round[i] = model.came[i];
	for (i = 0; nobody_waits() && i < CLIENTS; i++)
		go(i);
}

static void come_in_nap(size_t at)
{
	(void)at;
	somebody_comes(30);
}

static int choice(void)
{
	int i, best = -1;

	for (i = 0; i < CLIENTS; i++) {
		if (!model.came[i] ||
		    (model.order == FIXED && !model.round[i]))
			continue;
		if (best < 0 || (model.order == ARRIVAL &&
				 model.came[i] < model.came[best]))
			best = i;
	}
	return best;
}

static void check_choice(int index)
{
	note_served();
	if (client[index].gone)
		return;
	assert_int_equal(index, choice());
	model.came[index] = 0;
	model.round[index] = false;
	model.serving = index;
	model.want[index][model.wanted[index]++] = model.counts[index];
}

static void check_model(int order, uint64_t seed)
{
	void *none = NULL;
	size_t n;
	int i;

	memset(&model, 0, sizeof(model));
	model.order = order;
	model.seed = seed;
	model.left = SERVED_MAX - CLIENTS;
	model.serving = -1;
	world.before_wait = come_before_wait;
	world.during_nap = come_in_nap;
	world.at_receive = check_choice;
	assert_int_equal(serve_by(tw_order_kinds[order], 0), 0);
	for (i = 0; i < CLIENTS; i++) {
		assert_int_equal(replies_of(i), model.wanted[i]);
		for (n = 0; n < model.wanted[i]; n++)
			assert_int_equal(read_reply(i, n + 1).inversions,
					 model.want[i][n]);
		assert_int_equal(counts[i], model.counts[i]);
	}
	assert_true(model.counts[0] > 100);
	assert_int_equal(model.counts[CLIENTS - 1], 0);
	tear_down(&none);
	set_up(&none);
}

static void test_model(void **state)
{
	uint64_t seed;
	int order;

	(void)state;
	for (order = 0; order < ORDERS; order++)
		for (seed = 1; seed <= 20; seed++)
			check_model(order, seed * 7919);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		WITH_CLIENTS(test_all_at_once),
		WITH_CLIENTS(test_comes_meanwhile),
		WITH_CLIENTS(test_starved),
		WITH_CLIENTS(test_asks_again),
		WITH_CLIENTS(test_rounds),
		WITH_CLIENTS(test_go_one_by_one),
		WITH_CLIENTS(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
