// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON: the members that cyclictest has, then those of the parts. */
#include <inttypes.h>
#include <stdio.h>

#include "tw_array.h"
#include "tw_json.h"
#include "tw_members.h"
#include "tw_part.h"
#include "tw_text.h"

static void write_stats(FILE *file, const struct tw_stats *of,
			int64_t target_ns)
{
	fprintf(file, "\"min\": %" PRId64 ", \"max\": %" PRId64
		", \"avg\": %.3f, \"stddev\": %.3f",
		tw_text_whole(of->min), tw_text_whole(of->max),
		tw_text_mean(of), tw_text_real(tw_stats_deviation(of)));
	if (target_ns)
		fprintf(file, ", \"rms\": %.3f",
			tw_text_real(tw_stats_rms(of, target_ns)));
	else
		fputs(", \"rms\": null", file);
}

/* In a step, the pairs are together: 0, as each has a period of its own. */
static int64_t target_ns(enum tw_metric_id id, const struct tw_run *run,
			 int pair)
{
	const struct tw_metric_params params = tw_config_params(pair);

	return id == TW_INTERVAL && !run && tw_config.pairs > 1 ? 0 :
	       tw_metric_target_ns(id, &params);
}

void tw_members_phases(FILE *file, const struct tw_results *results,
		       const struct tw_run *run, int pair)
{
	const struct tw_metric_params params = tw_config_params(0);
	const char *comma = "";
	int id, i;

	fprintf(file, "\"phases\": {");
	for (id = 0; id < TW_METRICS; id++) {
		if (!tw_metric_valid(id, &params))
			continue;
		fprintf(file, "%s\n        \"%s\": { ", comma,
			tw_metrics[id].name);
		if (run || results->stats[id].count)
			write_stats(file, &results->stats[id],
				    target_ns(id, run, pair));
		else
			fputs("\"min\": null, \"max\": null, \"avg\": null, \"stddev\": null, \"rms\": null",
			      file);
		fprintf(file, ", \"cycles\": %" PRIu64,
			results->stats[id].count);
		for (i = 0; run && tw_parts[i]; i++)
			if (tw_parts[i]->phase)
				tw_parts[i]->phase(file, run, pair, id);
		fprintf(file, " }");
		comma = ",";
	}
	fprintf(file, "\n      }");
}

static void column(FILE *file, const struct tw_run *run, int column)
{
	const struct tw_stats *of = tw_series_of(run, column).stats;
	int pair = tw_text_pair(column);

	fprintf(file, "      ");
	tw_members_phases(file, &run->pairs[pair]->total, run, pair);
	fprintf(file, ",\n      \"metric\": \"%s\",\n      \"pair\": %d,\n",
		tw_metrics[tw_text_metric(column)].name, pair);
	fprintf(file, "      \"interval_us\": %" PRId64 ",\n      \"cycles\": %"
		PRIu64 ",\n      \"missed\": %" PRIu64 ",\n      ",
		tw_config_interval_us(pair), of->count,
		run->pairs[pair]->total.missed);
	write_stats(file, of, target_ns(tw_text_metric(column), run, pair));
	fprintf(file, ",\n");
}

static void write_process(FILE *file, const struct tw_pair *pair,
			  enum tw_role role)
{
	if (!pair->process[role].pid) {
		fprintf(file, "        \"%s\": null%s\n", tw_config_roles[role],
			role == TW_SERVER ? "," : "");
		return;
	}
	fprintf(file, "        \"%s\": { ", tw_config_roles[role]);
	tw_json_process(file, &pair->process[role]);
	tw_json_changed(file, &pair->begun[role], &pair->left[role]);
	tw_json_usage(file, &pair->usage[role]);
	fprintf(file, " }%s\n", role == TW_SERVER ? "," : "");
}

static void write_main(FILE *file)
{
	struct tw_process process = { .pid = getpid() };

	tw_process_read(&process);
	fprintf(file, "    \"main\": { ");
	tw_json_process(file, &process);
	fprintf(file, " },\n");
}

static void write_pairs(FILE *file, const struct tw_run *run)
{
	int i, part;

	fprintf(file, "    \"pairs\": [\n");
	for (i = 0; i < tw_config.pairs; i++) {
		fprintf(file, "      {\n        \"missed\": %" PRIu64 ",\n",
			run->pairs[i]->total.missed);
		for (part = 0; tw_parts[part]; part++)
			if (tw_parts[part]->pair)
				tw_parts[part]->pair(file, run, i);
		write_process(file, run->pairs[i], TW_SERVER);
		write_process(file, run->pairs[i], TW_CLIENT);
		fprintf(file, "      }%s\n",
			i + 1 < tw_config.pairs ? "," : "");
	}
	fprintf(file, "    ],\n");
}

static void json(FILE *file, const struct tw_run *run)
{
	write_main(file);
	write_pairs(file, run);
}

static void text(FILE *file, const struct tw_run *run)
{
	static const enum tw_role sides[] = { TW_SERVER, TW_CLIENT };
	char before[64];
	size_t k;
	int i;

	for (i = 0; i < tw_config.pairs; i++)
		for (k = 0; k < ARRAY_SIZE(sides); k++) {
			const struct tw_pair *pair = run->pairs[i];
			enum tw_role role = sides[k];

			/* All pairs may have one server. */
			if (i && pair->left[role].pid ==
				 run->pairs[0]->left[role].pid)
				continue;
			snprintf(before, sizeof(before),
				 TW_CHANGED "pair %d: %s, ", i,
				 tw_config_roles[role]);
			tw_process_print_change(file, before,
						&pair->begun[role],
						&pair->left[role]);
		}
}

const struct tw_part tw_part_members = {
	.text = text, .tells_end = true, .column = column, .json = json,
};
