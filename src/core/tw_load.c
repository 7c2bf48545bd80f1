// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_child.h"
#include "tw_load.h"
#include "tw_memory.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_time.h"

#define LOADS_MAX	8
#define SETTLE_MS	150	/* what cannot run fails within this time */

static const struct tw_load_ops *const kinds[] = {
	&tw_load_fft,
	&tw_load_hackbench,
	&tw_load_command,
	NULL
};

static struct tw_load *loads[LOADS_MAX];
static int count;
/* Nobody writes to it. All loads begin when main has closed its write end. */
static int go[2];

struct tw_load *tw_load_number(int number)
{
	return number < count ? loads[number] : NULL;
}

void tw_load_units(struct tw_load *load, const struct tw_option *option,
		   char *value)
{
	int64_t wanted = load->ops->usual;
	char *whole = value ? value - strlen(load->ops->name) - 1 : NULL;

	if (value && !tw_option_whole(value, option->min, option->max, &wanted)) {
		value[-1] = ':';
		tw_option_number(option, whole);	/* refuses it */
	}
	load->wanted = (int)wanted;
	load->fixed = value;
}

static const char *kind_name(int number)
{
	return kinds[number] ? kinds[number]->name : NULL;
}

static void parse(const struct tw_option *option, char *value)
{
	char *argument = strchr(value, ':');
	int i = 0;

	if (argument)
		*argument++ = '\0';
	if (!strcmp(value, "none") && !argument) {
		count = 0;
		return;
	}
	while (kinds[i] && strcmp(value, kinds[i]->name))
		i++;
	if (!kinds[i] || count == LOADS_MAX)
		tw_option_refuse(option, value, "allowed are up to 8 of the kinds that --help names");
	loads[count] = tw_memory_shared(sizeof(struct tw_load));
	loads[count]->ops = kinds[i];
	loads[count]->words = kinds[i]->words;
	kinds[i]->parse(loads[count++], option, argument);
}

static const char *policy;	/* NULL: each load has its own */
static int64_t priority;	/* 0: each load has its own */
static const char *words;

