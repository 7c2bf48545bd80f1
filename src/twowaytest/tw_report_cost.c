// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports the cost of measuring, and the drift of the clock. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "tw_report.h"
#include "tw_time.h"

static void print_spread(FILE *file, const char *what,
			 const struct tw_spread *spread)
{
	fprintf(file, "# %s: min %" PRId64 " avg %.0f max %" PRId64 " ns",
		what, spread->min_ns, spread->avg_ns, spread->max_ns);
}

void tw_report_cost(FILE *file, const struct tw_report *report)
{
	const struct tw_cost *cost = &report->session->pair->cost;
	char what[64];

	snprintf(what, sizeof(what), "Clock %s, read",
		 report->config->clock);
	print_spread(file, what, &cost->clock);
	fprintf(file, ", resolution %" PRId64 " ns\n", cost->resolution_ns);
	print_spread(file, "Shortest sleep", &cost->sleep);
	fprintf(file, "\n");
	print_spread(file, "Cycle without its system calls", &cost->cycle);
	fprintf(file, "\n");
}

/* Parts in a million that the counter runs fast. */
static double drift_ppm(const struct tw_session *session)
{
	if (session->drift_over_ns <= 0)
		return 0;
	return (double)session->drift_ns * 1e6 /
	       (double)session->drift_over_ns;
}

void tw_report_drift(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;

	if (session->has_drift)
		fprintf(file, "# Clock %s: %+.3f ppm against the kernel's, %+.3f us in %.1f s\n",
			report->config->clock, drift_ppm(session),
			(double)session->drift_ns / (double)TW_NS_PER_US,
			(double)session->drift_over_ns /
			(double)TW_NS_PER_S);
}

static void json_spread(FILE *file, const char *name,
			const struct tw_spread *spread)
{
	fprintf(file, "      \"%s_ns\": {\"min\": %" PRId64
		", \"avg\": %.1f, \"max\": %" PRId64 "},\n", name,
		spread->min_ns, spread->avg_ns, spread->max_ns);
}

void tw_report_json_cost(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_cost *cost = &session->pair->cost;

	fprintf(file, "    \"cost\": {\n");
	json_spread(file, "clock_read", &cost->clock);
	json_spread(file, "shortest_sleep", &cost->sleep);
	json_spread(file, "empty_cycle", &cost->cycle);
	fprintf(file, "      \"clock_resolution_ns\": %" PRId64 "\n    },\n",
		cost->resolution_ns);
	if (session->has_drift)
		fprintf(file, "    \"clock_drift\": {\"ppm\": %.4f, \"ns\": %"
			PRId64 ", \"over_ns\": %" PRId64 "},\n",
			drift_ppm(session), session->drift_ns,
			session->drift_over_ns);
	else
		fprintf(file, "    \"clock_drift\": null,\n");
}
