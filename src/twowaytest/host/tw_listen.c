// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tw_child.h"
#include "base/tw_time.h"
#include "host/tw_listen.h"
#include "host/tw_meet.h"

#define END_MS		3000	/* for a session to end after SIGTERM */
#define GRACE_MS	500	/* for one to end whose client has gone */

/* Who asks for a run while all places are taken, if only for a moment. */
struct waiting {
	struct tw_front_run asked;
	int64_t end_ns;
};

/* Sessions under way. */
static struct {
	struct tw_listening *listening;
	struct tw_run *run;
	struct tw_child child[TW_SESSIONS_MAX];
	int64_t done;		/* runs of those that have ended */
	int waits;		/* in their order; one more is being read */
	struct waiting waiting[TW_SESSIONS_MAX + 1];
} now;

static const struct tw_versions ours = { TW_VERSION_MIN, TW_VERSION_MAX };

/* In the process of the session. */
static int live(void *arg)
{
	struct tw_front_run *asked = arg;
	struct tw_service *serving = &now.listening->serving;
	union tw_address local;
	socklen_t len = sizeof(local);
	int runs;

	tw_control_init(&serving->control, asked->fd, asked->fd);
	serving->control.version = asked->version;
	serving->peer = asked->peer;
	if (now.listening->runs)
		serving->runs = now.listening->runs - now.done;
	if (getsockname(asked->fd, &local.any, &len))
		return -errno;
	serving->local = local;
	serving->client = asked->address;
	tw_meet_watch(asked->fd);
	runs = tw_serve(serving, now.run, asked->body, asked->length);
	/* The status is not an error: it is counted. */
	_exit(runs > 255 ? 255 : runs);
}

static struct tw_child *free_place(void)
{
	int64_t i;

	for (i = 0; i < now.listening->sessions; i++)
		if (!now.child[i].pid)
			return &now.child[i];
	return NULL;
}

static void reap(void)
{
	int i;

	for (i = 0; i < TW_SESSIONS_MAX; i++) {
		struct tw_child *child = &now.child[i];

		if (!child->pid || !tw_child_reap(child))
			continue;
		if (WIFEXITED(child->status))
			now.done += WEXITSTATUS(child->status);
		child->pid = 0;
	}
}

static void serve(struct tw_front_run *asked, struct tw_child *child)
{
	struct tw_service *serving = &now.listening->serving;
	struct tw_child_how how = {
		.name = "twoway-session", .place = TW_CHILD_OWN_GROUP,
		.death_signal = SIGKILL,
		.keep = { asked->fd, now.listening->latency_fd,
			  serving->signal_fd },
		.live = live, .arg = asked,
	};
	int fds[TW_FAR_TRACE_FDS];
	int err;

	serving->trace = tw_far_trace_of((int)(child - now.child));
	if (serving->trace) {
		tw_far_trace_fds(serving->trace, fds);
		how.keep_more = fds;
		how.more_count = TW_FAR_TRACE_FDS;
	}
	memset(child, 0, sizeof(*child));
	err = tw_child_fork(child, &how);
	if (err) {
		child->pid = 0;
		tw_front_turn_away(asked, TW_FRAME_REFUSE, strerror(-err));
		return;
	}
	close(asked->fd);
}

static bool has_runs_left(void)
{
	return !now.listening->runs || now.done < now.listening->runs;
}

static void say_busy(struct tw_front_run *asked)
{
	tw_front_turn_away(asked, TW_FRAME_BUSY,
			   "another test is under way; try again later");
}

static void add_waiting(void)
{
	struct waiting *last = &now.waiting[now.waits];

	last->end_ns = tw_now_ns(CLOCK_MONOTONIC) + GRACE_MS * TW_NS_PER_MS;
	if (now.waits < TW_SESSIONS_MAX)
		now.waits++;
	else
		say_busy(&last->asked);
}

static void remove_first(void)
{
	now.waits--;
	memmove(now.waiting, now.waiting + 1,
		(size_t)now.waits * sizeof(*now.waiting));
}

/*
 * Serves those who wait, as far as there are places, and turns away those who
 * have waited for long enough. Returns how long the first may wait, in ms; -1:
 * nobody waits.
 */
static int serve_waiting(void)
{
	struct waiting *first = now.waiting;
	struct tw_child *child;
	int left_ms;

	for (; now.waits; remove_first()) {
		child = free_place();
		left_ms = tw_left_ms(first->end_ns);
		if (child)
			serve(&first->asked, child);
		else if (left_ms)
			return left_ms;
		else
			say_busy(&first->asked);
	}
	return -1;
}

/* Whether a signal came that ends the server. */
static bool told_to_end(void)
{
	struct signalfd_siginfo info;

	while (read(now.listening->serving.signal_fd, &info, sizeof(info)) ==
	       sizeof(info))
		if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGUSR1)
			return true;
	return false;
}

static void end_sessions(void)
{
	int i;

	for (i = 0; i < TW_SESSIONS_MAX; i++)
		if (now.child[i].pid)
			kill(now.child[i].pid, SIGTERM);
	for (i = 0; i < TW_SESSIONS_MAX; i++)
		if (now.child[i].pid)
			tw_child_stop(&now.child[i], 0, END_MS);
}

static int attend(struct tw_front *front)
{
	struct pollfd signals = { now.listening->serving.signal_fd, POLLIN, 0 };
	int got = 0, left_ms;

	while (has_runs_left()) {
		left_ms = serve_waiting();
		got = tw_front_poll(front, &signals, 1, left_ms,
				    &now.waiting[now.waits].asked);
		if (got > 0)
			add_waiting();
		else if (got < 0 && got != -EINTR)
			break;
		if (signals.revents && told_to_end())
			return 0;
		reap();
	}
	return got < 0 && got != -EINTR ? got : 0;
}

static void tell_closed(const struct tw_front *front)
{
	int reason;

	for (reason = TW_FRONT_OPEN + 1; reason < TW_FRONT_REASONS; reason++)
		if (front->closed[reason])
			printf("# Connections closed, %s: %llu\n",
			       tw_front_reason_text(reason),
			       (unsigned long long)front->closed[reason]);
}

int tw_listen(struct tw_listening *listening, struct tw_run *run)
{
	static struct tw_front front;
	int err;

	now.listening = listening;
	now.run = run;
	err = tw_front_open(&front, &listening->listener, 1,
			    listening->allow.count ? &listening->allow : NULL,
			    &ours);
	if (!err)
		err = attend(&front);
	for (; now.waits; remove_first())
		tw_front_turn_away(&now.waiting->asked, TW_FRAME_REFUSE,
				   "it was stopped, or has done all its runs");
	end_sessions();
	tw_front_close(&front);
	tell_closed(&front);
	fflush(stdout);
	return err;
}

int tw_listen_stdio(struct tw_listening *listening, struct tw_run *run)
{
	static struct tw_front_run asked;
	struct tw_service *serving = &listening->serving;
	enum tw_front_reason reason;
	int err = tw_front_greet(STDIN_FILENO, STDOUT_FILENO,
				 serving->signal_fd, TW_HELLO_MS, &ours,
				 &asked, &reason);

	/* A signal: it has nothing to end. */
	if (err)
		return err == -EINTR ? 0 : err;
	tw_control_init(&serving->control, STDIN_FILENO, STDOUT_FILENO);
	serving->control.version = asked.version;
	serving->peer = "standard input";
	serving->silent = true;
	serving->trace = tw_far_trace_of(0);
	tw_serve(serving, run, asked.body, asked.length);
	return 0;
}
