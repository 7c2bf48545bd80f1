// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "tw_clocks.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_say.h"

struct pt_config pt_config = {
	.hold_us = 200,
	.hog_us = 2000,
	.bin_ns = 1000,
	.tasks = { "process", PT_AS_PROCESS },
	.cpus = { "same", PT_ON_SAME },
};

static const char *clock_name = "monotonic", *order = "higher", *policy_name;
static bool unbuffered, on_max;

/* Tasks are pinned in any case; without a set to the last CPUs. */
static void parse_affinity(const struct tw_option *option, char *value)
{
	if (value)
		tw_place_parse(option, value);
}

static void parse_words(const struct tw_option *option, char *value)
{
	struct pt_words *to = option->to;
	struct tw_option one = *option;
	const char *found;
	char *word;
	int i;

	one.to = &found;
	*to = (struct pt_words) { .text = strdup(value) };
	while ((word = strsep(&value, ", "))) {
		tw_option_choice(&one, word);
		for (i = 0; option->choices[i] != found; i++)
			;
		to->bits |= 1 << i;
	}
}

static const char *const task_names[] = { "thread", "process", NULL };
static const char *const cpu_names[] = { "same", "cross", NULL };
static const char *const order_names[] = { "higher", "lower", "equal", NULL };

static const struct tw_option options[] = {
	{ 'a', "affinity", TW_CPUS, &tw_place_words[TW_CLIENT],
	  .optional = true, .parse = parse_affinity, .group = TW_PLACES,
	  .help = "the tasks' CPU: the first of CPUSET, with --cpus=cross also the second; default: the last CPU, and the one before it" },
	{ 0, "bin", TW_NUMBER, &pt_config.bin_ns, "NS", 1, 1000000000,
	  .group = TW_OUTPUT,
	  .help = "width of a row of a histogram, default 1000" },
	{ 'b', "breaktrace", TW_NUMBER, &pt_config.break_us, "US", 1, 1000000,
	  .group = TW_TOO_LONG,
	  .help = "end at the first value above US, or interval that is so much longer than its period; exit status 2" },
	{ 'c', "clock", TW_WORD, &clock_name, .choice = tw_clock_word,
	  .group = TW_PLACES,
	  .help = "clock of the timestamps: monotonic (0, default), realtime (1), monotonic_raw, tai, boottime, tsc, aux0 to aux7" },
	{ 0, "copies", TW_NUMBER, &pt_config.own[PT_OWN_COPIES], NULL, 1, 16,
	  .group = TW_SINGLE,
	  .help = "copy: N threads; default 1, 2, 4, 8 and 16" },
	{ 0, "cpus", TW_LIST, &pt_config.cpus, .choices = cpu_names,
	  .parse = parse_words,
	  .help = "where the tasks run: same (default), cross, or both" },
	{ 'D', "duration", TW_TIME, &tw_settings.duration_s,
	  .help = "seconds for each test; with m, h, d: minutes, hours, days" },
	{ 0, "hog", TW_NUMBER, &pt_config.hog_us, "US", 1, 100000,
	  .group = TW_SINGLE,
	  .help = "sync3: work of the middle task, default 2000" },
	{ 0, "hold", TW_NUMBER, &pt_config.hold_us, "US", 1, 100000,
	  .group = TW_SINGLE,
	  .help = "sync3: work of the low task in the lock, default 200" },
	{ 'i', "interval", TW_NUMBER, &pt_config.interval_us, "US", 0, 1000000,
	  .help = "period of the trials of two tasks, default 0: none" },
	{ 'l', "loops", TW_NUMBER, &tw_settings.loops, NULL, 0, 1000000000,
	  .help = "trials of each test; 0 (default): as --list shows" },
	{ 'm', "mlockall", TW_FLAG, &tw_settings.mlockall, .group = TW_PLACES,
	  .help = "lock the tasks' memory, so that none is paged out" },
	{ 'N', "nsecs", TW_FLAG, &tw_settings.nsecs, .group = TW_OUTPUT,
	  .help = "nanoseconds in the JSON, too" },
	{ 0, "order", TW_WORD, &order, .choices = order_names,
	  .help = "priority of the task that answers:" },
	{ 0, "period", TW_NUMBER, &pt_config.own[PT_OWN_PERIOD], "US", 100,
	  500000, .group = TW_SINGLE,
	  .help = "timer: default 1000, 10000 and 100000" },
	{ 0, "policy", TW_WORD, &policy_name, .choices = TW_POLICY_SIMPLE,
	  .group = TW_PLACES,
	  .help = "of the tasks, default fifo with -p, else other:" },
	{ 'p', "priority", TW_NUMBER, &tw_settings.priority, "PRIO",
	  3, 98,	/* see PT_LOW, PT_ABOVE */
	  .group = TW_PLACES,
	  .help = "real-time priority of the highest task; others have one and two less, and who starts them one more" },
	{ 'q', "quiet", TW_FLAG, &tw_settings.quiet, .group = TW_OUTPUT,
	  .help = "print the results only, at the end" },
	{ 'M', "refresh_on_max", TW_FLAG, &on_max, .group = TW_OUTPUT,
	  .help = "accepted for old scripts: nothing is redrawn" },
	{ 0, "size", TW_NUMBER, &pt_config.own[PT_OWN_SIZE], "BYTES", 1, 65536,
	  .group = TW_SINGLE,
	  .help = "message, stream, pipe, unix: default 8 (pipe, unix: 1), 64, 1024 and 8192" },
	{ 0, "tasks", TW_LIST, &pt_config.tasks, .choices = task_names,
	  .parse = parse_words,
	  .help = "what the tasks are: thread, process (default), or both" },
	{ 'u', "unbuffered", TW_FLAG, &unbuffered, .group = TW_OUTPUT,
	  .help = "do not buffer the output" },
	{ 0, "us", TW_FLAG, &pt_config.us, .without = "--nsecs",
	  .group = TW_OUTPUT,
	  .help = "print microseconds instead of nanoseconds" },
	{ 0, "warmup", TW_NUMBER, &tw_settings.warmup, NULL, 0, 1000000,
	  .help = "trials before the measured ones, default 2" },
	{ 0, "work", TW_NUMBER, &pt_config.work, NULL, 0, 1000000000000,
	  .group = TW_SINGLE,
	  .help = "work: N iterations; 0 (default): as many as take 10 ms here, which no other system can be compared with" },
	{ .name = NULL }
};

