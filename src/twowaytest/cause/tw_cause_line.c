// SPDX-License-Identifier: GPL-2.0-or-later
/* Both hosts on one time line, if it is known how far their clocks differ. */
#include <stdio.h>
#include <time.h>

#include "base/tw_time.h"
#include "cause/tw_cause.h"
#include "measure/tw_oneway.h"

static int64_t within(int64_t ns, int64_t low_ns, int64_t high_ns)
{
	return ns < low_ns ? low_ns : ns > high_ns ? high_ns : ns;
}

void tw_cause_place(struct tw_cause *cause, const struct tw_cycle *cycle,
		    const struct tw_oneway *oneway)
{
	struct tw_oneway_result result;
	int64_t ahead_ns;

	cause->placed = false;
	if (!oneway || !cause->server->traced)
		return;
	tw_oneway_read(oneway, &result);
	if (!result.known || !tw_oneway_has_values(&result))
		return;
	ahead_ns = result.mode == TW_ONEWAY_BOUND ? result.offset_ns : 0;
	/* Nothing is read before it was sent. */
	ahead_ns = within(ahead_ns, tw_span_ns(cycle->t3_ns, cycle->t2_ns),
			  tw_span_ns(cycle->t0_ns, cycle->t1_ns));
	cause->placed = true;
	cause->within_ns = result.uncertainty_ns;
	cause->server_at_ns = tw_span_ns(cycle->t0_ns, cycle->t1_ns) -
			      ahead_ns + cause->server->after_t1_ns;
}

/* One host's, and how far it is printed. */
struct cursor {
	const struct tw_analysis *analysis;
	int64_t at_ns;		/* of its begin, after t0 */
	int64_t least_ns;	/* shorter pieces are not shown */
	int next;
};

static const struct tw_span *peek(struct cursor *cursor)
{
	const struct tw_analysis *analysis = cursor->analysis;

	while (cursor->next < analysis->count &&
	       analysis->spans[cursor->next].for_ns < cursor->least_ns)
		cursor->next++;
	return cursor->next < analysis->count ?
	       &analysis->spans[cursor->next] : NULL;
}

static void print_next(FILE *file, struct cursor *cursor)
{
	const struct tw_span *span = peek(cursor);

	fprintf(file, "# %10.1f %10.1f %4d  %-6s  %-18s %s",
		(double)(cursor->at_ns + span->at_ns) / (double)TW_NS_PER_US,
		(double)span->for_ns / (double)TW_NS_PER_US, span->cpu,
		cursor->analysis->names.side,
		tw_blame_names[span->blame], span->who);
	if (span->prio >= 0 && span->prio < 99 && !span->interrupt)
		fprintf(file, ", priority %d", 99 - span->prio);
	fprintf(file, "\n");
	cursor->next++;
}

void tw_cause_print_both(FILE *file, const struct tw_cause *cause)
{
	struct cursor client = { .analysis = &cause->client->analysis };
	struct cursor server = {
		.analysis = &cause->server->analysis,
		.at_ns = cause->server_at_ns,
	};
	const struct tw_span *a, *b;

	client.least_ns = tw_analysis_shortest(client.analysis);
	server.least_ns = tw_analysis_shortest(server.analysis);
	fprintf(file, "# Time line of both hosts from t0 on, in which the server's times are right to +-%.1f us\n",
		(double)cause->within_ns / (double)TW_NS_PER_US);
	fprintf(file, "# %10s %10s  CPU  side    state              who had the CPU\n",
		"at us", "for us");
	while ((a = peek(&client)), (b = peek(&server)), a || b)
		print_next(file, !b || (a && a->at_ns <=
					server.at_ns + b->at_ns) ?
			   &client : &server);
}
