// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --trace: with -b, traces the kernel, and says what made the cycle long. The
 * client stops the trace as soon as it has seen that; main does the rest.
 */
#include <inttypes.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_break.h"
#include "tw_cause.h"
#include "tw_clocks.h"
#include "tw_file.h"
#include "tw_kept.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_time.h"
#include "tw_trace.h"
#include "tw_tracefs.h"

#define KEPT_NS		(20 * TW_NS_PER_MS)	/* in the file */
#define BEFORE_NS	TW_NS_PER_MS	/* who was where, at its begin */
#define PHASES		9

/* Memory of a pair. */
struct room {
	const struct tw_break *of;
	/* By how much the measuring clock is ahead of CLOCK_MONOTONIC. */
	int64_t ahead_ns;
};

/* The cycle that was looked into last, and the longest; in the end, both. */
static struct looked {
	struct tw_window window;
	struct tw_cause cause;
	int64_t cycle_ns;	/* 0: none */
} last, longest;

static struct tw_file to;

static const void *cause_of(const void *of)
{
	return tw_cause_told(&last.cause);
}

static const struct tw_member of_break[] = {
	{ "trace_file", TW_AT(tw_tracefs_file), TW_STRING,
	  "--trace: file of the trace.", TW_IF(tw_tracefs_events) },
	{ TW_CAUSE_ROW, TW_IF(tw_tracefs_events), .get = cause_of },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (!tw_tracefs_check(tw_break_limit_us))
		return;
	/* The server's side of another host sends what it finds. */
	if (!tw_config.absent[TW_CLIENT])
		to.path = tw_tracefs_file;
	tw_file_add(&to);
}

static size_t room(const struct tw_run *run)
{
	return tw_tracefs_events ? sizeof(struct room) : 0;
}

/* A message that comes from elsewhere wakes a task from any CPU. */
static void add_all(cpu_set_t *used)
{
	int cpu;

	if (tw_config.absent[TW_SERVER] || tw_config.absent[TW_CLIENT] ||
	    !tw_metric_has_server())
		for (cpu = 0; cpu < get_nprocs_conf(); cpu++)
			CPU_SET(cpu, used);
}

static void begin(struct tw_run *run)
{
	cpu_set_t used, cpus;
	int i;

	if (!tw_tracefs_events)
		return;
	CPU_ZERO(&used);
	add_all(&used);
	for (i = 0; i < tw_config.pairs; i++) {
		struct room *to = tw_pair_room(run, i, &tw_part_trace);

		to->of = tw_pair_room(run, i, &tw_part_break);
		tw_place(TW_CLIENT, i, &cpus);
		CPU_OR(&used, &used, &cpus);
		tw_place(TW_SERVER, i, &cpus);
		CPU_OR(&used, &used, &cpus);
	}
	tw_tracefs_open(&used);
}

/* The part of -b comes first, and ends the run. */
static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;

	if (to->of->cycle.seq != cycle->seq)
		return false;
	tw_tracefs_stop();
	to->ahead_ns = tw_clocks_ahead_ns(tw_config.clock);
	return false;
}

enum tw_metric_id tw_trace_whole(enum tw_metric_id id)
{
	return id < TW_METRICS ? id : tw_metric_has_server() &&
	       id < TW_WIRE_AND_DEVICE ? TW_NETWORK : TW_RESPONSE;
}

/* The trace of a host does not show a phase that ends on another. */
bool tw_trace_has(const struct tw_break *of, enum tw_metric_id id)
{
	return tw_kept_has_phase(tw_trace_whole(of->metric), id,
				 tw_config.absent[TW_CLIENT] ||
				 tw_config.absent[TW_SERVER],
				 of->cycle.cut_ns);
}

/*
 * When a message from another host woke the side, which had read it by @read_ns:
 * the last time before, but for the end of a stop or of a wait for a lock.
 * Without the switch before, what ended is unknown: the time before the trace;
 * a switch before events that were lost is none.
 * 0: it was not woken.
 */
static int64_t woken_ns(const struct tw_process *side, int64_t read_ns)
{
	const struct tw_event *event = last.window.events;
	const struct tw_event *end = event + last.window.count;
	const int64_t before_ns = last.window.count ? event->time_ns - 1 : 0;
	bool held = false, seen = false;
	int64_t at_ns = 0;

	for (; event < end && event->time_ns <= read_ns; event++) {
		bool waking = event->kind == TW_EVENT_WAKING && !held &&
			      event->other_pid == side->pid;
		bool leaves = event->kind == TW_EVENT_SWITCH &&
			      event->pid == side->pid;

		/* To be stopped, it was woken, too, if this was not traced. */
		if (waking || (leaves && event->held && !at_ns))
			at_ns = seen ? event->time_ns : before_ns;
		if (leaves)
			held = event->held;
		seen |= leaves && event->time_ns >= last.window.lost_ns;
	}
	return at_ns;
}

