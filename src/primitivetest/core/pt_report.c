// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_cpus.h"
#include "base/tw_json.h"
#include "core/pt_report.h"
#include "core/pt_report_json.h"
#include "core/pt_task.h"

#define EDGES	2	/* switches of a task before and after all trials */

bool pt_sum_in(const struct pt_case *c, const char *metric, struct pt_sum *sum)
{
	struct tw_status status;
	int i;

	for (i = 0; i < c->metric_count; i++) {
		if (strcmp(c->metric[i]->token, metric))
			continue;
		status = tw_series_status(c->series, i);
		sum->mean_ns = status.mean_ns / PT_PS_PER_NS;
		sum->min_ns = (double)status.min_ns / PT_PS_PER_NS;
		sum->max_ns = (double)status.max_ns / PT_PS_PER_NS;
		return status.count;
	}
	return false;
}

bool pt_sum_of(const struct pt_sums *sums, const char *name,
	       struct pt_sum *sum)
{
	const struct pt_session *session = sums->session;
	int i, k;

	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		for (k = 0; c && k < c->metric_count; k++)
			if (!strcmp(c->token[k], name))
				return pt_sum_in(c, c->metric[k]->token, sum);
	}
	return false;
}

void pt_derive(const struct pt_sums *sums, double value_ns, const char *formula,
	       const char *name, ...)
{
	char full[PT_NAME + 32];
	va_list args;

	va_start(args, name);
	vsnprintf(full, sizeof(full), name, args);
	va_end(args);
	pt_derive_as(sums, &(struct pt_derived) {
		.title = "Derived", .name = full, .value = value_ns,
		.formula = formula,
	});
}

void pt_derive_as(const struct pt_sums *sums, const struct pt_derived *derived)
{
	sums->tell(sums->to, derived);
}

void pt_report_derived(const struct pt_sums *sums)
{
	const struct pt_session *session = sums->session;
	int i;

	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		if (c && c->choice.test->derive)
			c->choice.test->derive(sums, c);
	}
	for (i = 0; pt_derive_alls[i]; i++)
		pt_derive_alls[i](sums);
}

static void print_derived(void *to, const struct pt_derived *derived)
{
	fprintf(to, "# %s: %s %.1f%s%s = %s\n", derived->title, derived->name,
		derived->value, derived->unit ? " " : "",
		derived->unit ? derived->unit : "", derived->formula);
}

/* How often a second, from the mean. */
double pt_report_rate(const struct pt_case *c, int metric)
{
	double mean_ps = tw_series_status(c->series, metric).mean_ns;

	return c->metric[metric]->rate && mean_ps > 0 ?
	       1e9 * PT_PS_PER_NS / mean_ps : 0;
}

static void print_rates(FILE *file, const struct pt_case *c)
{
	double rate;
	int i;

	for (i = 0; i < c->metric_count; i++) {
		rate = pt_report_rate(c, i);
		if (rate > 0)
			fprintf(file, "# Rate: %s %.0f %s/s\n", c->token[i],
				rate, c->metric[i]->rate);
	}
}

/* The warm-up's values: they stand apart. */
static void print_first(FILE *file, const struct pt_case *c)
{
	uint64_t n;
	int i;

	if (!c->first_count)
		return;
	fprintf(file, "# First: %s", c->name);
	for (i = 0; i < c->metric_count; i++) {
		fprintf(file, "%s %s", i ? ";" : "", c->metric[i]->token);
		for (n = 0; n < c->first_count; n++)
			if (c->first_ps[n][i] == PT_NO_VALUE)
				fprintf(file, " -");
			else
				fprintf(file, " %" PRId64,
					c->first_ps[n][i] / PT_PS_PER_NS);
	}
	fprintf(file, "\n");
}

static void print_switches(FILE *file, const struct pt_case *c)
{
	int64_t had = pt_switches(c), needed = pt_switches_needed(c);
	int64_t usual = pt_switches_usual(c);

	if (pt_switches_lack(c))
		fprintf(file, "# Not switched: %s: %" PRId64 " of %" PRId64 " switches happened\n",
			c->name, had, needed);
	else if (needed && had > usual + usual / 100 + EDGES * c->task_count)
		fprintf(file, "# Preempted: %s: %" PRId64 " switches more than the %" PRId64 " needed\n",
			c->name, had - usual, usual);
}

static void print_changes(FILE *file, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->task_count; i++)
		if (tw_system_changed(&c->task[i].settings, &c->task[i].left))
			fprintf(file, "# Changed while it ran: %s: task %s, policy %s, priority %d to policy %s, priority %d, or its CPUs\n",
				c->name, c->task[i].name,
				tw_system_policy_name(c->task[i].settings.policy),
				c->task[i].settings.priority,
				tw_system_policy_name(c->task[i].left.policy),
				c->task[i].left.priority);
}

static void print_case(FILE *file, const struct pt_case *c)
{
	int i;

	print_first(file, c);
	if (c->missed)
		fprintf(file, "# Missed: %s: %" PRIu64 "\n", c->name,
			c->missed);
	if (c->throttled)
		fprintf(file, "# Throttled: %s: %" PRIu64 " trials took as long as real-time throttling stops tasks\n",
			c->name, c->throttled);
	print_switches(file, c);
	print_changes(file, c);
	if (c->broken_ps)
		fprintf(file, "# Break: %s %" PRId64 " ns\n",
			c->token[c->broken], c->broken_ps / PT_PS_PER_NS);
	print_rates(file, c);
	for (i = 0; i < c->verdicts; i++)
		fprintf(file, "# Verdict: %s: %s%s\n", c->name,
			c->verdict[i].failed ? "failed: " : "",
			c->verdict[i].text);
}

static void print_skipped(FILE *file, const struct pt_result *result)
{
	char name[PT_NAME];

	if (!*result->skipped)
		return;
	pt_choice_name(result->choice, name);
	fprintf(file, "# Skipped: %s: %s\n", name, result->skipped);
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct pt_session *session = pt_session(run);
	const struct pt_sums sums = { session, print_derived, file };
	int i;

	if (session->clock_ps)
		fprintf(file, "# Clock: a reading of %s takes %.1f ns, which is subtracted only from values of several operations\n",
			pt_config->clock,
			(double)session->clock_ps / PT_PS_PER_NS);
	for (i = 0; i < session->count; i++) {
		if (session->result[i].c)
			print_case(file, session->result[i].c);
		print_skipped(file, &session->result[i]);
	}
	pt_report_derived(&sums);
}

const struct tw_part pt_part_report = {
	.name = "report", .remarks = remarks, .json = pt_report_json,
	.json_settings = pt_report_json_settings,
};
