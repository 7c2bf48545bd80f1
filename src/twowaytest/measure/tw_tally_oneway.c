// SPDX-License-Identifier: GPL-2.0-or-later
/* One-way times between two clocks, in a tally. */
#include "base/tw_time.h"
#include "measure/tw_oneway.h"
#include "measure/tw_tally.h"

/*
 * The metrics that compare the clocks: with the server's timestamps taken to
 * the client's clock, or without a value.
 */
static void level(struct tw_tally *tally, const struct tw_cycle *cycle,
		  int64_t values_ns[TW_METRICS])
{
	struct tw_oneway_offset offset = { 0, 0 };
	bool counts = tw_oneway_add(tally->oneway, cycle, &offset);
	struct tw_cycle taken = *cycle;
	int i;

	taken.t1_ns = tw_span_ns(offset.t1_ns, cycle->t1_ns);
	taken.t2_ns = tw_span_ns(offset.t2_ns, cycle->t2_ns);
	for (i = 0; i < tally->rows.count; i++) {
		enum tw_metric_id id = tally->rows.id[i];

		if (tw_metrics[id].across)
			values_ns[id] = counts ? tw_metrics[id].value_ns(
				&taken, &tally->params) : TW_NO_VALUE;
	}
}

static void merge(struct tw_tally *tally, const struct tw_tally *from)
{
	struct tw_oneway_result result;

	tw_oneway_read(from->oneway, &result);
	tw_oneway_merge(&tally->oneway->result, &result);
}

static bool is_void(const struct tw_tally *tally)
{
	struct tw_oneway_result result;

	tw_oneway_read(tally->oneway, &result);
	return !tw_oneway_has_values(&result);
}

void tw_tally_attach_oneway(struct tw_tally *tally, struct tw_oneway *memory,
			    enum tw_oneway_mode mode)
{
	static const struct tw_level_ops ops = { level, merge, is_void };

	tw_oneway_init(memory, mode);
	tally->oneway = memory;
	tally->level = &ops;
}
