// SPDX-License-Identifier: GPL-2.0-or-later
/* The server's host: what of a cycle it had, and what it remembers. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trace.h"
#include "host/tw_far_cause.h"
#include "measure/tw_datagram.h"
#include "measure/tw_wire.h"

static struct tw_traced_request prev = { 6, 0, 0, 0 }, request = { 7, 0, 0, 0 };
static struct tw_stretch stretch;
static enum tw_view_part part;
static int64_t own_ns;

static int set_up(void **state)
{
	(void)state;
	prev = (struct tw_traced_request) {
		6, at_us(30), at_us(90), at_us(99),
	};
	request = (struct tw_traced_request) {
		7, at_us(1030), at_us(1135), at_us(1141),
	};
	stretch = (struct tw_stretch) {
		.side = TW_SERVER, .side_pid = SERVER_PID, .due_ns = 100000,
	};
	return 0;
}

static const char *cut(enum tw_metric_id phase, const char *text,
		       int64_t ahead_ns)
{
	stretch.phase = phase;
	return tw_far_cause_cut(&stretch, &part, &own_ns, text, ahead_ns,
				&request, &prev);
}

static void test_sleep(void **state)
{
	(void)state;
	assert_null(cut(TW_SLEEP, "", 0));
	assert_int_equal(part, TW_VIEW_WHOLE);
	assert_int_equal(own_ns, -1);
	assert_int_equal(stretch.waits, TW_UNKNOWN);
	assert_int_equal(stretch.begin_ns, at_us(1030));
	assert_int_equal(stretch.end_ns, at_us(1135));
	assert_int_equal(stretch.due_ns, at_us(1130));
	set_up(NULL);
	assert_null(cut(TW_SLEEP, "", 5000));
	assert_int_equal(stretch.begin_ns, at_us(1025));
	assert_int_equal(stretch.end_ns, at_us(1130));
	assert_int_equal(stretch.due_ns, at_us(1125));
	request.t2_ns = 0;
	assert_string_equal(cut(TW_SLEEP, "", 0),
			    "the server's host did not see its end");
}

#define ARRIVES BOTH_WAIT \
	WAKING("001000", "2", IDLE, HOG, "2") \
	WAKING("001010", "2", IDLE, SERVER, "2") \
	SWITCH("001014", "2", IDLE, "R", SERVER) \
	SWITCH("001016", "2", SERVER, "S", IDLE) \
	WAKING("001018", "2", IDLE, SERVER, "2") \
	SWITCH("001019", "2", IDLE, "R", SERVER)

/* From the first wake-up on, whatever it waits for after that. */
static void test_request(void **state)
{
	(void)state;
	assert_null(cut(TW_NETWORK, ARRIVES, 0));
	assert_int_equal(part, TW_VIEW_REQUEST);
	assert_int_equal(stretch.begin_ns, at_us(1010));
	assert_int_equal(stretch.end_ns, at_us(1030));
	assert_int_equal(own_ns, 20000 + 6000);
	assert_int_equal(stretch.waits, TW_BLOCKED);
	/* The clock that measures may be ahead of the trace's. */
	request.t1_ns += 7000;
	request.t2_ns += 7000;
	request.sent_ns += 7000;
	prev.sent_ns += 7000;
	assert_null(cut(TW_NETWORK, ARRIVES, 7000));
	assert_int_equal(stretch.begin_ns, at_us(1010));
	assert_int_equal(stretch.end_ns, at_us(1030));
}

static void test_reply(void **state)
{
	(void)state;
	request.sent_ns = at_us(1156);
	assert_null(cut(TW_NETWORK, ARRIVES, 0));
	assert_int_equal(part, TW_VIEW_REPLY);
	assert_int_equal(stretch.begin_ns, at_us(1135));
	assert_int_equal(stretch.end_ns, at_us(1156));
	assert_int_equal(own_ns, 20000 + 21000);
}

/* A wake-up before the last reply was for another request. */
static void test_earlier_wakeup(void **state)
{
	(void)state;
	prev.sent_ns = at_us(1015);
	assert_null(cut(TW_NETWORK, ARRIVES, 0));
	assert_int_equal(stretch.begin_ns, at_us(1018));
	/* It never waited: then it had no time for this one. */
	prev.sent_ns = at_us(1025);
	assert_null(cut(TW_NETWORK, ARRIVES, 0));
	assert_int_equal(part, TW_VIEW_REPLY);
	assert_int_equal(own_ns, 6000);
	request.sent_ns = request.t2_ns;
	assert_string_equal(cut(TW_NETWORK, ARRIVES, 0),
			    "the server's host shows no delay");
	request.sent_ns = 0;
	assert_string_equal(cut(TW_NETWORK, ARRIVES, 0),
			    "the server's host did not see its reply sent");
}

static void test_others(void **state)
{
	(void)state;
	assert_string_equal(cut(TW_WAKEUP, ARRIVES, 0),
			    "the delay was on the client's host");
}

