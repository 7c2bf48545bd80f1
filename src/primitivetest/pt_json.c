// SPDX-License-Identifier: GPL-2.0-or-later
/* Members of the JSON: in "thread", and in "primitives". */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pt_report.h"
#include "tw_array.h"
#include "tw_json.h"
#include "tw_jumps.h"
#include "tw_read.h"
#include "tw_string.h"

/* In the unit of the JSON, which has no number for none. */
static void write_time(FILE *file, double ps, bool any)
{
	if (any)
		fprintf(file, "%.9f", tw_text_real(ps));
	else
		fprintf(file, "null");
}

void pt_json_values(FILE *file, const struct pt_case *c,
		    const int64_t values_ps[])
{
	const char *comma = "{";
	int i;

	for (i = 0; i < c->columns; i++) {
		if (values_ps[i] == PT_NO_VALUE)
			continue;
		fprintf(file, "%s \"%s\": ", comma,
			c->column[i].metric->token);
		write_time(file, (double)values_ps[i], true);
		comma = ",";
	}
	fprintf(file, " }");
}

static void column(FILE *file, const struct tw_run *run, int number)
{
	const struct pt_column *column = pt_columns[number];
	const struct tw_stats *of = &column->stats;
	const struct {
		const char *name;
		double ps;
		bool any;
	} times[] = {
		{ "min", (double)of->min, of->count },
		{ "max", (double)of->max, of->count },
		{ "avg", tw_stats_mean(of), of->count },
		{ "stddev", tw_stats_deviation(of), true },
		{ "rms", tw_stats_rms(of, column->target_ps), true },
		{ "target", (double)column->target_ps, column->target_ps },
	};
	int i;

	pt_report_json = true;
	for (i = 0; i < (int)ARRAY_SIZE(times); i++) {
		fprintf(file, "      \"%s\": ", times[i].name);
		write_time(file, times[i].ps, times[i].any);
		fprintf(file, ",\n");
	}
	fprintf(file, "      \"metric\": \"%s\",\n      \"label\": ",
		column->name);
	tw_string_json(file, column->metric->label);
	fprintf(file, ",\n      \"cycles\": %" PRIu64 ",\n", of->count);
}

static void write_task(FILE *file, const struct pt_task *task)
{
	fprintf(file, "%s\n          { \"name\": \"%s\", ",
		task->number ? "," : "", task->name);
	tw_json_process(file, &task->begun);
	tw_json_changed(file, &task->begun, &task->left);
	tw_json_usage(file, &task->used);
	fprintf(file, " }");
}

static void write_metric(FILE *file, const struct pt_case *c, int i)
{
	const struct pt_column *column = &c->column[i];
	double rate = pt_rate(column);
	uint64_t n;

	fprintf(file, "%s\n          \"%s\": { \"column\": \"%s\", \"first\": [",
		i ? "," : "", column->metric->token, column->name);
	for (n = 0; n < c->first_count; n++) {
		fprintf(file, n ? ", " : "");
		write_time(file, (double)c->first_ps[n][i],
			   c->first_ps[n][i] != PT_NO_VALUE);
	}
	if (rate > 0)
		fprintf(file, "], \"rate\": %.1f, \"rate_of\": \"%s\" }", rate,
			column->metric->rate);
	else
		fprintf(file, "], \"rate\": null, \"rate_of\": null }");
}

static void write_case(FILE *file, const struct tw_run *run,
		       const struct pt_case *c)
{
	int i;

	fprintf(file, "null,\n        \"trials\": %" PRIu64 ", \"left_out\": %" PRIu64 ", \"warmup\": %" PRId64 ", \"missed\": %" PRIu64 ", \"throttled\": %" PRIu64 ",\n        \"switches\": { \"needed\": %" PRId64 ", \"had\": %" PRId64 " }, \"number\": %" PRId64 ",\n        \"processes\": [",
		c->column[0].stats.count, c->jumps.left_out,
		tw_config.warmup, c->missed,
		c->throttled,
		pt_switches(c).needed, pt_switches(c).had, c->number);
	for (i = 0; i < c->task_count; i++)
		write_task(file, &c->task[i]);
	fprintf(file, "\n        ],\n        \"metrics\": {");
	for (i = 0; i < c->columns; i++)
		write_metric(file, c, i);
	fprintf(file, "\n        },\n        \"verdicts\": [");
	for (i = 0; i < c->verdicts; i++) {
		fprintf(file, "%s\n          { \"failed\": %s, \"text\": ",
			i ? "," : "", c->verdict[i].failed ? "true" : "false");
		tw_string_json(file, c->verdict[i].text);
		fprintf(file, " }");
	}
	fprintf(file, "]");
}

static void write_row(FILE *file, const struct tw_run *run,
		      const struct pt_case *c)
{
	const char *quote = c->choice.kind ? "\"" : "";

	fprintf(file, "\n      { \"name\": \"%s\", \"test\": \"%s\", \"kind\": %s%s%s,\n        \"tasks\": \"%s\", \"cpus\": \"%s\", \"skipped\": ",
		c->name, c->choice.test->name, quote,
		c->choice.kind ? c->choice.kind->name : "null", quote,
		c->choice.process ? "process" : "thread",
		c->choice.cross ? "cross" : "same");
	if (*c->refused)
		tw_string_json(file, c->refused);
	else
		write_case(file, run, c);
	fprintf(file, " }");
}

/* A time is in us, as its unit says, also with -N. */
static void write_derived(FILE *file, const struct pt_derived *of)
{
	bool time = !strcmp(of->unit, "ns");

	fprintf(file, "\n      { \"name\": \"%s\", \"value\": %.6f, \"unit\": \"%s\", \"formula\": ",
		of->name, time ? of->value / TW_NS_PER_US : of->value,
		time ? "us" : of->unit);
	tw_string_json(file, of->formula);
	fprintf(file, " }");
}

static void json(FILE *file, const struct tw_run *run)
{
	const struct tw_jumps jumps = pt_jumps();
	int i;

	tw_jumps_json(file, &jumps);
	fprintf(file, "    \"clock_cost\": %.6f,\n    \"tests\": [",
		(double)pt_clock_ps * 1e-6);
	for (i = 0; i < pt_case_count; i++) {
		fprintf(file, i ? "," : "");
		write_row(file, run, pt_cases[i]);
	}
	fprintf(file, "\n    ],\n    \"derived\": [");
	for (i = 0; i < pt_derived_count; i++) {
		fprintf(file, i ? "," : "");
		write_derived(file, &pt_derived[i]);
	}
	fprintf(file, "],\n");
}

const struct tw_part pt_part_json = {
	.column = column, .json = json,
};
