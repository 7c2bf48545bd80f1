// SPDX-License-Identifier: GPL-2.0-or-later
/* From a client's settings to what it asks for, and into a command line. */
#include "host/tw_ask.h"
#include "run/tw_config.h"
#include "session.h"

static struct tw_asked asked, again;
static struct tw_args args;

static void ask(const char *line, struct tw_asked *result)
{
	config = accepted(line);
	tw_session_init(&session);
	session.run = parse_run;
	session.config = &config;
	memset(result, 0, sizeof(*result));
	tw_ask(&session.run, result);
}

/* What the server's host parses asks for the same. */
static void check_round(const char *line)
{
	struct parsed parsed;
	char to[1024];

	snprintf(to, sizeof(to), "--connect=127.0.0.1 %s", line);
	ask(to, &asked);
	memset(&args, 0, sizeof(args));
	tw_args_ask(&args, &asked);
	assert_null(args.list[args.count]);
	parsed = parse_words((const char *const *)args.list);
	if (parsed.err)
		fail_msg("%s: %s", line, parsed.error);
	config = parsed.config;
	session.run = parse_run;
	memset(&again, 0, sizeof(again));
	tw_ask(&session.run, &again);
	assert_memory_equal(&asked, &again, sizeof(asked));
}

static void test_default(void **state)
{
	(void)state;
	check_round("-q");
	assert_int_equal(asked.pairs, 1);
	assert_int_equal(asked.each[0].interval_us, 1000);
	assert_int_equal(asked.size, 8);
	assert_int_equal(asked.sleep_us, 100);
	assert_int_equal(asked.priority, 0);
	assert_string_equal(asked.policy, "other");
	assert_string_equal(asked.wait, "poll");
	assert_string_equal(asked.clock, "monotonic");
	assert_string_equal(asked.transport, "tcp");
	assert_string_equal(asked.stamps, "off");
	assert_int_equal(asked.dscp, -1);
	assert_int_equal(asked.sock_priority, -1);
	assert_int_equal(asked.busy_poll_us, -1);
	assert_false(asked.quickack || asked.accept || asked.priospread ||
		     asked.lock_memory);
}

static void test_all(void **state)
{
	(void)state;
	check_round("-t3 -i 7000,9000,8000 --sleep=77 --size=999 --warmup=5 -p 60 --priospread --wait=epoll --clock=boottime --quickack --dscp=46 --sock-priority=5 --busy-poll=40 -m");
	assert_int_equal(asked.pairs, 3);
	assert_int_equal(asked.each[0].interval_us, 7000);
	assert_int_equal(asked.each[1].interval_us, 9000);
	assert_int_equal(asked.each[2].interval_us, 8000);
	assert_int_equal(asked.size, 999);
	assert_int_equal(asked.sleep_us, 77);
	assert_int_equal(asked.warmup, 5);
	assert_int_equal(asked.priority, 60);
	assert_true(asked.priospread && asked.lock_memory && asked.quickack);
	assert_string_equal(asked.policy, "fifo");
	assert_string_equal(asked.wait, "epoll");
	assert_string_equal(asked.clock, "boottime");
	assert_int_equal(asked.dscp, 46);
	assert_int_equal(asked.sock_priority, 5);
	assert_int_equal(asked.busy_poll_us, 40);
	check_round("-t2 -i 0");
	assert_int_equal(asked.each[1].interval_us, 0);
}

static void test_others(void **state)
{
	(void)state;
	check_round("--transport=udp --policy=batch");
	assert_string_equal(asked.transport, "udp");
	assert_string_equal(asked.policy, "batch");
	check_round("--stamps=all --transport=udp");
	assert_string_equal(asked.stamps, "all");
	check_round("--policy=rr -p 5 --dscp=0 --sock-priority=0 --busy-poll=0");
	assert_int_equal(asked.priority, 5);
	assert_int_equal(asked.dscp, 0);
	assert_int_equal(asked.sock_priority, 0);
	assert_int_equal(asked.busy_poll_us, 0);
	/* The default priority is asked for by its number. */
	check_round("--policy=fifo");
	assert_true(asked.priority > 0);
}

