// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a step: starts client and server, watches, stops and reaps them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_session.h"
#include "tw_time.h"

#define STOP_MS		1000	/* after that a side is killed */

/* A side that has lost its peer only tells of what befell that. */
static bool is_cause(const struct tw_failure *failure)
{
	return failure->step != TW_STEP_NONE &&
	       !(failure->step == TW_STEP_RUN &&
		 (failure->err == -ECONNRESET || failure->err == -EPIPE));
}

/* What befell a process, or what main could not do with it. */
static int fail_process(struct tw_session *session, enum tw_role role,
			const struct tw_child *child, enum tw_step step,
			int err)
{
	const struct tw_failure failure = {
		.step = step, .role = role, .pair = session->pair->number,
		.pid = child->pid, .err = err,
		/* Those of the load do not last until it is told. */
		.child = role == TW_LOAD ? NULL : child,
	};

	if (!is_cause(&session->failure))
		session->failure = failure;
	return err;
}

static int fail_side(struct tw_session *session, enum tw_role role,
		     enum tw_step step, int err)
{
	return fail_process(session, role, &session->pair->side[role].child,
			    step, err);
}

/* Notes how a side ended, if not as it should. */
static void judge(struct tw_session *session, enum tw_role role)
{
	struct tw_side *side = &session->pair->side[role];

	if (WIFSIGNALED(side->child.status))
		fail_side(session, role, TW_STEP_KILLED,
			  WTERMSIG(side->child.status));
	else if (side->failed != TW_STEP_NONE)
		fail_side(session, role, side->failed, side->err);
}

/* True once the side has ended; does not wait for it. */
static bool reap(struct tw_session *session, enum tw_role role)
{
	struct tw_child *child = &session->pair->side[role].child;
	bool ended = tw_child_reap(child);

	if (ended)
		judge(session, role);
	return ended;
}

/* What was sent to main: true if the run is to end. */
static bool take_signals(struct tw_session *session,
			 const struct tw_watch *watch)
{
	struct signalfd_siginfo info;

	while (read(session->signal_fd, &info, sizeof(info)) ==
	       sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (info.ssi_signo != SIGUSR1)
			session->interrupted = (int)info.ssi_signo;
		else if (watch->status)
			watch->status(watch->arg);
	}
	return session->interrupted;
}

/* Hands the cycles on that the client has put into the ring. */
static int drain(struct tw_session *session, const struct tw_watch *watch)
{
	struct tw_pair *pair = session->pair;
	struct tw_cycle cycle;
	int err = 0;

	while (!err && pair->ring && tw_ring_get(pair->ring, &cycle))
		err = watch->cycle(watch->arg, pair->number, &cycle);
	return err;
}

static int tick(struct tw_session *session, const struct tw_watch *watch)
{
	int err = drain(session, watch);

	return err || !watch->tick ? err : watch->tick(watch->arg);
}

static int until_ms(int64_t now_ns, int64_t then_ns)
{
	int64_t left_ns = then_ns - now_ns;

	if (left_ns <= 0)
		return 0;
	if (left_ns > 3600 * TW_NS_PER_S)
		return 3600 * 1000;
	return (int)(left_ns / TW_NS_PER_MS) + 1;
}

static bool load_died(struct tw_session *session)
{
	struct tw_load *load = &session->load;

	if (!load->shared || !load->ops->died(load))
		return false;
	if (WIFSIGNALED(load->dead->status)) {
		fail_process(session, TW_LOAD, load->dead, TW_STEP_KILLED,
			     WTERMSIG(load->dead->status));
	} else {
		snprintf(session->load_why, sizeof(session->load_why), "%s",
			 load->shared->why);
		tw_session_fail(session, TW_STEP_LOAD, load->shared->err);
	}
	return true;
}

/* What main was woken for: true if the run is over. */
static bool attend(struct tw_session *session, const struct tw_watch *watch,
		   const struct pollfd *signals, const struct pollfd *listener)
{
	if (listener->revents)
		session->strangers += tw_transport_turn_away(
			session->transport, session->listener);
	/* The end of a child is a signal, too. */
	return signals->revents &&
	       (take_signals(session, watch) || reap(session, TW_CLIENT) ||
		reap(session, TW_SERVER) || load_died(session));
}

/*
 * When -D ends the step: its time is that of the measured cycles. The warm-up
 * before may take as much longer than it should.
 */
static int64_t deadline_ns(const struct tw_session *session, int64_t begin_ns)
{
	const struct tw_config *config = session->config;
	const struct tw_pair *pair = session->pair;
	int64_t cycle_us = config->interval_us ? config->interval_us :
						 config->sleep_us;

	if (!config->duration_s)
		return INT64_MAX;
	if (atomic_load_explicit(&pair->steady, memory_order_acquire))
		begin_ns = pair->steady_ns;
	else
		begin_ns += config->warmup * cycle_us * TW_NS_PER_US;
	return begin_ns + config->duration_s * TW_NS_PER_S;
}

