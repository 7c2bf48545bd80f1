// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel does when real-time tasks leave no time to others on a CPU:
 * up to Linux 6.11, and later with RT_GROUP_SCHED, it stops all of them there
 * for the rest of a period (throttling). Since Linux 6.12, a fair server lets
 * other tasks run for up to 50 ms of a second, if there are any.
 *
 * No file says when this happens. The client notes a cycle in which something
 * was late by about the time that such a stop takes; main looks whether it was
 * one, see tw_stop.h.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tw_clocks.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_read.h"
#include "tw_spent.h"
#include "tw_stop.h"
#include "tw_throttle.h"
#include "tw_time.h"

#define LATE	64	/* cycles that are kept for main */

/* Memory of a pair. */
struct room {
	int64_t expected_ns[TW_METRICS];
	int first, last;	/* metrics that can be late */
	atomic_ulong count;	/* of late cycles, in all steps */
	/* The last ones; when the delay began and ended, on CLOCK_MONOTONIC. */
	struct {
		int64_t begin_ns, end_ns;
	} late[LATE];
};

/* As the kernel is set. */
static int64_t rt_runtime_us, rt_period_us;	/* -1: not known */
static int64_t period_ns;	/* the longest of the rules; 0: there is none */
static bool begun;			/* the tasks of this step are known */
static bool changed;			/* the rules, while it ran */

static struct counts {
	uint64_t seen;			/* late cycles */
	uint64_t throttled;
	uint64_t unknown;
} of_pair[TW_PAIRS_MAX];
static uint64_t *of_step;		/* throttled cycles of all pairs */
static struct tw_wait worst;		/* the longest of them */

/* Ordinary tasks are not throttled, but wait for real-time ones in any case. */
static size_t room(const struct tw_run *run)
{
	return tw_config.priority && !tw_config.absent[TW_CLIENT] ?
	       sizeof(struct room) : 0;
}

static void attach(void *memory, int pair)
{
	struct tw_metric_params params = tw_config_params(pair);
	struct room *room = memory;
	enum tw_metric_id id;

	for (id = 0; id < TW_METRICS; id++)
		room->expected_ns[id] = tw_metric_target_ns(id, &params);
	room->first = params.period_ns ? TW_WAKEUP : TW_SEND;
	/* The client also waits without phases of a server. */
	room->last = tw_metric_valid(TW_SEND, &params) ? TW_RECEIVE :
		     TW_RESPONSE;
}

void tw_throttle_note(void *memory, int64_t late_ns, int64_t end_ns)
{
	struct room *room = memory;
	unsigned long count = room->count;

	room->late[count % LATE].begin_ns = end_ns - late_ns;
	room->late[count % LATE].end_ns = end_ns;
	atomic_store_explicit(&room->count, count + 1, memory_order_release);
}

/* How long, at most, one of both was kept back. */
static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *room = memory;
	int64_t late_ns = 0, end_ns = 0;
	int id;

	for (id = room->first; id <= room->last; id++) {
		if (values_ns[id] - room->expected_ns[id] <= late_ns)
			continue;
		late_ns = values_ns[id] - room->expected_ns[id];
		end_ns = cycle->at_ns[tw_metrics[id].span[1]];
	}
	if (tw_stop_fits_any(late_ns))
		tw_throttle_note(room, late_ns, tw_clocks_monotonic_ns(end_ns));
	return false;
}

static void read_rules(struct tw_run *run)
{
	int tick_ms;

	rt_runtime_us = rt_period_us = -1;
	tw_read_number(&rt_runtime_us, "/proc/sys/kernel/sched_rt_runtime_us");
	tw_read_number(&rt_period_us, "/proc/sys/kernel/sched_rt_period_us");
	period_ns = tw_stop_read();
	tick_ms = (int)(period_ns / TW_SPENT_SAMPLES / TW_NS_PER_MS);
	if (room(run) && tick_ms && (run->tick_ms < 0 || run->tick_ms > tick_ms))
		run->tick_ms = tick_ms;
}

static void begin(struct tw_run *run)
{
	cpu_set_t cpus, more;
	int i;

	begun = false;
	if (!run->step) {
		of_step = calloc(run->steps, sizeof(*of_step));
		if (!of_step)
			tw_say_fatal("no memory\n");
		read_rules(run);
	}
	if (!room(run) || !period_ns)
		return;
	CPU_ZERO(&cpus);
	for (i = 0; i < tw_config.pairs; i++) {
		tw_place(TW_CLIENT, i, &more);
		CPU_OR(&cpus, &cpus, &more);
		tw_place(TW_SERVER, i, &more);
		CPU_OR(&cpus, &cpus, &more);
	}
	tw_spent_begin(&cpus, period_ns);
}