/* All fit into the command line; of the interval, too. */
static void test_most(void **state)
{
	char line[512] = "-t32 -i 1000000000";
	int k;

	(void)state;
	for (k = 1; k < 32; k++)
		strcat(line, ",999999999");
	check_round(line);
	assert_int_equal(asked.pairs, 32);
	assert_int_equal(asked.each[31].interval_us, 999999999);
	check_round("-t32 -i 1000 -d 7 -p 90 --priospread -m --transport=udp --dscp=63 --sock-priority=6 --busy-poll=1000000 --clock=monotonic_raw --wait=select --policy=fifo");
	assert_int_equal(asked.each[31].interval_us, 1000 + 31 * 7);
}

/* Each step asks for its own pairs. */
static void test_ramp(void **state)
{
	(void)state;
	ask("--connect=h -l 9 --steps=4 --ramp=pairs", &asked);
	assert_int_equal(asked.pairs, 1);
	session.run.step = 2;
	tw_ask(&session.run, &asked);
	assert_int_equal(asked.pairs, 3);
}

static void test_args(void **state)
{
	int k;

	(void)state;
	memset(&args, 0, sizeof(args));
	for (k = 0; k < 2 * TW_ARGS_MAX; k++)
		tw_args_add(&args, "--word=%d", k);
	assert_int_equal(args.count, TW_ARGS_MAX);
	assert_string_equal(args.list[0], "--word=0");
	assert_string_equal(args.list[TW_ARGS_MAX - 1], "--word=47");
	assert_null(args.list[TW_ARGS_MAX]);
	memset(&args, 0, sizeof(args));
	tw_args_add(&args, "%*d", (int)sizeof(args.room) - 1, 5);
	tw_args_add(&args, "x");
	assert_int_equal(args.count, 1);
	memset(&args, 0, sizeof(args));
	tw_args_add(&args, "%*d", (int)sizeof(args.room), 5);
	assert_int_equal(args.count, 0);
}

static void test_refused(void **state)
{
	(void)state;
	refused("--connect=h --address=127.0.0.1", "--address: contradicts --connect: --connect says where the server is");
	refused("--connect=h --port=5", "--port: contradicts --connect: the server's host chooses it; --connect=HOST:PORT is where it listens");
	refused("--connect=h --interface=lo", "--interface: contradicts --connect: packets to another host take the way that its address has; leave it out");
	refused("--connect=h --server-affinity=0", "--server-affinity: contradicts --connect: the CPUs of the server are chosen on its host, with the --server-affinity there");
	refused("--connect=h -S --peer=next", "--peer: contradicts --connect: the CPUs of the server are chosen on its host");
	refused("--connect=h -p 50 --servers=one --server-priority=40", "--server-priority: contradicts --connect: each client has its own server there");
	refused("--connect=h --transport=unix", "--transport=unix: does not lead to another host; with --connect, allowed are tcp and udp");
	refused("--connect=h --transport=vsock", "--transport=vsock: does not lead to another host; with --connect, allowed are tcp and udp");
	refused("--connect=h --servers=one", "--servers=one: with --connect, each client has a server of its own; leave it out");
	refused("--connect=h -t33", "--threads=33: with --connect, allowed are up to 32 pairs");
	accepted("--connect=h -t32");
}

static void test_alone(void **state)
{
	(void)state;
	refused("--accept", "--accept: client and server are both on this host; give --connect=HOST too");
	refused("--rsh", "--rsh: client and server are both on this host; give --connect=HOST too");
	refused("--rsh=ssh", "--rsh: client and server are both on this host; give --connect=HOST too");
	accepted("--connect=h --accept");
	accepted("--connect=h --rsh");
	accepted("--connect=h --rsh=ssh");
}

/* None is left from the command line before. */
static void test_forgets(void **state)
{
	(void)state;
	ask("--connect=h --accept", &asked);
	ask("-q", &asked);
	refused("--accept", "--accept: client and server are both on this host; give --connect=HOST too");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
