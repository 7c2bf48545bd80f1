// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "frame/tw_run.h"
#include "result/tw_oneway_report.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

const char *const tw_oneway_modes[] = { "off", "sync", "bound", NULL };

/* Of all pairs: all have the same two clocks. */
static void sum_up(const struct tw_run *run, struct tw_oneway_result *sum,
		   unsigned int *void_pair)
{
	struct tw_oneway_result own;
	const struct tw_pair *pair;
	unsigned int k;

	*sum = (struct tw_oneway_result) { .mode = TW_ONEWAY_OFF };
	*void_pair = 0;
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++) {
		tw_oneway_read(pair->tally->oneway, &own);
		if (own.void_seq && !sum->void_seq)
			*void_pair = k;
		tw_oneway_merge(sum, &own);
	}
}

static enum tw_verdict judge(const struct tw_run *run,
			     const struct tw_oneway_wish *wish,
			     const struct tw_oneway_result *result)
{
	bool decided;
	bool within = tw_oneway_within(result, wish->limit_us * TW_NS_PER_US,
				       &decided);

	if (!decided || (within && tw_result_is_cut_short(run)))
		return TW_UNDECIDED;
	return within ? TW_MET : TW_EXCEEDED;
}

enum tw_verdict tw_oneway_judge(const struct tw_run *run,
				const struct tw_oneway_wish *wish)
{
	struct tw_oneway_result sum;
	unsigned int pair;

	sum_up(run, &sum, &pair);
	return judge(run, wish, &sum);
}

/* In the largest unit that leaves a digit before the point, when rounded. */
static const char *format_time(int64_t ns, char text[32])
{
	double us = fabs((double)ns) / (double)TW_NS_PER_US;

	if (us >= 999950)
		snprintf(text, 32, "%.1f s", us / 1e6);
	else if (us >= 999.95)
		snprintf(text, 32, "%.1f ms", us / 1e3);
	else
		snprintf(text, 32, "%.1f us", us);
	return text;
}

static const char *direction(int64_t offset_ns)
{
	return offset_ns < 0 ? "behind" : "ahead";
}

/* Rounded up: less than this is not proven. */
static void print_uncertainty(FILE *file, int64_t ns)
{
	int64_t tenths = ns / 100 + (ns % 100 > 0);

	fprintf(file, "%" PRId64 ".%" PRId64 " us", tenths / 10, tenths % 10);
}

static void print_offset(FILE *file, const struct tw_oneway_result *result)
{
	char text[32];

	if (result->has_offset)
		fprintf(file, ", server %s %s",
			format_time(result->offset_ns, text),
			direction(result->offset_ns));
	if (result->has_rate)
		/* Never -0.0. */
		fprintf(file, ", %+.1f ppm",
			round(result->ppm * 10) / 10 + 0.0);
}

/* When values became void, from the first measured cycle on. */
static uint64_t void_number(const struct tw_tally *tally, uint64_t seq)
{
	return seq > tally->first_seq ? seq - tally->first_seq : 0;
}

static double void_after_s(const struct tw_tally *tally, int64_t t3_ns)
{
	return (double)tw_span_ns(tally->start_ns, t3_ns) /
	       (double)TW_NS_PER_S;
}

static void print_void(FILE *file, const struct tw_run *run,
		       const struct tw_oneway_result *sum, unsigned int pair)
{
	const struct tw_tally *tally =
		tw_session_pair(tw_session(run), pair)->tally;
	const struct tw_oneway_ends *ends = &sum->void_ends;
	char lower[32], upper[32];

	fprintf(file, "# One-way: void from cycle %" PRIu64,
		void_number(tally, sum->void_seq));
	if (tw_session(run)->config->pairs.count > 1)
		fprintf(file, " of pair %u", pair);
	fprintf(file, " on, %.3f s after the first: the clocks do not show one time; server at least %s %s and at most %s %s\n",
		void_after_s(tally, sum->void_t3_ns),
		format_time(ends->lower_ns, lower), direction(ends->lower_ns),
		format_time(ends->upper_ns, upper), direction(ends->upper_ns));
}

/* Why there are no values, although nothing has ended them. */
static void print_waiting(FILE *file, const struct tw_oneway_result *sum)
{
	if (sum->mode == TW_ONEWAY_SYNC)
		fprintf(file, "# One-way: void: %d windows of %d cycles in a row have to show that the clocks may be one",
			TW_ONEWAY_PROOF, TW_ONEWAY_WINDOW);
	else
		fprintf(file, "# One-way: void: %d cycles in a row, without a step of a clock, have to come first",
			TW_ONEWAY_WARMUP);
	print_offset(file, sum);
	fprintf(file, "\n");
}

static void print_known(FILE *file, const struct tw_oneway_result *sum)
{
	fprintf(file, "# One-way: ");
	if (sum->known) {
		fprintf(file, "+-");
		print_uncertainty(file, sum->uncertainty_ns);
	} else {
		fprintf(file, "unknown uncertainty: no window of %d cycles was complete",
			TW_ONEWAY_WINDOW);
	}
	if (sum->mode == TW_ONEWAY_BOUND)
		print_offset(file, sum);
	fprintf(file, "\n");
}

