// SPDX-License-Identifier: GPL-2.0-or-later
/* What the server's host says after a run: sent, received, shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "host/tw_limited.h"
#include "host/tw_peer.h"
#include "json.h"
#include "measure/tw_datagram.h"
#include "unit.h"

static struct tw_peer peer;
static struct tw_asked asked;
static struct tw_granted granted;
static char text[8192];

static int set_up(void **state)
{
	(void)state;
	memset(&peer, 0, sizeof(peer));
	asked = (struct tw_asked) { .policy = "fifo", .priority = 50,
				    .lock_memory = true };
	granted = (struct tw_granted) { .policy = "fifo", .priority = 50,
					.lock_memory = true };
	peer.known = true;
	peer.host = (struct tw_far_host) {
		.host = "far", .kernel = "6.12-rt", .version = "#1 SMP",
		.machine = "riscv64", .program = "0.10", .cpus = 4,
		.privileges = "user 65534",
	};
	peer.servers.pairs = 1;
	peer.servers.each[0] = (struct tw_far_server) {
		.cpus = "2-3", .policy = "fifo", .priority = 49,
		.locked = true, .requests = 102,
	};
	return 0;
}

static const char *printed(void)
{
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_non_null(file);
	tw_peer_print(file, &peer, "far:7", &asked, &granted);
	fclose(file);
	return text;
}

#define FIRST	"# Server: far:7, host far, Linux 6.12-rt, riscv64: CPU 2-3, policy fifo, priority 49, memory locked"

static void test_print(void **state)
{
	(void)state;
	assert_string_equal(printed(), FIRST "\n");
}

static void test_print_several(void **state)
{
	(void)state;
	peer.servers.pairs = 3;
	peer.servers.each[2].changed = true;
	peer.host.checks = 2;
	strcpy(peer.host.finding[0].name, "idle");
	strcpy(peer.host.finding[1].name, "watchdog");
	assert_string_equal(printed(), FIRST " (the first one)\n"
		"# Changed while it ran: a setting of server 2 on that host\n"
		"# Server's --check: idle watchdog\n");
}

static void test_print_less(void **state)
{
	(void)state;
	granted.priority = 10;
	granted.lock_memory = false;
	assert_string_equal(printed(), FIRST "\n"
		"# Granted less: policy fifo, priority 9 of the first server, where fifo, 49 was asked for\n"
		"# Granted less: the server's memory is not locked\n");
	granted = (struct tw_granted) { .policy = "other",
					.lock_memory = true };
	assert_string_equal(printed(), FIRST "\n"
		"# Granted less: policy other, priority 0 of the first server, where fifo, 49 was asked for\n");
	asked.lock_memory = false;
	granted = (struct tw_granted) { .policy = "fifo", .priority = 50 };
	assert_string_equal(printed(), FIRST "\n");
}

static void test_print_unknown(void **state)
{
	(void)state;
	peer.known = false;
	granted.priority = 10;
	assert_string_equal(printed(),
		"# Server: far:7; it did not send its results\n");
}

static const char *json(void)
{
	FILE *file = fmemopen(text, sizeof(text), "w");
	struct tw_json writer;

	assert_non_null(file);
	tw_json_open(&writer, file, 1);
	tw_peer_json(&writer, &peer);
	tw_json_close(&writer);
	fclose(file);
	assert_members(text);
	return text;
}

static void test_json(void **state)
{
	(void)state;
	peer.servers.pairs = 2;
	peer.servers.each[1].strangers = 5;
	peer.host.unexpected = 9;
	json();
	assert_non_null(strstr(text, "\"host\": {"));
	assert_non_null(strstr(text, "\"kernel\": \"6.12-rt\""));
	assert_non_null(strstr(text, "\"unexpected\": 9"));
	assert_non_null(strstr(text, "\"servers\": {"));
	assert_non_null(strstr(text, "\"pairs\": 2"));
	peer.known = false;
	json();
	assert_non_null(strstr(text, "\"host\": null"));
	assert_non_null(strstr(text, "\"servers\": null"));
}

/* A session of two pairs by datagrams, as both hosts have one. */
static struct tw_session session;
static struct tw_config config;
static struct tw_pairs pairs;
static struct tw_pair pair[2];
static struct tw_datagrams datagrams[2];
static struct tw_far_limit limits[2];

static void new_session(void)
{
	unsigned int k;

	memset(&session, 0, sizeof(session));
	memset(pair, 0, sizeof(pair));
	memset(datagrams, 0, sizeof(datagrams));
	config = *tw_config;
	session.config = &config;
	session.pairs = &pairs;
	pairs.count = 2;
	for (k = 0; k < 2; k++) {
		pairs.pair[k] = &pair[k];
		pair[k].number = k;
		pair[k].limit = &limits[k];
		pair[k].datagrams = &datagrams[k];
	}
}

