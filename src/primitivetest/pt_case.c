// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "pt_record.h"
#include "tw_memory.h"

#define BEST_OF		10
#define READINGS	1000
/* A longer trial is an error; an ordinary task may wait long for a busy CPU. */
#define TRIAL_MS	1000
#define ORDINARY_MS	10000

struct pt_case *pt_cases[PT_CASES_MAX];
int pt_chosen_count, pt_case_count;
struct pt_column *pt_columns[PT_CASES_MAX * PT_METRICS];
int pt_column_count;
int64_t pt_clock_ps;

int pt_case_limit_ms(const struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;
	int64_t period_us = test->own == PT_OWN_PERIOD ? pt_kind_value(c) : 0;
	int64_t ms = tw_config.priority ? TRIAL_MS : ORDINARY_MS;

	if (test->flags & PT_PACED)
		period_us = pt_config.interval_us;
	if (10 * period_us / 1000 > ms)
		ms = 10 * period_us / 1000;
	/* Between two trials it may rest. */
	return (int)(test->flags & PT_SPINS ? 2 * ms : ms);
}

int64_t pt_reading_cost(int64_t (*read)(void))
{
	int64_t from, took, least = INT64_MAX;
	int i, k;

	for (k = 0; k < BEST_OF; k++) {
		from = read();
		for (i = 1; i < READINGS; i++)
			read();
		took = read() - from;
		if (took < least)
			least = took;
	}
	return least * 1000 / READINGS;
}

static const struct pt_role alone[] = {
	{ .name = "high", .level = PT_HIGH },	/* the test has its trials */
	{ .name = NULL }
};

static void complete_kind(struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;
	struct pt_kind *kind = &c->kind;

	if (c->choice.kind)
		*kind = *c->choice.kind;
	if (!kind->roles)
		kind->roles = test->roles ? test->roles : alone;
	if (!kind->metrics)
		kind->metrics = test->metrics;
	if (!kind->trials)
		kind->trials = test->trials;
	if (test->switches_of)
		kind->switches = test->switches_of(c);
	else if (!kind->switches)
		kind->switches = test->switches;
	kind->copies += !kind->copies;
}

/* How many trials; all of them may be kept. */
static void count_trials(struct pt_case *c)
{
	c->trials = tw_config.loops ? tw_config.loops :
		    tw_config.duration_s ? 0 : c->kind.trials;
	if (pt_config.keep)
		c->kept_max = c->trials ? c->trials : c->kind.trials;
}

/*
 * What is recorded between two trials pushes the kernel's code out of the
 * caches, which takes 2 % of a round trip. Trials are recorded one by one if
 * any may be the last (-b), if a value needs the trial before (the test itself
 * may look at that one, too), or if there is a rest between two.
 */
static int block_size(const struct pt_case *c)
{
	bool one = pt_config.break_us || pt_config.interval_us ||
		   c->choice.test->flags & PT_SPINS;
	const struct pt_metric *metric;

	for (metric = c->kind.metrics; metric->token; metric++)
		one |= metric->span[0] >= PT_BEFORE;
	return one ? 1 : PT_BLOCK;
}

static void open_column(struct pt_case *c, const struct pt_metric *metric)
{
	struct pt_column *column = &c->column[c->columns++];

	column->in = c;
	column->metric = metric;
	snprintf(column->name, sizeof(column->name), "%s.%s", c->name,
		 metric->token);
	if (metric->target_ps)
		column->target_ps = metric->target_ps(c);
}

static int priority_of(const struct pt_task *task)
{
	static const enum pt_level ordered[] = {
		[PT_HIGHER] = PT_HIGH, [PT_LOWER] = PT_LOW,
		[PT_EQUAL] = PT_MID,
	};
	enum pt_level level = task->role->level;

	if (!tw_config.priority)
		return 0;
	if (level == PT_BOTTOM)
		return 1;
	if (level == PT_STEPPED)
		return pt_config_priority(PT_HIGH) - task->copy;
	return pt_config_priority(level == PT_ORDERED ?
				  ordered[pt_config.order] : level);
}

static void open_task(struct pt_case *c, const struct pt_role *role, int copy)
{
	struct pt_task *task = &c->task[c->tasks];
	bool other = c->choice.test->flags & PT_SPREAD ? copy % 2 :
							 role->other_cpu;

	task->in = c;
	task->role = role;
	task->number = c->tasks++;
	task->copy = copy;
	snprintf(task->name, sizeof(task->name), "prim-%.10s", role->name);
	task->priority = priority_of(task);
	task->on = c->choice.cross && other ? TW_SERVER : TW_CLIENT;
	sem_init(&task->gate, 1, 0);
}