/* Of the measured cycles of all pairs. */
static uint64_t count_without(const struct tw_run *run, uint64_t *cycles)
{
	const struct tw_pair *pair;
	uint64_t without = 0;
	unsigned int k;

	*cycles = 0;
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++) {
		*cycles += pair->tally->cycles;
		without += pair->tally->cycles -
			   pair->tally->series.row[TW_SEND].stats.count;
	}
	return without;
}

static void print_without(FILE *file, const struct tw_run *run,
			  const struct tw_oneway_result *sum)
{
	uint64_t cycles, without = count_without(run, &cycles);

	if (!without)
		return;
	fprintf(file, "# One-way: %" PRIu64 " of %" PRIu64 " cycles have no one-way times",
		without, cycles);
	if (sum->broken)
		fprintf(file, "; a clock was stepped, or its rate changed: %" PRIu64,
			sum->broken);
	fprintf(file, "\n");
}

static void print_limit(FILE *file, const struct tw_run *run,
			const struct tw_oneway_wish *wish,
			const struct tw_oneway_result *sum)
{
	enum tw_verdict verdict = judge(run, wish, sum);

	fprintf(file, "# Sync limit %" PRId64 " us: %s: ", wish->limit_us,
		tw_verdict_names[verdict]);
	if (verdict != TW_UNDECIDED)
		print_uncertainty(file, sum->uncertainty_ns);
	else if (tw_result_is_cut_short(run))
		fprintf(file, "the run was ended before it was complete");
	else
		fprintf(file, "nothing is proven");
	fprintf(file, "\n");
}

void tw_oneway_print(FILE *file, const struct tw_run *run,
		     const struct tw_oneway_wish *wish)
{
	struct tw_oneway_result sum;
	unsigned int pair;

	if (!wish->mode || !tw_session_pair(tw_session(run), 0))
		return;
	sum_up(run, &sum, &pair);
	if (sum.void_seq)
		print_void(file, run, &sum, pair);
	else if (wish->distrust)
		fprintf(file, "# One-way: void: %s\n", wish->distrust);
	else if (!tw_oneway_has_values(&sum))
		print_waiting(file, &sum);
	else
		print_known(file, &sum);
	if (tw_oneway_has_values(&sum))
		print_without(file, run, &sum);
	if (wish->limit_us)
		print_limit(file, run, wish, &sum);
}

static void json_us(struct tw_json *json, const char *key, bool known,
		    int64_t ns)
{
	tw_json_real_if(json, key, known, (double)ns / (double)TW_NS_PER_US,
			3);
}

static void json_void(struct tw_json *json, const struct tw_run *run,
		      const struct tw_oneway_result *sum, unsigned int pair)
{
	const struct tw_tally *tally =
		tw_session_pair(tw_session(run), pair)->tally;

	if (!sum->void_seq) {
		tw_json_null(json, "void_at");
		return;
	}
	tw_json_begin(json, "void_at", '{');
	tw_json_uint(json, "pair", pair);
	tw_json_uint(json, "cycle", void_number(tally, sum->void_seq));
	tw_json_real(json, "seconds", void_after_s(tally, sum->void_t3_ns), 6);
	json_us(json, "lower_us", true, sum->void_ends.lower_ns);
	json_us(json, "upper_us", true, sum->void_ends.upper_ns);
	tw_json_end(json);
}

void tw_oneway_json(struct tw_json *json, const struct tw_run *run,
		    const struct tw_oneway_wish *wish)
{
	struct tw_oneway_result sum;
	uint64_t cycles, without;
	unsigned int pair;

	if (!wish->mode || !tw_session_pair(tw_session(run), 0)) {
		tw_json_null(json, "oneway");
		return;
	}
	sum_up(run, &sum, &pair);
	without = count_without(run, &cycles);
	tw_json_begin(json, "oneway", '{');
	tw_json_text(json, "mode", tw_oneway_modes[wish->mode]);
	tw_json_bool(json, "valid", tw_oneway_has_values(&sum));
	json_us(json, "uncertainty_us", sum.known &&
		tw_oneway_has_values(&sum), sum.uncertainty_ns);
	json_us(json, "offset_us", sum.has_offset, sum.offset_ns);
	tw_json_real_if(json, "ppm", sum.has_rate, sum.ppm, 3);
	tw_json_uint(json, "windows", sum.windows);
	tw_json_uint(json, "empty", sum.empty);
	tw_json_uint(json, "broken", sum.broken);
	json_us(json, "longest_us", sum.longest_ns, sum.longest_ns);
	tw_json_uint(json, "cycles", cycles - without);
	tw_json_uint(json, "without", without);
	json_void(json, run, &sum, pair);
	tw_json_text(json, "distrust", wish->distrust);
	tw_json_text(json, "verdict", wish->limit_us ?
		     tw_verdict_names[judge(run, wish, &sum)] : NULL);
	tw_json_end(json);
}
