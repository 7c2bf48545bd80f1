// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trace's parser and the analysis, on the text of a trace: of a cycle in
 * which the phase that the first byte chooses takes 500 us, from 100.001 s on.
 * Client 100, server 200.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tw_cause.h"
#include "tw_time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_events(const struct tw_window *window)
{
	size_t i;

	for (i = 0; i < window->count; i++) {
		const struct tw_event *event = &window->events[i];

		require(event->time_ns >= 0);
		require(event->kind <= TW_EVENT_STACK);
		require(event->cpu >= 0 && event->other_cpu >= 0);
		require(memchr(event->comm, '\0', sizeof(event->comm)));
		require(memchr(event->other_comm, '\0',
			       sizeof(event->other_comm)));
		require(memchr(event->name, '\0', sizeof(event->name)));
	}
}

static void check_pieces(const struct tw_piece *pieces, int count,
			 int64_t value_ns, bool in_order)
{
	int64_t sum_ns = 0;
	int i;

	require(count >= 0 && count <= TW_PIECES);
	for (i = 0; i < count; i++) {
		require(!in_order || pieces[i].at_ns == sum_ns);
		require(pieces[i].for_ns > 0);
		require(pieces[i].state < TW_STATES);
		require(memchr(pieces[i].who, '\0', sizeof(pieces[i].who)));
		sum_ns += pieces[i].for_ns;
	}
	require(sum_ns == value_ns);
}

static const void *told_of(const void *cause)
{
	return tw_cause_told(cause);
}

static void check_cause(const struct tw_window *window, int choice)
{
	static struct tw_cause cause;
	const int64_t begin_ns = 100 * TW_NS_PER_S + TW_NS_PER_MS;
	struct tw_span span = {
		.name = "phase", .side = "server", .peer = "client",
		.side_pid = 200, .peer_pid = choice & 1 ? 100 : 0,
		.begin_ns = begin_ns, .end_ns = begin_ns + TW_NS_PER_MS / 2,
		.due_ns = begin_ns + 100 * TW_NS_PER_US,
		.mean_ns = 1e4, .works = choice & 2, .own = "own",
		.waits = choice & 4 ? TW_BLOCKED : TW_UNKNOWN,
	};
	static const struct tw_member row = { TW_CAUSE_ROW, .get = told_of };
	FILE *null = fopen("/dev/null", "w");

	tw_cause_find(&cause, window, &span, 1, choice / 8 % 3);
	require(null);
	tw_cause_print(null, &cause);
	tw_member_write(null, &row, &cause);
	fclose(null);
	if (cause.lacks)
		return;
	check_pieces(cause.pieces, cause.count, cause.value_ns, true);
	check_pieces(cause.sums, cause.sum_count, cause.value_ns, false);
	require(cause.waking_ns <= cause.value_ns);
	require(cause.running_ns <= cause.value_ns);
	require(memchr(cause.sentence, '\0', sizeof(cause.sentence)));
	require(cause.sentence[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_window window;
	FILE *file;

	if (size < 2)
		return 0;
	file = fmemopen((void *)(data + 1), size - 1, "r");
	require(file);
	require(!tw_window_read(&window, file, 0, "", NULL, 0));
	require(window.text);
	check_events(&window);
	check_cause(&window, data[0]);
	tw_window_free(&window);
	return 0;
}