static void add_sides(const struct tw_run *run)
{
	int i, role;

	begun = true;
	for (i = 0; i < tw_config.pairs; i++)
		for (role = 0; role < TW_ROLES; role++)
			if (run->pairs[i]->process[role].pid)
				tw_spent_add(run->pairs[i]->process[role].pid,
					     NULL);
}

/* Of a server on another host, nobody knows for what it waits. */
static bool is_far(void)
{
	return tw_config.absent[TW_SERVER] && tw_metric_has_server();
}

static void note(struct tw_run *run, struct counts *of, struct tw_wait *wait)
{
	enum tw_proof proof = tw_stop_prove(wait);

	of->unknown += proof == TW_STOP_UNKNOWN ||
		       (proof == TW_NOT_STOPPED && is_far());
	if (proof != TW_STOPPED)
		return;
	of->throttled++;
	of_step[run->step]++;
	if (wait->end_ns - wait->begin_ns > worst.end_ns - worst.begin_ns)
		worst = *wait;
}

static void look(struct tw_run *run, int pair, const struct room *room)
{
	const struct tw_process *process = run->pairs[pair]->process;
	struct counts *of = &of_pair[pair];
	uint64_t count = room->count;

	if (count - of->seen > LATE) {
		of->unknown += count - of->seen - LATE;
		of->seen = count - LATE;
	}
	for (; of->seen < count; of->seen++) {
		struct tw_wait wait = {
			.ids = { process[TW_CLIENT].pid,
				 process[TW_SERVER].pid },
			.begin_ns = room->late[of->seen % LATE].begin_ns,
			.end_ns = room->late[of->seen % LATE].end_ns,
		};

		note(run, of, &wait);
	}
}

/* Also when all clients have ended, but are not reaped. */
static void woken(struct tw_run *run)
{
	bool late = false;
	int i;

	if (!room(run) || !period_ns)
		return;
	if (!begun)
		add_sides(run);
	for (i = 0; i < tw_config.pairs; i++) {
		const struct room *room = tw_pair_room(run, i,
						       &tw_part_throttle);

		late |= room->count != of_pair[i].seen;
	}
	tw_spent_sample(late);
	for (i = 0; late && i < tw_config.pairs; i++)
		look(run, i, tw_pair_room(run, i, &tw_part_throttle));
}

/* What was late by another rule than that of the begin was not noted. */
static void check_rules(const struct tw_run *run)
{
	struct tw_stop before[TW_STOP_RULES];
	int i;

	memcpy(before, tw_stops, sizeof(before));
	tw_stop_read();
	if (!room(run) || !memcmp(before, tw_stops, sizeof(before)))
		return;
	changed = true;
	for (i = 0; i < tw_config.pairs; i++)
		of_pair[i].unknown++;
}

static void end(struct tw_run *run)
{
	tw_spent_end();
	check_rules(run);
	if (run->steps > 1 && of_step[run->step])
		printf("# Throttled: %" PRIu64 "\n", of_step[run->step]);
}

uint64_t tw_throttled(const struct tw_run *run, int pair)
{
	return of_pair[pair].throttled;
}

uint64_t tw_throttle_unknown(const struct tw_run *run, int pair)
{
	return of_pair[pair].unknown;
}

static struct counts total(void)
{
	struct counts sum = { .seen = 0 };
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		sum.throttled += of_pair[i].throttled;
		sum.unknown += of_pair[i].unknown;
	}
	return sum;
}

/* By whose rule, and how to change that. */
static void print_rules(FILE *file)
{
	const struct tw_stop *limit = &tw_stops[TW_STOP_LIMIT];
	const struct tw_stop *fair = &tw_stops[TW_STOP_FAIR];

	if (worst.rules[TW_STOP_LIMIT])
		fprintf(file, "; sched_rt_runtime_us allows %" PRId64 " us (--rt-runtime=-1 lifts that)",
			tw_ns_to_us(limit->period_ns - limit->stop_ns));
	if (worst.rules[TW_STOP_FAIR])
		fprintf(file, "; the fair server gives %" PRId64 " us to others (0 in /sys/kernel/debug/sched/fair_server/cpu%d/runtime ends that)",
			tw_ns_to_us(fair->stop_ns), worst.cpu);
}

static const char *why_unknown(void)
{
	if (period_ns && !tw_spent_told())
		return "this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO), or /proc is of another PID namespace";
	return changed ? "the limit was changed while it ran" :
	       is_far() ? "the server is on another host" :
	       "it was not seen what real-time tasks used then";
}

