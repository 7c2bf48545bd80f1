/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces made by hand, and what the analysis makes of them. A cycle as it
 * should be, in us after 100 s: the client's timer expires at 1000, it is
 * awake at 1010 and sends; the server has read at 1030, sleeps to 1135, and
 * replies; the client has read at 1155. Client on CPU 3, server on CPU 2.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_time.h"
#include "cause/tw_analysis_phase.h"
#include "unit.h"

#define BASE_NS	(100 * TW_NS_PER_S)

enum { SERVER_PID = 200, CLIENT_PID = 100 };

/* Of a task: how a line begins with it, its name, number, priority. */
#define CLIENT	("twoway-client", "twoway-client", "100", "9")
#define SERVER	("twoway-server", "twoway-server", "200", "10")
#define IDLE	("<idle>", "swapper/2", "0", "120")
#define HOG	("hog", "hog", "300", "120")
#define EQUAL	("equal", "equal", "500", "10")
#define SPINNER	("spinner", "spinner", "400", "0")

#define CURRENT_(line, comm, pid, prio) \
	"   " line "-" pid "   "
#define PREV_(line, comm, pid, prio) \
	"prev_comm=" comm " prev_pid=" pid " prev_prio=" prio
#define NEXT_(line, comm, pid, prio) \
	"next_comm=" comm " next_pid=" pid " next_prio=" prio
#define MEANT_(line, comm, pid, prio) "comm=" comm " pid=" pid " prio=" prio
#define AS(what, task)	what task

/* An event on @cpu at @at, six digits of us; @task is there. */
#define EVENT_FLAGS(at, cpu, task, flags, event) \
	AS(CURRENT_, task) "[00" cpu "] " flags "   100." at ": " event "\n"
#define EVENT(at, cpu, task, event) EVENT_FLAGS(at, cpu, task, "d..2.", event)
#define SWITCH(at, cpu, prev, state, next) \
	EVENT(at, cpu, prev, "sched_switch: " AS(PREV_, prev) " prev_state=" \
	      state " ==> " AS(NEXT_, next))
#define WAKING(at, cpu, task, who, to) \
	EVENT(at, cpu, task, "sched_waking: " AS(MEANT_, who) \
	      " target_cpu=00" to)
#define MIGRATE(at, cpu, task, who, from, to) \
	EVENT(at, cpu, task, "sched_migrate_task: " AS(MEANT_, who) \
	      " orig_cpu=" from " dest_cpu=" to)
#define IRQ(at, cpu, task) \
	EVENT(at, cpu, task, "irq_handler_entry: irq=36 name=eth0")
#define IRQ_END(at, cpu, task) \
	EVENT(at, cpu, task, "irq_handler_exit: irq=36 ret=handled")
#define SOFTIRQ(at, cpu, task) \
	EVENT(at, cpu, task, "softirq_entry: vec=3 [action=NET_RX]")
#define SOFTIRQ_END(at, cpu, task) \
	EVENT(at, cpu, task, "softirq_exit: vec=3 [action=NET_RX]")
#define SENDS(at, cpu, task) \
	EVENT(at, cpu, task, "net_dev_queue: dev=lo skbaddr=00000000d4f5f3a5 len=130")

/* Both sides wait, each on its CPU, which is idle. */
#define BOTH_WAIT \
	"# tracer: nop\n" \
	SWITCH("000100", "2", SERVER, "S", IDLE) \
	SWITCH("000110", "3", CLIENT, "S", IDLE)
/* The client awakes, 6 us after its timer expired. */
#define CLIENT_AWAKES \
	EVENT("001001", "3", IDLE, "local_timer_entry: vector=236") \
	WAKING("001003", "3", IDLE, CLIENT, "3") \
	EVENT("001004", "3", IDLE, "local_timer_exit: vector=236") \
	SWITCH("001006", "3", IDLE, "R", CLIENT)
/* It sends, wakes the server, and waits. */
#define CLIENT_SENDS \
	SENDS("001013", "3", CLIENT) \
	SOFTIRQ("001014", "3", CLIENT) \
	WAKING("001016", "3", CLIENT, SERVER, "2") \
	SOFTIRQ_END("001017", "3", CLIENT) \
	SWITCH("001019", "3", CLIENT, "S", IDLE)

static const struct tw_metric_params trace_params = {
	.period_ns = 1000 * 1000, .sleep_ns = 100 * 1000,
};

static const double trace_means_ns[TW_METRICS] = {
	[TW_SEND] = 20000, [TW_SLEEP] = 105000, [TW_RECEIVE] = 20000,
	[TW_WAKEUP] = 10000,
};

static const pid_t trace_pids[TW_ROLES] = {
	[TW_SERVER] = SERVER_PID, [TW_CLIENT] = CLIENT_PID,
};

static inline int64_t at_us(double us)
{
	return BASE_NS + (int64_t)(us * 1000);
}

