// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What two hosts tell each other of a cycle that broke. The first byte says
 * what is read: 0 a body of BREAK, 1 bodies of WINDOW with a NUL between them,
 * 2 frames. What is accepted goes the way that it goes in the program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "host/tw_far_cause.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tw_control control;
static FILE *null;

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What is printed is for a terminal, and ends in its buffer. */
static void require_text(const char *text, size_t size)
{
	size_t length = strnlen(text, size);

	require(length < size && tw_keys_printable(text, length));
}

/* A file in the place of the connection: what is read from it ends. */
static void open_file(void)
{
	int fd;

	if (null)
		return;
	null = fopen("/dev/null", "w");
	fd = memfd_create("control", MFD_CLOEXEC);
	require(null && fd >= 0);
	tw_control_init(&control, fd, fd);
}

static void empty_file(void)
{
	require(!ftruncate(control.in_fd, 0));
	require(!lseek(control.in_fd, 0, SEEK_SET));
	tw_frame_reset(&control.reader);
}

static void rewind_file(void)
{
	require(!lseek(control.in_fd, 0, SEEK_SET));
}

/* Of pair 0: woken 20 us before t1, and replied 80 us after it. */
static void look_into(const struct tw_broken *broken)
{
	static const char text[] =
		"  a-9 [000] dNh2. 99.999980: sched_waking: comm=s pid=7 prio=1 target_cpu=000\n"
		"  a-9 [000] d..2. 99.999990: sched_switch: prev_comm=a prev_pid=9 prev_prio=120 prev_state=R ==> next_comm=s next_pid=7 next_prio=1\n"
		"  s-7 [000] d..2. 100.000070: sched_switch: prev_comm=s prev_pid=7 prev_prio=1 prev_state=S ==> next_comm=a next_pid=9 next_prio=120\n";
	static struct tw_analysis analysis;
	const struct tw_traced_request request = {
		.seq = 2, .t1_ns = 100 * TW_NS_PER_S,
		.t2_ns = 100 * TW_NS_PER_S + 50 * TW_NS_PER_US,
		.sent_ns = 100 * TW_NS_PER_S + 80 * TW_NS_PER_US,
	};
	struct tw_stretch stretch = {
		.phase = broken->phase, .side = TW_SERVER,
		.names = tw_analysis_names((enum tw_metric_id)broken->phase,
					   TW_SERVER),
		.mean_ns = (double)broken->mean_ns,
		.side_pid = 7, .due_ns = 9 * TW_NS_PER_US,
		.throttled = broken->throttled, .may_throttle = true,
		.bypass = TW_BYPASS_FAIR,
	};
	enum tw_view_part part;
	int64_t own_ns;

	if (tw_far_cause_cut(&stretch, &part, &own_ns, text, 0, &request,
			     NULL))
		return;
	require(part >= TW_VIEW_WHOLE && part < TW_VIEW_PARTS);
	stretch.part = tw_view_parts[part];
	stretch.whole_ns = part == TW_VIEW_WHOLE ? 0 : broken->whole_ns;
	tw_analyse_stretch(&analysis, text, &stretch);
	require(!analysis.lacks);
	tw_analysis_print(null, &analysis, true);
}

static void check_break(const uint8_t *data, size_t size)
{
	char why[TW_REFUSAL_TEXT] = "";
	struct tw_broken broken, again;
	const struct tw_frame frame = {
		.type = TW_FRAME_BREAK, .body = (const char *)data,
		.length = size,
	};
	int err = tw_control_take(&control, 0, 0, &frame, TW_FRAME_BREAK,
				  tw_broken_keys, &broken, why);

	require_text(why, sizeof(why));
	require(!err == !*why);
	require(!err || err == -EPROTO || err == -EINVAL);
	if (err)
		return;
	require(broken.pair >= 0 && broken.pair < TW_FAR_PAIRS);
	require(broken.number > 0);
	require(broken.phase >= 0 && broken.phase < TW_METRICS);
	empty_file();
	require(!tw_control_send(&control, TW_FRAME_BREAK, tw_broken_keys,
				 &broken));
	rewind_file();
	require(!tw_control_await(&control, TW_FRAME_BREAK, tw_broken_keys,
				  &again, -1, 1000, why));
	require(again.pair == broken.pair && again.number == broken.number &&
		again.phase == broken.phase &&
		again.whole_ns == broken.whole_ns &&
		again.mean_ns == broken.mean_ns &&
		again.throttled == broken.throttled);
	look_into(&broken);
}

