// SPDX-License-Identifier: GPL-2.0-or-later
/* --stamps: what a pair gets, what is tried before, and what is told. */
#include <unistd.h>

#include "ends.h"
#include "json.h"
#include "measure/tw_datagram.h"
#include "measure/tw_ring.h"
#include "measure/tw_stamped.h"
#include "measure/tw_transport_kinds.h"
#include "report.h"
#include "result/tw_part_result.h"
#include "run/tw_part_stamps.h"
#include "stamps.h"

static const struct tw_part *const part = &tw_part_stamps;

static void test_off(void **state)
{
	(void)state;
	new_finished_run("-q");
	assert_int_equal(part->room(&session.run), 0);
	assert_false(tw_stamps_wanted());
	assert_null(pair.stamps);
	assert_null(pair.linked);
	assert_string_equal(written(part->remarks), "");
	assert_string_equal(written_json(part->json), "    \"stamps\": null\n");
	assert_string_equal(written_json(part->json_settings),
			    "    \"stamps\": \"off\"\n");
	tw_run_merge(&session.run, &pair, &pair);
	new_finished_run("-q --stamps=all --stamps=off --transport=udp");
	assert_null(pair.stamps);
	assert_ptr_equal(pair.take, tw_datagram_take);
}

static void test_tcp(void **state)
{
	(void)state;
	new_finished_run("-q --stamps=all --size=100");
	assert_true(tw_stamps_wanted());
	assert_non_null(pair.linked);
	assert_int_equal(pair.stamps->mode, TW_STAMPS_ALL);
	assert_ptr_equal(pair.take, tw_server_take_stamped);
	assert_ptr_equal(pair.run_client, tw_stamped_client_run);
	assert_ptr_equal(pair.run_server, tw_stamped_server_run);
	assert_null(pair.receive);
	assert_string_equal(written_json(part->json_settings),
			    "    \"stamps\": \"all\"\n");
}

static void test_udp(void **state)
{
	(void)state;
	new_finished_run("-q --stamps=rx --transport=udp");
	assert_int_equal(pair.stamps->mode, TW_STAMPS_RX);
	assert_ptr_equal(pair.take, tw_datagram_take_stamped);
	assert_ptr_equal(pair.receive, tw_datagram_receive_stamped);
	assert_ptr_equal(pair.run_client, tw_stamped_client_run);
	assert_ptr_equal(pair.run_server, tw_stamped_server_run);
	assert_int_equal(pair.stamps->client_step, 1);
	assert_int_equal(pair.stamps->server_step, 1);
}

/* TCP counts bytes. */
static void test_steps(void **state)
{
	static _Alignas(TW_CACHE_LINE) struct tw_stamps memory;
	struct tw_pair own = { .task.size = 100 };

	(void)state;
	new_finished_run("-q --stamps=all");
	part->attach(&session.run, &own, &memory);
	assert_ptr_equal(own.stamps, &memory);
	assert_int_equal(memory.client_step, 100);
	assert_int_equal(memory.server_step, 64);
}

/* Twice as many as the ring has cycles, behind it. */
static void test_dumped(void **state)
{
	const char *end;

	(void)state;
	new_finished_run("-q --stamps=all");
	assert_null(pair.stamps->slot);
	new_finished_run("-q --stamps=all --dump=f");
	assert_non_null(pair.ring);
	assert_int_equal(pair.stamps->slots, 2 * pair.ring->size);
	end = (const char *)pair.ring + tw_ring_size(pair.ring->size);
	assert_ptr_equal(pair.stamps->slot, end);
	assert_true(tw_part_dump.room(&session.run) >=
		    tw_ring_size(pair.ring->size) +
		    pair.stamps->slots * sizeof(struct tw_stamped));
}

static void test_refused(void **state)
{
	(void)state;
	refused("--stamps=tx", "--stamps=tx: allowed is one of off, rx, all");
	refused("--stamps=rx --transport=unix", "--stamps=rx: --transport=unix has no packets that the kernel stamps; leave it out, or choose tcp or udp");
	refused("--transport=seqpacket --stamps=all", "--stamps=all: --transport=seqpacket has no packets that the kernel stamps; leave it out, or choose tcp or udp");
	refused("--stamps=all --transport=vsock", "--stamps=all: --transport=vsock has no packets that the kernel stamps; leave it out, or choose tcp or udp");
	refused("--stamps=all --servers=one", "--stamps=all: with --servers=one, a reply has no room for the stamps; allowed is off, or --servers=each");
	accepted("--stamps=off --servers=one --transport=unix");
}

