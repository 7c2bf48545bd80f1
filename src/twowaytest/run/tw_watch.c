// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a step: starts client and server, watches, stops and reaps them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "frame/tw_output.h"
#include "run/tw_session.h"

#define STOP_MS		1000	/* after that a side is killed */

/* From when all are ready to the expiry that they share: all are woken. */
#define ALIGN_NS	(10 * TW_NS_PER_MS)
#define ALIGN_EACH_NS	(100 * TW_NS_PER_US)

/* A side that has lost its peer only tells of what befell that. */
static bool is_cause(const struct tw_failure *failure)
{
	return failure->step != TW_STEP_RUN ||
	       (failure->err != -ECONNRESET && failure->err != -EPIPE);
}

/* What befell a side, or what main could not do with it. */
static int fail_side(struct tw_session *session, const struct tw_pair *pair,
		     enum tw_role role, enum tw_step step, int err)
{
	const struct tw_child *child = &pair->side[role].child;
	const struct tw_failure failure = {
		.step = step, .role = role, .pair = pair->number,
		.pid = child->pid, .err = err, .child = child,
	};

	/* What befell the peer is told in the place of what it led to. */
	if (session->lost_peer && is_cause(&failure))
		session->run.err = 0;
	if (!session->run.err)
		session->lost_peer = !is_cause(&failure);
	return tw_explain(session, &failure);
}

/* Notes how a side ended, if not as it should. */
static void judge(struct tw_session *session, struct tw_pair *pair,
		  enum tw_role role)
{
	struct tw_side *side = &pair->side[role];

	if (WIFSIGNALED(side->child.status))
		fail_side(session, pair, role, TW_STEP_KILLED,
			  WTERMSIG(side->child.status));
	else if (side->failed != TW_STEP_NONE)
		fail_side(session, pair, role, side->failed, side->err);
}

/* True once the side has ended; does not wait for it. */
static bool reap(struct tw_session *session, struct tw_pair *pair,
		 enum tw_role role)
{
	struct tw_child *child = &pair->side[role].child;
	bool before = child->ended;
	bool ended = tw_child_reap(child);

	if (ended && !before)
		judge(session, pair, role);
	return ended;
}

/* Whether all clients are done, or a side has failed. */
static bool reap_all(struct tw_session *session)
{
	enum tw_role role = tw_session_highest(session);
	bool all = true, done;
	struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		done = reap(session, pair, role);
		all = all && (done || atomic_load(&pair->done));
		/*
		 * A server ends once its client has closed the connection,
		 * often before that is seen to end: with others still
		 * measuring, only its failure ends the run.
		 */
		if (!session->far && pair->server == k &&
		    reap(session, pair, TW_SERVER) && !done &&
		    session->pairs->count == 1)
			return true;
		/* One that has stopped by itself ends the run for all. */
		if (session->run.err || (done && atomic_load(&pair->stop)))
			return true;
	}
	return all;
}

/* The output tells itself what it could not write. */
static void fail_write(struct tw_run *run, int err)
{
	run->unwritten = true;
	tw_fail(run, err, "cannot write the results: %s", strerror(-err));
}

/* What main was woken for: true if the run is over. */
static bool attend(struct tw_session *session,
		   const struct pollfd *signals, const struct pollfd *listener,
		   const struct pollfd *far)
{
	if (far->revents) {
		session->far->attend(session);
		return true;
	}
	if (listener->revents)
		session->strangers += tw_transport_turn_away(
			session->transport.ops, session->listener);
	/* The end of a child is a signal, too. */
	return signals->revents &&
	       (tw_run_take_signals(&session->run) || reap_all(session) ||
		tw_run_woken(&session->run));
}

/* Until the client is done, a side has died, time is up, or a signal came. */
static int watch_sides(struct tw_session *session)
{
	struct pollfd fds[] = {
		{ .fd = session->run.signal_fd, .events = POLLIN },
		{ .fd = session->listener, .events = POLLIN },
		{ .fd = session->far ? session->far->fd : -1,
		  .events = POLLIN },
	};
	nfds_t count = session->far ? 3 : 2;
	int64_t tick_ns = session->run.tick_ms * TW_NS_PER_MS;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t next_ns = tick_ns ? now_ns + tick_ns : INT64_MAX;
	int64_t begin_ns = now_ns;
	int64_t wake_ns;
	int err;

	session->end_ns = tw_session_deadline_ns(session, begin_ns);
	/* Its signal may have been read at the end of the step before. */
	if (tw_run_woken(&session->run))
		return 0;
	while ((now_ns = tw_now_ns(CLOCK_MONOTONIC)) < session->end_ns) {
		if (now_ns >= next_ns) {
			next_ns += (now_ns - next_ns) / tick_ns * tick_ns +
				   tick_ns;
			err = tw_run_tick(&session->run);
			if (err)
				return err;
		}
		wake_ns = next_ns < session->end_ns ? next_ns :
						      session->end_ns;
		if (poll(fds, count, tw_until_ms(now_ns, wake_ns)) > 0 &&
		    attend(session, &fds[0], &fds[1], &fds[2]))
			break;
		/* The warm-up may have ended meanwhile. */
		session->end_ns = tw_session_deadline_ns(session, begin_ns);
	}
	return 0;
}

/* Starts a side and waits until it has only its loop left to run. */
static int start(struct tw_session *session, struct tw_pair *pair,
		 enum tw_role role)
{
	const struct tw_child *child = &pair->side[role].child;
	int err = tw_side_start(pair, role);

	if (!err)
		return 0;
	/* The one, maybe, for which nobody waited any longer. */
	tw_run_take_signals(&session->run);
	if (child->pid && !child->why[0])
		judge(session, pair, role);
	return fail_side(session, pair, role, TW_STEP_START, err);
}