static void check_spans(const struct tw_span *spans, int count)
{
	int i;

	require(count >= 0 && count <= TW_SPANS);
	for (i = 0; i < count; i++) {
		require(spans[i].at_ns >= 0 && spans[i].for_ns >= 0);
		require(spans[i].blame < TW_BLAMES);
		require_text(spans[i].who, sizeof(spans[i].who));
	}
}

/* As the client shows it, whatever its own host has seen. */
static void show(const struct tw_cause_view *view)
{
	static struct tw_cause_view mine = {
		.traced = true, .host = "here", .own_ns = 9,
		.analysis = { .phase = TW_NETWORK,
			      .names = { .phase = "network", .side = "server",
					 .peer = "client" },
			      .waking_ns = -1, .running_ns = -1 },
	};
	struct tw_cause cause = {
		.excess_ns = 1000, .has_mean = true, .client = &mine,
		.server = view, .server_at_ns = 5,
	};
	struct tw_json json;
	int phase, where;

	for (phase = TW_WAKEUP; phase <= TW_NETWORK; phase++)
		for (where = TW_WHERE_UNKNOWN; where <= TW_WHERE_BETWEEN;
		     where++) {
			cause.phase = (enum tw_metric_id)phase;
			cause.where = (enum tw_cause_where)where;
			cause.placed = where & 1;
			tw_cause_print(null, &cause);
			tw_json_open(&json, null, 0);
			tw_cause_json(&json, &cause);
			tw_json_close(&json);
		}
}

/* What was received is what would be sent again. */
static void check_view(struct tw_cause_view *view)
{
	static struct tw_cause_view again;
	const struct tw_analysis *one = &view->analysis;
	const struct tw_analysis *other = &again.analysis;
	char why[TW_REFUSAL_TEXT];

	require_text(view->lacks, sizeof(view->lacks));
	require_text(one->sentence, sizeof(one->sentence));
	require(one->phase < TW_METRICS && !one->lacks);
	check_spans(one->spans, one->count);
	check_spans(one->sums, one->sum_count);
	empty_file();
	require(!tw_view_send(&control, view));
	rewind_file();
	require(!tw_view_receive(&control, &again, why));
	require(again.own_ns == view->own_ns && again.cut == view->cut &&
		again.traced == view->traced &&
		!strcmp(again.lacks, view->lacks) &&
		other->phase == one->phase && other->part == one->part &&
		other->value_ns == one->value_ns &&
		other->count == one->count &&
		other->sum_count == one->sum_count &&
		!strcmp(other->sentence, one->sentence));
	tw_view_name(view, "there");
	show(view);
}

static void receive(void)
{
	static struct tw_cause_view view;
	char why[TW_REFUSAL_TEXT] = "";
	int err;

	rewind_file();
	memset(&view, 0x5a, sizeof(view));
	err = tw_view_receive(&control, &view, why);
	require_text(why, sizeof(why));
	require(!err == !*why || err == -ECANCELED || err == -ECONNREFUSED);
	require(!err || err == -EPROTO || err == -EINVAL ||
		err == -EMSGSIZE || err == -ECONNRESET ||
		err == -ECANCELED || err == -ECONNREFUSED);
	if (!err)
		check_view(&view);
}

static void put_bodies(const uint8_t *data, size_t size)
{
	const uint8_t *end;
	size_t length;

	for (; size; data += length, size -= length) {
		end = memchr(data, '\0', size);
		length = end ? (size_t)(end - data) : size;
		if (length <= TW_FRAME_BODY_MAX)
			require(!tw_frame_send(control.out_fd,
					       TW_FRAME_WINDOW, data, length,
					       1000));
		length += end != NULL;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	open_file();
	empty_file();
	if (data[0] == 0)
		check_break(data + 1, size - 1);
	else if (data[0] == 1)
		put_bodies(data + 1, size - 1);
	else if (data[0] == 2)
		require(write(control.out_fd, data + 1, size - 1) ==
			(ssize_t)size - 1);
	if (data[0] == 1 || data[0] == 2)
		receive();
	return 0;
}
