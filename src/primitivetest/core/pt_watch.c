// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a case: starts its tasks, watches and reaps them. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/pt_session.h"
#include "core/pt_task.h"

#define TICK_MS		100
#define END_MS		1000	/* from the last trial to the tasks' end */

/* What main knows of the progress of a case. */
struct progress {
	uint64_t done;
	int64_t since_ns;	/* when it was seen last; CLOCK_MONOTONIC */
	int64_t deadline_ns;	/* of -D */
};

static int limit_ms(const struct pt_case *c)
{
	const struct pt_test *test = c->choice.test;

	/* Between two trials it may rest. */
	return test->flags & PT_SPINS ? 2 * PT_TRIAL_MS : PT_TRIAL_MS;
}

/* Whether the case hangs; ends it when its time is up. */
static bool watch_progress(struct pt_case *c, struct progress *progress)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	uint64_t done = atomic_load(&c->done);

	if (now_ns >= progress->deadline_ns)
		atomic_store(&c->stop, 1);
	if (done != progress->done) {
		progress->done = done;
		progress->since_ns = now_ns;
	}
	return now_ns - progress->since_ns > limit_ms(c) * TW_NS_PER_MS;
}

static int hang(struct pt_session *session, struct pt_case *c,
		struct tw_child *child)
{
	unsigned long long trial = atomic_load(&c->done) + 1;

	tw_child_stop(child, SIGKILL, END_MS);
	return tw_fail(&session->run, -ETIMEDOUT, "%s: trial %llu, those of the warm-up included, took longer than %d ms, and was ended; see what else uses CPU time on its CPUs (--check)",
		       c->name, trial, limit_ms(c));
}

/* Until the tasks have ended. */
static int watch(struct pt_session *session, struct pt_case *c,
		 struct tw_child *child)
{
	struct pollfd signals = { session->run.signal_fd, POLLIN, 0 };
	struct progress progress = {
		.since_ns = tw_now_ns(CLOCK_MONOTONIC),
		.deadline_ns = INT64_MAX,
	};
	bool woken;
	int err;

	if (c->config->duration_s)
		progress.deadline_ns = progress.since_ns +
				       c->config->duration_s * TW_NS_PER_S;
	while (!tw_child_reap(child)) {
		woken = poll(&signals, 1, TICK_MS) > 0;
		if (woken && (tw_run_take_signals(&session->run) ||
			      tw_run_woken(&session->run)))
			atomic_store(&c->stop, 1);
		if (watch_progress(c, &progress))
			return hang(session, c, child);
		err = tw_run_tick(&session->run);
		if (err) {
			atomic_store(&c->stop, 1);
			session->run.unwritten = true;
			tw_child_stop(child, 0, END_MS);
			return tw_fail(&session->run, err, "cannot write the results: %s",
				       strerror(-err));
		}
	}
	return session->run.err;
}

/* It, or the process that starts it: then @child has the reason. */
static int fail_slow(struct pt_session *session, const struct pt_case *c,
		     const struct tw_child *child)
{
	return tw_fail(&session->run, -ETIMEDOUT, "%s: its tasks were not ready in time%s%s; see what else uses CPU time on their CPUs (--check)",
		       c->name, *child->why ? ": " : "", child->why);
}

/* What a task could not do; or that it was killed. */
static int fail_tasks(struct pt_session *session, const struct pt_case *c,
		      const struct tw_child *child, int err)
{
	const struct pt_task *task = c->culprit;
	int i;

	if (err == -ETIMEDOUT)
		return fail_slow(session, c, child);
	/* First: what it led to in the tasks is told in its place. */
	if (child->ended && WIFSIGNALED(child->status))
		return tw_fail(&session->run, -ECHILD, "%s: the process that starts the tasks was killed by signal %d (%s)",
			       c->name, WTERMSIG(child->status),
			       strsignal(WTERMSIG(child->status)));
	/* The others of a culprit were killed because of it. */
	if (task && !task->failed && WIFSIGNALED(task->child.status))
		return tw_fail(&session->run, -ECHILD, "%s: task %s was killed by signal %d (%s)",
			       c->name, task->name,
			       WTERMSIG(task->child.status),
			       strsignal(WTERMSIG(task->child.status)));
	for (i = 0; i <= c->task_count && i < PT_TASKS; i++) {
		task = &c->task[i];
		if (task->failed)
			return tw_fail(&session->run, task->err, "%s: task %s: %s: %s",
				       c->name, task->name, task->failed,
				       strerror(-task->err));
	}
	return tw_fail(&session->run, err, "%s: its tasks were not ready: %s",
		       c->name, strerror(-err));
}

int pt_watch(struct pt_session *session, struct pt_case *c)
{
	struct tw_child child;
	int err = pt_starter_start(c, &child);

	if (err == -EINTR) {
		tw_run_take_signals(&session->run);
		return session->run.interrupted ? 0 :
		       fail_tasks(session, c, &child, err);
	}
	if (err && *c->refused)
		return -ENOTSUP;
	if (err)
		return fail_tasks(session, c, &child, err);
	err = watch(session, c, &child);
	if (!err && child.status)
		err = fail_tasks(session, c, &child, -ECHILD);
	return err;
}
