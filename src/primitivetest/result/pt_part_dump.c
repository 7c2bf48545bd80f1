// SPDX-License-Identifier: GPL-2.0-or-later
/* --dump and -v: every trial. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/pt_session.h"
#include "result/pt_part_result.h"

static struct {
	const char *path;
	struct tw_file file;
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	{ 0, "dump", TW_ARGUMENT, "FILE", tw_option_file, &set.path,
	  .help = "write the timestamps of every trial to FILE, as\n"
		  "CSV" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	bool shows = tw_output_shows_cycles(run);

	if (!set.path && !shows)
		return 0;
	/* They are kept in memory until all have been made. */
	if (tw_option_given(run, "duration"))
		return tw_fail(run, -EINVAL, "--duration: with %s the number of trials must be known; give --loops instead",
			       set.path ? "--dump" : "--verbose");
	pt_config_keep_all();
	return 0;
}

static uint64_t kept_of(const struct pt_case *c)
{
	uint64_t done = atomic_load(&c->done);
	uint64_t warmup = (uint64_t)c->config->warmup;
	uint64_t measured = done > warmup ? done - warmup : 0;

	return measured < c->kept_max ? measured : c->kept_max;
}

static void dump_case(FILE *file, const struct pt_case *c)
{
	uint64_t n;
	int i;

	for (n = 0; n < kept_of(c); n++) {
		fprintf(file, "%s,%" PRIu64, c->name, c->kept[n].number);
		for (i = 0; i < PT_STAMPS; i++)
			fprintf(file, ",%" PRId64, c->kept[n].trial.t_ns[i]);
		fprintf(file, "\n");
	}
}

static int write_dump(const struct tw_run *run, FILE *file)
{
	const struct pt_session *session = pt_session(run);
	int i;

	fprintf(file, "test,trial,t0_ns,t1_ns,t2_ns,t3_ns,t4_ns\n");
	for (i = 0; i < session->count; i++)
		if (session->result[i].c)
			dump_case(file, session->result[i].c);
	return 0;
}

static void print_case(FILE *file, const struct pt_case *c, int first)
{
	uint64_t n;
	int i;

	for (n = 0; n < kept_of(c); n++)
		for (i = 0; i < c->metric_count; i++)
			if (c->kept[n].value_ps[i] != PT_NO_VALUE)
				fprintf(file, "%8d:%8" PRIu64 ":%8" PRId64 "\n",
					first + i, c->kept[n].number,
					c->kept[n].value_ps[i] / PT_PS_PER_NS);
}

/* In ns, column by column as in the status lines. */
static void text(FILE *file, const struct tw_run *run)
{
	const struct pt_session *session = pt_session(run);
	int i, first = 0;

	for (i = 0; tw_output_shows_cycles(run) && i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		if (!c)
			continue;
		print_case(file, c, first);
		first += c->metric_count;
	}
}

static const struct tw_result result = {
	.option = "dump", .path = &set.path, .file = &set.file,
	.write = write_dump,
};

const struct tw_part pt_part_dump = {
	.name = "dump", .options = options, TW_SETTINGS(set, initial),
	.check = check, .text = text, .result = &result,
};
