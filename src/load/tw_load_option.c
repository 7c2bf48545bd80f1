// SPDX-License-Identifier: GPL-2.0-or-later
/* --load-policy, --load-priority and --load-args: they change all loads. */
#include "tw_load.h"
#include "tw_part.h"
#include "tw_policy.h"
#include "tw_say.h"

static const char *policy;	/* NULL: each load has its own */
static int64_t priority;	/* 0: each load has its own */
static const char *words;

static const struct tw_option options[] = {
	{ 0, "load-args", TW_TEXT, &words, "STRING", .far = TW_ASKED_OF_LOAD,
	  .help = "of hackbench, after -g GROUPS, default \"-l 5000\"" },
	{ 0, "load-policy", TW_WORD, &policy, .choices = TW_POLICY_SIMPLE,
	  .far = TW_ASKED_OF_LOAD,
	  .help = "default other:" },
	{ 0, "load-priority", TW_NUMBER, &priority, "PRIO", 1, 97,
	  .far = TW_ASKED_OF_LOAD,
	  .help = "real-time priority of the load, default 1" },
	{ .name = NULL }
};

static void apply(struct tw_load *load)
{
	if (policy) {
		load->policy = tw_policy_find(policy);
		load->priority = tw_policy_is_realtime(load->policy);
	}
	if (priority && load->priority)
		load->priority = (int)priority;
	if (words && load->ops == &tw_load_hackbench)
		load->words = words;
}

/* Before the check of the loads, which uses the priorities. */
static void check(struct tw_run *run)
{
	bool hackbench = false, any_realtime = false;
	struct tw_load *load;
	int i;

	if (policy)	/* "normal" is "other" */
		policy = tw_policy_name(tw_policy_find(policy));
	for (i = 0; (load = tw_load_number(i)); i++) {
		apply(load);
		hackbench |= load->ops == &tw_load_hackbench;
		any_realtime |= load->priority && tw_config.priority;
	}
	if (words && !hackbench)
		tw_say_fatal("--load-args=%s: allowed only with --load=hackbench\n",
			     words);
	if (policy && !i && !tw_option_given("trltp"))
		tw_say_fatal("--load-policy=%s: allowed only with --load\n",
			     policy);
	if (policy && i && !any_realtime &&
	    tw_policy_is_realtime(tw_policy_find(policy)))
		tw_say_fatal("--load-policy=%s: allowed is other, batch or idle without --priority: else what is measured would wait for the load\n",
			     policy);
	if (priority && !any_realtime)
		tw_say_fatal("--load-priority=%d: allowed only with --priority, and --load-policy=fifo or rr\n",
			     (int)priority);
}

const struct tw_part tw_part_load_option = {
	.options = options, .group = TW_LOADS, .check = check,
};