static void text(FILE *file, const struct tw_run *run)
{
	struct counts sum = total();

	if (sum.throttled) {
		fprintf(file, "# Throttled: %" PRIu64 ", late by up to %" PRId64 " us: of the %" PRId64 " us before, real-time tasks had used %" PRId64 " us of CPU %d, %s-%d most",
			sum.throttled,
			tw_ns_to_us(worst.end_ns - worst.begin_ns),
			tw_ns_to_us(worst.period_ns), tw_ns_to_us(worst.used_ns),
			worst.cpu, worst.most.name, worst.most.id);
		print_rules(file);
		fputc('\n', file);
	}
	if (sum.unknown)
		fprintf(file, "# Throttled: unknown of %" PRIu64 " that were late: %s\n",
			sum.unknown, why_unknown());
}

/* What the JSON says of it. */
static struct report {
	bool fair;
	int64_t stall_us, late_us, used_us, task_us;
	struct counts sum;
	int cpu;
} report;

static const void *report_of(const void *of)
{
	const struct tw_stop *fair = &tw_stops[TW_STOP_FAIR];
	int64_t stall_ns = tw_stops[TW_STOP_LIMIT].stop_ns;

	report = (struct report) {
		.fair = fair->stop_ns,
		.stall_us = tw_ns_to_us(stall_ns ? stall_ns : fair->stop_ns),
		.late_us = tw_ns_to_us(worst.end_ns - worst.begin_ns),
		.used_us = tw_ns_to_us(worst.used_ns),
		.task_us = tw_ns_to_us(worst.most.ns), .sum = total(),
	};
	report.cpu = report.sum.throttled ? worst.cpu : -1;
	return &report;
}

static const char *const rules[] = { "rt_runtime_us", "fair_server", NULL };

static const void *next_rule(const void *of, int *i, const char **key)
{
	while (*i < TW_STOP_RULES && !worst.rules[*i])
		++*i;
	return *i < TW_STOP_RULES ? &rules[*i] : NULL;
}

static const void *next_step(const void *of, int *i, const char **key)
{
	return *i < ((const struct tw_run *)of)->steps ? &of_step[*i] : NULL;
}

static const struct tw_member throttling[] = {
	{ "rt_runtime_us", TW_AT(rt_runtime_us), TW_INTEGER,
	  "sched_rt_runtime_us; -1: no limit, or not known.", "'minimum': -1" },
	{ "rt_period_us", TW_AT(rt_period_us), TW_INTEGER,
	  "sched_rt_period_us; -1: not known.", "'minimum': -1" },
	{ "fair_server", TW_AT(report.fair), TW_BOOLEAN, "Since Linux 6.12." },
	{ "stall_us", TW_AT(report.stall_us), TW_COUNT, "The usual stop; 0: none." },
	{ "unknown", TW_AT(report.sum.unknown), TW_COUNT, "Cycles or trials as late as if it had stopped them, of which nothing is known." },
	{ "late_us", TW_AT(report.late_us), TW_COUNT, "How late the longest throttled one was; 0: there is none." },
	{ "cpu", TW_AT(report.cpu), TW_INTEGER,
	  "Where it was stopped; -1: there is none.", "'minimum': -1" },
	{ "used_us", TW_AT(report.used_us), TW_COUNT, "What real-time tasks used of that CPU in the period before." },
	{ "task", TW_AT(worst.most.name), TW_STRING, "The one that used most; else empty." },
	{ "pid", TW_AT(worst.most.id), TW_COUNT, "Its number; 0: none." },
	{ "task_us", TW_AT(report.task_us), TW_COUNT, "What it used." },
	{ "by", TW_NOWHERE, TW_ARRAY, "The rules that it may have been.",
	  .next = next_rule,
	  .of = TW_EACH(TW_SELF(const char *), TW_STRING, "A member of this object.",
			.words = rules) },
	{ "steps", TW_NOWHERE, TW_ARRAY,
	  "Throttled cycles or trials of each step.", "'minItems': 1",
	  .next = next_step,
	  .of = TW_EACH(TW_SELF(uint64_t), TW_COUNT, "A count.") },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "throttled", TW_IN(struct report, sum.throttled), TW_COUNT, "Cycles of all pairs and steps, or trials, in which the kernel stopped real-time tasks.",
	  .get = report_of },
	{ "throttling", TW_NOWHERE, TW_OBJECT, "How this kernel stops real-time tasks, and the longest cycle or trial in which it did.",
	  .of = throttling },
	{ .name = NULL }
};

const struct tw_part tw_part_throttle = {
	.begin = begin, .woken = woken, .end = end, .room = room,
	.attach = attach, .record = record, .whole = true, .remark = text,
	.members[TW_OF_RUN] = members,
};
