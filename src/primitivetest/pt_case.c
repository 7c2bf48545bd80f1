// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "pt_case.h"
#include "rt-error.h"

#define BEST_OF		10
#define READINGS	1000
#define TRIAL_MS	1000	/* a longer trial is an error */

struct pt_case *pt_cases[PT_CASES_MAX];
int pt_case_count;
struct pt_column *pt_columns[PT_CASES_MAX * PT_METRICS];
int pt_column_count;

void pt_choice_name(const struct pt_choice *choice, char name[PT_NAME])
{
	const struct pt_test *test = choice->test;
	bool alone = test->flags & PT_ALONE;

	snprintf(name, PT_NAME, "%s%s%s%s%s", test->name,
		 choice->kind ? "." : "",
		 choice->kind ? choice->kind->name : "",
		 alone ? "" : choice->process ? ".process" : ".thread",
		 alone ? "" : choice->cross ? ".cross" : ".same");
}

int64_t pt_choice_trials(const struct pt_choice *choice)
{
	return choice->kind && choice->kind->trials ? choice->kind->trials :
						      choice->test->trials;
}

const struct pt_metric *pt_choice_metrics(const struct pt_choice *choice)
{
	return choice->kind && choice->kind->metrics ? choice->kind->metrics :
						       choice->test->metrics;
}

int pt_case_limit_ms(const struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;
	int64_t period_us = test->own == PT_OWN_PERIOD ? pt_kind_value(c) : 0;
	int64_t ms = TRIAL_MS;

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

static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		fatal("no memory for the results: %m; give fewer trials (-l)\n");
	return memory;
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

/* How many trials; all of them may be kept. */
static void count_trials(struct pt_case *c)
{
	uint64_t usual = pt_choice_trials(&c->choice);

	c->trials = tw_config.loops ? tw_config.loops :
		    tw_config.duration_s ? 0 : usual;
	if (pt_config.keep)
		c->kept_max = c->trials ? c->trials : usual;
}

struct pt_case *pt_case_map(const struct pt_choice *choice)
{
	const struct pt_metric *metric = pt_choice_metrics(choice);
	struct pt_case start = { .choice = *choice }, *c;
	int i;

	count_trials(&start);
	start.size = sizeof(*c) + start.kept_max * sizeof(struct pt_kept);
	c = map(start.size);
	*c = start;
	c->room = map(choice->test->room + 1);
	c->stamped = tw_config.clock;
	c->now_ns = tw_config.clock->now_ns;
	c->clock_ps = pt_reading_cost(c->now_ns);
	pt_choice_name(choice, c->name);
	for (; metric->token; metric++)
		open_column(c, metric);
	c->kept = (struct pt_kept *)(c + 1);
	for (i = 0; i < PT_TASKS; i++)
		c->task[i].in = c;
	return c;
}

/* Children would have to lock it. */
void pt_case_settle(struct pt_case *c)
{
	int i;

	munmap(c->room, c->choice.test->room + 1);
	c->room = NULL;
	madvise(c, c->size, MADV_DONTFORK);
	pt_cases[pt_case_count++] = c;
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
		(double)column->stats.min_ns / PT_PS_PER_NS,
		(double)column->stats.max_ns / PT_PS_PER_NS,
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