static void open_link(const struct tw_transport_ops *ops)
{
	assert_int_equal(tw_clock_open(&pair.task.clock, "monotonic"), 0);
	pair.task.link = link_as(ops);
}

static bool has_numbers(int fd)
{
	unsigned int flags = 0;
	socklen_t len = sizeof(flags);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags,
				    &len), 0);
	return flags & SOF_TIMESTAMPING_OPT_ID;
}

static void check_linked(const char *line, const struct tw_transport_ops *ops)
{
	char byte;

	need_stamps();
	new_finished_run(line);
	open_link(ops);
	assert_int_equal(pair.linked(&session.run, &pair), 0);
	assert_int_equal(session.run.err, 0);
	assert_true(has_numbers(pair.task.link.client_fd));
	assert_true(has_numbers(pair.task.link.server_fd));
	contains(written(part->remarks), "# Stamps: a message there and one back, in one process, take at least ");
	contains(written_json(part->json), "\"without\": {\"count\": 200, \"min_ns\": ");
	contains(written_json(part->json), "\"with\": {\"count\": 200, \"min_ns\": ");
	/* Nothing is left of it. */
	assert_int_equal(recv(pair.task.link.client_fd, &byte, 1,
			      MSG_DONTWAIT), -1);
	assert_int_equal(recv(pair.task.link.server_fd, &byte, 1,
			      MSG_DONTWAIT), -1);
	assert_int_equal(recv(pair.task.link.server_fd, &byte, 1,
			      MSG_DONTWAIT | MSG_ERRQUEUE), -1);
	close_ends(&pair.task.link);
}

static void test_linked_tcp(void **state)
{
	(void)state;
	check_linked("-q --stamps=all", &tw_transport_tcp);
}

static void test_linked_udp(void **state)
{
	(void)state;
	check_linked("-q --stamps=all --transport=udp", &tw_transport_udp);
}

