// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_child.h"
#include "tw_cut.h"
#include "tw_memory.h"
#include "tw_output.h"
#include "tw_part.h"
#include "tw_run.h"
#include "tw_text.h"
#include "tw_time.h"

#define GRACE_S		1	/* that clients get after -D */

int tw_run_pairs = 1;

/* A blocked client cannot end itself after -D; main does it a little later. */
static void check_ends(struct tw_run *run)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int i;

	for (i = 0; i < tw_run_pairs; i++) {
		struct tw_pair *pair = run->pairs[i];

		if (!pair->process[TW_CLIENT].ended &&
		    now_ns < pair->end_ns + GRACE_S * TW_NS_PER_S) {
			alarm(GRACE_S);
			return;
		}
	}
	run->control->stop = 1;
}

static void take_signals(struct tw_run *run)
{
	static const char rule[] = "#---------------------------\n";
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			fputs(rule, stderr);
			tw_text_status(stderr, run);
			fputs(rule, stderr);
		} else if (info.ssi_signo == SIGALRM) {
			check_ends(run);
		} else if (info.ssi_signo != SIGCHLD) {
			run->interrupted = (int)info.ssi_signo;
			tw_output_ends(run->interrupted);
		}
	}
}

/*
 * Reports the first process that has failed; with @killed, the first one that a
 * signal has ended. Returns whether there was one.
 */
static bool any_failed(struct tw_run *run, bool killed)
{
	int i;

	for (i = 0; i < tw_run_pairs; i++) {
		struct tw_process *process = run->pairs[i]->process;

		if (tw_process_failed(&process[TW_SERVER], killed) ||
		    tw_process_failed(&process[TW_CLIENT], killed))
			return true;
	}
	return false;
}

/*
 * Returns whether all clients have ended. A client whose server was killed sees
 * only that the connection is closed, and stops; the server, which died first,
 * is to be named. So it is if both hosts get a signal to end, and the server's
 * does so first; nothing has failed then.
 */
static bool reap(struct tw_run *run)
{
	int64_t now_ns = tw_config.clock->now_ns();
	bool done = true;
	int i;

	for (i = 0; i < tw_run_pairs; i++) {
		struct tw_process *process = run->pairs[i]->process;

		if (!tw_process_ends(&process[TW_CLIENT], 0)) {
			run->pairs[i]->alive_ns = now_ns;
			done = false;
		}
		tw_process_ends(&process[TW_SERVER],
				WEXITSTATUS(process[TW_CLIENT].status) ?
				TW_STOP_MS : 0);
	}
	take_signals(run);
	run->failed |= any_failed(run, true) ||
		       (!run->interrupted && any_failed(run, false));
	return done;
}

static void tell_parts(struct tw_run *run)
{
	int i;

	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->woken && !run->failed)
			tw_parts[i]->woken(run);
}

/*
 * Until all clients are done, one ended the run for all, something failed, or a
 * signal came.
 */
static void watch(struct tw_run *run)
{
	bool done = reap(run);

	/* The signal of what has ended before this was taken. */
	tell_parts(run);
	alarm(tw_config.duration_s ? tw_config.duration_s + GRACE_S : 0);
	while (!run->failed && !done && !run->interrupted &&
	       !run->control->stop) {
		int64_t end_ns = run->tick_ms < 0 ? INT64_MAX :
				 tw_await_in_ms(run->tick_ms);

		tw_await(run->signal_fd, POLLIN, run->wake_fd, end_ns);
		tw_output_begin();
		take_signals(run);
		done = reap(run);
		tell_parts(run);
		if (tw_output_failed()) {
			tw_output_warn();
			take_signals(run);
			run->failed = true;
		}
		tw_output_end();
	}
	alarm(0);
}

/* A start may be ended by a signal, or fail where earlier steps have results. */
static bool goes_on(struct tw_run *run)
{
	take_signals(run);
	return !run->failed && !run->interrupted;
}

/* Leaves time for all clients to start before the common expiry. */
static void plan(struct tw_run *run)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t apart_us = tw_config.aligned_us > 0 ? tw_config.aligned_us : 0;
	int i;

	if (tw_config.aligned_us >= 0)
		run->control->first_ns = now_ns +
			(20 + tw_run_pairs) * TW_NS_PER_MS;
	/* Each client sets its own at its first expiry, unless that hangs. */
	for (i = 0; i < tw_run_pairs; i++)
		run->pairs[i]->end_ns = now_ns +
			(tw_config_interval_us(i) + apart_us * i) *
			TW_NS_PER_US + tw_config.duration_s * TW_NS_PER_S;
}