struct pt_case *pt_case_map(const struct pt_choice *choice)
{
	const struct pt_test *test = choice->test;
	const bool one = test->flags & PT_ALONE;
	struct pt_case start = { .choice = *choice, .before = pt_no_trial };
	const struct pt_metric *metric;
	const struct pt_role *role;
	struct pt_case *c;
	int copy, copies;

	complete_kind(&start);
	count_trials(&start);
	start.size = sizeof(*c) + start.kept_max * sizeof(struct pt_kept);
	c = tw_memory_shared(start.size);
	madvise(c, start.size, MADV_DONTFORK);	/* to be locked by all */
	*c = start;
	snprintf(c->name, PT_NAME, "%s%s%s%s%s", test->name,
		 choice->kind ? "." : "",
		 choice->kind ? choice->kind->name : "",
		 one ? "" : choice->process ? ".process" : ".thread",
		 one ? "" : choice->cross ? ".cross" : ".same");
	c->kept = (struct pt_kept *)(c + 1);
	c->block_size = block_size(c);
	c->stamped = tw_config.clock;
	c->now_ns = tw_config.clock->now_ns;
	for (metric = c->kind.metrics; metric->token; metric++)
		open_column(c, metric);
	for (role = c->kind.roles; role->name; role++) {
		copies = role[1].name ? 1 : c->kind.copies;
		for (copy = 0; copy < copies; copy++)
			open_task(c, role, copy);
	}
	return c;
}

void pt_case_open(struct pt_case *c)
{
	madvise(c, c->size, MADV_DOFORK);
	c->room = tw_memory_shared(c->choice.test->room + 1);
}

void pt_case_settle(struct pt_case *c)
{
	int i;

	if (c->room)
		munmap(c->room, c->choice.test->room + 1);
	c->room = NULL;
	madvise(c, c->size, MADV_DONTFORK);
	pt_case_count++;
	for (i = 0; i < c->columns && !*c->refused; i++)
		pt_columns[pt_column_count++] = &c->column[i];
}

int pt_refuse(struct pt_case *c, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->refused, sizeof(c->refused), format, args);
	va_end(args);
	return err;
}

int pt_failed(struct pt_task *task, const char *what, int err)
{
	task->failed = what;
	task->err = err;
	return err;
}

void pt_verdict(struct pt_case *c, bool failed, const char *format, ...)
{
	struct pt_verdict *verdict = &c->verdict[c->verdicts];
	va_list args;

	if (c->verdicts == PT_VERDICTS)
		return;
	c->verdicts++;
	verdict->failed = failed;
	va_start(args, format);
	vsnprintf(verdict->text, sizeof(verdict->text), format, args);
	va_end(args);
}

static bool sum_of_column(const struct pt_column *column, struct pt_sum *sum)
{
	*sum = (struct pt_sum) {
		tw_stats_mean(&column->stats) / PT_PS_PER_NS,
		(double)column->stats.min / PT_PS_PER_NS,
		(double)column->stats.max / PT_PS_PER_NS,
	};
	return column->stats.count;
}

bool pt_sum_in(const struct pt_case *c, const char *metric, struct pt_sum *sum)
{
	int i;

	for (i = 0; i < c->columns; i++)
		if (!strcmp(c->column[i].metric->token, metric))
			return sum_of_column(&c->column[i], sum);
	return false;
}

bool pt_sum_of(const char *name, struct pt_sum *sum)
{
	int i;

	for (i = 0; i < pt_column_count; i++)
		if (!strcmp(pt_columns[i]->name, name))
			return sum_of_column(pt_columns[i], sum);
	return false;
}

struct pt_switches pt_switches(const struct pt_case *c)
{
	int64_t done = (int64_t)pt_trials(c);
	bool spread = c->choice.test->flags & PT_SPREAD;
	int64_t all = c->kind.switches * done / (spread ? c->kind.copies : 1);
	struct pt_switches of = {
		/* Those before a trial may not happen: it may be time. */
		.usual = all + (int64_t)c->paced +
			 c->choice.test->spare_switches * done,
		/* On two CPUs, a task may get its answer before it sleeps. */
		.needed = c->choice.cross ? all / 2 : all,
	};
	bool known = true;	/* not of a task that was killed */
	int i;

	for (i = 0; i < c->task_count; i++) {
		of.had += (int64_t)c->task[i].used.switches;
		known &= c->task[i].left.pid != 0;
	}
	of.lack = known && of.had + c->task_count < of.needed - of.needed / 100;
	return of;
}