/* The cycle as it should be, but for one phase. */
static inline struct tw_break usual_break(void)
{
	struct tw_break brk = { .broken = true };

	brk.kept.cycle.planned_ns = at_us(1000);
	brk.kept.cycle.t0_ns = at_us(1010);
	brk.kept.cycle.t1_ns = at_us(1030);
	brk.kept.cycle.t2_ns = at_us(1135);
	brk.kept.cycle.t3_ns = at_us(1155);
	memcpy(brk.means_ns, trace_means_ns, sizeof(brk.means_ns));
	return brk;
}

/* Moves what comes from @id on, so that this takes until @end_us. */
static inline struct tw_break late_break(enum tw_metric_id id, double end_us)
{
	struct tw_break brk = usual_break();
	struct tw_cycle *cycle = &brk.kept.cycle;
	int64_t *const stamps[] = {
		&cycle->t0_ns, &cycle->t1_ns, &cycle->t2_ns, &cycle->t3_ns,
	};
	int first = id == TW_WAKEUP ? 0 : id == TW_SEND ? 1 :
		    id == TW_SLEEP ? 2 : 3;
	int64_t late_ns = at_us(end_us) - *stamps[first];

	for (; first < 4; first++)
		*stamps[first] += late_ns;
	return brk;
}

static struct tw_analysis analysis;
static bool trace_may_throttle;
static enum tw_bypass trace_bypass = TW_BYPASS_LIMIT;

static inline void assert_span(const struct tw_span *span)
{
	assert_true(span->for_ns > 0);
	assert_in_range(span->blame, 0, TW_BLAMES - 1);
	assert_true(span->cpu >= -1 && span->cpu < CPU_SETSIZE);
	assert_non_null(memchr(span->who, '\0', sizeof(span->who)));
	assert_true(span->who[0] != '\0');
	assert_true(!span->interrupt || span->cpu >= 0);
}

/* What holds for every analysis. */
static inline void assert_identities(void)
{
	int64_t value_ns = analysis.value_ns > 0 ? analysis.value_ns : 0;
	int64_t sum_ns = 0;
	int i;

	if (analysis.lacks) {
		assert_int_equal(analysis.count, 0);
		assert_int_equal(analysis.sum_count, 0);
		return;
	}
	assert_in_range(analysis.count, 0, TW_SPANS);
	for (i = 0; i < analysis.count; i++) {
		assert_span(&analysis.spans[i]);
		assert_int_equal(analysis.spans[i].at_ns, sum_ns);
		sum_ns += analysis.spans[i].for_ns;
	}
	assert_int_equal(sum_ns, value_ns);
	assert_in_range(analysis.sum_count, 0, analysis.count);
	for (i = 0; i < analysis.sum_count; i++) {
		assert_span(&analysis.sums[i]);
		assert_true(!i || analysis.sums[i].for_ns <=
			    analysis.sums[i - 1].for_ns);
		sum_ns -= analysis.sums[i].for_ns;
	}
	assert_int_equal(sum_ns, 0);
	assert_in_range(analysis.waking_ns + 1, 0, value_ns + 1);
	assert_in_range(analysis.running_ns + 1, 0, value_ns + 1);
	assert_true(analysis.running_ns < 0 ||
		    (analysis.waking_ns >= 0 &&
		     analysis.running_ns >= analysis.waking_ns));
	assert_non_null(memchr(analysis.sentence, '\0',
			       sizeof(analysis.sentence)));
	assert_non_null(strstr(analysis.sentence,
			       tw_metrics[analysis.phase].token));
	assert_string_equal(analysis.names.phase,
			    tw_metrics[analysis.phase].token);
}

static inline void analyse(const char *text, const struct tw_break *brk)
{
	memset(&analysis, 0x5a, sizeof(analysis));
	tw_analyse(&analysis, text, brk, &trace_params, trace_pids,
		   trace_may_throttle, trace_bypass);
	assert_identities();
}

/* The time line, until the next call: "FOR BLAME, CPU N: WHO\n" a span. */
static inline const char *time_line(void)
{
	static char *text;
	size_t size;
	FILE *file;
	int i;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	for (i = 0; i < analysis.count; i++)
		fprintf(file, "%g %s, CPU %d: %s\n",
			(double)analysis.spans[i].for_ns / 1000,
			tw_blame_names[analysis.spans[i].blame],
			analysis.spans[i].cpu, analysis.spans[i].who);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* That the sentence names this. */
static inline void assert_says(const char *what)
{
	if (analysis.lacks || !strstr(analysis.sentence, what))
		fail_msg("\"%s\" is not in: %s", what, analysis.lacks ?
			 analysis.lacks : analysis.sentence);
}

static inline void assert_wakeup(double waking_us, double running_us)
{
	assert_int_equal(analysis.waking_ns, (int64_t)(waking_us * 1000));
	assert_int_equal(analysis.running_ns, (int64_t)(running_us * 1000));
}

#endif /* TRACE_H */