/* When the side, which is about to send, waits again: at once, if not seen. */
static int64_t waits_ns(const struct tw_process *side, int64_t sends_ns)
{
	const struct tw_event *event = last.window.events;
	const struct tw_event *end = event + last.window.count;

	while (event < end &&
	       (event->kind != TW_EVENT_SWITCH || event->pid != side->pid ||
		event->runnable || event->time_ns < sends_ns))
		event++;
	return event < end ? event->time_ns : sends_ns;
}

/* Whether those who take part in a phase are processes of this host. */
static bool is_here(enum tw_role side, enum tw_role peer)
{
	return !tw_config.absent[side] && !tw_config.absent[peer];
}

/* Who waits, for whom, from when to when. */
struct phase {
	enum tw_metric_id id;
	enum tw_role side, peer;	/* TW_MAIN: for a timer */
	int64_t begin_ns, end_ns, due_ns;
	enum tw_state waits;
};

static struct tw_span span_of(const struct phase *phase,
			      const struct tw_pair *pair,
			      const struct tw_break *of, int64_t ahead_ns)
{
	struct tw_results results;

	tw_tally_read(&pair->tally, &results);
	return (struct tw_span) {
		.name = tw_metrics[phase->id].name,
		.side = tw_config_roles[phase->side],
		.peer = tw_config_roles[phase->peer],
		.side_pid = pair->process[phase->side].pid,
		.peer_pid = phase->peer == TW_MAIN ? 0 :
			    pair->process[phase->peer].pid,
		.begin_ns = phase->begin_ns - ahead_ns,
		.end_ns = phase->end_ns - ahead_ns,
		.due_ns = phase->due_ns - ahead_ns,
		.mean_ns = phase->id == TW_NETWORK ? 0 :
			   tw_tally_usual_ns(&pair->tally, &results, phase->id,
					     of->values_ns[phase->id]),
		.waits = phase->waits,
	};
}

/* The phases of the cycle. Returns their number. */
static int list_spans(struct tw_span spans[PHASES], const struct tw_pair *pair,
		      const struct tw_break *of, int64_t ahead_ns)
{
	const struct tw_metric_params *params = &pair->tally.params;
	const struct tw_process *server = &pair->process[TW_SERVER];
	const struct tw_process *client = &pair->process[TW_CLIENT];
	const struct tw_cycle *cycle = &of->cycle;
	const int64_t t0_ns = cycle->t0_ns, t1_ns = cycle->t1_ns;
	const int64_t t2_ns = cycle->t2_ns, t3_ns = cycle->t3_ns;
	/* If no reply came, one sees why in what the server did, if it is here. */
	bool asks = cycle->cut_ns && !tw_config.absent[TW_SERVER] &&
		    tw_metric_has_server();
	const struct phase phases[PHASES] = {
		{ TW_SEND, TW_SERVER, TW_CLIENT, t0_ns, t1_ns, 0, TW_UNKNOWN },
		{ TW_SLEEP, TW_SERVER, TW_MAIN, t1_ns, t2_ns,
		  t1_ns + params->sleep_ns, TW_UNKNOWN },
		{ TW_RECEIVE, TW_CLIENT, TW_SERVER, t2_ns, t3_ns, 0,
		  TW_UNKNOWN },
		{ TW_RESPONSE, asks ? TW_SERVER : TW_CLIENT,
		  asks ? TW_CLIENT : TW_MAIN, t0_ns, t3_ns, 0,
		  asks ? TW_UNKNOWN : TW_AWAY },
		{ TW_WAKEUP, TW_CLIENT, TW_MAIN, cycle->ready_ns,
		  tw_cycle_begin_ns(cycle), cycle->planned_ns, TW_UNKNOWN },
		/* Between hosts, what each has of it. */
		{ TW_NETWORK, TW_SERVER, TW_MAIN,
		  woken_ns(server, t1_ns - ahead_ns) + ahead_ns, t1_ns, 0,
		  TW_BLOCKED },
		{ TW_NETWORK, TW_CLIENT, TW_MAIN,
		  woken_ns(client, t3_ns - ahead_ns) + ahead_ns, t3_ns, 0,
		  TW_BLOCKED },
		{ TW_NETWORK, TW_SERVER, TW_MAIN, t2_ns,
		  waits_ns(server, t2_ns - ahead_ns) + ahead_ns, 0,
		  TW_BLOCKED },
		{ TW_NETWORK, TW_CLIENT, TW_MAIN, t0_ns,
		  waits_ns(client, t0_ns - ahead_ns) + ahead_ns, 0,
		  TW_BLOCKED },
	};
	const struct phase *phase;
	int count = 0;

	for (phase = phases; phase < phases + PHASES; phase++)
		if (tw_trace_has(of, phase->id) &&
		    of->values_ns[phase->id] != TW_NO_VALUE &&
		    tw_metric_valid(phase->id, params) &&
		    is_here(phase->side, phase->peer) &&
		    (phase->id != TW_NETWORK || phase->begin_ns != ahead_ns))
			spans[count++] = span_of(phase, pair, of, ahead_ns);
	return count;
}

