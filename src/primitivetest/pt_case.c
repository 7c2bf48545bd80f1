// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "pt_case.h"
#include "tw_percentile.h"
#include "tw_text.h"

#define BEST_OF		10
#define READINGS	1000
#define OVERFLOWS	100	/* numbers of values beyond the rows */
#define TRIAL_MS	1000	/* a longer trial is an error */

struct pt_case *pt_cases[PT_CASES_MAX];
int pt_case_count;

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

/* Whether @part is one of the parts of @name, which points separate. */
static bool has_part(const char *name, const char *part, size_t length)
{
	for (; name; name = strchr(name, '.')) {
		name += *name == '.';
		if (!strncmp(name, part, length) &&
		    (name[length] == '.' || !name[length]))
			return true;
	}
	return false;
}

bool pt_name_is_for(const char *word, const char *name, const char *token)
{
	const char *last = strrchr(word, '.');
	size_t length = strcspn(word, ".");

	if (!last || strcmp(last + 1, token) ||
	    strcspn(name, ".") != length || memcmp(word, name, length))
		return false;
	for (word += length; word < last; word += length) {
		word++;
		length = strcspn(word, ".");
		if (!has_part(name, word, length))
			return false;
	}
	return true;
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

/* The cost of a reading: the least average of a few series of readings. */
static int64_t clock_cost_ps(void)
{
	int64_t (*now_ns)(void) = tw_config.clock->now_ns;
	int64_t from_ns, took_ns, least_ns = INT64_MAX;
	int i, k;

	for (k = 0; k < BEST_OF; k++) {
		from_ns = now_ns();
		for (i = 1; i < READINGS; i++)
			now_ns();
		took_ns = now_ns() - from_ns;
		if (took_ns < least_ns)
			least_ns = took_ns;
	}
	return least_ns * PT_PS_PER_NS / READINGS;
}

static void *map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Of one column, after the case: buckets, rows and overflows. */
static size_t tables_size(const struct pt_choice *choice)
{
	return (tw_percentile_any() || pt_limit_any(choice) ?
		TW_BUCKETS * sizeof(uint64_t) : 0) +
	       (tw_rows_us ? (tw_rows_us + OVERFLOWS) * sizeof(unsigned long) :
		0);
}

static void open_column(struct pt_case *c, const struct pt_metric *metric,
			char *tables)
{
	struct pt_column *column = &c->column[c->columns++];

	column->in = c;
	column->metric = metric;
	snprintf(column->name, sizeof(column->name), "%s.%s", c->name,
		 metric->token);
	if (metric->target_ps)
		column->target_ps = metric->target_ps(c);
	if (tw_rows_us) {
		column->rows = (struct histogram) {
			.width = 1, .num = tw_rows_us,
			.buckets = (unsigned long *)tables,
			.oflows = (unsigned long *)tables + tw_rows_us,
			.oflow_bufsize = OVERFLOWS,
		};
		tables += (tw_rows_us + OVERFLOWS) * sizeof(unsigned long);
	}
	if (tw_percentile_any() || pt_limit_any(&c->choice))
		column->buckets = (uint64_t *)tables;
	pt_limit_bounds(column);
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
	size_t tables = (tables_size(choice) + 63) / 64 * 64;
	struct pt_case start = { .choice = *choice }, *c;
	char *rest;
	int i;

	count_trials(&start);
	start.size = sizeof(*c) + PT_METRICS * tables +
		     start.kept_max * sizeof(struct pt_kept);
	c = map(start.size);
	if (c == MAP_FAILED)
		return NULL;
	*c = start;
	c->room = map(choice->test->room + 1);
	if (c->room == MAP_FAILED) {
		pt_case_unmap(c);
		return NULL;
	}
	c->stamped = tw_config.clock;
	c->now_ns = tw_config.clock->now_ns;
	c->clock_ps = clock_cost_ps();
	pt_choice_name(choice, c->name);
	rest = (char *)(c + 1);
	for (; metric->token; metric++, rest += tables)
		open_column(c, metric, rest);
	c->kept = (struct pt_kept *)rest;
	for (i = 0; i < PT_TASKS; i++)
		c->task[i].in = c;
	return c;
}

/* Children would have to lock it. */
void pt_case_settle(struct pt_case *c)
{
	munmap(c->room, c->choice.test->room + 1);
	c->room = NULL;
	madvise(c, c->size, MADV_DONTFORK);
	pt_cases[pt_case_count++] = c;
}

void pt_case_unmap(struct pt_case *c)
{
	if (c->room && c->room != MAP_FAILED)
		munmap(c->room, c->choice.test->room + 1);
	munmap(c, c->size);
}

int pt_column_count(void)
{
	int i, count = 0;

	for (i = 0; i < pt_case_count; i++)
		count += pt_cases[i]->columns;
	return count;
}

struct pt_column *pt_column(int number)
{
	int i;

	for (i = 0; number >= pt_cases[i]->columns; i++)
		number -= pt_cases[i]->columns;
	return &pt_cases[i]->column[number];
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

	for (i = 0; i < pt_column_count(); i++)
		if (!strcmp(pt_column(i)->name, name))
			return sum_of_column(pt_column(i), sum);
	return false;
}
