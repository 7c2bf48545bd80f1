// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "rt-utils.h"
#include "tw_break.h"
#include "tw_cause.h"
#include "tw_config.h"
#include "tw_far_cause.h"
#include "tw_part.h"
#include "tw_remote.h"
#include "tw_run.h"
#include "tw_trace.h"

#define TEXT_MAX	16384
#define NS_MAX		(INT64_MAX / 4)

void tw_far_cause_tell(FILE *file, const struct tw_run *run)
{
	int i, pair = tw_break_pair(run);
	const struct tw_break *of;

	if (pair < 0)
		return;
	of = tw_pair_room(run, pair, &tw_part_break);
	fprintf(file, "{\"break\": [%d, %d, %" PRIu64 ", %" PRId64 ", %" PRId64,
		pair, (int)of->metric, of->cycle.seq, of->cycle.t1_ns,
		of->cycle.t2_ns);
	for (i = 0; i < TW_METRICS; i++)
		fprintf(file, ", %" PRId64, of->values_ns[i]);
	fprintf(file, "]}\n");
}

/* The times of the client mean nothing here. */
static void note(struct tw_break *to, const int64_t numbers[])
{
	to->metric = (enum tw_metric_id)numbers[1];
	memcpy(to->values_ns, numbers + 5, sizeof(to->values_ns));
	to->cycle = (struct tw_cycle) {
		.seq = numbers[2], .planned_ns = numbers[3],
		.t0_ns = numbers[3], .t1_ns = numbers[3], .t2_ns = numbers[4],
		.t3_ns = numbers[4], .prev_t0_ns = numbers[3],
	};
}

void tw_far_cause_note(const struct tw_run *run, const char *line)
{
	const char *value = tw_remote_first(tw_remote_member(line, "break"));
	int64_t numbers[5 + TW_METRICS];
	struct tw_break *to;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!tw_remote_number(value, i < 5 ? 0 : -NS_MAX, NS_MAX,
				      &numbers[i]))
			return;
		value = tw_remote_next(value);
	}
	if (numbers[0] >= tw_config.pairs || numbers[1] >= TW_METRICS ||
	    !numbers[2] || numbers[4] < numbers[3])
		return;
	to = tw_pair_room(run, (int)numbers[0], &tw_part_break);
	if (!to || to->cycle.seq)
		return;
	note(to, numbers);
	tw_trace_break(run, (int)numbers[0]);
}

void tw_far_cause_answer(FILE *file, const struct tw_run *run)
{
	struct tw_cause *cause = tw_trace_cause(run);
	char *text = NULL;
	size_t size = 0;
	FILE *to = cause ? open_memstream(&text, &size) : NULL;

	if (!to)
		return;
	tw_cause_print(to, cause);
	fclose(to);
	fprintf(file, "\"cause\": ");
	rt_json_string(file, text);
	fprintf(file, ", ");
	free(text);
}

/* Of "breaks" in the answer; NULL: it has none. */
static const char *object_of(const char *answer)
{
	const char *twoway = answer ? tw_remote_member(answer, "twoway") : NULL;
	const char *breaks = twoway ? tw_remote_member(twoway, "breaks") : NULL;
	const char *first = breaks ? tw_remote_first(breaks) : NULL;

	return first ? tw_remote_member(first, "cause") : NULL;
}

/* By how much its phase is longer than usual, in ns. */
static double excess_ns(const char *object)
{
	const char *value = object ? tw_remote_member(object, "ns") : NULL;
	const char *mean = object ? tw_remote_member(object, "mean_ns") : NULL;

	return value && mean && !tw_remote_member(object, "lacks") ?
	       strtod(value, NULL) - strtod(mean, NULL) : 0;
}

static void print_theirs(FILE *file, const char *answer, const char *object)
{
	static char text[TEXT_MAX];
	char host[64] = "?", *next = text, *line;

	if (!answer || !tw_remote_string(tw_remote_member(answer, "cause"),
					 text, sizeof(text), false)) {
		fprintf(file, "# Cause: server host: unknown, as it has not answered\n");
		return;
	}
	if (object)
		tw_remote_string(tw_remote_member(object, "host"), host,
				 sizeof(host), false);
	while ((line = strsep(&next, "\n")))
		if (!strncmp(line, "# Cause: ", 9))
			fprintf(file, "# Cause: server host %s: %s\n", host,
				line + 9);
		else if (*line == '#')
			fprintf(file, "%s\n", line);
}

static void print_ours(FILE *file, const struct tw_cause *cause)
{
	struct tw_cause named = *cause;
	struct utsname host;

	uname(&host);
	snprintf(named.sentence, sizeof(named.sentence),
		 "client host %.64s: %.250s", host.nodename, cause->sentence);
	tw_cause_print(file, &named);
}

void tw_far_cause_print(FILE *file, const struct tw_run *run,
			const char *answer)
{
	const struct tw_cause *cause = tw_trace_cause(run);
	const char *object = object_of(answer);
	double theirs_ns = excess_ns(object), ours_ns;
	const struct tw_break *of;
	double all_ns;

	if (!cause)
		return;
	of = tw_pair_room(run, tw_break_pair(run), &tw_part_break);
	all_ns = (double)of->values_ns[of->metric] - tw_stats_mean(
		&run->pairs[tw_break_pair(run)]->total.stats[of->metric]);
	ours_ns = cause->lacks ? 0 :
		  (double)cause->value_ns - cause->span.mean_ns;
	if (theirs_ns < all_ns / 2 && ours_ns < all_ns / 2)
		fprintf(file, "# Cause: between the hosts: each has less than half of the delay\n");
	if (theirs_ns >= ours_ns)
		print_theirs(file, answer, object);
	if (ours_ns)
		print_ours(file, cause);
	if (theirs_ns < ours_ns)
		print_theirs(file, answer, object);
}
