// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal: a task sends another a real-time signal with a value, and that one
 * sends the value back.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_rows.h"
#include "rows/pt_signal.h"

int pt_signal_number(int side)
{
	return SIGRTMIN + side;
}

int pt_signal_pid(const struct pt_case *c, int side)
{
	return c->choice.process ? c->task[side].pid : (int)getpid();
}

int pt_signal_send(struct pt_task *task, int side, int signo, int value)
{
	const union sigval with = { .sival_int = value };

	return sigqueue(pt_signal_pid(task->in, side), signo, with) ?
	       pt_failed(task, "sigqueue", -errno) : 0;
}

static const struct pt_signal_way *way_of(const struct pt_case *c)
{
	return c->choice.kind->ops;
}

static int open_side(struct pt_signal_side *side, struct pt_task *task)
{
	side->task = task;
	side->signo = pt_signal_number(task->number);
	side->fd = -1;
	sigemptyset(&side->set);
	sigaddset(&side->set, side->signo);
	return way_of(task->in)->open(side);
}

static int close_side(struct pt_signal_side *side, int err)
{
	if (side->fd >= 0)
		close(side->fd);
	return err;
}

/* The value is the number of the trial. */
static int value_of(const struct pt_task *task)
{
	return (int)(pt_done(task) % INT_MAX);
}

static int ask_once(struct pt_signal_side *side, struct pt_trial *trial)
{
	struct pt_task *task = side->task;
	struct pt_signal *shared = pt_room(task);
	int err, value = value_of(task);
	struct pt_signal_got got;

	trial->t_ns[0] = pt_now(task);
	err = pt_signal_send(task, PT_SIGNAL_ANSWERS,
			     pt_signal_number(PT_SIGNAL_ANSWERS), value);
	if (!err)
		err = way_of(task->in)->take(side, &got);
	if (err)
		return err;
	trial->t_ns[1] = task->in->stamp_ns;
	trial->t_ns[2] = got.t_ns;
	shared->sent++;
	shared->received++;
	shared->wrong += got.value != value;
	return 0;
}

static int ask(struct pt_task *task)
{
	struct pt_signal_side side;
	struct pt_trial trial = { .t_ns = { 0 } };
	struct pt_pace pace;
	int err = open_side(&side, task);

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		pt_pace_wait(&pace);
		err = ask_once(&side, &trial);
		if (!err)
			pt_record(task, &trial);
	}
	/* The other one waits for the next trial. */
	if (!err)
		err = pt_signal_send(task, PT_SIGNAL_ANSWERS,
				     pt_signal_number(PT_SIGNAL_ANSWERS), 0);
	return close_side(&side, err);
}

static int answer(struct pt_task *task)
{
	struct pt_signal_side side;
	struct pt_signal_got got;
	int err = open_side(&side, task);

	while (!err) {
		err = way_of(task->in)->take(&side, &got);
		if (err || pt_over(task))
			break;
		task->in->stamp_ns = got.t_ns;
		err = pt_signal_send(task, PT_SIGNAL_ASKS,
				     pt_signal_number(PT_SIGNAL_ASKS),
				     got.value);
	}
	return close_side(&side, err);
}

static int refuse(struct pt_case *c, int err)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_SIGPENDING, &limit);
	return pt_refuse(c, err, "%d signals cannot be queued: %s; all that are pending for this user count, %lld are allowed (ulimit -i)",
			 PT_SIGNAL_QUEUED + 1, strerror(-err),
			 (long long)limit.rlim_cur);
}

/* Whether as many as are needed can be queued; all signals are blocked. */
static int try_queue(struct pt_case *c)
{
	static const struct timespec now;
	const union sigval none = { .sival_int = 0 };
	int i, err = 0;
	sigset_t set;

	for (i = 0; !err && i <= PT_SIGNAL_QUEUED; i++)
		if (sigqueue(getpid(), pt_signal_number(0), none))
			err = -errno;
	sigemptyset(&set);
	sigaddset(&set, pt_signal_number(0));
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	return err ? refuse(c, err) : 0;
}

static int open_signals(struct pt_case *c)
{
	struct pt_signal *shared = c->room;

	sem_init(&shared->go, 1, 0);
	sem_init(&shared->done, 1, 0);
	return try_queue(c);
}

static void verify(struct pt_case *c)
{
	way_of(c)->verify(c);
}

static const struct pt_metric metrics[] = {
	{ .token = "out", .label = "Signal to the other task", .from = 0,
	  .to = 1, .span = { PT_TO_WAIT, 1, 0 } },
	{ .token = "back", .label = "Its answer", .from = 1, .to = 2,
	  .span = { PT_TO_WAIT, 0, 1 } },
	{ .token = "roundtrip", .label = "Signal and answer", .from = 0,
	  .to = 2, .rate = "round trips" },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "sigwaitinfo", .ops = &pt_signal_sigwaitinfo },
	{ "handler", .ops = &pt_signal_handler },
	{ "signalfd", .ops = &pt_signal_signalfd },
	{ "queue", .ops = &pt_signal_queue, .trials = 1000,
	  .metrics = pt_signal_queue_metrics, .roles = pt_signal_queue_roles },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "asks", PT_MID, false, ask },
	{ "answers", PT_ORDERED, true, answer },
	{ .name = NULL }
};

const struct pt_test pt_signal = {
	.name = "signal",
	.about = "real-time signal to another task and back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.switches = 2, .trials = 10000, .room = sizeof(struct pt_signal),
	.open = open_signals, .verify = verify,
};
