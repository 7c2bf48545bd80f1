// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trace's parser and the analysis, on the text of a trace: of a cycle
 * that exceeds its mean in the phase that the first byte chooses. The cycle
 * begins 100.001 s after boot; client 100, server 200.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_time.h"
#include "cause/tw_analysis_phase.h"
#include "cause/tw_event.h"
#include "cause/tw_trace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_event(const char *line)
{
	struct tw_event event;

	if (!tw_event_parse(line, &event))
		return;
	require(event.time_ns >= 0);
	require(event.kind >= TW_EVENT_OTHER && event.kind <= TW_EVENT_NET);
	require(memchr(event.comm, '\0', sizeof(event.comm)));
	require(memchr(event.other_comm, '\0', sizeof(event.other_comm)));
	require(memchr(event.name, '\0', sizeof(event.name)));
}

/* Each line on its own, no longer than it is. */
static void check_lines(const char *text)
{
	size_t len;
	char *line;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		line = strndup(text, len);
		require(line);
		check_event(line);
		free(line);
	}
}

static void check_spans(const struct tw_span *spans, int count,
			int64_t value_ns, bool in_order)
{
	int64_t sum_ns = 0;
	int i;

	require(count >= 0 && count <= TW_SPANS);
	for (i = 0; i < count; i++) {
		require(!in_order || spans[i].at_ns == sum_ns);
		require(spans[i].for_ns > 0);
		require(spans[i].blame < TW_BLAMES);
		require(memchr(spans[i].who, '\0', sizeof(spans[i].who)));
		sum_ns += spans[i].for_ns;
	}
	require(sum_ns == value_ns);
}

static void check_analysis(const char *text, enum tw_metric_id phase)
{
	static const struct tw_metric_params params = {
		.period_ns = TW_NS_PER_MS, .sleep_ns = TW_NS_PER_MS / 10,
	};
	const pid_t pids[TW_ROLES] = {
		[TW_SERVER] = 200, [TW_CLIENT] = 100,
	};
	static struct tw_analysis analysis;
	struct tw_break brk = { .broken = true };
	struct tw_cycle *cycle = &brk.kept.cycle;

	/* The phase lasts 500 us, the others 20. */
	cycle->planned_ns = 100 * TW_NS_PER_S + TW_NS_PER_MS;
	cycle->t0_ns = cycle->planned_ns + (phase == TW_WAKEUP ? 500 : 20) *
		       TW_NS_PER_US;
	cycle->t1_ns = cycle->t0_ns + (phase == TW_SEND ? 500 : 20) *
		       TW_NS_PER_US;
	cycle->t2_ns = cycle->t1_ns + (phase == TW_SLEEP ? 500 : 20) *
		       TW_NS_PER_US;
	cycle->t3_ns = cycle->t2_ns + (phase == TW_RECEIVE ? 500 : 20) *
		       TW_NS_PER_US;
	tw_analyse(&analysis, text, &brk, &params, pids, true,
		   TW_BYPASS_FAIR);
	require(analysis.phase == (int)phase);
	if (analysis.lacks)
		return;
	check_spans(analysis.spans, analysis.count, analysis.value_ns, true);
	check_spans(analysis.sums, analysis.sum_count, analysis.value_ns,
		    false);
	require(analysis.waking_ns <= analysis.value_ns);
	require(analysis.running_ns <= analysis.value_ns);
	require(memchr(analysis.sentence, '\0', sizeof(analysis.sentence)));
	require(analysis.sentence[0] != '\0');
}

/* Nothing is left out before the trace began, nor made up but names. */
static void check_filter(char *text)
{
	size_t cut, most = strlen(text) / 2;
	char *kept, *last;
	FILE *file;

	if (!*text)
		return;
	file = fmemopen(text, strlen(text), "r");
	require(file);
	require(!tw_trace_filter(file, 0, SIZE_MAX, &kept, &cut));
	require(strstr(text, "<...>-") || !strcmp(text, kept));
	rewind(file);
	require(!cut);
	require(!tw_trace_filter(file, 0, most, &last, &cut));
	require(strlen(last) + cut == strlen(kept));
	require(!strcmp(last, kept + cut));
	free(kept);
	free(last);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum tw_metric_id phases[] = {
		TW_SEND, TW_RECEIVE, TW_SLEEP, TW_WAKEUP,
	};
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	require(text);
	check_lines(text);
	check_analysis(text, phases[data[0] % 4]);
	check_filter(text);
	free(text);
	return 0;
}
