// SPDX-License-Identifier: GPL-2.0-or-later
/* --worst: the trial with the largest value of each metric. */
#include <inttypes.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "core/pt_report_json.h"
#include "core/pt_session.h"
#include "result/pt_part_result.h"

static struct {
	bool wanted;
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	{ 0, "worst", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.wanted,
	  .help = "print the worst trial of each metric: its number,\n"
		  "and all of its values" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	(void)run;
	if (set.wanted)
		pt_config_worst();
	return 0;
}

static void print_values(FILE *file, const struct pt_case *c,
			 const struct pt_kept *kept)
{
	int i;

	for (i = 0; i < c->metric_count; i++)
		if (kept->value_ps[i] == PT_NO_VALUE)
			fprintf(file, " %s -", c->metric[i]->token);
		else
			fprintf(file, " %s %" PRId64, c->metric[i]->token,
				kept->value_ps[i] / PT_PS_PER_NS);
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct pt_session *session = pt_session(run);
	int i, k;

	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		for (k = 0; c && c->worst && k < c->metric_count; k++) {
			if (!c->worst[k].number)
				continue;
			fprintf(file, "# Worst: %s, trial %" PRIu64 ":",
				c->token[k], c->worst[k].number);
			print_values(file, c, &c->worst[k]);
			fprintf(file, "\n");
		}
	}
}

static void json_worst(struct tw_json *json, const struct pt_case *c, int k)
{
	tw_json_begin_line(json, c->token[k], '{');
	tw_json_uint(json, "trial", c->worst[k].number);
	pt_report_json_kept(json, c, &c->worst[k]);
	tw_json_end(json);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct pt_session *session = pt_session(run);
	int i, k;

	if (!set.wanted)
		return;
	tw_json_begin(json, "worst", '{');
	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		for (k = 0; c && c->worst && k < c->metric_count; k++)
			if (c->worst[k].number)
				json_worst(json, c, k);
	}
	tw_json_end(json);
}

const struct tw_part pt_part_worst = {
	.name = "worst", .options = options, TW_SETTINGS(set, initial),
	.check = check, .text = text, .json = json,
};