static const struct tw_option options[] = {
	{ 0, "load", TW_WORD, NULL, "KIND[:ARG]", 1, TW_LOAD_MAX,
	  .choice = kind_name, .parse = parse, .far = TW_MAY_BE_ASKED,
	  .help = "fft[:WORKERS] (1), hackbench[:GROUPS] (10), command:COMMAND, none. Several run together" },
	{ 0, "load-affinity", TW_CPUS, &tw_place_words[TW_LOAD],
	  .parse = tw_place_parse, .far = TW_ASKED_OF_LOAD,
	  .help = "pin the load to CPUSET" },
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

static void check_options(void)
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

/*
 * Main must get CPU time beside a real-time load, but never from a process that
 * is measured.
 */
static void check(struct tw_run *run)
{
	int i, server = tw_config_rank(TW_SERVER,
				       (int)tw_config.pairs - 1).priority;
	int highest = 0;

	check_options();
	for (i = 0; i < count; i++)
		if (loads[i]->priority > highest && !loads[i]->elsewhere)
			highest = loads[i]->priority;
	if (!highest)
		return;
	tw_settings.main_priority = highest + 1;
	if (server <= highest)
		tw_say_fatal("--priority=%d: allowed is %d or more here: the server must be above the load, which has the real-time priority %d\n",
			     (int)tw_config.priority, (int)tw_config.priority +
			     highest + 1 - server, highest);
}

static int live(void *arg)
{
	struct tw_load *load = arg;
	int null = open("/dev/null", O_RDWR);
	char byte;

	/* Whatever happens to main: it may live a moment longer. */
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	tw_process_close(go[0], -1, -1);
	while (read(go[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(go[0]);
	return load->ops->live(load);
}

static void woken(struct tw_run *run)
{
	int i, n;

	for (i = 0; i < count; i++)
		for (n = 0; n < loads[i]->processes; n++)
			if (tw_process_ends(&loads[i]->process[n], 0)) {
				if (!tw_process_failed(&loads[i]->process[n],
						       false))
					tw_say_warn("the load ended by itself\n");
				tw_say_warn("--load=%s: it does not run any longer\n",
					    loads[i]->ops->name);
				run->failed = true;
				return;
			}
}

static void end(struct tw_run *run)
{
	int i, n;

	for (i = 0; i < count; i++) {
		struct tw_load *load = loads[i];
		int64_t ns = tw_now_ns(CLOCK_MONOTONIC) - load->begin_ns;
		uint64_t done = load->processes ? load->ops->done(load) : 0;

		load->rate = done > load->first ? (double)(done - load->first) /
			     ((double)ns / TW_NS_PER_S) : 0;
	}
	/* All first: one that still runs may have the CPU of main. */
	for (i = 0; i < count; i++)
		for (n = 0; n < loads[i]->processes; n++)
			kill(loads[i]->process[n].pid, SIGTERM);
	tw_child_hold_back(false);
	for (i = 0; i < count; i++) {
		for (n = 0; n < loads[i]->processes; n++) {
			run->failed |= tw_process_stop_failed(
				&loads[i]->process[n]);
			if (WIFSIGNALED(loads[i]->process[n].status) &&
			    loads[i]->ops->sweep)
				loads[i]->ops->sweep();
		}
		if (!loads[i]->errors)
			continue;
		tw_say_warn("--load=%s: %lu results were wrong: this kernel does not keep the floating-point registers of a preempted task, or the memory fails\n",
			    loads[i]->ops->name, loads[i]->errors);
		run->failed = true;
	}
	tw_child_reap();
}

/* In a ramp, step k has k units of its load. */
static void begin(struct tw_run *run)
{
	int i, n, processes, err = 0;

	if (!count)
		return;
	if (pipe2(go, O_CLOEXEC))
		tw_say_fatal("--load: cannot open a pipe: %m\n");
	for (i = 0; i < count; i++) {
		struct tw_load *load = loads[i];
		bool single = load->ops->single;
		const struct tw_rank rank = { load->policy, load->priority };

		load->units = load->ramped ? run->step : load->wanted;
		load->processes = 0;
		processes = load->elsewhere ? 0 :
			    single ? load->units > 0 : load->units;
		if (processes && load->priority)
			tw_child_hold_back(true);
		for (n = 0; n < processes && !err; n++) {
			err = tw_process_start(&load->process[n], TW_LOAD,
					       single ? TW_PLACE_ALL : n,
					       rank, live, load);
			load->processes += !err;
		}
	}
	run->failed |= err && err != -EINTR;
	close(go[0]);
	close(go[1]);
	usleep(SETTLE_MS * 1000);
	for (i = 0; i < count; i++) {
		loads[i]->first = loads[i]->processes ?
				  loads[i]->ops->done(loads[i]) : 0;
		loads[i]->begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	}
	woken(run);
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++)
		if (!run->ramp)
			fprintf(file, "# Load: %s, %d %s, %.1f %s a second\n",
				loads[i]->ops->name, loads[i]->units,
				tw_load_unit(loads[i], loads[i]->units),
				loads[i]->rate, loads[i]->ops->work);
}

static const void *next_load(const void *of, int *i, const char **key)
{
	return *i < count ? loads[*i] : NULL;
}

static const char *const works[] = {
	"transforms", "messages", "runs", NULL
};

static int64_t errors_of(const void *of)
{
	return (int64_t)((const struct tw_load *)of)->errors;
}

static const char *const unit_words[] = { "workers", "groups", "copies", NULL };

#define OPS	TW_VIA(struct tw_load, ops)

static const struct tw_member of_load[] = {
	{ "kind", TW_IN(struct tw_load_ops, name), TW_STRING, "Its name.", OPS,
	  .word = kind_name },
	{ TW_NAMED(struct tw_load, units), TW_COUNT,
	  "How many there are; in a ramp, in its last step." },
	{ TW_NAMED(struct tw_load_ops, unit), TW_STRING, "Of what.", OPS,
	  .words = unit_words },
	{ TW_NAMED(struct tw_load, priority), TW_COUNT,
	  "Of its processes; 0: not real-time.", "'maximum': 99" },
	{ TW_NAMED(struct tw_load_ops, work), TW_STRING, "What the rate counts.",
	  OPS, .words = works },
	{ TW_NAMED(struct tw_load, rate), TW_REAL, "Work a second.",
	  "'minimum': 0" },
	{ "errors", TW_NUMBER_OF(errors_of), TW_COUNT, "Wrong results." },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "load", TW_NOWHERE, TW_ARRAY, "Each --load.", .next = next_load,
	  .of = of_load },
	{ .name = NULL }
};

const struct tw_part tw_part_load = {
	.options = options, .group = TW_LOADS, .check = check, .begin = begin,
	.woken = woken, .end = end, .text = text,
	.members[TW_OF_RUN] = members,
};
