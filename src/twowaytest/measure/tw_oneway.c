// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/tw_series.h"
#include "base/tw_time.h"
#include "measure/tw_oneway.h"

/* Some 10 us of waiting: many times a write, unless the writer is stopped. */
#define READ_TRIES	10000

/* As tw_span_ns(): wraps. */
static int64_t sum_ns(int64_t a_ns, int64_t b_ns)
{
	return (int64_t)((uint64_t)a_ns + (uint64_t)b_ns);
}

/* As well between timestamps as between ends. */
static int64_t middle_ns(int64_t lower_ns, int64_t upper_ns)
{
	return sum_ns(lower_ns, tw_span_ns(lower_ns, upper_ns) / 2);
}

static int64_t middle_of(const struct tw_oneway_ends *ends)
{
	return middle_ns(ends->lower_ns, ends->upper_ns);
}

static int64_t width_of(const struct tw_oneway_ends *ends)
{
	return tw_span_ns(ends->lower_ns, ends->upper_ns);
}

static bool is_empty(const struct tw_oneway_ends *ends)
{
	return ends->lower_ns > ends->upper_ns;
}

static bool contains_zero(const struct tw_oneway_ends *ends)
{
	return ends->lower_ns <= 0 && ends->upper_ns >= 0;
}

static void at_least(int64_t *most_ns, int64_t value_ns)
{
	if (value_ns > *most_ns)
		*most_ns = value_ns;
}

static void intersect(struct tw_oneway_ends *ends,
		      const struct tw_oneway_ends *with)
{
	at_least(&ends->lower_ns, with->lower_ns);
	if (with->upper_ns < ends->upper_ns)
		ends->upper_ns = with->upper_ns;
}

/* From 0 to the farther end. */
static int64_t farthest_ns(const struct tw_oneway_ends *ends)
{
	int64_t below_ns = ends->lower_ns == INT64_MIN ? INT64_MAX :
							 -ends->lower_ns;

	return below_ns > ends->upper_ns ? below_ns : ends->upper_ns;
}

/* See tw_oneway.h. */
static struct tw_oneway_ends proven_by(const struct tw_cycle *cycle,
				       const struct tw_oneway_offset *estimate)
{
	return (struct tw_oneway_ends) {
		.lower_ns = tw_span_ns(estimate->t2_ns,
				       tw_span_ns(cycle->t3_ns, cycle->t2_ns)),
		.upper_ns = tw_span_ns(estimate->t1_ns,
				       tw_span_ns(cycle->t0_ns, cycle->t1_ns)),
	};
}

static void begin_window(struct tw_oneway *oneway)
{
	oneway->cycles = 0;
	oneway->ends.lower_ns = INT64_MIN;
	oneway->ends.upper_ns = INT64_MAX;
	memset(&oneway->fit, 0, sizeof(oneway->fit));
}

/* Nothing of before is of use. */
static void begin_again(struct tw_oneway *oneway)
{
	oneway->rough = oneway->result.mode == TW_ONEWAY_BOUND;
	oneway->row = 0;
	oneway->row_ns = 0;
	oneway->point_count = 0;
	begin_window(oneway);
}

void tw_oneway_init(struct tw_oneway *oneway, enum tw_oneway_mode mode)
{
	memset(oneway, 0, sizeof(*oneway));
	atomic_init(&oneway->version, 0);
	oneway->result.mode = mode;
	begin_again(oneway);
}

/*
 * A cycle of a window that has no line to be compared with. The network's time
 * is only known together with the rate, as the server may sleep for long: the
 * first such window does without.
 */
static void add_rough(struct tw_oneway *oneway, const struct tw_cycle *cycle)
{
	const struct tw_oneway_offset none = { 0, 0 }, gain = {
		tw_line_ns(&oneway->line, cycle->t1_ns),
		tw_line_ns(&oneway->line, cycle->t2_ns),
	};
	const struct tw_oneway_ends ends = proven_by(cycle, &none);
	const struct tw_oneway_ends level = proven_by(cycle, &gain);
	int64_t width_ns = oneway->rough > 1 ? width_of(&level) :
			   tw_span_ns(cycle->t0_ns, cycle->t3_ns);

	if (width_ns < 0) {
		oneway->result.empty++;
		begin_again(oneway);
		return;
	}
	tw_fit_add(&oneway->fit, middle_ns(cycle->t1_ns, cycle->t2_ns),
		   middle_of(&ends), width_ns);
	if (++oneway->cycles < TW_ONEWAY_WINDOW)
		return;
	oneway->result.windows++;
	if (tw_fit_line(&oneway->fit, &oneway->line))
		oneway->rough = (oneway->rough + 1) % (TW_ONEWAY_ROUGH + 1);
	begin_window(oneway);
}