static struct tw_pair pair;
static struct tw_far_limit limit;
static struct tw_traced traced;
static int64_t clock_ns;

static int64_t read_clock(const struct tw_clock *clock)
{
	(void)clock;
	return clock_ns;
}

/* A trace of @size bytes, of lines as long as @line; frees what was read. */
static void check_read(size_t size, size_t most, size_t least_kept,
		       size_t most_kept)
{
	static const char line[] = "a-1  [000] d..2.  1.000001: x\n";
	const size_t length = sizeof(line) - 1;
	FILE *file = tmpfile();
	struct tw_far_trace trace = { .pipe_fd = fileno(file) };
	size_t cut, kept, i;
	char *text;

	for (i = 0; i < size / length; i++)
		fputs(line, file);
	fflush(file);
	lseek(trace.pipe_fd, 0, SEEK_SET);
	assert_int_equal(tw_far_trace_read(&trace, most, 0, &text, &cut), 0);
	kept = strlen(text);
	assert_in_range(kept, least_kept, most_kept);
	assert_memory_equal(text, line, length);
	if (most >= size)
		assert_int_equal(cut + kept, i * length);
	free(text);
	fclose(file);
}

/* As much memory as it may take, and for the rest it says what lacks. */
static void test_read(void **state)
{
	const size_t kept = TW_FAR_TRACE_KEPT;

	(void)state;
	check_read(1 << 20, SIZE_MAX, (1 << 20) - 99, 1 << 20);
	check_read(kept + kept / 4, SIZE_MAX, kept / 2, kept + 99);
	/* Not much more than it was told to read. */
	check_read(4 << 20, 1 << 18, 1 << 18, 1 << 20);
}

/* In place of what waits for a request: it is there. */
static int take(const struct tw_server *server, struct tw_wait *wait,
		struct tw_reply *reply)
{
	(void)server;
	(void)wait;
	reply->seq++;
	reply->t1_ns = clock_ns + 1;
	return 1;
}

/* Each request is remembered, and when its reply was sent. */
static void test_traced(void **state)
{
	struct tw_clock clock = { .read_ns = read_clock };
	static struct tw_datagrams counts;
	static const atomic_int stop;
	struct tw_server server = {
		.fd = -1, .clock = &clock, .sink = &pair, .stop = &stop,
		.datagrams = &counts,
	};
	struct tw_reply reply = { .seq = 0 };
	const struct tw_traced_request *found;
	uint64_t i;

	(void)state;
	pair.limit = &limit;
	limit.take = take;
	tw_traced_attach(&pair, &traced, 5);
	assert_ptr_equal(pair.take, tw_traced_take);
	assert_ptr_equal(pair.task.serve, tw_traced_serve);
	assert_int_equal(pair.server_keep, 5);
	for (i = 1; i <= 100; i++) {
		clock_ns = (int64_t)i * 1000;
		assert_int_equal(tw_traced_take(&server, NULL, &reply), 1);
		reply.t2_ns = clock_ns + 100;
	}
	assert_null(tw_traced_find(&traced, 0));
	assert_null(tw_traced_find(&traced, 36));
	assert_null(tw_traced_find(&traced, 101));
	found = tw_traced_find(&traced, 37);
	assert_non_null(found);
	for (i = 37; i < 100; i++) {
		found = tw_traced_find(&traced, i);
		assert_int_equal(found->seq, i);
		assert_int_equal(found->t1_ns, i * 1000 + 1);
		assert_int_equal(found->t2_ns, i * 1000 + 100);
		assert_int_equal(found->sent_ns, (i + 1) * 1000);
	}
	/* The last reply was not sent yet. */
	found = tw_traced_find(&traced, 100);
	assert_int_equal(found->t1_ns, 100001);
	assert_int_equal(found->t2_ns, 0);
	assert_int_equal(found->sent_ns, 0);
	assert_int_equal(atomic_load(&limit.requests), 100);
}

/* It marks the trace, and forgets what was before. */
static void test_mark(void **state)
{
	char text[128] = "";
	int fds[2], link[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	/* The client has gone already. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	close(link[1]);
	pair.number = 12;
	traced.mark_fd = fds[1];
	traced.requests[3].seq = 3;
	pair.task.wait_ops = tw_wait_kinds[0];
	pair.task.clock.read_ns = read_clock;
	pair.task.link.server_fd = link[0];
	pair.take = NULL;
	pair.run_server = tw_server_run;
	assert_int_equal(tw_traced_serve(&pair, NULL), 0);
	assert_true(traced.marked);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "twowaytest: server of pair 12\n");
	assert_null(tw_traced_find(&traced, 3));
	close(fds[0]);
	close(fds[1]);
	close(link[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sleep, set_up),
		cmocka_unit_test_setup(test_request, set_up),
		cmocka_unit_test_setup(test_reply, set_up),
		cmocka_unit_test_setup(test_earlier_wakeup, set_up),
		cmocka_unit_test_setup(test_others, set_up),
		cmocka_unit_test(test_traced),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
