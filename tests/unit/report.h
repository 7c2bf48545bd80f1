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
#include "tw_report.h"

/* The measuring clock was 0 then: a new year, at 05:30 in the zone below. */
#define RUN_WALL_NS	(INT64_C(1767225600) * 1000000000)
#define RUN_ZONE	"HERE-5:30"

static struct tw_config config;
static struct tw_pair pair;
static struct tw_step_result steps[2];
static struct tw_session session;
static char *argv_of_run[] = { (char *)"twowaytest", (char *)"-q", NULL };
static struct tw_report report = {
	.config = &config, .session = &session, .argc = 2,
	.argv = argv_of_run,
};

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

static inline void drop_run(void)
{
	if (pair.tally)
		free(pair.tally->spikes.kept);
	free(pair.tally);
	pair.tally = NULL;
}

/* Room for what --spike keeps, if it is given. */
static inline void attach_spikes(struct tw_tally *tally)
{
	void *memory;

	if (!config.spike_us)
		return;
	memory = calloc(config.spike_nodes, sizeof(struct tw_kept));
	assert_non_null(memory);
	tw_tally_attach_spikes(tally, memory, config.spike_nodes,
			       config.spike_on, config.spike_us * 1000);
}

/* A run by the options in @line that has not measured anything yet. */
static inline void new_run(const char *line)
{
	const struct tw_cycle warm = { .missed = 1 };
	struct tw_metric_params params;

	drop_run();
	config = accepted(line);
	params = tw_config_metric_params(&config);
	memset(&pair, 0, sizeof(pair));
	pair.tally = calloc(1, tw_tally_size(config.histogram_us));
	assert_non_null(pair.tally);
	tw_tally_init(pair.tally, &params, config.histogram_us);
	pair.tally->ahead_ns = -RUN_WALL_NS;
	attach_spikes(pair.tally);
	tw_limit_prepare(config.limits, config.limit_count, pair.tally);
	pair.task.warmup = 2;
	pair.task.priority[TW_CLIENT] = (int)config.priority;
	pair.side[TW_CLIENT].child.pid = 1234;
	tw_tally_warmup(pair.tally, &warm);
	tw_tally_warmup(pair.tally, &warm);

	memset(&session, 0, sizeof(session));
	memset(steps, 0, sizeof(steps));
	steps[0].pair = &pair;
	steps[0].workers = tw_config_workers(&config, 0);
	session.config = &config;
	session.pair = &pair;
	session.steps = steps;
	session.steps_done = 1;
	session.transport = &tw_transport_tcp;
	session.port = 4321;
	session.latency_fd = -1;
	setenv("TZ", RUN_ZONE, 1);
	tzset();
	report.return_code = 0;
	report.error = "";
}

/* The same, having measured both cycles. */
static inline void new_finished_run(const char *line)
{
	new_run(line);
	tw_tally_add(pair.tally, &run_cycles[0]);
	tw_tally_add(pair.tally, &run_cycles[1]);
}

/* What @write writes; until the next call. */
static inline const char *written(void (*write)(FILE *file,
						const struct tw_report *report))
{
	static char *text;
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	write(file, &report);
	assert_int_equal(fclose(file), 0);
	return text;
}

#endif /* REPORT_H */
