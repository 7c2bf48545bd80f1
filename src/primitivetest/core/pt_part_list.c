// SPDX-License-Identifier: GPL-2.0-or-later
/* --list: the table of tests. */
#include <stdio.h>
#include <stdlib.h>

#include "base/tw_json.h"
#include "core/pt_select.h"
#include "frame/tw_run.h"

static int check(struct tw_run *run)
{
	if (pt_config->list)
		run->only = &pt_part_list;
	return 0;
}

static int instead(struct tw_run *run)
{
	(void)run;
	return EXIT_SUCCESS;
}

static void print_groups(FILE *file, const struct pt_test *test)
{
	int i;

	for (i = 0; pt_group_names[i]; i++)
		if (test->groups & 1U << i)
			fprintf(file, " %s", pt_group_names[i]);
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct pt_test *const *test;
	const struct pt_kind *kind;

	if (!run->only)
		return;
	for (test = pt_tests; *test; test++) {
		fprintf(file, "%-9s %s\n", (*test)->name, (*test)->about);
		if ((*test)->kinds)
			fprintf(file, "          kinds:");
		for (kind = (*test)->kinds; kind && kind->name; kind++)
			fprintf(file, " %s", kind->name);
		if ((*test)->kinds)
			fprintf(file, "\n");
		fprintf(file, "          trials: %lld; groups:",
			(long long)(*test)->trials);
		print_groups(file, *test);
		fprintf(file, "\n");
	}
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct pt_test *const *test;
	const struct pt_kind *kind;

	if (!run->only)
		return;
	tw_json_begin(json, "list", '[');
	for (test = pt_tests; *test; test++) {
		tw_json_begin_line(json, NULL, '{');
		tw_json_text(json, "name", (*test)->name);
		tw_json_text(json, "about", (*test)->about);
		tw_json_int(json, "trials", (*test)->trials);
		tw_json_begin_line(json, "kinds", '[');
		for (kind = (*test)->kinds; kind && kind->name; kind++)
			tw_json_text(json, NULL, kind->name);
		tw_json_end(json);
		tw_json_end(json);
	}
	tw_json_end(json);
}

const struct tw_part pt_part_list = {
	.name = "list", .check = check, .instead = instead, .text = text,
	.json = json,
};
