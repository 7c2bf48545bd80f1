// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict of an analysis: what delayed most, by whom, and why. */
#include <stdio.h>
#include <string.h>

#include "tw_cause.h"
#include "tw_check.h"
#include "tw_playback.h"
#include "tw_time.h"

#define NAMED	3	/* of those that had the CPU */

const struct tw_state_words tw_state_words[TW_STATES] = {
	[TW_UNKNOWN] = { "unknown", "", .peer = false },
	[TW_ASLEEP] = { "asleep", "asleep, as was asked for,",
			.peer = false },
	[TW_TIMER_LATE] = { "timer late", "not woken by its timer",
			    .names = true },
	[TW_BLOCKED] = { "blocked", "blocked on something else",
			 .peer = false },
	[TW_PEER_RUNS] = { "peer runs", "running", .peer = true },
	[TW_PEER_INTERRUPTED] = { "peer interrupted", "interrupted", true,
				  true },
	[TW_PEER_RUNNABLE] = { "peer runnable", "runnable", true, true },
	[TW_PEER_BLOCKED] = { "peer blocked", "blocked", .peer = true },
	[TW_ON_THE_WAY] = { "message on its way",
			    "done, its message on the way,", true, true },
	[TW_AWAY] = { "awaits the other",
		      "waiting for the network and the device",
		      .peer = false },
	[TW_RUNNABLE] = { "runnable", "runnable", .names = true },
	[TW_INTERRUPTED] = { "interrupted", "interrupted", .names = true },
	[TW_RUNS] = { "runs", "running, already awake,", .peer = false },
};

enum tw_bypass tw_bypass_read(void)
{
	int64_t runtime_us, period_us, server_ns = 0;

	if (tw_facts_fair_server(&server_ns) && server_ns)
		return TW_BYPASS_FAIR;
	return tw_facts_rt_limit(&runtime_us, &period_us) ?
	       TW_BYPASS_LIMIT : TW_BYPASS_NONE;
}

/*
 * Of the work that is to be done: it, or another task of ours, has the CPU, or
 * it is done elsewhere.
 */
static bool is_work(const struct tw_cause *cause, const struct tw_piece *piece)
{
	const char *own = cause->span.own;

	if (piece->state == TW_AWAY)
		return true;
	if (piece->state == TW_RUNS || piece->state == TW_PEER_RUNS)
		return cause->span.works;
	return cause->span.works && own &&
	       (piece->state == TW_RUNNABLE ||
		piece->state == TW_PEER_RUNNABLE) &&
	       !strncmp(piece->who, own, strlen(own));
}

/* How much of the work's time is a delay: what is above the usual. */
static double late_part(const struct tw_cause *cause)
{
	int64_t work_ns = 0;
	int i;

	for (i = 0; i < cause->sum_count; i++)
		if (is_work(cause, &cause->sums[i]))
			work_ns += cause->sums[i].for_ns;
	return work_ns ? 1 - cause->span.mean_ns / (double)work_ns : 0;
}

/* The sleep that was asked for delays nobody. */
static double delay_of(const struct tw_cause *cause,
		       const struct tw_piece *piece)
{
	if (piece->state == TW_ASLEEP)
		return 0;
	return (double)piece->for_ns *
	       (is_work(cause, piece) ? late_part(cause) : 1);
}

/*
 * Which state delayed most, for how long it lasted, and who most in it. If
 * nothing delayed, as the work took no longer than usual: what lasted longest.
 */
