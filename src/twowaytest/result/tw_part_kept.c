// SPDX-License-Identifier: GPL-2.0-or-later
/* --worst and --spike: cycles that are kept whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "base/tw_system.h"
#include "base/tw_time.h"
#include "measure/tw_excess.h"
#include "result/tw_kept.h"
#include "result/tw_part_result.h"
#include "result/tw_worst.h"
#include "run/tw_columns.h"
#include "run/tw_session.h"

static struct {
	int64_t spike_us;	/* 0: off */
	enum tw_metric_id spike_on;
	int64_t spike_nodes;
	bool worst;
} set;
static const __typeof__(set) initial = {
	.spike_on = TW_RESPONSE, .spike_nodes = 1024,
};

static int parse_spike(const struct tw_option *option, const char *value,
		       struct tw_run *run)
{
	const char *colon = strchr(value, ':');
	struct tw_option metric = *option;
	char word[32];

	set.spike_on = TW_RESPONSE;
	metric.to = &set.spike_on;
	if (colon) {
		snprintf(word, sizeof(word), "%.*s", (int)(colon - value),
			 value);
		if (tw_option_metric(&metric, word, run))
			return -EINVAL;
		value = colon + 1;
	}
	return tw_option_number(option, value, run);
}

static const struct tw_option options[] = {
	{ 0, "spike", TW_ARGUMENT, "[METRIC:]US", parse_spike, &set.spike_us,
	  .min = 1, .max = 1000000000,
	  .help = "keep and print every cycle whose METRIC, default\n"
		  "response, exceeds US" },
	{ 0, "spike-nodes", TW_ARGUMENT, "N", tw_option_number,
	  &set.spike_nodes, .min = 1, .max = 10000000,
	  .help = "how many of them are kept, default 1024" },
	{ 0, "worst", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.worst,
	  .help = "print the worst cycle of each metric: its phases,\n"
		  "and which of them caused it" },
	{ .name = NULL }
};

static int check_memory(struct tw_run *run)
{
	uint64_t free = tw_system_available_memory();
	/* One for each step, and one for the sum of all steps. */
	uint64_t tallies = run->steps > 1 ? run->steps + 1 : 1;
	uint64_t needed = tallies * tw_config->pairs.count *
			  set.spike_nodes * sizeof(struct tw_kept);

	if (needed <= free)
		return 0;
	return tw_fail(run, -EINVAL, "--spike-nodes=%lld: needs %llu MiB of memory, and %llu MiB are free; give fewer nodes or steps",
		       (long long)set.spike_nodes,
		       (unsigned long long)needed >> 20,
		       (unsigned long long)free >> 20);
}

static int check(struct tw_run *run)
{
	const char *lacks = tw_config_unfit(tw_config, set.spike_on);

	if (tw_option_given(run, "spike-nodes") && !set.spike_us)
		return tw_fail(run, -EINVAL, "--spike-nodes: no spikes are kept; give --spike too");
	if (!set.spike_us)
		return 0;
	if (lacks)
		return tw_fail(run, -EINVAL, "--spike=%s:%lld: %s",
			       tw_metrics[set.spike_on].token,
			       (long long)set.spike_us, lacks);
	if (!tw_kept_has(tw_config, set.spike_on))
		return tw_fail(run, -EINVAL, "--spike=%s:%lld: client and server have clocks of their own, so a cycle that is kept has no such metric; take network, which is both ways together",
			       tw_metrics[set.spike_on].token,
			       (long long)set.spike_us);
	return check_memory(run);
}

static size_t room(const struct tw_run *run)
{
	(void)run;
	return set.spike_us ? set.spike_nodes * sizeof(struct tw_kept) : 0;
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	if (set.spike_us)
		tw_tally_attach_spikes(pair->tally, memory, set.spike_nodes,
				       set.spike_on,
				       set.spike_us * TW_NS_PER_US);
}

/* The pair with the largest value of metric @id; NULL: there is no value. */
static const struct tw_tally *worst_of(const struct tw_run *run,
				       enum tw_metric_id id)
{
	const struct tw_tally *worst = NULL;
	const struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++)
		if (pair->tally->series.row[id].stats.count &&
		    !tw_pair_column(pair, id).is_void &&
		    (!worst || pair->tally->series.row[id].stats.max_ns >
			       worst->series.row[id].stats.max_ns))
			worst = pair->tally;
	return worst;
}

static void print_line(FILE *file, const struct tw_run *run,
		       const struct tw_worst *worst)
{
	const struct tw_tally *tally = worst->tally;
	enum tw_metric_id id = worst->id;
	double means_ns[TW_METRICS];
	char of[TW_SUFFIX];

	tw_kept_means(tally, means_ns);
	fprintf(file, "# Worst %s%s: %" PRId64 " (mean %" PRId64 "): ",
		tw_metrics[id].token,
		tw_config_suffix(tw_session(run)->config, tally->pair, of),
		tw_kept_max(run, tally, id),
		tw_kept_mean(run, means_ns[id]));
	tw_kept_print(file, run, &tally->worst[id], means_ns, id);
}

static bool on_terminal(const struct tw_run *run)
{
	const struct tw_flow *text = &run->output.text.flow;

	return text->stream && isatty(text->fd);
}

/* Programs read lines; on a terminal these would be wrapped. */
static void print_worst(FILE *file, const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	struct tw_worst worst[TW_METRICS];
	int i, count = 0;

	for (i = 0; set.worst && i < config->metric_count; i++) {
		worst[count].id = config->metrics[i];
		worst[count].tally = worst_of(run, config->metrics[i]);
		count += worst[count].tally != NULL;
	}
	if (on_terminal(run)) {
		tw_worst_print(file, run, worst, count);
		return;
	}
	for (i = 0; i < count; i++)
		print_line(file, run, &worst[i]);
}

