// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More clocks, and what the clock in use costs. The timer runs on
 * CLOCK_MONOTONIC, and its planned times are converted: after each cycle, when
 * nothing is measured, both clocks are read. That also shows if the clock was
 * set. On the server's host, main looks for that.
 */

#include "tw_clocks.h"
#include "tw_jumps.h"
#include "tw_part.h"
#include "tw_time.h"

#define TRIES	5
#define READS	2000

static const struct tw_timer_ops *inner;

/* Of this client, not yet told; on the server's host of main, all. */
static struct tw_jumps jumps;

/* Between two readings in a row; the smallest above 0; 0: none. */
static int64_t min_ns, max_ns, sum_ns, step_ns;
/* Of the CPU's counter: since when, and what it gained in how long. */
static int64_t since_ns, gained_ns, over_ns;

static int64_t raw_ns(void)
{
	return tw_now_ns(CLOCK_MONOTONIC_RAW);
}

static int64_t tai_ns(void)
{
	return tw_now_ns(CLOCK_TAI);
}

static int64_t boottime_ns(void)
{
	return tw_now_ns(CLOCK_BOOTTIME);
}

const struct tw_clock tw_clock_raw = {
	"monotonic_raw", raw_ns, false, true
};

const struct tw_clock tw_clock_tai = {
	"tai", tai_ns, true, false
};

const struct tw_clock tw_clock_boottime = {
	"boottime", boottime_ns, true, false
};

/* CLOCK_AUX, of Linux 6.17 and later: a program has one of them. */
#define FIRST_AUX	16
static clockid_t aux;

static int64_t aux_ns(void)
{
	return tw_now_ns(aux);
}

#define AUX(n)	{ "aux" #n, aux_ns, true, true }

const struct tw_clock tw_clock_aux[8] = {
	AUX(0), AUX(1), AUX(2), AUX(3), AUX(4), AUX(5), AUX(6), AUX(7)
};

void tw_clocks_open_aux(const struct tw_clock *clock)
{
	struct timespec now;
	int number;

	if (sscanf(clock->name, "aux%d", &number) != 1)
		return;
	aux = FIRST_AUX + number;
	if (clock_gettime(aux, &now))
		tw_say_fatal("--clock=%s: %m; needed is a kernel with CONFIG_POSIX_AUX_CLOCKS, and 1 in /sys/kernel/time/aux_clocks/%d/aux_clock_enable\n",
			     clock->name, number);
}

struct tw_moment tw_clocks_moment(int64_t (*read)(void))
{
	struct tw_moment best = { .here = 0 };
	int64_t best_ns = INT64_MAX;
	int i;

	/* If anything came between two readings, they lie far apart. */
	for (i = 0; i < TRIES; i++) {
		int64_t before_ns = tw_now_ns(CLOCK_MONOTONIC);
		int64_t here = read();
		int64_t apart_ns = tw_now_ns(CLOCK_MONOTONIC) - before_ns;

		if (apart_ns < best_ns) {
			best_ns = apart_ns;
			best.here = here;
			best.ns = before_ns + apart_ns / 2;
			/* Each reading is rounded down. */
			best.error_ns = apart_ns - apart_ns / 2 + 1;
		}
	}
	return best;
}

int64_t tw_clocks_ahead_ns(const struct tw_clock *clock)
{
	struct tw_moment both = tw_clocks_moment(clock->now_ns);

	return both.here - both.ns;
}

int64_t tw_clocks_monotonic_ns(int64_t ns)
{
	return tw_config.clock == &tw_clock_monotonic ? ns :
	       ns - tw_clocks_ahead_ns(tw_config.clock);
}

static void settle_converted(struct tw_timer *timer, int64_t awake_ns)
{
	struct tw_watch *watch = &timer->watch;

	tw_jumps_look(watch, tw_config.clock);
	tw_jumps_note(&jumps, watch);
	inner->settle(timer, tw_watch_convert(watch, awake_ns));
	timer->planned_ns += watch->ahead_ns;
}

static void check(struct tw_run *run)
{
	static struct tw_timer_ops converted;

	tw_clocks_open_aux(tw_config.clock);
	if (tw_config.clock == &tw_clock_tsc) {
		tw_clock_tsc_open();
		since_ns = tw_now_ns(CLOCK_MONOTONIC);
	}
	if (tw_config.clock == &tw_clock_monotonic)
		return;
	if (tw_config.absent[TW_CLIENT])
		run->tick_ms = TW_TICK_MS;
	inner = tw_config.timer;
	converted = *inner;
	converted.settle = settle_converted;
	tw_settings.timer = &converted;
}

static size_t room(const struct tw_run *run)
{
	return tw_config.clock->can_jump ? sizeof(struct tw_jumps) : 0;
}

