// SPDX-License-Identifier: GPL-2.0-or-later
/* The texts of an analysis: the names of the states, and the sentence. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_time.h"
#include "cause/tw_analysis.h"
#include "cause/tw_playback.h"

#define NAMED		3	/* of those that had the CPU */

const char *const tw_blame_names[TW_BLAMES] = {
	[TW_UNKNOWN] = "unknown",
	[TW_ASLEEP] = "asleep",
	[TW_TIMER_LATE] = "timer late",
	[TW_BLOCKED] = "blocked",
	[TW_PEER_RUNS] = "peer runs",
	[TW_PEER_INTERRUPTED] = "peer interrupted",
	[TW_PEER_RUNNABLE] = "peer runnable",
	[TW_PEER_BLOCKED] = "peer blocked",
	[TW_ON_THE_WAY] = "message on its way",
	[TW_RUNNABLE] = "runnable",
	[TW_INTERRUPTED] = "interrupted",
	[TW_RUNS] = "runs",
	[TW_AWAITS] = "awaits the other",
};

/* Whose doing a state is, and how it is put. */
static const struct phrase {
	bool peer;		/* it is said of the peer */
	bool names;		/* those on the CPU are named */
	const char *is;
	const char *then;	/* in which the peer's delay ends */
} phrases[TW_BLAMES] = {
	[TW_UNKNOWN] = { false, false, "unaccounted for", "" },
	[TW_ASLEEP] = { false, false, "asleep, as was asked for,", "" },
	[TW_TIMER_LATE] = { false, true, "not woken by its timer", "" },
	[TW_BLOCKED] = { false, false, "blocked on something else", "" },
	[TW_PEER_RUNS] = { true, false, "running", " before it woke the " },
	[TW_PEER_INTERRUPTED] = { true, true, "interrupted",
				  " before it woke the " },
	[TW_PEER_RUNNABLE] = { true, true, "runnable",
			       " before it woke the " },
	[TW_PEER_BLOCKED] = { true, false, "blocked", " before it woke the " },
	[TW_ON_THE_WAY] = { true, true, "done, its message on the way,",
			    " before that woke the " },
	[TW_RUNNABLE] = { false, true, "runnable", "" },
	[TW_INTERRUPTED] = { false, true, "interrupted", "" },
	[TW_RUNS] = { false, false, "running, already awake,", "" },
	[TW_AWAITS] = { false, false, "waiting for the other host", "" },
};

/* Why an ordinary task has a CPU that a real-time task waits for. */
static const char *const bypasses[TW_BYPASSES] = {
	[TW_BYPASS_UNKNOWN] = ", chosen before it by the scheduler",
	[TW_BYPASS_LIMIT] = ", probably stopped by real-time throttling",
	[TW_BYPASS_FAIR] = ", probably let run by the fair server",
};

int64_t tw_analysis_time_of(const struct tw_analysis *analysis,
			    enum tw_blame blame)
{
	int64_t sum_ns = 0;
	int i;

	for (i = 0; i < analysis->sum_count; i++)
		if (analysis->sums[i].blame == blame)
			sum_ns += analysis->sums[i].for_ns;
	return sum_ns;
}

/* Of the work that is to be done: it, or another task of ours, has the CPU. */
static bool is_work(const struct tw_analysis *analysis,
		    const struct tw_span *span)
{
	const char *own = analysis->names.own;

	if (span->blame == TW_RUNS || span->blame == TW_PEER_RUNS)
		return analysis->works;
	return analysis->works && own &&
	       (span->blame == TW_RUNNABLE ||
		span->blame == TW_PEER_RUNNABLE) &&
	       !strncmp(span->who, own, strlen(own));
}

/* How much of the work's time is a delay: what is above the average. */
static double late_part(const struct tw_analysis *analysis)
{
	int64_t work_ns = 0;
	int i;

	for (i = 0; i < analysis->sum_count; i++)
		if (is_work(analysis, &analysis->sums[i]))
			work_ns += analysis->sums[i].for_ns;
	return work_ns ? 1 - analysis->mean_ns / (double)work_ns : 0;
}

static double delay_of(const struct tw_analysis *analysis,
		       const struct tw_span *span)
{
	return (double)span->for_ns *
	       (is_work(analysis, span) ? late_part(analysis) : 1);
}

static double delay_by(const struct tw_analysis *analysis,
		       enum tw_blame blame)
{
	double sum_ns = 0;
	int i;

	for (i = 0; i < analysis->sum_count; i++)
		if (analysis->sums[i].blame == blame)
			sum_ns += delay_of(analysis, &analysis->sums[i]);
	return sum_ns;
}

/* But for the sleep that was asked for, which delays nobody, and others'. */
static enum tw_blame largest(const struct tw_analysis *analysis)
{
	enum tw_blame worst = TW_UNKNOWN;
	double most_ns = delay_by(analysis, worst);
	int blame;

	for (blame = 0; blame < TW_BLAMES; blame++) {
		double sum_ns = delay_by(analysis, blame);

		if (blame != TW_ASLEEP && blame != TW_AWAITS &&
		    sum_ns > most_ns) {
			most_ns = sum_ns;
			worst = blame;
		}
	}
	return worst;
}