/* By @end_ns: what has not ended by then is killed. */
static void stop(struct tw_session *session, struct tw_pair *pair,
		 enum tw_role role, int64_t end_ns)
{
	struct tw_child *child = &pair->side[role].child;
	int64_t left_ns = end_ns - tw_now_ns(CLOCK_MONOTONIC);
	int err;

	if (!child->pid || child->ended || child->lost)
		return;
	err = tw_child_stop(child, TW_STOP_SIGNAL, left_ns > 0 ?
			    (int)(left_ns / TW_NS_PER_MS) : 0);
	if (err)
		fail_side(session, pair, role, TW_STEP_STOP, err);
	else
		judge(session, pair, role);
}

/*
 * A side that never sleeps leaves main no time, if they share a CPU: until it
 * has nothing left to do for the sides, main has the @highest priority.
 */
static void outrank(const struct tw_task *task, enum tw_role highest,
		    enum tw_role role)
{
	if (task->priority[TW_MAIN] < task->priority[highest])
		tw_system_schedule(task->policy, task->priority[role]);
}

/* Theirs from then on: an end that main kept open would hide their death. */
static void close_end(int *fd)
{
	close(*fd);
	*fd = -1;
}

static int start_client(struct tw_session *session, struct tw_pair *pair)
{
	int err;

	tw_session_lend(pair, true);
	err = start(session, pair, TW_CLIENT);
	tw_session_lend(pair, false);
	if (!err)
		close_end(&session->link[pair->number].client_fd);
	return err;
}

static int start_server(struct tw_session *session, struct tw_pair *pair)
{
	unsigned int k;
	int err;

	for (k = 0; k < pair->served_count; k++)
		tw_session_lend(pair->served[k], true);
	err = start(session, pair, TW_SERVER);
	for (k = 0; k < pair->served_count; k++)
		tw_session_lend(pair->served[k], false);
	for (k = 0; !err && k < pair->served_count; k++)
		close_end(&session->link[pair->served[k]->number].server_fd);
	return err;
}

/* Of many pairs, the last is ready long after the first. */
static int heed_signal(struct tw_session *session, unsigned int started)
{
	if (!tw_system_told_to_end())
		return 0;
	tw_run_take_signals(&session->run);
	/* What earlier steps have measured is a result. */
	if (!session->run.started)
		tw_fail(&session->run, -EINTR, "nothing was measured: signal %d (%s) came when %u of %u pairs were started",
			session->run.interrupted,
			strsignal(session->run.interrupted), started,
			session->pairs->count);
	return -EINTR;
}

/* What needs all connections at once: one server for all, another host. */
static int link_all(struct tw_session *session)
{
	struct tw_pair *pair;
	unsigned int k;
	int err = 0;

	for (k = 0; !err && (pair = tw_session_pair(session, k)); k++)
		err = tw_session_link(session, pair);
	if (!err && session->far && session->far->linked)
		err = session->far->linked(session);
	return err;
}

/* Else pair by pair: main's descriptors do not grow. */
static int start_pairs(struct tw_session *session)
{
	bool all = session->config->serving.one || session->far;
	struct tw_pair *pair;
	unsigned int k;
	int err = all ? link_all(session) : 0;

	for (k = 0; !err && (pair = tw_session_pair(session, k)); k++) {
		if (k)
			err = heed_signal(session, k);
		if (!err && !all)
			err = tw_session_link(session, pair);
		if (!err && tw_session_has(session, TW_SERVER) &&
		    pair->server == k)
			err = start_server(session, pair);
		if (!err && tw_session_has(session, TW_CLIENT))
			err = start_client(session, pair);
	}
	tw_session_close_links(session);
	if (!err && session->far && session->far->ready)
		err = session->far->ready(session);
	return err;
}

/* All are ready: they begin together, with -A by one and the same expiry. */
static void open_gates(struct tw_session *session)
{
	const struct tw_pairing *pairs = &session->config->pairs;
	struct tw_pair *pair;
	int64_t first_ns;
	unsigned int k;

	first_ns = tw_now_ns(session->clock.timer_clockid) + ALIGN_NS +
		   pairs->count * ALIGN_EACH_NS;
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		if (pairs->aligned)
			pair->first_ns = first_ns +
				k * pairs->aligned_us * TW_NS_PER_US;
		sem_post(&pair->gate);
	}
}

static int run_sides(struct tw_session *session)
{
	const struct tw_task *task = &tw_session_first(session)->task;
	enum tw_role highest = tw_session_highest(session);
	int err;

	outrank(task, highest, highest);
	err = start_pairs(session);
	if (!err)
		open_gates(session);
	outrank(task, highest, TW_MAIN);
	if (!err) {
		session->run.started = true;
		err = watch_sides(session);
		if (err)
			fail_write(&session->run, err);
	}
	return err;
}

/* All of a role are told at once: none measures while others are waited for. */
static void stop_role(struct tw_session *session, enum tw_role role)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + STOP_MS * TW_NS_PER_MS;
	struct tw_child *child;
	struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		child = &pair->side[role].child;
		if (session->pairs->count > 1 && child->pid && !child->ended)
			kill(child->pid, TW_STOP_SIGNAL);
	}
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		stop(session, pair, role, end_ns);
}

static void stop_all(struct tw_session *session)
{
	struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		atomic_store(&pair->stop, 1);
	stop_role(session, TW_CLIENT);
	stop_role(session, TW_SERVER);
}

int tw_session_run(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	int err;

	session->steps_done = run->step + 1;
	err = run_sides(session);
	if (session->far && session->far->over)
		session->far->over(session);
	stop_all(session);
	return run->err || err ? -ECANCELED : 0;
}
