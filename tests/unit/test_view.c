// SPDX-License-Identifier: GPL-2.0-or-later
/* BREAK and WINDOW: what one host sends of its analysis, the other receives. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trace.h"
#include "host/tw_view.h"

static struct tw_control here, there;
static struct tw_cause_view sent, got;
static char why[TW_REFUSAL_TEXT];

static int set_up(void **state)
{
	int fds[2], size = 1 << 20;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	tw_control_init(&here, fds[0], fds[0]);
	tw_control_init(&there, fds[1], fds[1]);
	memset(&sent, 0, sizeof(sent));
	memset(&got, 0x5a, sizeof(got));
	sent.traced = true;
	sent.cut = 54321;
	sent.own_ns = 12345;
	sent.after_t1_ns = -77;
	sent.analysis = (struct tw_analysis) {
		.phase = TW_NETWORK, .side = TW_SERVER, .side_pid = 77,
		.part = tw_view_parts[TW_VIEW_REPLY], .whole_ns = 900,
		.value_ns = 800, .mean_ns = 33, .waking_ns = 5,
		.running_ns = 9, .switch_unseen = true, .throttling = true,
		.sentence = "network +1 us: server ran",
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tw_control_close(&here);
	tw_control_close(&there);
	return 0;
}

static void set_spans(struct tw_span *spans, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		spans[i] = (struct tw_span) {
			.at_ns = i * 10, .for_ns = 10 + i,
			.blame = i % TW_BLAMES, .cpu = i - 1, .pid = 1000 - i,
			.prio = i - 1, .interrupt = i % 2,
		};
		snprintf(spans[i].who, sizeof(spans[i].who), "task-%d", i);
	}
}

static void assert_spans(const struct tw_span *spans,
			 const struct tw_span *others, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		assert_int_equal(spans[i].at_ns, others[i].at_ns);
		assert_int_equal(spans[i].for_ns, others[i].for_ns);
		assert_int_equal(spans[i].blame, others[i].blame);
		assert_int_equal(spans[i].cpu, others[i].cpu);
		assert_int_equal(spans[i].pid, others[i].pid);
		assert_int_equal(spans[i].prio, others[i].prio);
		assert_int_equal(spans[i].interrupt, others[i].interrupt);
		assert_string_equal(spans[i].who, others[i].who);
	}
}

static void exchange(int spans, int sums)
{
	const struct tw_analysis *a = &sent.analysis, *b = &got.analysis;

	set_spans(sent.analysis.spans, spans);
	set_spans(sent.analysis.sums, sums);
	sent.analysis.count = spans;
	sent.analysis.sum_count = sums;
	assert_int_equal(tw_view_send(&here, &sent), 0);
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_int_equal(got.traced, sent.traced);
	assert_int_equal(got.cut, sent.cut);
	assert_int_equal(got.own_ns, sent.own_ns);
	assert_int_equal(got.after_t1_ns, sent.after_t1_ns);
	assert_string_equal(got.lacks, sent.lacks);
	assert_null(b->lacks);
	assert_int_equal(b->phase, a->phase);
	assert_int_equal(b->side, TW_SERVER);
	assert_string_equal(b->names.phase, "network");
	assert_string_equal(b->names.side, "server");
	assert_string_equal(b->names.peer, "client");
	assert_int_equal(b->side_pid, a->side_pid);
	assert_ptr_equal(b->part, a->part);
	assert_int_equal(b->whole_ns, a->whole_ns);
	assert_int_equal(b->value_ns, a->value_ns);
	assert_true(b->mean_ns == a->mean_ns);
	assert_int_equal(b->waking_ns, a->waking_ns);
	assert_int_equal(b->running_ns, a->running_ns);
	assert_int_equal(b->switch_unseen, a->switch_unseen);
	assert_int_equal(b->throttling, a->throttling);
	assert_string_equal(b->sentence, a->sentence);
	assert_int_equal(b->count, spans);
	assert_int_equal(b->sum_count, sums);
	assert_spans(b->spans, a->spans, spans);
	assert_spans(b->sums, a->sums, sums);
}

/* Any number of frames, and nothing is left behind. */
static void test_exchange(void **state)
{
	static const int counts[] = { 0, 1, 63, 64, 65, 128, 129, 256 };
	struct tw_frame frame;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		exchange(counts[i], 3);
		exchange(2, counts[i]);
	}
	sent.analysis.part = NULL;
	sent.analysis.switch_unseen = false;
	sent.analysis.throttling = false;
	exchange(1, 1);
	assert_int_equal(tw_frame_receive(&there.reader, there.in_fd, -1, 0,
					  &frame), -ETIMEDOUT);
}