/* Each host knows its own end alone: it asks for stamps, and tries nothing. */
static void test_linked_far(void **state)
{
	int client_fd, server_fd;
	char byte;

	(void)state;
	need_stamps();
	new_finished_run("-q --stamps=all");
	open_link(&tw_transport_tcp);
	client_fd = pair.task.link.client_fd;
	server_fd = pair.task.link.server_fd;
	pair.task.link.server_fd = -1;
	assert_int_equal(pair.linked(&session.run, &pair), 0);
	pair.task.link.client_fd = -1;
	pair.task.link.server_fd = server_fd;
	assert_int_equal(pair.linked(&session.run, &pair), 0);
	assert_int_equal(recv(client_fd, &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(recv(server_fd, &byte, 1, MSG_DONTWAIT), -1);
	assert_true(has_numbers(client_fd));
	assert_true(has_numbers(server_fd));
	pair.task.link.client_fd = client_fd;
	close_ends(&pair.task.link);
}

/* The test exchange decides. */
static void test_linked_without(void **state)
{
	(void)state;
	need_stamps();
	new_finished_run("-q --stamps=rx");
	open_link(&tw_transport_unix);
	assert_int_equal(pair.linked(&session.run, &pair), -ENODATA);
	assert_string_equal(session.run.error, "--stamps=rx: in 5 test exchanges over tcp, the kernel gave no stamp of: client rx, server rx; leave it out");
	close_ends(&pair.task.link);
	new_finished_run("-q --stamps=all");
	open_link(&tw_transport_unix);
	assert_int_equal(pair.linked(&session.run, &pair), -ENODATA);
	assert_string_equal(session.run.error, "--stamps=all: in 5 test exchanges over tcp, the kernel gave no stamp of: client rx, client sched, client snd, server rx, server sched, server snd; leave it out, or give rx");
	close_ends(&pair.task.link);
}

static void test_linked_fails(void **state)
{
	int server_fd;

	(void)state;
	need_stamps();
	new_finished_run("-q --stamps=rx");
	open_link(&tw_transport_tcp);
	server_fd = pair.task.link.server_fd;
	close(pair.task.link.client_fd);
	/* As on another host, where nothing is tried before. */
	pair.task.link.server_fd = -1;
	assert_int_equal(pair.linked(&session.run, &pair), -EBADF);
	assert_string_equal(session.run.error, "--stamps=rx: the kernel refuses it (SO_TIMESTAMPING): Bad file descriptor; leave it out");
	close(server_fd);
	new_finished_run("-q --stamps=rx");
	open_link(&tw_transport_tcp);
	shutdown(pair.task.link.client_fd, SHUT_WR);
	assert_int_equal(pair.linked(&session.run, &pair), -EPIPE);
	assert_string_equal(session.run.error, "--stamps=rx: the test exchange over tcp failed: Broken pipe");
	close_ends(&pair.task.link);
}

/* Two cycles of 340 ns and 346 ns; and one that lacks two stamps. */
static void fill(struct tw_pair *to)
{
	struct tw_stamped one = {
		.seq = 9, .t0_ns = 1000, .t1_ns = 1140, .t2_ns = 2000,
		.t3_ns = 2200,
		.at_ns = {
			[TW_CLIENT_SCHED] = 1010, [TW_CLIENT_SND] = 1025,
			[TW_SERVER_RX] = 1100, [TW_SERVER_SCHED] = 2007,
			[TW_SERVER_SND] = 2018, [TW_CLIENT_RX] = 2150,
		},
	};

	tw_stamped_count(&to->stamps->client.sum, TW_STAMPS_ALL, &one);
	one.t0_ns -= 6;
	tw_stamped_count(&to->stamps->client.sum, TW_STAMPS_ALL, &one);
	one.at_ns[TW_SERVER_SND] = TW_STAMP_NONE;
	one.at_ns[TW_CLIENT_SCHED] = TW_STAMP_NONE;
	tw_stamped_count(&to->stamps->client.sum, TW_STAMPS_ALL, &one);
	tw_stamped_value(&to->stamps->client.sum.work, 4321);
	to->tally->cycles = 4;
}

static void test_told(void **state)
{
	(void)state;
	new_finished_run("-q --stamps=all");
	fill(&pair);
	assert_string_equal(written(part->remarks),
		"# Stamps: 2 of 4 cycles, 1 left out, 1 unfinished\n"
		"# Stamps missing: client_sched 1, server_snd 1\n"
		"# in us                      min         avg         max\n"
		"# client app_out           0.010       0.013       0.016\n"
		"# client stack_out         0.015       0.015       0.015\n"
		"# client wake_in           0.050       0.050       0.050\n"
		"# server app_out           0.007       0.007       0.007\n"
		"# server stack_out         0.011       0.011       0.011\n"
		"# server wake_in           0.040       0.040       0.040\n"
		"# client_stack             0.075       0.078       0.081\n"
		"# wire                     0.207       0.207       0.207\n"
		"# server_stack             0.058       0.058       0.058\n"
		"# network                  0.340       0.343       0.346\n"
		"# client_work              4.321       4.321       4.321\n"
		"# Stamps: system calls that they add to a cycle: client 1, server 1\n");
}

/* Without -N three digits; with it, none. What there is not is left out. */
static void test_told_rx(void **state)
{
	(void)state;
	new_finished_run("-q -N --stamps=rx");
	tw_stamped_value(&pair.stamps->client.sum.part[TW_STAMPED_NETWORK], -12345);
	pair.stamps->client.sum.cycles = 2;
	assert_string_equal(written(part->remarks),
		"# Stamps: 2 of 2 cycles, 0 left out, 0 unfinished\n"
		"# in ns                      min         avg         max\n"
		"# network                 -12345      -12345      -12345\n"
		"# Stamps: system calls that they add to a cycle: client 0, server 0\n");
}

static void test_json(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-q --stamps=all -t2 -d0");
	fill(&pair);
	fill(run_pair(1));
	run_pair(1)->tally->cycles = 3;
	text = written_json(part->json);
	contains(text, "    \"stamps\": {\n"
		"      \"mode\": \"all\",\n"
		"      \"calls_more\": {\"client\": 1, \"server\": 1},\n"
		"      \"exchange\": {\n"
		"        \"without\": null,\n"
		"        \"with\": null\n"
		"      },\n"
		"      \"cycles\": 4,\n"
		"      \"left_out\": 2,\n"
		"      \"unfinished\": 1,\n"
		"      \"missing\": {\"client_sched\": 2, \"client_snd\": 0, \"server_rx\": 0, \"server_sched\": 0, \"server_snd\": 2, \"client_rx\": 0},\n"
		"      \"client\": {\n"
		"        \"app_out\": {\"count\": 4, \"min_ns\": 10, \"avg_ns\": 13.0, \"max_ns\": 16},\n"
		"        \"stack_out\": {\"count\": 4, \"min_ns\": 15, \"avg_ns\": 15.0, \"max_ns\": 15},\n"
		"        \"wake_in\": {\"count\": 4, \"min_ns\": 50, \"avg_ns\": 50.0, \"max_ns\": 50}\n"
		"      },\n"
		"      \"server\": {\n"
		"        \"app_out\": {\"count\": 4, \"min_ns\": 7, ");
	contains(text, "      \"client_stack\": {\"count\": 4, \"min_ns\": 75, \"avg_ns\": 78.0, \"max_ns\": 81},\n"
		"      \"wire\": {\"count\": 4, \"min_ns\": 207, \"avg_ns\": 207.0, \"max_ns\": 207},\n"
		"      \"server_stack\": {\"count\": 4, \"min_ns\": 58, ");
	contains(text, "      \"client_work\": {\"count\": 2, \"min_ns\": 4321, \"avg_ns\": 4321.0, \"max_ns\": 4321},\n"
		"      \"pairs\": [\n"
		"        {\n"
		"          \"pair\": 0,\n"
		"          \"cycles\": 2,\n"
		"          \"left_out\": 1,\n"
		"          \"unfinished\": 1,\n");
	contains(text, "          \"pair\": 1,\n"
		"          \"cycles\": 2,\n"
		"          \"left_out\": 1,\n"
		"          \"unfinished\": 0,\n");
	text = written(part->remarks);
	contains(text, "# Stamps of pair 0: 2 of 4 cycles");
	contains(text, "# Stamps of pair 1: 2 of 3 cycles");
}

static void test_json_nothing(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-q --stamps=rx");
	text = written_json(part->json);
	contains(text, "\"client_stack\": null,\n");
	contains(text, "\"app_out\": null,\n");
	contains(text, "\"client_work\": null,\n");
	/* Before the first step there are no pairs. */
	session.pairs = NULL;
	assert_string_equal(written_json(part->json), "    \"stamps\": null\n");
	session.pairs = steps;
}

/* The sum of the steps, of which this is the second. */
static void test_merge(void **state)
{
	static _Alignas(TW_CACHE_LINE) struct tw_stamps memory;
	struct tw_pair sum = { .stamps = &memory };
	struct tw_stamped_sum got;

	(void)state;
	new_finished_run("-q --stamps=all");
	fill(&pair);
	part->merge(&sum, &pair);
	part->merge(&sum, &pair);
	got = tw_stamped_read(&memory);
	assert_int_equal(got.cycles, 4);
	assert_int_equal(got.left_out, 2);
	assert_int_equal(got.missing[TW_SERVER_SND], 2);
	assert_int_equal(got.part[TW_STAMPED_NETWORK].sum_ns, 2 * 686);
	assert_int_equal(got.work.count, 2);
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
		TEST(test_off),
		TEST(test_tcp),
		TEST(test_udp),
		TEST(test_steps),
		TEST(test_dumped),
		TEST(test_refused),
		TEST(test_linked_tcp),
		TEST(test_linked_udp),
		TEST(test_linked_far),
		TEST(test_linked_without),
		TEST(test_linked_fails),
		TEST(test_told),
		TEST(test_told_rx),
		TEST(test_json),
		TEST(test_json_nothing),
		TEST(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