static void find_worst(struct tw_cause *cause)
{
	double delays_ns[TW_STATES] = { 0 }, most_ns = 0;
	int64_t lasted_ns[TW_STATES] = { 0 };
	const struct tw_piece *piece, *end = cause->sums + cause->sum_count;
	enum tw_state state;

	for (piece = cause->sums; piece < end; piece++) {
		delays_ns[piece->state] += delay_of(cause, piece);
		lasted_ns[piece->state] += piece->for_ns;
	}
	cause->state = TW_UNKNOWN;
	for (state = 0; state < TW_STATES; state++)
		if (delays_ns[state] > delays_ns[cause->state])
			cause->state = state;
	if (delays_ns[cause->state] <= 0)
		for (state = 0; state < TW_STATES; state++)
			if (lasted_ns[state] > lasted_ns[cause->state])
				cause->state = state;
	cause->worst = cause->sums[0];
	for (piece = cause->sums; piece < end; piece++) {
		if (piece->state != cause->state)
			continue;
		if (!cause->state_ns || delay_of(cause, piece) > most_ns) {
			most_ns = delay_of(cause, piece);
			cause->worst = *piece;
		}
		cause->state_ns += piece->for_ns;
	}
	/* It is no doing of who has the CPU what a blocked task waits for. */
	cause->to_blame = cause->state != TW_UNKNOWN &&
			  cause->state != TW_BLOCKED &&
			  cause->state != TW_AWAY &&
			  cause->state != TW_PEER_BLOCKED;
}

/*
 * Whether the kernel's bypass explains why a task did not get the CPU from
 * @who: an ordinary one that the scheduler chose before it.
 */
static bool is_passed_over(const struct tw_choices *task,
			   const struct tw_piece *who, enum tw_bypass bypass)
{
	return (task->overtaken ||
		(task->passed_over && bypass != TW_BYPASS_NONE)) &&
	       (who->pid <= 0 || who->prio < 0 || who->prio >= TW_REALTIME);
}

/*
 * Why a task that was runnable did not get the CPU from who had it. It is
 * the kernel's own rule that the higher priority goes first.
 */
static const char *why(const struct tw_cause *cause, enum tw_bypass bypass)
{
	static const char *const bypasses[] = {
		[TW_BYPASS_NONE] = ", chosen before it by the scheduler",
		[TW_BYPASS_LIMIT] = ", probably stopped by real-time throttling",
		[TW_BYPASS_FAIR] = ", probably let run by the fair server",
	};
	const struct tw_piece *worst = &cause->worst;
	bool peer = worst->state == TW_PEER_RUNNABLE;
	const struct tw_choices *task = peer ? &cause->by_peer :
					       &cause->by_side;
	int prio = task->prio;

	if ((worst->state != TW_RUNNABLE && !peer) || worst->interrupt)
		return "";
	if (is_passed_over(task, worst, bypass))
		return bypasses[bypass];
	if (!worst->pid)
		return ", leaving its idle state";
	/* Without the switch, who had the CPU up to then is not sure either. */
	if (prio < 0 || worst->prio < 0 || cause->switch_unseen)
		return "";
	/* Among ordinary tasks it is a weight, and outranks nobody. */
	if (prio >= TW_REALTIME && worst->prio >= TW_REALTIME)
		return ", by the fair share of both";
	if (worst->prio < prio)
		return ", which outranks it";
	if (worst->prio == prio)
		return ", at the same priority";
	return " with preemption off";
}

/* What whom is blocked waited for; NULL: that is not known. */
static const struct tw_cause_wait *wait_of(const struct tw_cause *cause)
{
	const struct tw_cause_wait *wait =
		cause->state == TW_BLOCKED ? &cause->by_side.wait :
		cause->state == TW_PEER_BLOCKED ? &cause->by_peer.wait : NULL;

	return wait && *wait->who ? wait : NULL;
}

/* " while kworker/2:1-123 (290.0 us), interrupt 36 (11.0 us) and 2 more ran" */
static void print_names(FILE *file, const struct tw_cause *cause)
{
	int named = 0, more = 0, i;

	for (i = 0; i < cause->sum_count; i++) {
		const struct tw_piece *piece = &cause->sums[i];

		if (piece->state == cause->state && named == NAMED)
			more++;
		else if (piece->state == cause->state)
			fprintf(file, "%s%s (%.1f us%s%s)",
				named++ ? ", " : " while ", piece->who,
				tw_us(piece->for_ns),
				*piece->sender ? ", sent by " : "",
				piece->sender);
	}
	if (more)
		fprintf(file, " and %d more", more);
	if (named)
		fprintf(file, " ran");
}

