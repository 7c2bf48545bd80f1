// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>

#include "tw_array.h"
#include "tw_break.h"
#include "tw_cause.h"
#include "tw_hosts.h"
#include "tw_lines.h"
#include "tw_part.h"
#include "tw_trace.h"

#define TELL		"break"
#define TELL_MAX	1024	/* bytes */
#define NS_MAX		(INT64_MAX / 4)

void tw_far_cause_tell(const struct tw_run *run)
{
	int i, used, pair = tw_break_pair(run);
	const struct tw_break *of;
	char text[TELL_MAX];

	if (pair < 0)
		return;
	of = tw_pair_room(run, pair, &tw_part_break);
	used = sprintf(text, TELL " %d %d %" PRIu64 " %" PRId64 " %" PRId64,
		       pair, (int)tw_trace_whole(of->metric), of->cycle.seq,
		       of->cycle.t1_ns, of->cycle.t2_ns);
	for (i = 0; i < TW_METRICS; i++)
		used += sprintf(text + used, " %" PRId64, of->values_ns[i]);
	strcpy(text + used, "\n");
	tw_talk_tell(text);
}

/* The times of the client mean nothing here. */
void tw_far_cause_note(const struct tw_run *run, const char *line)
{
	int64_t of[5 + TW_METRICS];
	struct tw_break *to;

	if (strncmp(line, TELL, strlen(TELL)) ||
	    tw_lines_numbers(line + strlen(TELL), NS_MAX, of,
			     ARRAY_SIZE(of)) < (int)ARRAY_SIZE(of) ||
	    of[0] < 0 || of[0] >= tw_config.pairs || of[1] < 0 ||
	    of[1] >= TW_METRICS || of[2] < 1 || of[3] < 0 || of[4] < of[3])
		return;
	to = tw_pair_room(run, (int)of[0], &tw_part_break);
	if (!to || to->cycle.seq)
		return;
	to->metric = (enum tw_metric_id)of[1];
	to->cycle = (struct tw_cycle) {
		.seq = of[2], .prev_t0_ns = of[3], .planned_ns = of[3],
		.ready_ns = of[3], .t0_ns = of[3], .t1_ns = of[3],
		.t2_ns = of[4], .t3_ns = of[4],
	};
	memcpy(to->values_ns, of + 5, sizeof(of) - 5 * sizeof(*of));
	tw_trace_break(run, (int)of[0]);
}

/* By how much its phase was longer than usual; -1: that is not known. */
static int64_t excess_ns(const struct tw_cause *cause)
{
	int64_t ns = cause->value_ns - (int64_t)cause->span.mean_ns;

	if (cause->span.side && cause->lacks)
		return -1;
	return ns < 0 ? 0 : ns;
}

/* With the name of this host. */
static void print(FILE *file, const struct tw_cause *cause, const char *side)
{
	struct tw_cause named = *cause;
	struct utsname host;

	uname(&host);
	snprintf(named.sentence, sizeof(named.sentence), "%s host %.64s: %.250s",
		 side, host.nodename, cause->sentence);
	tw_cause_print(file, &named);
}

int64_t tw_far_cause_answer(const struct tw_run *run)
{
	const struct tw_cause *cause = tw_trace_cause(run);

	if (!cause)
		return -1;
	print(stderr, cause, "server");
	return excess_ns(cause);
}

static void print_theirs(FILE *file)
{
	fputs(*tw_talk_text() ? tw_talk_text() :
	      "# Cause: server host: unknown, as it has not answered\n", file);
}

void tw_far_cause_print(FILE *file, const struct tw_run *run,
			int64_t theirs_ns)
{
	const struct tw_cause *cause = tw_trace_cause(run);
	const struct tw_break *of;
	int64_t all_ns, ours_ns;

	if (!cause)
		return;
	of = tw_pair_room(run, tw_break_pair(run), &tw_part_break);
	all_ns = of->values_ns[of->metric] - (int64_t)tw_stats_mean(
		&run->pairs[tw_break_pair(run)]->total.stats[of->metric]);
	ours_ns = excess_ns(cause);
	if (theirs_ns >= 0 && ours_ns >= 0 && theirs_ns < all_ns / 2 &&
	    ours_ns < all_ns / 2)
		fprintf(file, "# Cause: between the hosts: each has less than half of the delay\n");
	/* What is not known of one may be all that the other has not. */
	if (theirs_ns < 0)
		theirs_ns = all_ns - ours_ns;
	else if (ours_ns < 0)
		ours_ns = all_ns - theirs_ns;
	if (theirs_ns >= ours_ns)
		print_theirs(file);
	if (cause->span.side)
		print(file, cause, "client");
	if (theirs_ns < ours_ns)
		print_theirs(file);
}