/* To the @n-th CPU of @cpus, counted from the end if @n is below 0. */
static void pin(enum tw_role role, const cpu_set_t *cpus, int n)
{
	int count = CPU_COUNT(cpus), cpu;
	cpu_set_t one;

	CPU_ZERO(&one);
	for (n = (n + count) % count, cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && !n--)
			CPU_SET(cpu, &one);
	tw_place_set(role, &one);
}

static void place(struct tw_run *run)
{
	bool given = tw_place_words[TW_CLIENT];
	cpu_set_t allowed, cpus;

	/* It reads the words. */
	tw_part_place.check(run);
	tw_place(TW_MAIN, 0, &allowed);
	tw_place(TW_CLIENT, 0, &cpus);
	pt_config.two_cpus = CPU_COUNT(&cpus) > 1;
	pin(TW_MAIN, &allowed, 0);
	pin(TW_CLIENT, &cpus, given ? 0 : -1);
	pin(TW_SERVER, &cpus, given ? 1 : -2);
	if (!tw_place_words[TW_LOAD])
		pin(TW_LOAD, &cpus, given ? 0 : -1);
}

void pt_config_cpus(cpu_set_t *cpus)
{
	cpu_set_t other;

	tw_place(TW_CLIENT, 0, cpus);
	tw_place(TW_SERVER, 0, &other);
	if (pt_config.cpus.bits & PT_ON_CROSS)
		CPU_OR(cpus, cpus, &other);
}

static void check(struct tw_run *run)
{
	int i;

	/* What the files that are shared with twowaytest read. */
	tw_config_roles[TW_CLIENT] = tw_config_roles[TW_SERVER] = "task";
	tw_config_roles[TW_MAIN] = "parent of the tasks";
	tw_settings.intervals_us[0] = tw_settings.sleep_us = 0;
	tw_settings.columns = PT_METRICS;
	if (unbuffered)
		setvbuf(stdout, NULL, _IONBF, 0);
	for (i = 0; strcmp(order_names[i], order); i++)
		;
	pt_config.order = i;
	tw_settings.clock = tw_clock_find(clock_name);
	tw_clocks_open_aux(tw_config.clock);
	if (tw_config.clock == &tw_clock_tsc)
		tw_clock_tsc_open();
	clock_name = tw_config.clock->name;
	tw_settings.row = pt_config.bin_ns * PT_PS_PER_NS;
	if (tw_config_check_policy(&policy_name) && !tw_config.priority)
		tw_say_fatal("--policy=%s: allowed only with --priority\n",
			     policy_name);
	place(run);
	pt_select();
}

const struct tw_part pt_part_config = {
	.options = options, .check = check,
};
