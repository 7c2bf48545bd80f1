// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_pair.h"
#include "tw_part.h"
#include "tw_run.h"
#include "tw_text.h"
#include "tw_time.h"

#define DISPLAY_MS	100
#define GRACE_MS	1000	/* after which main ends what -D has not */

/*
 * SIGINT ends the run even if it was ignored at the start, as it is in a
 * shell's background job; SIGHUP stays ignored under nohup.
 */
static int open_signals(void)
{
	struct sigaction action;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	if (!sigaction(SIGHUP, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(&signals, SIGHUP);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
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
		} else if (info.ssi_signo != SIGCHLD) {
			run->interrupted = (int)info.ssi_signo;
		}
	}
}

/* Whether a process of a pair has failed; prints which, and how. */
static bool any_failed(struct tw_run *run, bool killed)
{
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		struct tw_process *process = run->pairs[i]->process;

		if (tw_process_failed(&process[TW_SERVER], killed) ||
		    tw_process_failed(&process[TW_CLIENT], killed))
			return true;
	}
	return false;
}

/*
 * A client whose server was killed sees only that the connection is closed.
 * Waits until the server has ended, too, so that the message can name the
 * cause.
 */
static int report_failure(struct tw_run *run)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS };
	int i, ms;

	for (i = 0; i < tw_config.pairs; i++) {
		struct tw_process *process = run->pairs[i]->process;

		for (ms = 0; ms < GRACE_MS &&
		     tw_process_ended(&process[TW_CLIENT]) &&
		     process[TW_CLIENT].status &&
		     !tw_process_ended(&process[TW_SERVER]); ms++)
			nanosleep(&pause, NULL);
	}
	return any_failed(run, true) || any_failed(run, false) ? -ECHILD : 0;
}

/* A server that has ended just before its client is no failure. */
static int reap(struct tw_run *run)
{
	bool failed = false;
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		struct tw_process *process = run->pairs[i]->process;

		failed |= (tw_process_ended(&process[TW_CLIENT]) &&
			   process[TW_CLIENT].status) ||
			  (tw_process_ended(&process[TW_SERVER]) &&
			   process[TW_SERVER].status);
	}
	return failed ? report_failure(run) : 0;
}

static bool all_done(struct tw_run *run)
{
	int i;

	for (i = 0; i < tw_config.pairs; i++)
		if (!run->pairs[i]->process[TW_CLIENT].ended)
			return false;
	return true;
}

static int tell_parts(struct tw_run *run)
{
	int i, err = 0;

	for (i = 0; !err && tw_parts[i]; i++)
		if (tw_parts[i]->woken)
			err = tw_parts[i]->woken(run);
	return err;
}

/* When main ends the run by itself: a blocked client cannot. */
static int64_t latest_end_ns(void)
{
	int64_t period_ns = tw_config_params((int)tw_config.pairs - 1).period_ns;

	if (!tw_config.duration_s)
		return INT64_MAX;
	return tw_now_ns(CLOCK_MONOTONIC) +
	       tw_config.duration_s * TW_NS_PER_S +
	       (tw_config.warmup + 2) * period_ns + GRACE_MS * TW_NS_PER_MS;
}

/* How long main may sleep: until a tick, a redraw, or the end; -1: for ever. */
static int wait_ms(const struct tw_run *run, bool live, int64_t end_ns)
{
	int64_t left_ms = INT_MAX;

	if (end_ns != INT64_MAX)
		left_ms = (end_ns - tw_now_ns(CLOCK_MONOTONIC)) / TW_NS_PER_MS +
			  1;
	if (live && left_ms > DISPLAY_MS)
		left_ms = DISPLAY_MS;
	if (run->tick_ms && left_ms > run->tick_ms)
		left_ms = run->tick_ms;
	return left_ms < INT_MAX ? (int)left_ms : -1;
}

/*
 * Until all clients are done, one ended the run for all, something failed, or a
 * signal came.
 */
static int watch(struct tw_run *run)
{
	bool live = !tw_config.quiet && !tw_config.verbose &&
		    !tw_config.silent && isatty(STDOUT_FILENO);
	struct pollfd signals = { .fd = run->signal_fd, .events = POLLIN };
	int64_t end_ns = latest_end_ns();
	int err = 0;

	while (!err && !run->interrupted && !run->control->stop &&
	       !all_done(run) && tw_now_ns(CLOCK_MONOTONIC) < end_ns) {
		poll(&signals, 1, wait_ms(run, live, end_ns));
		take_signals(run);
		err = reap(run);
		if (!err)
			err = tell_parts(run);
		if (live)
			tw_text_redraw(run);
		if (!err && ferror(stdout)) {
			warn("cannot write to standard output\n");
			err = -EIO;
		}
	}
	if (live)
		printf("\033[J");
	return err;
}

/* Room for the last process to get ready before the common expiry. */
static void let_go(struct tw_run *run)
{
	if (tw_config.aligned_us >= 0)
		run->control->first_ns = tw_now_ns(tw_config.clockid) +
			(20 + tw_config.pairs) * TW_NS_PER_MS;
	close(run->go[0]);
	close(run->go[1]);
}

static int start(struct tw_run *run)
{
	int i, err = 0;

	run->control->stop = 0;
	for (i = 0; i < tw_config.pairs; i++)
		memset(&run->pairs[i]->tally.results, 0,
		       sizeof(run->pairs[i]->tally.results));
	for (i = 0; !err && tw_parts[i]; i++)
		if (tw_parts[i]->begin)
			err = tw_parts[i]->begin(run);
	if (!err && pipe2(run->go, O_CLOEXEC)) {
		err = -errno;
		warn("cannot open a pipe: %s\n", strerror(-err));
	}
	if (err)
		return err;
	for (i = 0; !err && i < tw_config.pairs; i++)
		err = tw_pair_start(run, i);
	if (err)
		run->control->stop = 1;
	let_go(run);
	return err;
}

static void stop(struct tw_run *run)
{
	int i = 0;

	run->control->stop = 1;
	for (i = 0; i < tw_config.pairs; i++)
		tw_process_stop(&run->pairs[i]->process[TW_CLIENT]);
	for (i = 0; i < tw_config.pairs; i++)
		tw_process_stop(&run->pairs[i]->process[TW_SERVER]);
	for (i = 0; i < tw_config.pairs; i++) {
		struct tw_pair *pair = run->pairs[i];

		tw_results_merge(&pair->total, &pair->tally.results,
				 &pair->tally.params);
		run->measured |= pair->total.stats[0].count > 0;
	}
	for (i = 0; tw_parts[i]; i++)
		;
	while (i--)
		if (tw_parts[i]->end)
			tw_parts[i]->end(run);
}

static int prepare(struct tw_run *run)
{
	const char *what;
	int err;

	run->control = mmap(NULL, sizeof(*run->control),
			    PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run->control == MAP_FAILED) {
		warn("no memory: %s\n", strerror(errno));
		return -ENOMEM;
	}
	err = tw_pair_map_all(run);
	if (err)
		return err;
	run->signal_fd = open_signals();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	err = tw_process_settle(TW_MAIN, 0, &what);
	if (err)
		warn("the parent process cannot get its %s: %s\n", what,
		     strerror(-err));
	return err;
}

int tw_run_measure(struct tw_run *run)
{
	int err = prepare(run);

	for (run->step = 0; !err && !run->interrupted && !run->broken &&
	     run->step < run->steps; run->step++) {
		err = start(run);
		if (!err)
			err = watch(run);
		stop(run);
	}
	if (!err && !run->measured) {
		warn("not one cycle was measured\n");
		err = -ENODATA;
	}
	return err;
}