/* Through the last points; a rate of their own needs some. */
static bool fit_line(struct tw_oneway *oneway)
{
	uint64_t count = oneway->point_count, i;
	const struct tw_oneway_point *point = oneway->points;
	struct tw_fit fit = { .begun = false };

	if (count < TW_ONEWAY_PROOF) {
		oneway->line.at_ns = point[count - 1].at_ns;
		oneway->line.offset_ns = point[count - 1].offset_ns;
		return true;
	}
	for (i = 0; i < count && i < TW_ONEWAY_FIT; i++, point++)
		tw_fit_add(&fit, point->at_ns, point->offset_ns,
			   point->width_ns);
	return tw_fit_line(&fit, &oneway->line);
}

/* The window's middle, as a point. */
static void add_point(struct tw_oneway *oneway)
{
	struct tw_oneway_result *result = &oneway->result;
	int64_t at_ns = middle_ns(oneway->begin_ns, oneway->end_ns);
	const struct tw_oneway_point point = {
		.at_ns = at_ns,
		.offset_ns = sum_ns(tw_line_ns(&oneway->line, at_ns),
				    middle_of(&oneway->ends)),
		.width_ns = width_of(&oneway->ends),
	};
	double over_ns;

	oneway->points[oneway->point_count % TW_ONEWAY_FIT] = point;
	if (!oneway->point_count++)
		oneway->first = point;
	result->offset_ns = point.offset_ns;
	result->has_offset = true;
	over_ns = (double)tw_span_ns(oneway->first.at_ns, at_ns);
	result->has_rate = over_ns > 0;
	if (result->has_rate)
		result->ppm = (double)tw_span_ns(oneway->first.offset_ns,
						 point.offset_ns) /
			      over_ns * 1e6;
}

/* A window before values count. */
static void prove(struct tw_oneway *oneway)
{
	bool good = oneway->result.mode == TW_ONEWAY_BOUND ||
		    contains_zero(&oneway->ends);

	if (!good) {
		oneway->row = 0;
		oneway->row_ns = 0;
		return;
	}
	at_least(&oneway->row_ns, farthest_ns(&oneway->ends));
	if (++oneway->row == TW_ONEWAY_PROOF)
		oneway->result.phase = TW_ONEWAY_COUNTS;
}

/* A window whose values count. */
static void widen(struct tw_oneway *oneway)
{
	struct tw_oneway_result *result = &oneway->result;

	/* The line of the windows before is newer than they are. */
	if (result->mode == TW_ONEWAY_SYNC)
		at_least(&result->uncertainty_ns, oneway->row_ns);
	at_least(&result->uncertainty_ns, farthest_ns(&oneway->ends));
	result->known = true;
}

static void end_window(struct tw_oneway *oneway)
{
	struct tw_oneway_result *result = &oneway->result;

	result->windows++;
	if (is_empty(&oneway->ends)) {
		result->empty++;
		begin_again(oneway);
		return;
	}
	at_least(&result->longest_ns,
		 tw_span_ns(oneway->begin_ns, oneway->end_ns));
	add_point(oneway);
	if (result->phase == TW_ONEWAY_WAITS)
		prove(oneway);
	else
		widen(oneway);
	if (result->mode == TW_ONEWAY_BOUND && !fit_line(oneway)) {
		result->phase = TW_ONEWAY_WAITS;
		result->broken++;
		begin_again(oneway);
	}
	begin_window(oneway);
}

/*
 * The cycle contradicts the estimate that its values would need. Those of its
 * window that came before have counted: what they prove is all there is.
 */
static void break_off(struct tw_oneway *oneway, const struct tw_cycle *cycle,
		      const struct tw_oneway_ends *ends)
{
	struct tw_oneway_result *result = &oneway->result;

	if (oneway->cycles)
		widen(oneway);
	intersect(&oneway->ends, ends);
	if (is_empty(&oneway->ends))
		result->empty++;
	if (result->mode == TW_ONEWAY_BOUND) {
		result->broken++;
		result->phase = TW_ONEWAY_WAITS;
		begin_again(oneway);
		return;
	}
	result->phase = TW_ONEWAY_VOID;
	result->void_seq = cycle->seq;
	result->void_t3_ns = cycle->t3_ns;
	result->void_ends = oneway->ends;
}

