// SPDX-License-Identifier: GPL-2.0-or-later
/* --transport and its options: what a session gets of them, and tells. */
#include <net/if.h>
#include <unistd.h>

#include "ends.h"
#include "json.h"
#include "lacks.h"
#include "measure/tw_datagram.h"
#include "measure/tw_sockopt.h"
#include "measure/tw_transport_kinds.h"
#include "report.h"
#include "run/tw_part_transport.h"

static const struct tw_part *const part = &tw_part_transport;

static void begin(const char *line)
{
	new_finished_run(line);
	assert_int_equal(part->open(&session.run), 0);
}

static void test_default(void **state)
{
	(void)state;
	begin("-q");
	assert_ptr_equal(session.transport.ops, &tw_transport_tcp);
	assert_string_equal(session.transport.where, "127.0.0.1");
	assert_int_equal(session.transport.address.in.sin_addr.s_addr,
			 htonl(INADDR_LOOPBACK));
	assert_non_null(session.transport.settle);
	assert_int_equal(part->room(&session.run), 0);
	assert_null(pair.datagrams);
	assert_null(pair.receive);
	assert_null(pair.take);
}

static void test_address(void **state)
{
	(void)state;
	begin("-q --address=[::1] --transport=udp");
	assert_int_equal(session.transport.address.any.sa_family, AF_INET6);
	assert_string_equal(session.transport.where, "::1");
	begin("-q --transport=unix");
	assert_string_equal(session.transport.where, "a pair of Unix sockets");
}

static void test_udp(void **state)
{
	(void)state;
	begin("-q --transport=udp");
	assert_ptr_equal(session.transport.ops, &tw_transport_udp);
	assert_int_equal(part->room(&session.run), sizeof(struct tw_datagrams));
	assert_non_null(pair.datagrams);
	assert_ptr_equal(pair.receive, tw_datagram_receive);
	assert_ptr_equal(pair.take, tw_datagram_take);
	assert_int_equal(pair.datagrams->timeout_ns, 100000000);
}

/* The timeout is that of the settings. */
static void test_attach(void **state)
{
	static _Alignas(TW_CACHE_LINE) struct tw_datagrams memory;

	(void)state;
	begin("-q --transport=udp --timeout=5000");
	part->attach(&session.run, &pair, &memory);
	assert_ptr_equal(pair.datagrams, &memory);
	assert_int_equal(memory.timeout_ns, 5000000);
}

/* Longer, if the server sleeps for longer. */
static void test_default_timeout(void **state)
{
	(void)state;
	begin("-q --transport=udp --sleep=300000 -i 400000");
	assert_int_equal(pair.datagrams->timeout_ns, 600000000);
	begin("-q --transport=udp --sleep=50000 -i 400000");
	assert_int_equal(pair.datagrams->timeout_ns, 100000000);
	refused("--transport=udp --sleep=200 --timeout=200", "--timeout=200: no reply comes as early with --sleep=200; allowed is more than the sleep");
	accepted("--transport=udp --sleep=200 --timeout=201");
}

static void test_refused(void **state)
{
	(void)state;
	refused("--transport=unix --dscp=5", "--dscp=5: --transport=unix cannot take it; leave it out, or choose tcp or udp");
	refused("--transport=vsock --interface=lo", "--interface=lo: --transport=vsock cannot take it; leave it out, or choose tcp or udp");
	refused("--transport=udp --quickack", "--quickack: --transport=udp cannot take it; leave it out, or choose tcp");
	refused("--timeout=9", "--timeout=9: --transport=tcp cannot take it; leave it out, or choose udp");
	refused("--transport=unix --port=0", "--port=0: --transport=unix has no such port; leave it out, or choose tcp or udp");
	refused("--transport=seqpacket --address=::1", "--address=::1: --transport=seqpacket has no such address; leave it out, or choose tcp or udp");
	refused("--transport=udp --size=65508", "--size=65508: does not fit into a datagram; with --transport=udp, allowed is a whole number from 8 to 65507");
	accepted("--transport=udp --size=65507");
	accepted("--transport=seqpacket --size=65536");
	refused("--address=8.8.8.8", "--address=8.8.8.8: allowed is a numeric address of the loopback: 127.0.0.1 to 127.255.255.255, or ::1, also as [::1]");
}

static const char *settings(void)
{
	return written_json(part->json_settings);
}

/* At a link, all are set, and read. */
static void test_settle(void **state)
{
	const char *failed;
	struct tw_link link;

	(void)state;
	if (lacks_interface() || lacks_busy_poll()) {
		print_message("# skip: options of sockets are not known here: an emulator\n");
		skip();
	}
	begin("-q --transport=tcp --dscp=46 --sock-priority=3 --interface=lo --quickack");
	contains(settings(), "\"dscp\": null");
	link = link_over(&session.transport);
	assert_string_equal(settings(),
		"    \"address\": \"127.0.0.1\",\n"
		"    \"dscp\": 46,\n"
		"    \"sock_priority\": 3,\n"
		"    \"busy_poll_us\": 0,\n"
		"    \"interface\": \"lo\",\n"
		"    \"quickack\": true,\n"
		"    \"timeout_us\": null\n");
	/* What fails is named as the user wrote it. */
	close(link.server_fd);
	assert_int_equal(session.transport.settle(&link, &failed), -EBADF);
	assert_string_equal(failed, "--dscp=46");
	/* An end on another host is not ours to set. */
	link.server_fd = -1;
	assert_int_equal(session.transport.settle(&link, &failed), 0);
	close(link.client_fd);
}

