// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * primitivetest: main starts one case after another, and waits for its end. The
 * files that it shares with twowaytest, of which main() is one, know all of its
 * tasks as the one pair 0: as the client those on the first CPU, as the server
 * those on the second.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "pt_report.h"
#include "tw_await.h"
#include "tw_child.h"
#include "tw_jumps.h"
#include "tw_memory.h"
#include "tw_output.h"
#include "tw_place.h"
#include "tw_say.h"
#include "tw_throttle.h"

#define TICK_MS	2000
#define LOOK_MS	250	/* with -p: main may have the CPU of a task, and is above it */
#define LATER_S	5	/* than the starter, we end a case */

int tw_run_pairs = 1;
static bool wrong;	/* a result, which ends no run but fails it */

static void prepare(struct tw_run *run)
{
	tw_pair_map_all(run);
	madvise(run->pairs[0], run->pair_size, MADV_DOFORK);
	tw_place(TW_CLIENT, 0, &run->pairs[0]->process[TW_CLIENT].cpus);
	tw_place(pt_config.cpus.bits & PT_ON_CROSS ? TW_SERVER : TW_CLIENT, 0,
		 &run->pairs[0]->process[TW_SERVER].cpus);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Above all tasks, as it may have one CPU with them; it sleeps. */
	tw_process_configure(TW_MAIN, 0, pt_config_above());
	tw_output_watch();
	pt_clock_ps = pt_reading_cost(tw_config.clock->now_ns);
}

static void take_signals(struct tw_run *run, struct pt_case *c)
{
	tw_output_take_signals(run);
	c->stop |= run->interrupted || run->failed;
}

static void tell_parts(struct tw_run *run, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->task_count; i++)
		if (c->task[i].pid)
			tw_spent_add(c->task[i].pid, &c->task[i].spent);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->woken && !run->failed)
			tw_parts[i]->woken(run);
}

/*
 * Until the starter has ended. It knows itself when that is to be; if it cannot
 * do it, because somebody has stopped it, we do, some seconds later.
 */
static void watch(struct tw_run *run, struct pt_case *c)
{
	const int64_t limit_ns = LATER_S * TW_NS_PER_S +
				 pt_case_limit_ms(c) * TW_NS_PER_MS;
	int64_t since_ns = tw_now_ns(CLOCK_MONOTONIC);
	unsigned long before, progress = 0;

	while (!tw_process_ends(&c->starter, 0)) {
		tw_await(run->signal_fd, POLLIN, -1, tw_await_in_ms(
			 run->tick_ms > 0 ? LOOK_MS : TICK_MS));
		tw_output_begin();
		tell_parts(run, c);
		take_signals(run, c);
		tw_output_end();
		before = progress;
		progress = c->done + (unsigned int)(c->over + c->task_count);
		if (progress != before)
			since_ns = tw_now_ns(CLOCK_MONOTONIC);
		if (tw_now_ns(CLOCK_MONOTONIC) - since_ns <= limit_ns)
			continue;
		tw_say_warn("%s: nothing has happened for %d s; its tasks are killed\n",
			    c->name, (int)(limit_ns / TW_NS_PER_S));
		tw_process_kill(&c->starter);
	}
	tell_parts(run, c);
}

/* What the case is judged by, when its tasks have ended. */
static void judge(struct tw_run *run, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->verdicts; i++)
		if (c->verdict[i].failed) {
			tw_say_warn("%s: %s\n", c->name, c->verdict[i].text);
			wrong = true;
		}
	if (pt_switches(c).lack) {
		tw_say_warn("%s: its tasks did not switch as often as their trials need; see \"# Not switched\"\n",
			    c->name);
		wrong = true;
	}
	run->broken |= c->broke.kept.number;
}

/* What the run has of it, for all parts. */
static void count_up(struct tw_run *run, const struct pt_case *c)
{
	int i;

	tw_jumps_add(&tw_jumps_all, &c->jumps);
	for (i = 0; i < c->task_count; i++)	/* for who else used the CPUs */
		run->pairs[0]->usage[c->task[i].on].cpu_us +=
			c->task[i].used.cpu_us;
	for (i = 0; i < c->columns; i++)
		run->measured |= c->column[i].stats.count > 0;
}

/* Starts it, and waits for its end. */
static void measure(struct tw_run *run, struct pt_case *c)
{
	uint64_t throttled = tw_throttled(run, 0);
	size_t size = tw_part_rooms(run) + 1;
	int i, err;

	c->rooms = tw_memory_shared(size);
	tw_part_attach(c->rooms, run, pt_case_count);
	for (i = 0; i < PT_RECORDERS; i++)
		c->room_of[i] = tw_part_room(i ? c->rooms :
					      run->pairs[0]->rooms, run,
					      pt_recorders[i]);
	pt_case_open(c);
	err = pt_starter_start(c);
	madvise(c->rooms, size, MADV_DONTFORK);
	take_signals(run, c);
	run->failed |= err && err != -EINTR;
	if (err)
		return;
	watch(run, c);
	for (i = 0; i < c->task_count && c->choice.process; i++)
		tw_child_reap_later(c->task[i].process.pid);
	c->throttled = tw_throttled(run, 0) - throttled;
	tw_child_reap();
	count_up(run, c);
	if (*c->refused && c->choice.named)
		tw_say_warn("--test: %s: %s\n", c->name, c->refused);
	run->failed |= tw_process_failed(&c->starter, true) ||
		       (c->starter.status && (c->choice.named || !*c->refused));
	if (!run->failed && !*c->refused)
		judge(run, c);
}

static void run_all(struct tw_run *run)
{
	bool live = !tw_config.quiet && isatty(STDOUT_FILENO);

	while (pt_case_count < pt_chosen_count && !run->failed &&
	       !run->interrupted && !run->broken) {
		struct pt_case *c = pt_cases[pt_case_count];

		if (live) {
			printf("\r\033[K%d of %d: %s", pt_case_count + 1,
			       pt_chosen_count, c->name);
			fflush(stdout);
		}
		if (!*c->refused)
			measure(run, c);
		pt_case_settle(c);
	}
	run->failed |= wrong;
	if (live)
		printf("\r\033[K");
}

void tw_run_measure(struct tw_run *run)
{

	prepare(run);
	if (!tw_config.priority)
		printf("# Not real-time: no -p; these are times of ordinary tasks (as a rule: -m -p 98)\n");
	TW_PARTS(begin, run);
	run_all(run);
	TW_PARTS_BACK(end, run);
	tw_process_configure(TW_MAIN, 0, tw_policy_fifo(0));
	tw_jumps_judge(run);
	pt_derive_all();
	if (!run->measured && !run->failed)
		tw_say_warn("nothing was measured: the run ended before the first trial, or in the warm-up; give more trials or time, or a smaller --warmup\n");
	run->failed |= !run->measured;
}
