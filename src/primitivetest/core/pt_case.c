// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "core/pt_case.h"

#define BEST_OF		10
#define READINGS	1000

/* Where what belongs to a case lies in its memory. */
struct places {
	size_t series, kept, worst, room, size;
};

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

static struct places places_of(const struct pt_case *c, int64_t width_us)
{
	const size_t worst = c->config->worst ?
		(size_t)c->metric_count * sizeof(struct pt_kept) : 0;
	struct places at = { .series = tw_size_in_lines(sizeof(*c)) };

	at.kept = tw_size_add(at.series, tw_size_in_lines(
				tw_series_size(c->metric_count, width_us)));
	at.worst = tw_size_add(at.kept, tw_size_in_lines(
				(size_t)c->kept_max * sizeof(struct pt_kept)));
	at.room = tw_size_add(at.worst, tw_size_in_lines(worst));
	at.size = tw_size_add(at.room, c->choice.test->room);
	return at;
}

static void choose_metrics(struct pt_case *c)
{
	const struct pt_metric *metric = pt_choice_metrics(&c->choice);

	for (; metric->token; metric++) {
		snprintf(c->token[c->metric_count], sizeof(c->token[0]),
			 "%s.%s",
			 c->name, metric->token);
		c->metric[c->metric_count++] = metric;
	}
}

/* How many trials; all of them may be kept. */
static void count_trials(struct pt_case *c)
{
	const struct pt_config *config = c->config;
	uint64_t usual = (uint64_t)pt_choice_trials(&c->choice);

	c->trials = config->duration_s ? 0 :
		    config->loops ? (uint64_t)config->loops : usual;
	if (config->keep_all)
		c->kept_max = c->trials ? c->trials : usual;
}

/* The cost of a reading: the least average of a few series of readings. */
static int64_t clock_cost_ps(const struct tw_clock *clock)
{
	int64_t from_ns, took_ns, least_ns = INT64_MAX;
	int i, k;

	for (k = 0; k < BEST_OF; k++) {
		from_ns = clock->read_ns(clock);
		for (i = 1; i < READINGS; i++)
			clock->read_ns(clock);
		took_ns = clock->read_ns(clock) - from_ns;
		if (took_ns < least_ns)
			least_ns = took_ns;
	}
	return least_ns * PT_PS_PER_NS / READINGS;
}

/* Whether @part is one of the parts of @name, which points separate. */
static bool has_part(const char *name, const char *part, size_t length)
{
	const char *at = name;

	while (at) {
		at += *at == '.';
		if (!strncmp(at, part, length) &&
		    (at[length] == '.' || !at[length]))
			return true;
		at = strchr(at, '.');
	}
	return false;
}

bool pt_limit_is_for(const struct pt_limit *limit, const struct pt_case *c,
		     int metric)
{
	const char *last = strrchr(limit->metric, '.');
	const char *part = limit->metric;
	size_t length = strcspn(part, ".");

	if (!last || strcmp(last + 1, c->metric[metric]->token) ||
	    strlen(c->choice.test->name) != length ||
	    memcmp(part, c->choice.test->name, length))
		return false;
	for (part += length; part < last; part += length) {
		part++;
		length = strcspn(part, ".");
		if (!has_part(c->name, part, length))
			return false;
	}
	return true;
}

/* A percentile's bucket is too wide to tell whether it is above the limit. */
static void mark_limits(struct pt_case *c)
{
	const struct pt_config *config = c->config;
	int i, k;

	for (i = 0; i < config->limit_count; i++)
		for (k = 0; k < c->metric_count; k++)
			if (config->limits[i].percent > 0 &&
			    pt_limit_is_for(&config->limits[i], c, k) &&
			    c->series->mark_count < TW_MARKS)
				tw_series_mark(c->series, k,
					       config->limits[i].most_ps);
}

static void init(struct pt_case *c, char *memory, const struct places *at,
		 int64_t width_us)
{
	int i, k;

	c->size = at->size;
	c->series = (struct tw_series *)(memory + at->series);
	tw_series_init(c->series, c->metric_count, width_us);
	c->kept = (struct pt_kept *)(memory + at->kept);
	c->worst = c->config->worst ?
		   (struct pt_kept *)(memory + at->worst) : NULL;
	c->room = memory + at->room;
	for (i = 0; i < c->metric_count; i++) {
		int64_t (*target_ps)(const struct pt_case *) =
			c->metric[i]->target_ps;
		struct tw_stats *stats = &c->series->row[i].stats;

		if (target_ps) {
			stats->has_target = true;
			stats->target_ns = target_ps(c);
		}
	}
	mark_limits(c);
	for (k = 0; k < PT_TASKS; k++)
		c->task[k].in = c;
}

struct pt_case *pt_case_map(const struct pt_config *config,
			    const struct pt_choice *choice,
			    const struct tw_clock *clock, int64_t width_us,
			    bool shared)
{
	struct pt_case c = { .choice = *choice, .config = config,
			     .clock = *clock, .stamped = *clock };
	struct places at;
	char *memory;

	pt_choice_name(choice, c.name);
	choose_metrics(&c);
	count_trials(&c);
	at = places_of(&c, width_us);
	if (at.size > PTRDIFF_MAX) {
		errno = ENOMEM;
		return NULL;
	}
	memory = mmap(NULL, at.size, PROT_READ | PROT_WRITE,
		      (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	memcpy(memory, &c, sizeof(c));
	init((struct pt_case *)memory, memory, &at, width_us);
	if (shared)
		((struct pt_case *)memory)->clock_ps = clock_cost_ps(clock);
	return (struct pt_case *)memory;
}

void pt_case_unmap(struct pt_case *c)
{
	if (c)
		munmap(c, c->size);
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

void pt_keep(struct pt_case *c, int fd)
{
	if (c->fd_count < PT_FDS)
		c->fds[c->fd_count++] = fd;
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