static void test_settings_of_unix(void **state)
{
	struct tw_link link;

	(void)state;
	begin("-q --transport=unix");
	link = link_over(&session.transport);
	assert_string_equal(settings(),
		"    \"address\": null,\n"
		"    \"dscp\": null,\n"
		"    \"sock_priority\": null,\n"
		"    \"busy_poll_us\": null,\n"
		"    \"interface\": null,\n"
		"    \"quickack\": false,\n"
		"    \"timeout_us\": null\n");
	close_ends(&link);
}

static void fill_counts(void)
{
	pair.datagrams->client.sent = 9;
	pair.datagrams->client.answered = 2;
	pair.datagrams->client.lost = 7;
	pair.datagrams->client.last = 11;
	pair.datagrams->client.late = 1;
	pair.datagrams->server.taken = 5;
	pair.datagrams->server.duplicate = 4;
	pair.datagrams->server.reordered = 6;
	pair.datagrams->server.strangers = 8;
	session.strangers = 20;
}

static void test_told(void **state)
{
	(void)state;
	begin("-q --transport=udp");
	fill_counts();
	assert_string_equal(written(part->remarks),
		"# Lost: 7 of 9 cycles: 4 requests, 3 replies\n"
		"# Datagrams: late 1, duplicate 4, reordered 6, from strangers 28\n");
	assert_string_equal(written_json(part->json),
		"    \"datagrams\": {\n"
		"      \"sent\": 9,\n"
		"      \"answered\": 2,\n"
		"      \"lost\": 7,\n"
		"      \"lost_request\": 4,\n"
		"      \"lost_reply\": 3,\n"
		"      \"late\": 1,\n"
		"      \"duplicate\": 4,\n"
		"      \"reordered\": 6,\n"
		"      \"strangers\": 28\n"
		"    }\n");
}

static void check_remark(uint64_t *count, const char *remark)
{
	*count = 1;
	assert_string_equal(written(part->remarks), remark);
	*count = 0;
}

/* One line for what there is, and none for what there is not. */
static void test_remarks(void **state)
{
	(void)state;
	begin("-q --transport=udp");
	assert_string_equal(written(part->remarks), "");
	check_remark(&pair.datagrams->client.late, "# Datagrams: late 1, duplicate 0, reordered 0, from strangers 0\n");
	check_remark(&pair.datagrams->client.duplicate, "# Datagrams: late 0, duplicate 1, reordered 0, from strangers 0\n");
	check_remark(&pair.datagrams->server.reordered, "# Datagrams: late 0, duplicate 0, reordered 1, from strangers 0\n");
	check_remark(&session.strangers, "# Datagrams: late 0, duplicate 0, reordered 0, from strangers 1\n");
	begin("-q");
	session.strangers = 1;
	assert_string_equal(written(part->remarks), "");
	assert_string_equal(written_json(part->json),
			    "    \"datagrams\": null\n");
}

static void test_merge(void **state)
{
	static _Alignas(TW_CACHE_LINE) struct tw_datagrams memory;
	struct tw_pair sum = { .datagrams = &memory };

	(void)state;
	begin("-q --transport=udp");
	fill_counts();
	tw_run_merge(&session.run, &sum, &pair);
	tw_run_merge(&session.run, &sum, &pair);
	assert_int_equal(tw_datagram_count(&memory).lost_reply, 6);
	assert_int_equal(tw_datagram_count(&memory).sent, 18);
	begin("-q");
	tw_run_merge(&session.run, &sum, &pair);
}

/* Then there are no results, and it is told why. */
static void test_all_lost(void **state)
{
	(void)state;
	begin("-q --transport=udp");
	fill_counts();
	part->finish(&session.run);
	assert_int_equal(session.run.err, 0);
	pair.tally->cycles = 0;
	pair.datagrams->client.answered = 0;
	pair.datagrams->client.lost = 9;
	part->finish(&session.run);
	assert_int_equal(session.run.err, -ENODATA);
	assert_string_equal(session.run.error, "not one cycle was measured: of 9 cycles sent over udp, all were lost (4 requests, 5 replies); give a longer --timeout, or see what drops the datagrams");
	begin("-q --transport=udp");
	pair.tally->cycles = 0;
	part->finish(&session.run);
	assert_int_equal(session.run.err, 0);
}

static int drop(void **state)
{
	(void)state;
	drop_run();
	return 0;
}

#define TEST(test)	cmocka_unit_test_teardown(test, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_default),
		TEST(test_address),
		TEST(test_udp),
		TEST(test_attach),
		TEST(test_default_timeout),
		TEST(test_refused),
		TEST(test_settle),
		TEST(test_settings_of_unix),
		TEST(test_told),
		TEST(test_remarks),
		TEST(test_merge),
		TEST(test_all_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