/* On the server's host. */
static void woken(struct tw_run *run)
{
	static struct tw_watch watch;

	if (!tw_config.absent[TW_CLIENT] || !room(run))
		return;
	tw_jumps_look(&watch, tw_config.clock);
	tw_jumps_note(&tw_jumps_all, &watch);
}

/* Measured here, as reading the clock costs the same in every process. */
static void begin(struct tw_run *run)
{
	int i;

	woken(run);
	min_ns = INT64_MAX;
	max_ns = sum_ns = step_ns = 0;
	for (i = 0; i < READS; i++) {
		int64_t last_ns = tw_config.clock->now_ns();
		int64_t ns = tw_config.clock->now_ns() - last_ns;

		min_ns = ns < min_ns ? ns : min_ns;
		max_ns = ns > max_ns ? ns : max_ns;
		if (ns > 0 && (!step_ns || ns < step_ns))
			step_ns = ns;
		sum_ns += ns;
	}
}

static bool record(void *room, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	return false;
}

static void lose(void *room, const struct tw_cycle *cycle)
{
	if (cycle->t0_ns)
		return;
	jumps.left_out++;
	tw_jumps_add(room, &jumps);
	jumps = (struct tw_jumps) { .times = 0 };
}

/* Each client has seen the same. */
static void add_step(const struct tw_run *run)
{
	struct tw_jumps step = { .times = 0 };
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		struct tw_jumps *of = tw_pair_room(run, i, &tw_part_clock);

		step.times = of->times > step.times ? of->times : step.times;
		step.largest_ns = of->largest_ns > step.largest_ns ?
				  of->largest_ns : step.largest_ns;
		step.left_out += of->left_out;
		*of = (struct tw_jumps) { .times = 0 };
	}
	tw_jumps_add(&tw_jumps_all, &step);
}

static void end(struct tw_run *run)
{
	woken(run);
	if (room(run))
		add_step(run);
	tw_jumps_judge(run);
	run->times_set = tw_jumps_all.times;
	if (!since_ns)
		return;
	gained_ns = tw_clocks_ahead_ns(tw_config.clock);
	over_ns = tw_now_ns(CLOCK_MONOTONIC) - since_ns;
}

static double ppm(const void *of)
{
	return 1e6 * (double)gained_ns / (double)over_ns;
}

static void text(FILE *file, const struct tw_run *run)
{
	tw_jumps_text(file, "cycle");
	if (over_ns)
		fprintf(file,
			"# Clock tsc: %+.3f ppm against the kernel's, %+.3f us in %.1f s\n",
			ppm(NULL), (double)gained_ns / 1e3,
			(double)over_ns / 1e9);
}

static const void *drift_of(const void *of)
{
	return over_ns ? &over_ns : NULL;
}

static double mean_ns(const void *of)
{
	return (double)sum_ns / READS;
}

static const struct tw_member reading[] = {
	{ "min", TW_AT(min_ns), TW_INTEGER, "Smallest." },
	{ "avg", TW_REAL_OF(mean_ns), TW_REAL, "Mean.",
	  .format = "%.1f" },
	{ "max", TW_AT(max_ns), TW_COUNT, "Largest." },
	{ .name = NULL }
};

static const struct tw_member cost[] = {
	{ "clock_read_ns", TW_NOWHERE, TW_OBJECT,
	  "Time between two readings in a row.", .of = reading },
	{ "clock_resolution_ns", TW_AT(step_ns), TW_COUNT, "The smallest step that was seen; 0: none." },
	{ .name = NULL }
};

static const struct tw_member of_drift[] = {
	{ "ppm", TW_REAL_OF(ppm), TW_REAL, "How much faster it ran, in parts in a million; negative: slower.",
	  .format = "%.4f" },
	{ "ns", TW_AT(gained_ns), TW_INTEGER, "How far it was ahead in the end; negative: behind." },
	{ "over_ns", TW_AT(over_ns), TW_INTEGER, "In how much time.",
	  "'minimum': 1" },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	TW_CLOCK_SET_ROW,
	{ "cost", TW_NOWHERE, TW_OBJECT, "What reading the clock costs; nothing is subtracted from any result.",
	  .of = cost },
	{ "clock_drift", TW_NOWHERE, TW_OBJECT, "Of the CPU's counter against the kernel's monotonic clock; null: another clock was used.",
	  .nullable = true, .get = drift_of, .of = of_drift },
	{ .name = NULL }
};

const struct tw_part tw_part_clock = {
	.check = check, .begin = begin, .woken = woken, .end = end,
	.room = room, .record = record, .lose = lose, .text = text,
	.tells_end = true, .members[TW_OF_RUN] = members,
};