/* The column that the metric has, or would have if it were the last. */
static int column_of(const struct tw_config *config, unsigned int pair,
		     enum tw_metric_id id)
{
	int i;

	for (i = 0; i < config->metric_count; i++)
		if (config->metrics[i] == id)
			break;
	return (int)pair * config->metric_count + i;
}

/* In the format of cyclictest, up to the time stamp. */
static void print_spike(FILE *file, const struct tw_run *run,
			const struct tw_kept *kept)
{
	const struct tw_metric_list *phases = tw_kept_phases(run);
	int i;

	fprintf(file, "T:%2d Spike:%8" PRId64 ": TS: %12" PRId64 " C: %7" PRIu64,
		column_of(tw_session(run)->config, kept->pair, set.spike_on),
		tw_kept_value(run, kept, set.spike_on),
		tw_ns_to_us(kept->cycle.t0_ns), tw_cycle_number(run, kept));
	if (run->steps > 1)
		fprintf(file, " step %d", kept->step + 1);
	for (i = 0; i < phases->count - TW_PHASE_SUMS; i++)
		if (tw_kept_shows(run, phases->id[i]))
			fprintf(file, " %s %" PRId64,
				tw_metrics[phases->id[i]].token,
				tw_kept_value(run, kept, phases->id[i]));
	fprintf(file, "%s\n", kept->throttled ? " throttled" : "");
}

/* How many there were in all pairs, and how many of them were kept. */
static uint64_t spikes_seen(const struct tw_run *run, uint64_t *kept)
{
	const struct tw_pair *pair;
	uint64_t seen = 0;
	unsigned int k;

	*kept = 0;
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++) {
		seen += pair->tally->spikes.seen;
		*kept += pair->tally->spikes.count;
	}
	return seen;
}

static void print_spikes(FILE *file, const struct tw_run *run)
{
	const struct tw_pair *pair;
	uint64_t n, seen, kept;
	unsigned int k;

	if (!set.spike_us)
		return;
	fprintf(file, "# Spikes: cycles whose %s exceeds %" PRId64 "\n",
		tw_metrics[set.spike_on].token,
		tw_value(run->show->nsecs, set.spike_us * TW_NS_PER_US));
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++)
		for (n = 0; n < pair->tally->spikes.count; n++)
			print_spike(file, run, &pair->tally->spikes.kept[n]);
	seen = spikes_seen(run, &kept);
	fprintf(file, "spikes = %" PRIu64 "\n", seen);
	if (seen > kept)
		fprintf(file, "# Spikes not kept: %" PRIu64 "; give more --spike-nodes\n",
			seen - kept);
}

static void text(FILE *file, const struct tw_run *run)
{
	print_worst(file, run);
	print_spikes(file, run);
}

static void json_parts(struct tw_json *json, const struct tw_tally *tally,
		       const struct tw_cycle *cycle,
		       const double means_ns[TW_METRICS], enum tw_metric_id id)
{
	struct tw_share parts[TW_PARTS];
	int count = tw_excess(cycle, &tally->params, means_ns, id, parts);
	int i;

	tw_json_begin_line(json, "parts", '[');
	for (i = 0; i < count; i++) {
		tw_json_begin_line(json, NULL, '{');
		tw_json_text(json, "phase", tw_metrics[parts[i].phase].token);
		tw_json_int(json, "ns", parts[i].value_ns);
		tw_json_real(json, "mean_ns", parts[i].mean_ns, 1);
		tw_json_real(json, "share", parts[i].share, 4);
		tw_json_end(json);
	}
	tw_json_end(json);
}

static void json_worst(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	const struct tw_tally *tally;
	double means_ns[TW_METRICS];
	int i;

	tw_json_begin(json, "worst", '{');
	for (i = 0; i < config->metric_count; i++) {
		enum tw_metric_id id = config->metrics[i];

		tally = worst_of(run, id);
		if (!tally || !tw_kept_has(config, id))
			continue;
		tw_kept_means(tally, means_ns);
		tw_json_begin_line(json, tw_metrics[id].token, '{');
		tw_kept_json(json, run, &tally->worst[id]);
		json_parts(json, tally, &tally->worst[id].cycle, means_ns, id);
		tw_json_end(json);
	}
	tw_json_end(json);
}

static void json_spikes(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_pair *pair;
	uint64_t n, kept;
	unsigned int k;

	if (!set.spike_us) {
		tw_json_null(json, "spikes");
		return;
	}
	tw_json_begin(json, "spikes", '{');
	tw_json_text(json, "metric", tw_metrics[set.spike_on].token);
	tw_json_int(json, "limit_us", set.spike_us);
	tw_json_uint(json, "seen", spikes_seen(run, &kept));
	tw_json_begin(json, "kept", '[');
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++)
		for (n = 0; n < pair->tally->spikes.count; n++) {
			tw_json_begin_line(json, NULL, '{');
			tw_kept_json(json, run, &pair->tally->spikes.kept[n]);
			tw_json_end(json);
		}
	tw_json_end(json);
	tw_json_end(json);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	json_worst(json, run);
	json_spikes(json, run);
}

const struct tw_part tw_part_kept = {
	.name = "kept", .options = options, TW_SETTINGS(set, initial),
	.check = check, .room = room, .attach = attach, .text = text,
	.json = json,
};
