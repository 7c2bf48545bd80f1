// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON: "thread", as cyclictest has it, then "primitives". */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "rt-utils.h"
#include "tw_read.h"
#include "tw_throttle.h"

/* A time in the unit of the JSON; JSON has no number for none. */
static void write_time(FILE *file, int64_t ps)
{
	if (ps == PT_NO_VALUE)
		fprintf(file, "null");
	else
		fprintf(file, "%.6f", tw_text_real((double)ps));
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
		write_time(file, values_ps[i]);
		comma = ",";
	}
	fprintf(file, " }");
}

static void write_column(FILE *file, const struct tw_run *run, int number)
{
	const struct pt_column *column = pt_columns[number];
	const struct tw_stats *of = &column->stats;
	int64_t none = of->count ? 0 : PT_NO_VALUE;
	int i;

	fprintf(file, "%s    \"%d\": {\n", number ? ",\n" : "", number);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->column)
			tw_parts[i]->column(file, run, number);
	fprintf(file, "      \"metric\": \"%s\",\n      \"label\": ",
		column->name);
	rt_json_string(file, column->metric->label);
	fprintf(file, ",\n      \"cycles\": %" PRIu64 ",\n      \"min\": ",
		of->count);
	write_time(file, of->min_ns + none);
	fprintf(file, ", \"max\": ");
	write_time(file, of->max_ns + none);
	fprintf(file, ", \"avg\": ");
	if (of->count)
		fprintf(file, "%.8f", tw_text_real(tw_stats_mean(of)));
	else
		fprintf(file, "null");
	fprintf(file, ",\n      \"stddev\": %.9f, \"rms\": %.9f, \"target\": ",
		tw_text_real(tw_stats_deviation(of)), of->count ?
		tw_text_real(sqrt(of->m2_ns2 / (double)of->count)) : 0);
	write_time(file, column->target_ps ? column->target_ps : PT_NO_VALUE);
	fprintf(file, ",\n      \"cpu\": %d\n    }",
		tw_place_single(&column->in->task[0].begun.cpus));
}

static void write_task(FILE *file, const struct pt_task *task)
{
	const struct tw_process *process = &task->begun;
	char list[TW_PLACE_LIST];

	tw_place_list(&process->cpus, list, sizeof(list));
	fprintf(file, "          { \"name\": \"%s\", \"pid\": %d, \"policy\": \"%s\", \"priority\": %d, \"cpus\": \"%s\", \"changed\": %s,\n",
		task->name, task->pid, tw_config_policy(process->policy),
		process->priority, list,
		pt_task_changed(task) ? "true" : "false");
	fprintf(file, "            \"page_faults\": %" PRIu64 ", \"context_switches\": %" PRIu64 ", \"cpu_us\": %" PRId64 " }",
		task->used.faults, task->used.switches, task->used.cpu_us);
}

static void write_metric(FILE *file, const struct pt_case *c, int i)
{
	double rate = pt_rate(&c->column[i]);
	uint64_t n;

	fprintf(file, "          \"%s\": { \"column\": \"%s\", \"first\": [",
		c->column[i].metric->token, c->column[i].name);
	for (n = 0; n < c->first_count; n++) {
		fprintf(file, n ? ", " : "");
		write_time(file, c->first_ps[n][i]);
	}
	fprintf(file, "], \"rate\": ");
	if (rate > 0)
		fprintf(file, "%.1f, \"rate_of\": \"%s\" }", rate,
			c->column[i].metric->rate);
	else
		fprintf(file, "null, \"rate_of\": null }");
}

static void write_case(FILE *file, const struct tw_run *run,
		       const struct pt_case *c)
{
	int i;

	fprintf(file, ",\n        \"trials\": %" PRIu64 ", \"warmup\": %" PRId64 ", \"missed\": %" PRIu64 ", \"throttled\": %" PRIu64 ",\n        \"switches\": { \"needed\": %" PRId64 ", \"had\": %" PRId64 " }, \"number\": %" PRId64 ",\n        \"processes\": [",
		c->column[0].stats.count, tw_config.warmup, c->missed,
		tw_throttled(run, 0) ? c->throttled : 0,
		pt_switches(c).needed, pt_switches(c).had, c->number);
	for (i = 0; i < c->task_count; i++) {
		fprintf(file, i ? ",\n" : "\n");
		write_task(file, &c->task[i]);
	}
	fprintf(file, "\n        ],\n        \"metrics\": {");
	for (i = 0; i < c->columns; i++) {
		fprintf(file, i ? ",\n" : "\n");
		write_metric(file, c, i);
	}
	fprintf(file, "\n        },\n        \"verdicts\": [");
	for (i = 0; i < c->verdicts; i++) {
		fprintf(file, "%s\n          { \"failed\": %s, \"text\": ",
			i ? "," : "", c->verdict[i].failed ? "true" : "false");
		rt_json_string(file, c->verdict[i].text);
		fprintf(file, " }");
	}
	fprintf(file, "]");
}

static void write_row(FILE *file, const struct tw_run *run,
		      const struct pt_case *c)
{
	const struct pt_choice *choice = &c->choice;

	fprintf(file, "      { \"name\": \"%s\", \"test\": \"%s\", \"kind\": ",
		c->name, choice->test->name);
	if (choice->kind)
		fprintf(file, "\"%s\"", choice->kind->name);
	else
		fprintf(file, "null");
	fprintf(file, ",\n        \"tasks\": \"%s\", \"cpus\": \"%s\", \"skipped\": ",
		choice->process ? "process" : "thread",
		choice->cross ? "cross" : "same");
	if (*c->refused) {
		rt_json_string(file, c->refused);
	} else {
		fprintf(file, "null");
		write_case(file, run, c);
	}
	fprintf(file, " }");
}

/* A time is in us, as its unit says, also with -N. */
static void write_derived(FILE *file, const struct pt_derived *of)
{
	bool time = !strcmp(of->unit, "ns");

	fprintf(file, "      { \"name\": \"%s\", \"value\": %.6f, \"unit\": \"%s\", \"formula\": ",
		of->name, time ? of->value / TW_NS_PER_US : of->value,
		time ? "us" : of->unit);
	rt_json_string(file, of->formula);
	fprintf(file, " }");
}

static void json(FILE *file, const struct tw_run *run)
{
	int i;

	fprintf(file, "    \"clock_cost\": %.6f,\n    \"tests\": [",
		pt_case_count ? pt_cases[0]->clock_ps * 1e-6 : 0);
	for (i = 0; i < pt_case_count; i++) {
		fprintf(file, i ? ",\n" : "\n");
		write_row(file, run, pt_cases[i]);
	}
	fprintf(file, "\n    ],\n    \"derived\": [");
	for (i = 0; i < pt_derived_count; i++) {
		fprintf(file, i ? ",\n" : "\n");
		write_derived(file, &pt_derived[i]);
	}
	fprintf(file, "],\n");
}

const struct tw_part pt_part_json = {
	.json = json,
};

void tw_json_members(FILE *file, void *data)
{
	const struct tw_run *run = data;
	int i;

	pt_report_unit(true);
	fprintf(file, "  \"num_threads\": %d,\n  \"resolution_in_ns\": %d,\n  \"thread\": {\n",
		pt_column_count, tw_config.nsecs);
	for (i = 0; i < pt_column_count; i++)
		write_column(file, run, i);
	fprintf(file, "\n  },\n");
	tw_json_head(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->json)
			tw_parts[i]->json(file, run);
	fprintf(file, "    \"interrupted\": %s\n  }\n",
		run->interrupted ? "true" : "false");
}