/* Since the cycle before, as on a quiet system there may be nothing since. */
static int64_t from_ns(const struct tw_cycle *cycle)
{
	int64_t from = tw_cycle_end_ns(cycle) - KEPT_NS;

	if (cycle->planned_ns - BEFORE_NS < from)
		from = cycle->planned_ns - BEFORE_NS;
	return cycle->prev_t0_ns < from ? cycle->prev_t0_ns : from;
}

static void read_window(const struct tw_break *of, int64_t ahead_ns)
{
	const struct tw_cycle *cycle = &of->cycle;
	const struct tw_mark marks[] = {
		{ tw_config_interval_us(0) ? cycle->planned_ns : 0,
		  "planned: the timer is to expire" },
		{ cycle->t0_ns, "t0: the client is awake, about to send" },
		{ cycle->t1_ns, "t1: the server has read the request" },
		{ cycle->t2_ns, "t2: the server has slept, about to reply" },
		{ cycle->cut_ns ? 0 : cycle->t3_ns,
		  "t3: the client has read the reply" },
		{ cycle->cut_ns, "the end of the run, before that" },
	};
	struct tw_mark known[ARRAY_SIZE(marks)];
	int i, count = 0;
	char whose[64];

	snprintf(whose, sizeof(whose), "twowaytest: cycle %" PRIu64,
		 tw_break_number(of));
	for (i = 0; i < (int)ARRAY_SIZE(marks); i++) {
		known[count] = marks[i];
		known[count].at_ns -= ahead_ns;
		count += marks[i].at_ns != 0;
	}
	tw_window_read(&last.window, tw_tracefs_read(),
		       from_ns(cycle) - ahead_ns, whose, known, count);
}

static void look(const struct tw_run *run, int number)
{
	const struct tw_break *of = tw_pair_room(run, number, &tw_part_break);
	const struct room *room = tw_pair_room(run, number, &tw_part_trace);
	int64_t ahead_ns = room->ahead_ns + tw_tracefs_ahead_ns();
	struct tw_span spans[PHASES];

	read_window(of, ahead_ns);
	last.cycle_ns = of->values_ns[of->metric];
	tw_cause_find(&last.cause, &last.window, spans,
		      list_spans(spans, run->pairs[number], of, ahead_ns),
		      tw_bypass_read());
}

const struct tw_cause *tw_trace_look(const struct tw_run *run, int pair)
{
	if (!tw_tracefs_events)
		return NULL;
	/* Another client may have stopped it before main has started it. */
	tw_tracefs_stop();
	look(run, pair);
	return &last.cause;
}

void tw_trace_print(FILE *file)
{
	if (!tw_tracefs_events)
		return;
	tw_cause_print(file, &last.cause);
	fputs(last.window.text ? last.window.text : "", file);
}

void tw_trace_resume(void)
{
	if (!tw_tracefs_events)
		return;
	if (last.cycle_ns > longest.cycle_ns) {
		tw_window_free(&longest.window);
		longest = last;
	} else {
		tw_window_free(&last.window);
	}
	last = (struct looked) { .cycle_ns = 0 };
	tw_tracefs_resume();
}

/* After the end of all who have it open. */
static void end(struct tw_run *run)
{
	int pair;

	if (!tw_tracefs_events)
		return;
	pair = tw_break_pair(run);
	if (longest.cycle_ns)
		last = longest;
	else if (pair >= 0)
		look(run, pair);
	tw_tracefs_close();
}

struct tw_cause *tw_trace_cause(const struct tw_run *run)
{
	return tw_tracefs_events && tw_break_pair(run) >= 0 ?
	       &last.cause : NULL;
}

void tw_trace_break(const struct tw_run *run, int pair)
{
	struct room *to = tw_pair_room(run, pair, &tw_part_trace);

	if (!to)
		return;
	tw_tracefs_stop();
	to->ahead_ns = tw_clocks_ahead_ns(tw_config.clock);
}

static void text(FILE *file, const struct tw_run *run)
{
	if (!tw_tracefs_events || tw_break_pair(run) < 0)
		return;
	/* Between hosts, tw_peer.c prints both. */
	if (!tw_config.absent[TW_SERVER])
		tw_cause_print(file, &last.cause);
	tw_tracefs_print_file(file);
}

static void print_trace(FILE *file, const struct tw_run *run)
{
	fputs(last.window.text ? last.window.text : "", file);
}

static int write_trace(const struct tw_run *run, int status)
{
	return to.path && tw_break_pair(run) >= 0 ?
	       tw_file_write(&to, print_trace, run) : 0;
}

const struct tw_part tw_part_trace = {
	.options = tw_tracefs_options, .group = TW_TOO_LONG, .check = check,
	.room = room, .begin = begin, .record = record, .end = end,
	.text = text, .write = write_trace,
	.members[TW_OF_BREAK] = of_break,
};
