// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of parts, and what --json says of this system. */
#include "tw_check.h"
#include "tw_json.h"
#include "wl.h"

const char tw_program_name[] = "whylate";
const char tw_program_about[] =
	"Says who delayed a program: a thread that runs, a program that it starts, or a\n"
	"task of a trace that was saved.\n";
const char tw_program_member[] = "whylate";
const char tw_program_words[] = " [-- PROGRAM [ARGUMENT]...]";
const struct tw_program_group tw_program_groups[] = {
	{ TW_MEASURED, "Whose delays" },
	{ TW_TOO_LONG, "When it is late" },
	{ TW_OUTPUT, "Output" },
	{ .heading = NULL }
};

const struct tw_part *const tw_parts[] = {
	&tw_part_help,
	&tw_part_json,	/* written last: it has the exit status */
	&wl_part_config,
	&wl_part_text,
	&wl_part_look,
	&wl_part_check,
	NULL
};

const struct tw_fact *const tw_check_tables[] = {
	tw_facts_kernel, tw_facts_realtime, tw_facts_cpus, tw_facts_machine,
	NULL
};

static void checked(struct tw_run *run)
{
	const struct tw_checked of = { .ordinary = true };

	if (tw_json_is_wanted())
		tw_check_facts(run, &of, tw_check_tables, false);
}

const struct tw_part wl_part_check = {
	.checked = checked, .members[TW_OF_RUN] = tw_json_checked,
};