static void test_add(void **state)
{
	(void)state;
	new_session();
	session.strangers = 2;
	peer.host.unexpected = 3;
	peer.servers.pairs = 2;
	peer.servers.each[1] = (struct tw_far_server) {
		.taken = 9, .newest = 10, .duplicate = 1, .reordered = 2,
		.strangers = 4, .retransmitted = 8,
	};
	tw_peer_add(&peer, &session);
	assert_int_equal(session.strangers, 5);
	assert_int_equal(datagrams[0].server.taken, 0);
	assert_int_equal(datagrams[1].server.taken, 9);
	assert_int_equal(datagrams[1].server.seen.newest, 10);
	assert_int_equal(datagrams[1].server.duplicate, 1);
	assert_int_equal(datagrams[1].server.reordered, 2);
	assert_int_equal(datagrams[1].server.strangers, 4);
	assert_int_equal(pair[1].side[TW_SERVER].retransmitted, 8);
	/* A stream has none; and it may tell of fewer pairs. */
	pair[1].datagrams = NULL;
	peer.servers.pairs = 1;
	peer.servers.each[0].taken = 7;
	tw_peer_add(&peer, &session);
	assert_int_equal(datagrams[0].server.taken, 7);
	assert_int_equal(datagrams[1].server.taken, 9);
}

static struct tw_control here;
static struct tw_service there;

static void connect_both(void)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	tw_control_init(&here, fds[0], fds[0]);
	there = (struct tw_service) { .privileges = "few", .latency_us = 9 };
	tw_control_init(&there.control, fds[1], fds[1]);
}

static void set_results(void)
{
	struct tw_side *side = &pair[1].side[TW_SERVER];

	session.strangers = 6;
	atomic_store(&limits[1].requests, 77);
	pair[1].side[TW_SERVER].retransmitted = -1;
	datagrams[1].server.taken = 70;
	datagrams[1].server.seen.newest = 71;
	datagrams[1].server.duplicate = 1;
	datagrams[1].server.reordered = 2;
	datagrams[1].server.strangers = 3;
	CPU_ZERO(&side->settings.cpus);
	CPU_SET(0, &side->settings.cpus);
	side->settings.policy = SCHED_FIFO;
	side->settings.priority = 44;
	side->settings.locked = true;
	side->left = side->settings;
	side->left.priority = 43;
	side->steady.minor_faults = 100;
	side->steady.voluntary_switches = 20;
	side->end.minor_faults = 103;
	side->end.major_faults = 1;
	side->end.voluntary_switches = 60;
	side->end.involuntary_switches = 5;
}

static void test_round(void **state)
{
	const struct tw_far_server *server = &peer.servers.each[1];
	char why[TW_REFUSAL_TEXT] = "";

	(void)state;
	new_session();
	set_results();
	connect_both();
	assert_int_equal(tw_peer_send(&session, &there), 0);
	memset(&peer, 0, sizeof(peer));
	if (tw_peer_receive(&peer, &here, why))
		fail_msg("%s", why);
	assert_true(peer.known);
	assert_string_equal(peer.host.privileges, "few");
	assert_int_equal(peer.host.unexpected, 6);
	assert_true(*peer.host.host && *peer.host.kernel && peer.host.cpus);
	assert_int_equal(peer.servers.pairs, 2);
	assert_string_equal(server->cpus, "0");
	assert_string_equal(server->policy, "fifo");
	assert_int_equal(server->priority, 44);
	assert_true(server->locked && server->changed);
	assert_false(peer.servers.each[0].locked);
	assert_int_equal(server->requests, 77);
	assert_int_equal(server->retransmitted, -1);
	assert_int_equal(server->minor_faults, 3);
	assert_int_equal(server->major_faults, 1);
	assert_int_equal(server->voluntary_switches, 40);
	assert_int_equal(server->involuntary_switches, 5);
	assert_int_equal(server->taken, 70);
	assert_int_equal(server->newest, 71);
	assert_int_equal(server->duplicate, 1);
	assert_int_equal(server->reordered, 2);
	assert_int_equal(server->strangers, 3);
	assert_int_equal(peer.host.latency_us, 9);
	tw_control_close(&here);
	tw_control_close(&there.control);
}

/* Half of the results are none. */
static void test_not_all(void **state)
{
	char why[TW_REFUSAL_TEXT] = "";

	(void)state;
	connect_both();
	assert_int_equal(tw_control_send(&there.control, TW_FRAME_RESULT,
					 tw_far_host_keys, &peer.host), 0);
	tw_control_close(&there.control);
	assert_int_equal(tw_peer_receive(&peer, &here, why), -ECONNRESET);
	assert_false(peer.known);
	assert_string_equal(why, "it closed the connection before its RESULT");
	tw_control_close(&here);
}

#define TEST(test)	cmocka_unit_test_setup(test, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_print),
		TEST(test_print_several),
		TEST(test_print_less),
		TEST(test_print_unknown),
		TEST(test_json),
		TEST(test_add),
		TEST(test_round),
		TEST(test_not_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