/*
 * Why a task that was runnable did not get the CPU from who had it. It is
 * the kernel's own rule that the higher priority goes first.
 */
static const char *why(const struct tw_analysis *analysis,
		       const struct tw_span *span,
		       const struct tw_stretch *stretch)
{
	bool peer = span->blame == TW_PEER_RUNNABLE;
	int prio = peer ? analysis->peer_prio : analysis->side_prio;

	if ((span->blame != TW_RUNNABLE && !peer) || span->interrupt)
		return "";
	if (stretch->throttled)
		return ", stopped by real-time throttling";
	if (analysis->throttling)
		return bypasses[stretch->bypass];
	if (!span->pid)
		return ", leaving its idle state";
	/* Without the switch, who had the CPU up to then is not sure either. */
	if (prio < 0 || span->prio < 0 || analysis->switch_unseen)
		return "";
	/* Among ordinary tasks it is a weight, and outranks nobody. */
	if (prio >= TW_REALTIME && span->prio >= TW_REALTIME)
		return ", by the fair share of both";
	if (span->prio < prio)
		return ", which outranks it";
	if (span->prio == prio)
		return ", at the same priority";
	return " with preemption off";
}

/* "kworker/2:1-123 (290 us), interrupt 36 (11 us) and 2 more" */
static void name_them(const struct tw_analysis *analysis,
		      enum tw_blame blame, char *text, size_t size)
{
	int used = 0, named = 0, more = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < analysis->sum_count; i++) {
		const struct tw_span *span = &analysis->sums[i];

		if (span->blame != blame)
			continue;
		if (named == NAMED) {
			more++;
			continue;
		}
		used += snprintf(text + used, size - used,
				 "%s%s (%.1f us)", named++ ? ", " : "",
				 span->who, (double)span->for_ns /
				 (double)TW_NS_PER_US);
	}
	if (more)
		snprintf(text + used, size - used, " and %d more", more);
}

/* Of its kind, what delayed most: the longest, if none of them is work. */
static const struct tw_span *worst_of(const struct tw_analysis *analysis,
				      enum tw_blame blame)
{
	const struct tw_span *span, *worst = NULL;
	int i;

	for (i = 0; i < analysis->sum_count; i++) {
		span = &analysis->sums[i];
		if (span->blame == blame &&
		    (!worst || delay_of(analysis, span) >
			       delay_of(analysis, worst)))
			worst = span;
	}
	return worst ? worst : &analysis->sums[0];
}

/*
 * Whether the kernel's bypass explains why a task did not get the CPU from
 * @span's: an ordinary one that the scheduler chose before it.
 */
static bool is_passed_over(const struct tw_analysis *analysis,
			   const struct tw_span *span, bool may_throttle)
{
	bool side = span->blame == TW_RUNNABLE;
	bool passed = side ? analysis->side_passed_over :
			     analysis->peer_passed_over;
	bool overtaken = side ? analysis->side_overtaken :
				analysis->peer_overtaken;

	return (side || span->blame == TW_PEER_RUNNABLE) &&
	       (overtaken || (passed && may_throttle)) && !span->interrupt &&
	       (span->pid <= 0 || span->prio < 0 ||
		span->prio >= TW_REALTIME);
}

static void add_part(struct tw_analysis *analysis)
{
	size_t used = strlen(analysis->sentence);

	snprintf(analysis->sentence + used, sizeof(analysis->sentence) - used,
		 ", %s", analysis->part);
}

void tw_analysis_sum_up(struct tw_analysis *analysis,
			const struct tw_stretch *stretch)
{
	enum tw_blame blame = largest(analysis);
	const struct phrase *phrase = &phrases[blame];
	const struct tw_span *span = worst_of(analysis, blame);
	const struct tw_names *names = &analysis->names;
	const char *title = names->title ? names->title : "";
	const char *is = analysis->works && blame == TW_RUNS ?
			 "running, undisturbed," : phrase->is;
	char where[32] = "", who[256] = "";

	if (span->cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", span->cpu);
	analysis->throttling = is_passed_over(analysis, span,
					      stretch->may_throttle);
	if (phrase->names)
		name_them(analysis, blame, who, sizeof(who));
	snprintf(analysis->sentence, sizeof(analysis->sentence),
		 "%s %+.0f us: %s%s %s%s for %.1f us%s%s%s%s%s%s%s",
		 names->phase,
		 ((double)(analysis->part ? analysis->whole_ns :
			   analysis->value_ns) - analysis->mean_ns) /
		 (double)TW_NS_PER_US,
		 title, phrase->peer ? names->peer : names->side, is, where,
		 (double)tw_analysis_time_of(analysis, blame) /
		 (double)TW_NS_PER_US,
		 *who ? " while " : "", who, *who ? " ran" : "",
		 why(analysis, span, stretch), phrase->then,
		 *phrase->then ? title : "",
		 *phrase->then ? names->side : "");
	if (analysis->part)
		add_part(analysis);
}