/* Whether the values of the cycle count. */
static bool add(struct tw_oneway *oneway, const struct tw_cycle *cycle,
		struct tw_oneway_offset *offset)
{
	bool counts = oneway->result.phase == TW_ONEWAY_COUNTS;
	struct tw_oneway_ends ends;

	if (oneway->result.phase == TW_ONEWAY_VOID)
		return false;
	if (oneway->rough) {
		add_rough(oneway, cycle);
		return false;
	}
	offset->t1_ns = tw_line_ns(&oneway->line, cycle->t1_ns);
	offset->t2_ns = tw_line_ns(&oneway->line, cycle->t2_ns);
	ends = proven_by(cycle, offset);
	if (counts && !contains_zero(&ends)) {
		break_off(oneway, cycle, &ends);
		return false;
	}
	if (!oneway->cycles++)
		oneway->begin_ns = cycle->t1_ns;
	oneway->end_ns = cycle->t2_ns;
	intersect(&oneway->ends, &ends);
	if (oneway->cycles == TW_ONEWAY_WINDOW)
		end_window(oneway);
	return counts;
}

bool tw_oneway_add(struct tw_oneway *oneway, const struct tw_cycle *cycle,
		   struct tw_oneway_offset *offset)
{
	struct tw_oneway_result *result = &oneway->result;
	uint32_t version;
	bool counts;

	if (tw_cycle_is_lost(cycle))
		return false;
	version = tw_version_begin(&oneway->version);
	counts = add(oneway, cycle, offset);
	if (!counts)
		result->uncounted++;
	else if (!result->counted++)
		result->first_seq = cycle->seq;
	tw_version_end(&oneway->version, version);
	return counts;
}

bool tw_oneway_accepts(const struct tw_oneway *oneway,
		       const struct tw_cycle *cycle)
{
	const struct tw_oneway_offset none = { 0, 0 };
	const struct tw_oneway_ends ends = proven_by(cycle, &none);

	return oneway->result.phase == TW_ONEWAY_COUNTS &&
	       contains_zero(&ends);
}

void tw_oneway_void(struct tw_oneway *oneway)
{
	oneway->result.phase = TW_ONEWAY_VOID;
}

bool tw_oneway_has_values(const struct tw_oneway_result *result)
{
	return result->counted && result->phase != TW_ONEWAY_VOID;
}

void tw_oneway_read(const struct tw_oneway *oneway,
		    struct tw_oneway_result *result)
{
	int left = READ_TRIES;
	uint32_t before;

	do {
		before = atomic_load_explicit(&oneway->version,
					      memory_order_acquire);
		*result = oneway->result;
		/* Every load before comes before the one below. */
		atomic_thread_fence(memory_order_acquire);
	} while ((before & 1 ||
		  before != atomic_load_explicit(&oneway->version,
						 memory_order_relaxed)) &&
		 --left);
}

/* One that is void makes all void, one that waits makes all wait. */
static enum tw_oneway_phase join(enum tw_oneway_phase a,
				 enum tw_oneway_phase b)
{
	if (a == TW_ONEWAY_VOID || b == TW_ONEWAY_VOID)
		return TW_ONEWAY_VOID;
	return a == TW_ONEWAY_COUNTS ? b : a;
}

static bool is_untouched(const struct tw_oneway_result *result)
{
	return !result->counted && !result->uncounted;
}

void tw_oneway_merge(struct tw_oneway_result *sum,
		     const struct tw_oneway_result *from)
{
	const struct tw_oneway_result before = *sum;

	if (is_untouched(from))
		return;
	*sum = *from;
	if (is_untouched(&before))
		return;
	sum->phase = join(before.phase, from->phase);
	sum->windows += before.windows;
	sum->empty += before.empty;
	sum->broken += before.broken;
	sum->counted += before.counted;
	sum->uncounted += before.uncounted;
	if (before.first_seq)
		sum->first_seq = before.first_seq;
	sum->known = before.known && from->known;
	at_least(&sum->uncertainty_ns, before.uncertainty_ns);
	at_least(&sum->longest_ns, before.longest_ns);
	if (!before.void_seq)
		return;
	sum->void_seq = before.void_seq;
	sum->void_t3_ns = before.void_t3_ns;
	sum->void_ends = before.void_ends;
}

bool tw_oneway_within(const struct tw_oneway_result *result, int64_t most_ns,
		      bool *decided)
{
	*decided = result->known && result->phase != TW_ONEWAY_VOID;
	return *decided && result->uncertainty_ns <= most_ns;
}