/* Returns whether all is running. */
static bool start(struct tw_run *run)
{
	int i;

	run->control->stop = 0;
	for (i = 0; i < tw_run_pairs; i++) {
		memset(&run->pairs[i]->tally.results, 0,
		       sizeof(run->pairs[i]->tally.results));
		run->pairs[i]->progress.cycle = (struct tw_cycle) { .seq = 0 };
	}
	TW_PARTS(begin, run);
	if (pipe2(run->go, O_CLOEXEC) || pipe2(run->done, O_CLOEXEC))
		tw_say_fatal("cannot open a pipe: %m\n");
	for (i = 0; i < tw_run_pairs && goes_on(run); i++)
		run->start_pair(run, i);
	if (!goes_on(run))
		run->control->stop = 1;
	plan(run);
	close(run->done[0]);
	close(run->done[1]);
	close(run->go[0]);
	close(run->go[1]);
	return !run->control->stop;
}

/* Of one that has ended, the kernel knows them until it is reaped. */
static void look_again(struct tw_pair *pair, enum tw_role role)
{
	struct tw_process now = { .pid = pair->process[role].pid };

	if (!now.pid ||
	    tw_process_changed(&pair->begun[role], &pair->left[role]))
		return;
	tw_process_read(&now);
	if (now.policy < 0)
		return;
	pair->begun[role] = pair->process[role];
	pair->left[role] = now;
}

static void stop(struct tw_run *run)
{
	int i;

	run->control->stop = 1;
	for (i = 0; i < tw_run_pairs; i++)
		run->failed |= tw_process_stop_failed(
			&run->pairs[i]->process[TW_CLIENT]);
	run->stuck = !run->failed;
	for (i = 0; i < tw_run_pairs; i++)
		run->failed |= tw_process_stop_failed(
			&run->pairs[i]->process[TW_SERVER]);
	run->stuck &= run->failed;
	for (i = 0; i < tw_run_pairs; i++) {
		look_again(run->pairs[i], TW_SERVER);
		look_again(run->pairs[i], TW_CLIENT);
	}
	run->failed = run->failed || any_failed(run, true);
	tw_child_reap();
	tw_cut_take(run);
	for (i = 0; i < tw_run_pairs; i++)
		tw_tally_merge(&run->pairs[i]->total,
			       &run->pairs[i]->tally.results);
	tw_output_begin();
	TW_PARTS_BACK(end, run);
	tw_output_end();
}

static void prepare(struct tw_run *run)
{
	run->control = tw_memory_shared(sizeof(*run->control));
	tw_pair_map_all(run);
	tw_run_pairs = (int)tw_config.pairs;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tw_process_configure(TW_MAIN, 0, tw_config_rank(TW_MAIN, 0));
	tw_output_watch();
	if (!run->start_pair)
		run->start_pair = tw_pair_start;
	if (!run->serve)
		run->serve = tw_server_run;
}

static bool is_cut(const struct tw_run *run)
{
	return run->failed || run->interrupted || run->broken;
}

/*
 * A pair without a complete cycle must not look like one that was fast, nor
 * must it hide in the other steps. Returns whether there is one in this step.
 */
static bool judge(struct tw_run *run)
{
	bool lacks = false;
	int i;

	run->whole += !is_cut(run);
	for (i = 0; i < tw_run_pairs; i++) {
		if (run->pairs[i]->tally.results.stats[0].count >
		    tw_cut_unanswered(i, run->step)) {
			run->measured = true;
			continue;
		}
		/* The host of the servers alone has no results. */
		if (is_cut(run) || tw_config.absent[TW_CLIENT])
			continue;
		if (run->steps > 1)
			tw_say_warn("step %d, pair %d: no cycle was measured\n",
				    run->step + 1, i);
		else
			tw_say_warn("pair %d: no cycle was measured\n", i);
		lacks = true;
	}
	return lacks;
}

void tw_run_measure(struct tw_run *run)
{
	bool started = false, lacks = false;

	prepare(run);
	for (run->step = 0; !is_cut(run) && run->step < run->steps;
	     run->step++) {
		if (start(run)) {
			started = true;
			watch(run);
		}
		stop(run);
		lacks |= judge(run);
	}
	/* The reason why it did not start was printed. */
	if (!run->measured && is_cut(run) && (started || run->interrupted))
		tw_say_warn("no cycle was measured\n");
	run->failed |= lacks || !run->measured;
}