/* The longest values have their place in a frame. */
static void test_largest(void **state)
{
	struct tw_span *spans = sent.analysis.spans;
	int i;

	(void)state;
	for (i = 0; i < TW_SPANS; i++) {
		spans[i] = (struct tw_span) {
			.at_ns = 1000000000000000, .for_ns = 1000000000000000,
			.blame = TW_PEER_INTERRUPTED, .cpu = INT32_MAX,
			.pid = INT32_MAX, .prio = INT32_MAX,
		};
		memset(spans[i].who, 'w', sizeof(spans[i].who) - 1);
	}
	sent.analysis.count = TW_SPANS;
	assert_int_equal(tw_view_send(&here, &sent), 0);
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_spans(got.analysis.spans, spans, TW_SPANS);
	sent.cut = SIZE_MAX;
	assert_int_equal(tw_view_send(&here, &sent), 0);
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_int_equal(got.cut, INT32_MAX);
}

static void test_lacks(void **state)
{
	(void)state;
	sent.analysis.lacks = "the trace is empty";
	assert_int_equal(tw_view_send(&here, &sent), 0);
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_string_equal(got.lacks, "the trace is empty");
	strcpy(sent.lacks, "there is no trace");
	assert_int_equal(tw_view_send(&here, &sent), 0);
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_string_equal(got.lacks, "there is no trace");
}

/* What comes of another host's trace goes to a terminal. */
static void test_control_characters(void **state)
{
	(void)state;
	sent.analysis.count = 1;
	set_spans(sent.analysis.spans, 1);
	strcpy(sent.analysis.spans[0].who, "a\033[2Jb");
	strcpy(sent.analysis.sentence, "\033c");
	assert_int_equal(tw_view_send(&here, &sent), 0);
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_string_equal(got.analysis.spans[0].who, "a?[2Jb");
	assert_string_equal(got.analysis.sentence, "?c");
}

static void send_body(const char *body)
{
	assert_int_equal(tw_frame_send(here.out_fd, TW_FRAME_WINDOW, body,
				       strlen(body), 1000), 0);
}

#define HEAD(phase, spans) \
	"traced=1\nlacks=\ncut=0\nown_ns=-1\nafter_t1_ns=0\nphase=" phase "\npart=whole\npid=1\n" \
	"value_ns=1\nwhole_ns=0\nmean_ns=1\nwaking_ns=-1\nrunning_ns=-1\n" \
	"switch_unseen=0\nthrottling=0\nsentence=x\nspans=" spans "\nsums=0\n"
#define SPAN(k) \
	"at_ns." k "=0\nfor_ns." k "=1\nblame." k "=runs\ncpu." k "=0\n" \
	"pid." k "=1\nprio." k "=1\ninterrupt." k "=0\nwho." k "=x\n"

static void test_refused(void **state)
{
	(void)state;
	send_body(HEAD("sleep", "1"));
	send_body("count=1\n" SPAN("0"));
	assert_int_equal(tw_view_receive(&there, &got, why), 0);
	assert_int_equal(got.analysis.phase, TW_SLEEP);
	send_body(HEAD("sleep", "1"));
	send_body("count=2\n" SPAN("0") SPAN("1"));
	assert_int_equal(tw_view_receive(&there, &got, why), -EPROTO);
	assert_string_equal(why, "it sent more of its trace than it said");
	send_body(HEAD("sleep", "257"));
	assert_int_equal(tw_view_receive(&there, &got, why), -EINVAL);
	send_body(HEAD("weep", "0"));
	assert_int_equal(tw_view_receive(&there, &got, why), -EINVAL);
	/* None at all would never end. */
	send_body(HEAD("sleep", "1"));
	send_body("count=0\n");
	assert_int_equal(tw_view_receive(&there, &got, why), -EINVAL);
}

static void test_broken(void **state)
{
	const struct tw_broken broken = {
		.pair = 3, .number = 1234, .phase = TW_SLEEP, .whole_ns = 5,
		.mean_ns = -6, .throttled = true,
	};
	char body[512];
	struct tw_keys_notes notes = { .list_unknown = false };
	struct tw_broken back;
	int len = tw_keys_encode(tw_broken_keys, &broken, 1, body,
				 sizeof(body));

	(void)state;
	assert_true(len > 0);
	body[len] = '\0';
	assert_string_equal(body, "pair=3\n" "number=1234\nphase=sleep\nwhole_ns=5\nmean_ns=-6\nthrottled=1\n");
	assert_int_equal(tw_keys_decode(tw_broken_keys, &back, 1, body,
					(size_t)len, &notes), 0);
	assert_int_equal(back.pair, 3);
	assert_int_equal(back.number, 1234);
	assert_int_equal(back.phase, TW_SLEEP);
	assert_int_equal(back.whole_ns, 5);
	assert_int_equal(back.mean_ns, -6);
	assert_true(back.throttled);
	/* More pairs than there can be. */
	len = sprintf(body, "pair=32\n" "number=1\nphase=sleep\nwhole_ns=5\nmean_ns=6\nthrottled=1\n");
	assert_int_equal(tw_keys_decode(tw_broken_keys, &back, 1, body,
					(size_t)len, &notes), -EINVAL);
}

/* Both know it by the same name. */
static void test_name(void **state)
{
	(void)state;
	tw_view_name(&got, "far");
	assert_string_equal(got.host, "far");
	assert_string_equal(got.analysis.host, "far");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_exchange), WITH(test_largest), WITH(test_lacks),
		WITH(test_control_characters), WITH(test_refused),
		WITH(test_broken), WITH(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
