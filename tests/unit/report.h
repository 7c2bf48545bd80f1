/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run filled in by hand, for the tests of what users see: two cycles
 * after a warm-up of two, the second of them having missed two expiries.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdlib.h>
#include <time.h>

#include "parse.h"
#include "run/tw_columns.h"
#include "run/tw_session.h"

/* The measuring clock was 0 then: a new year, at 05:30 in the zone below. */
#define RUN_WALL_NS	(INT64_C(1767225600) * 1000000000)
#define RUN_ZONE	"HERE-5:30"

#define RUN_PAIRS	3	/* at most */

static struct tw_config config;
static struct tw_pair pair;
static struct tw_pair more_pairs[RUN_PAIRS - 1];	/* of -t2 and -t3 */
static struct tw_pairs steps[3];
static struct tw_column columns[RUN_PAIRS * TW_METRICS];
static struct tw_session session;
static void *rooms[RUN_PAIRS];
static char *argv_of_run[] = { (char *)"twowaytest", (char *)"-q", NULL };

/*
 * Of the first: interval 1004, send 10.5, sleep 116, receive 8.5, response
 * 135, total 39, wakeup 4, planned 139 us. Of the second: interval 998,
 * send 12, sleep 106, receive 10, response 128, total 30, wakeup 2, planned
 * 130 us.
 */
static const struct tw_cycle run_cycles[] = {
	{ .seq = 3, .prev_t0_ns = 1000000, .planned_ns = 2000000,
	  .t0_ns = 2004000, .t1_ns = 2014500, .t2_ns = 2130500,
	  .t3_ns = 2139000, .missed = 0, .client_cpu = 3, .server_cpu = 2 },
	{ .seq = 4, .prev_t0_ns = 2004000, .planned_ns = 3000000,
	  .t0_ns = 3002000, .t1_ns = 3014000, .t2_ns = 3120000,
	  .t3_ns = 3130000, .missed = 2, .client_cpu = 5, .server_cpu = 4 },
};

static inline struct tw_pair *run_pair(unsigned int number)
{
	return number ? &more_pairs[number - 1] : &pair;
}

static inline void drop_run(void)
{
	unsigned int k;

	for (k = 0; k < RUN_PAIRS; k++) {
		free(run_pair(k)->tally);
		free(rooms[k]);
		run_pair(k)->tally = NULL;
		rooms[k] = NULL;
	}
}

/* Memory for what the parts want of a pair. */
static inline void *new_room(void)
{
	size_t size = tw_run_room(&session.run);
	void *memory = NULL;

	assert_int_equal(posix_memalign(&memory, TW_CACHE_LINE, size + 1), 0);
	return memset(memory, 0, size);
}

/* A pair that has had its warm-up. */
static inline void new_pair(unsigned int number)
{
	const struct tw_metric_params params =
		tw_config_metric_params(&config, number);
	int64_t width_us = session.run.window_us;
	const struct tw_cycle warm = { .missed = 1 };
	struct tw_pair *new = run_pair(number);

	memset(new, 0, sizeof(*new));
	new->number = number;
	new->server = number;
	new->tally = calloc(1, tw_tally_size(width_us));
	assert_non_null(new->tally);
	tw_tally_init(new->tally, &params, width_us);
	new->tally->ahead_ns = -RUN_WALL_NS;
	new->tally->pair = number;
	rooms[number] = new_room();
	tw_run_attach(&session.run, new, rooms[number]);
	new->task.warmup = 2;
	new->task.period_ns = params.period_ns;
	new->task.priority[TW_CLIENT] =
		tw_config_priority(&config, TW_CLIENT, number);
	new->side[TW_CLIENT].child.pid = 1234 + (pid_t)number;
	tw_tally_warmup(new->tally, &warm);
	tw_tally_warmup(new->tally, &warm);
	steps[0].pair[steps[0].count++] = new;
}

/* A run by the options in @line that has not measured anything yet. */
static inline void new_run(const char *line)
{
	unsigned int k;

	drop_run();
	config = accepted(line);
	assert_true(config.pairs.count <= RUN_PAIRS);
	tw_session_init(&session);
	session.run = parse_run;
	session.run.argc = 2;
	session.run.argv = argv_of_run;
	session.config = &config;
	session.steps = steps;
	session.pairs = steps;
	session.steps_done = 1;
	session.column = columns;
	session.port = 4321;

	memset(steps, 0, sizeof(steps));
	for (k = 0; k < config.pairs.count; k++)
		new_pair(k);
	setenv("TZ", RUN_ZONE, 1);
	tzset();
}

/* The same, having measured both cycles. */
static inline void new_finished_run(const char *line)
{
	unsigned int k;

	new_run(line);
	for (k = 0; k < config.pairs.count; k++) {
		tw_tally_add(run_pair(k)->tally, &run_cycles[0]);
		tw_tally_add(run_pair(k)->tally, &run_cycles[1]);
	}
}

/* Run 0 and 1 as above; @late_ns: how much later its reply is read. */
static inline void measure_late(unsigned int number, int which,
				int64_t late_ns)
{
	struct tw_cycle cycle = run_cycles[which];

	cycle.t3_ns += late_ns;
	tw_tally_add(run_pair(number)->tally, &cycle);
}

/* What @write writes; until the next call. */
static inline const char *written(void (*write)(FILE *file,
						const struct tw_run *run))
{
	static char *text;
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	write(file, &session.run);
	assert_int_equal(fclose(file), 0);
	assert_non_null(text);
	return text;
}

static inline void contains(const char *text, const char *want)
{
	/* The sanitizers' gcc does not see that it is there. */
	if (!text || !strstr(text, want))
		fail_msg("%s\nlacks\n%s", text ? text : "", want);
}

static void (*json_part)(struct tw_json *json,
			 const struct tw_run *run);

static inline void write_json_part(FILE *file,
				   const struct tw_run *to_report)
{
	struct tw_json json;

	tw_json_open(&json, file, 2);
	json_part(&json, to_report);
	tw_json_close(&json);
}

/* The same of members of "twoway". */
static inline const char *
written_json(void (*write)(struct tw_json *json,
			   const struct tw_run *run))
{
	json_part = write;
	return written(write_json_part);
}

#endif /* REPORT_H */
