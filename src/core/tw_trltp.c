// SPDX-License-Identifier: GPL-2.0-or-later
/* --trltp and --trltp-log: set-up and log of the reference program. */
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#include "tw_array.h"
#include "tw_file.h"
#include "tw_load.h"
#include "tw_part.h"
#include "tw_string.h"
#include "tw_time.h"

#define BIN_US		10
#define BINS		20000	/* up to 200 ms */

/* In the log's order, with its names. */
static const struct {
	enum tw_metric_id id;
	const char *label;
} logged[] = {
	{ TW_INTERVAL, "POSIX Timer Interval Time" },
	{ TW_SEND, "Send Time" },
	{ TW_SLEEP, "nanosleep(100 Micro Sec)" },
	{ TW_RECEIVE, "Receive Time" },
	{ TW_RESPONSE, "Response Time" },
	{ TW_TOTAL, "Total Jitter" },
};

/* Memory of a pair, for one step. The last bin has all that is longer. */
struct room {
	uint64_t bins[ARRAY_SIZE(logged)][BINS + 1];
};

static bool reference;
static struct tw_file to;
static FILE *steps;		/* in memory: the log of the steps so far */
static char *steps_text;

static void set(const struct tw_option *option, char *value)
{
	reference = true;
	tw_option_preset("mlockall policy=fifo priority=98 affinity posix_timers interval=1000 loops=100000 sleep=100 load=none load=fft steps=16 warmup=1 metrics=interval,send,sleep,receive,response,total");
	if (!tw_option_given("load-policy"))
		tw_option_preset("load-policy=rr");
}

static const struct tw_option options[] = {
	{ 0, "trltp", TW_FLAG, .parse = set,
	  .help = "-m -p 98 -a -x -i 1000 -l 100000 --sleep=100 --load=fft --load-policy=rr --steps=16 --warmup=1" },
	{ 0, "trltp-log", TW_FILE, &to.path,
	  .without = "--connect: it has send and receive, whose times are of one clock",
	  .help = "write the reference program's log to FILE" },
	{ .name = NULL }
};

/* Main is at the highest priority, as in the reference, and prints nothing. */
static void check(struct tw_run *run)
{
	if (reference) {
		tw_settings.main_priority = sched_get_priority_max(SCHED_FIFO);
		tw_settings.silent = true;
	}
	if (!to.path)
		return;
	tw_file_add(&to);
	steps = tw_string_open(&steps_text);
}

static size_t room(const struct tw_run *run)
{
	return to.path ? sizeof(struct room) : 0;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(logged); i++) {
		int64_t ns = values_ns[logged[i].id];
		int64_t bin = ns / (BIN_US * TW_NS_PER_US);

		if (ns != TW_NO_VALUE)
			to->bins[i][bin < 0 ? 0 : bin < BINS ? bin : BINS]++;
	}
	return false;
}

/* Those of another set-up are not called as in the reference. */
static const char *label_of(size_t i)
{
	static char sleep[40];

	if (logged[i].id == TW_INTERVAL && tw_config.timer != &tw_timer_posix)
		return "Timer Interval Time";
	if (logged[i].id != TW_SLEEP || tw_config.sleep_us == 100)
		return logged[i].label;
	snprintf(sleep, sizeof(sleep), "nanosleep(%" PRId64 " Micro Sec)",
		 tw_config.sleep_us);
	return sleep;
}

/* The reference program's: of sleep, it is from what was asked for. */
static double deviation(const struct tw_stats *of, enum tw_metric_id id)
{
	double count = (double)of->count;

	return id != TW_SLEEP || count < 2 ? tw_stats_deviation(of) :
	       tw_stats_rms(of, tw_config.sleep_us * TW_NS_PER_US) *
	       sqrt(count / (count - 1));
}

static void log_metric(const struct tw_stats *of, enum tw_metric_id id,
		       const char *label, const uint64_t *bins)
{
	int bin;

	fprintf(steps, "\n%s (Micro Sec)\nMinimum,%.1f\nAverage,%.1f\n"
		"Maximum,%.1f\nStandard Deviation,%.1f\nCount,%" PRIu64
		"\nLower Bound,Count\n", label, tw_us(of->min),
		tw_us(tw_stats_mean(of)), tw_us(of->max),
		tw_us(deviation(of, id)), of->count);
	for (bin = 0; bin < BINS; bin++)
		if (bins[bin])
			fprintf(steps, "%d,%" PRIu64 "\n", bin * BIN_US,
				bins[bin]);
	if (bins[BINS])
		fprintf(steps, "above,%" PRIu64 "\n", bins[BINS]);
}

static void end(struct tw_run *run)
{
	struct tw_load *load = tw_load_number(0);
	size_t i;
	int pair;

	for (pair = 0; to.path && pair < tw_run_pairs; pair++) {
		struct room *of = tw_pair_room(run, pair, &tw_part_trltp);
		const struct tw_stats *stats =
			run->pairs[pair]->tally.results.stats;

		fprintf(steps, "%sWorkers,%d\n",
			run->step || pair ? "\n" : "", load ? load->units : 0);
		if (tw_run_pairs > 1)
			fprintf(steps, "Pair,%d\n", pair);
		for (i = 0; i < ARRAY_SIZE(logged); i++)
			log_metric(&stats[logged[i].id], logged[i].id,
				   label_of(i), of->bins[i]);
		memset(of->bins, 0, sizeof(of->bins));
	}
}

static void print(FILE *file, const struct tw_run *run)
{
	fclose(steps);
	fputs(steps_text, file);
}

static int write_log(const struct tw_run *run, int status)
{
	return tw_file_write(&to, print, run);
}

const struct tw_part tw_part_trltp = {
	.options = options, .group = TW_REFERENCE, .check = check, .end = end,
	.room = room, .record = record, .write = write_log,
};