/* Until the client is done, a side has died, time is up, or a signal came. */
static int watch_sides(struct tw_session *session,
		       const struct tw_watch *watch)
{
	struct pollfd fds[] = {
		{ .fd = session->signal_fd, .events = POLLIN },
		{ .fd = session->listener, .events = POLLIN },
	};
	int64_t tick_ns = watch->tick_ms * TW_NS_PER_MS;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t next_ns = tick_ns ? now_ns + tick_ns : INT64_MAX;
	int64_t begin_ns = now_ns;
	int64_t wake_ns;
	int err;

	session->end_ns = deadline_ns(session, begin_ns);
	/* Its signal may have been read at the end of the step before. */
	if (load_died(session))
		return 0;
	while ((now_ns = tw_now_ns(CLOCK_MONOTONIC)) < session->end_ns) {
		if (now_ns >= next_ns) {
			next_ns += (now_ns - next_ns) / tick_ns * tick_ns +
				   tick_ns;
			err = tick(session, watch);
			if (err)
				return err;
		}
		wake_ns = next_ns < session->end_ns ? next_ns :
						      session->end_ns;
		if (poll(fds, 2, until_ms(now_ns, wake_ns)) > 0 &&
		    attend(session, watch, &fds[0], &fds[1]))
			break;
		/* The warm-up may have ended meanwhile. */
		session->end_ns = deadline_ns(session, begin_ns);
	}
	return 0;
}

/* Starts a side and waits until it has only its loop left to run. */
static int start(struct tw_session *session, enum tw_role role,
		 const struct tw_watch *watch)
{
	const struct tw_child *child = &session->pair->side[role].child;
	int err = tw_side_start(session->pair, role);

	if (!err)
		return 0;
	/* The one, maybe, for which nobody waited any longer. */
	take_signals(session, watch);
	if (child->pid && !child->why[0])
		judge(session, role);
	return fail_side(session, role, TW_STEP_START, err);
}

static void stop(struct tw_session *session, enum tw_role role)
{
	struct tw_child *child = &session->pair->side[role].child;
	int err;

	if (!child->pid || child->ended || child->lost)
		return;
	err = tw_child_stop(child, TW_STOP_SIGNAL, STOP_MS);
	if (err)
		fail_side(session, role, TW_STEP_STOP, err);
	else
		judge(session, role);
}

/* What the load has done from @before on, for the step's result. */
static void count_work(struct tw_session *session,
		       const struct tw_load_slot *before,
		       uint64_t restarts_before)
{
	struct tw_step_result *result = &session->steps[session->step];
	struct tw_load_slot now;

	if (!session->load.shared)
		return;
	now = tw_load_progress(&session->load);
	/* While runs begin and end, a count of messages is not exact. */
	result->work = now.done > before->done ? now.done - before->done : 0;
	result->work_errors = now.errors - before->errors;
	result->restarts = session->load.shared->restarts - restarts_before;
	if (result->work_errors)
		tw_session_fail(session, TW_STEP_WORK, -EIO);
}

/*
 * A side that never sleeps leaves main no time, if they share a CPU: until it
 * has nothing left to do for the sides, main has the client's priority.
 */
static void outrank(const struct tw_task *task, enum tw_role role)
{
	if (task->priority[TW_MAIN] < task->priority[TW_CLIENT])
		tw_system_schedule(task->policy, task->priority[role]);
}

static int run_sides(struct tw_session *session, const struct tw_watch *watch)
{
	int err;

	outrank(&session->task, TW_CLIENT);
	err = start(session, TW_SERVER, watch);
	if (!err)
		err = start(session, TW_CLIENT, watch);
	/* Theirs now: an end that main kept open would hide their death. */
	tw_session_close_link(session);
	outrank(&session->task, TW_MAIN);
	if (!err) {
		session->started = true;
		err = watch_sides(session, watch);
		if (err)
			tw_session_fail(session, TW_STEP_WRITE, err);
	}
	return err;
}

int tw_session_run(struct tw_session *session, const struct tw_watch *watch)
{
	struct tw_load *load = &session->load;
	struct tw_load_slot before = { .done = 0 };
	uint64_t restarts = load->shared ? load->shared->restarts : 0;
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	int err;

	if (load->shared)
		before = tw_load_progress(load);
	err = run_sides(session, watch);
	session->steps[session->step].elapsed_ns =
		tw_now_ns(CLOCK_MONOTONIC) - begin_ns;
	/* First, as counting takes some time. */
	atomic_store(&session->pair->stop, 1);
	count_work(session, &before, restarts);

	stop(session, TW_CLIENT);
	stop(session, TW_SERVER);
	if (!err) {
		err = drain(session, watch);
		if (err)
			tw_session_fail(session, TW_STEP_WRITE, err);
	}
	return session->failure.step == TW_STEP_NONE ? 0 : -ECANCELED;
}
