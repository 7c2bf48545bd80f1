// SPDX-License-Identifier: GPL-2.0-or-later
/* Single trials: --dump and -v have all of them, --worst the largest. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "pt_record.h"
#include "pt_report.h"
#include "tw_file.h"
#include "tw_say.h"

static struct tw_file to;
static bool worst;

static const struct tw_option dump_options[] = {
	{ 0, "dump", TW_FILE, &to.path,
	  .help = "write the timestamps of every trial to FILE, as CSV" },
	{ 'v', "verbose", TW_FLAG, &tw_settings.verbose,
	  .help = "print every value, as column:trial:value" },
	{ .name = NULL }
};

/* They are kept in memory until all have been made. */
static void check(struct tw_run *run)
{
	tw_file_add(&to);
	run->no_status |= tw_config.verbose;
	pt_config.keep = to.path || tw_config.verbose;
	if (pt_config.keep && tw_config.duration_s && !tw_config.loops)
		tw_say_fatal("--duration=%lld: allowed with %s only if --loops says how many trials there are at most\n",
			     (long long)tw_config.duration_s,
			     to.path ? "--dump" : "--verbose");
}

static uint64_t kept_of(const struct pt_case *c)
{
	uint64_t done = c->recorded, warmup = tw_config.warmup;
	uint64_t measured = done > warmup ? done - warmup : 0;

	return measured < c->kept_max ? measured : c->kept_max;
}

static void print_dump(FILE *file, const struct tw_run *run)
{
	uint64_t n, rows = 0;
	int i, k;

	fprintf(file, "test,trial,t0_ns,t1_ns,t2_ns,t3_ns,t4_ns\n");
	for (i = 0; i < pt_case_count; i++)
		for (n = 0; n < kept_of(pt_cases[i]); n++) {
			const struct pt_kept *kept = &pt_cases[i]->kept[n];

			fprintf(file, "%s,%" PRIu64, pt_cases[i]->name,
				kept->number);
			for (k = 0; k < PT_STAMPS; k++)
				if (pt_is_left_out(&kept->trial))
					fprintf(file, ",");
				else
					fprintf(file, ",%" PRId64,
						kept->trial.t_ns[k]);
			fprintf(file, "\n");
			rows++;
		}
	tw_file_end_table(file, run, rows);
}

static int write_dump(const struct tw_run *run, int status)
{
	return tw_file_write(&to, print_dump, run);
}

/* In ns, column by column. */
static void print_all(FILE *file, const struct tw_run *run)
{
	const struct pt_case *c;
	int64_t value_ps;
	uint64_t n;
	int i, k, first = 0;

	for (i = 0; tw_config.verbose && i < pt_case_count; i++) {
		c = pt_cases[i];
		for (n = 0; n < kept_of(c); n++)
			for (k = 0; k < c->columns; k++) {
				value_ps = c->kept[n].values_ps[k];
				if (value_ps != PT_NO_VALUE)
					fprintf(file, "%8d:%8" PRIu64 ":%8" PRId64 "\n",
						first + k, c->kept[n].number,
						value_ps / PT_PS_PER_NS);
			}
		first += c->columns;
	}
}

const struct tw_part pt_part_dump = {
	.options = dump_options, .group = TW_OUTPUT, .check = check,
	.text = print_all, .write = write_dump,
};

static const struct tw_option worst_options[] = {
	{ 0, "worst", TW_FLAG, &worst,
	  .help = "print the worst trial of each metric, and its values" },
	{ .name = NULL }
};

/* Whether the worst trials of two columns are one. */
static bool is_same(const struct pt_column *a, const struct pt_column *b)
{
	return a->in == b->in && b->stats.count &&
	       a->worst.number == b->worst.number;
}

/* Each trial once, with all columns that it is the worst of. */
static void print_worst(FILE *file, const struct tw_run *run)
{
	int i, other;

	for (i = 0; worst && i < pt_column_count; i++) {
		const struct pt_column *of = pt_columns[i];

		for (other = 0; !is_same(of, pt_columns[other]) && other < i;
		     other++)
			;
		if (other < i || !of->stats.count)
			continue;
		fprintf(file, "# Worst: %s", of->name);
		while (++other < pt_column_count)
			if (is_same(of, pt_columns[other]))
				fprintf(file, ", %s",
					pt_columns[other]->metric->token);
		fprintf(file, ", trial %" PRIu64 ":", of->worst.number);
		pt_report_values(file, of->in, of->worst.values_ps);
		fprintf(file, " ns\n");
	}
}

/* What the JSON says of one. */
struct told {
	struct pt_values values;	/* first: see pt_json_values */
	uint64_t trial;
};

static const void *next_worst(const void *of, int *i, const char **key)
{
	static struct told told;
	const struct pt_column *column;

	while (*i < pt_column_count && !pt_columns[*i]->stats.count)
		++*i;
	if (*i == pt_column_count)
		return NULL;
	column = pt_columns[*i];
	*key = column->name;
	told.trial = column->worst.number;
	told.values = (struct pt_values) { column->in, column->worst.values_ps };
	return &told;
}

static const struct tw_member of_worst[] = {
	{ TW_NAMED(struct told, trial), TW_INTEGER, "Its number.",
	  "'minimum': 1" },
	{ "values", TW_NOWHERE, PT_VALUES("By metric, in ns.") },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "worst", TW_NOWHERE, TW_MAP, "With --worst: by column.", PT_NAMES,
	  TW_IF(worst), .next = next_worst,
	  .of = of_worst },
	{ .name = NULL }
};

const struct tw_part pt_part_worst = {
	.options = worst_options, .group = TW_OUTPUT, .text = print_worst,
	.members[TW_OF_RUN] = members,
};