static void print_wait(FILE *file, const struct tw_cause_wait *wait)
{
	char number[16] = "";

	if (wait->pid)
		snprintf(number, sizeof(number), "-%d", wait->pid);
	if (!wait->lock) {
		fprintf(file, ", until %s%s woke it", wait->who, number);
		return;
	}
	fprintf(file, " on a lock that %s%s held", wait->who, number);
	if (wait->cpu >= 0)
		fprintf(file, ", which ran on CPU %d%s", wait->cpu,
			wait->boosted ? " at its inherited priority" : "");
}

static void print_sentence(FILE *file, const struct tw_cause *cause,
			   enum tw_bypass bypass)
{
	const struct tw_state_words *words = &tw_state_words[cause->state];
	const struct tw_cause_wait *wait = wait_of(cause);
	const struct tw_span *span = &cause->span;
	bool longer = span->mean_ns > 0 && cause->value_ns > span->mean_ns;

	fprintf(file, longer ? "%s %+.0f us: " : "%s %.0f us: ", span->name,
		tw_us(cause->value_ns - longer * span->mean_ns));
	if (cause->state == TW_UNKNOWN) {
		fprintf(file, "undecided, as the trace does not show what the %s did for %.1f us",
			span->side, tw_us(cause->state_ns));
		return;
	}
	fprintf(file, "%s %s", words->peer ? span->peer : span->side,
		span->works && cause->state == TW_RUNS ?
		"running, undisturbed," : wait && wait->lock ? "blocked" :
		words->is);
	if (cause->worst.cpu >= 0)
		fprintf(file, " on CPU %d", cause->worst.cpu);
	fprintf(file, " for %.1f us", tw_us(cause->state_ns));
	if (words->names)
		print_names(file, cause);
	if (wait)
		print_wait(file, wait);
	fputs(why(cause, bypass), file);
	if (words->peer)
		fprintf(file, "%s before %s woke the %s", wait ? "," : "",
			cause->state == TW_ON_THE_WAY ? "that" : "it",
			span->side);
}

/* The same for all causes of a kind. */
static void print_brief(FILE *file, const struct tw_cause *cause,
			enum tw_bypass bypass)
{
	const struct tw_state_words *words = &tw_state_words[cause->state];
	const struct tw_span *span = &cause->span;
	const struct tw_piece *worst = &cause->worst;
	const struct tw_cause_wait *wait = wait_of(cause);
	const char *number = strrchr(worst->who, '-');
	size_t length = strlen(worst->who);

	if (cause->state == TW_UNKNOWN) {
		fprintf(file, "undecided");
		return;
	}
	/* What is said of it may end with a comma. */
	fprintf(file, "%s %.*s", words->peer ? span->peer : span->side,
		wait && wait->lock ? (int)strlen("blocked") :
		(int)strcspn(words->is, ","), words->is);
	if (wait)
		fprintf(file, wait->lock ? " on a lock that %s held" :
			", until %s woke it", wait->who);
	if (number && worst->pid > 0 && !worst->interrupt)
		length = number - worst->who;
	if (words->names)
		fprintf(file, " while %.*s ran", (int)length, worst->who);
	fputs(why(cause, bypass), file);
}

static void judge(const struct tw_cause *cause, enum tw_bypass bypass,
		  void (*print)(FILE *file, const struct tw_cause *cause,
				enum tw_bypass bypass),
		  char *text, size_t size)
{
	FILE *file = fmemopen(text, size - 1, "w");

	if (!file)
		return;
	print(file, cause, bypass);
	fclose(file);
}

void tw_cause_judge(struct tw_cause *cause, enum tw_bypass bypass)
{
	if (cause->lacks) {
		snprintf(cause->brief, sizeof(cause->brief), "unknown, as %s",
			 cause->lacks);
		strcpy(cause->sentence, cause->brief);
		return;
	}
	find_worst(cause);
	judge(cause, bypass, print_sentence, cause->sentence,
	      sizeof(cause->sentence));
	judge(cause, bypass, print_brief, cause->brief, sizeof(cause->brief));
}
