// SPDX-License-Identifier: GPL-2.0-or-later
/* The load, and each step, in the JSON. */
#include <stdio.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_json.h"
#include "base/tw_time.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"
#include "run/tw_columns.h"

/* Of one step, or of all together; @worker_ns: the time of all workers. */
static void json_work(struct tw_json *json, int workers,
		      const struct tw_work *work, int64_t worker_ns)
{
	double worker_s = (double)worker_ns / (double)TW_NS_PER_S;

	tw_json_int(json, "workers", workers);
	tw_json_uint(json, "work", work->done);
	tw_json_real(json, "work_per_second", tw_load_rate(work), 3);
	tw_json_real(json, "work_per_second_and_worker",
		     worker_ns ? (double)work->done / worker_s : 0, 3);
	tw_json_uint(json, "work_errors", work->errors);
	tw_json_uint(json, "restarts", work->restarts);
	tw_json_real(json, "elapsed_s",
		     (double)work->elapsed_ns / (double)TW_NS_PER_S, 6);
}

/* The work of all steps, and the workers of the last. */
static void json_sum(struct tw_json *json, const struct tw_run *run)
{
	struct tw_work sum = { .done = 0 };
	int64_t worker_ns = 0;
	int i, workers = 0;

	for (i = 0; i < tw_session(run)->steps_done; i++) {
		const struct tw_work *work = tw_load_work(i);

		workers = tw_load_workers(run, i);
		sum.done += work->done;
		sum.errors += work->errors;
		sum.restarts += work->restarts;
		sum.elapsed_ns += work->elapsed_ns;
		worker_ns += workers * work->elapsed_ns;
	}
	json_work(json, workers, &sum, worker_ns);
}

static void json_step(struct tw_json *json, const struct tw_run *run,
		      int index)
{
	const struct tw_pairs *pairs = &tw_session(run)->steps[index];
	const struct tw_columns columns = tw_pairs_columns(run, pairs);
	const struct tw_counts counts = tw_pairs_counts(pairs);
	const struct tw_work *work = tw_load_work(index);
	int workers = tw_load_workers(run, index);

	tw_json_begin(json, NULL, '{');
	tw_json_int(json, "step", index);
	tw_json_uint(json, "pairs", pairs->count);
	tw_percentiles_json(json, &columns);
	tw_json_uint(json, "cycles", counts.cycles);
	tw_json_uint(json, "missed", counts.missed);
	tw_json_uint(json, "throttled", counts.throttled);
	tw_json_uint(json, "inversions", pairs->pair[0]->tally->inversions);
	json_work(json, workers, work, workers * work->elapsed_ns);
	tw_json_end(json);
}

static void json_steps(struct tw_json *json, const struct tw_run *run)
{
	int i;

	tw_json_begin(json, "steps", '[');
	for (i = 0; i < tw_session(run)->steps_done; i++)
		json_step(json, run, i);
	tw_json_end(json);
}

void tw_load_json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_load_params params = tw_load_settings(run);
	const struct tw_load_ops *load = tw_load_kind();
	char list[512] = "";

	tw_json_begin(json, "load", '{');
	tw_json_text(json, "kind", load ? load->name : "none");
	if (load) {
		tw_json_text(json, "command", params.command);
		tw_json_text(json, "arguments", params.arguments);
		tw_json_text(json, "policy",
			     tw_system_policy_name(params.policy));
		tw_json_int(json, "priority", params.priority);
		if (params.pinned)
			tw_cpus_format(&params.cpus, list, sizeof(list));
		tw_json_text(json, "cpus", params.pinned ? list : NULL);
		tw_json_text(json, "work_unit", load->work);
	}
	json_sum(json, run);
	tw_json_end(json);
	json_steps(json, run);
}
