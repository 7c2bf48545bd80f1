// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal: a task sends another a real-time signal with a value, and that one
 * sends the value back. queue: what is sent while it is blocked; real-time
 * signals wait in a queue, in order, of a standard one, one waits.
 */
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "pt_rows.h"

#define QUEUED	10

/* Threads of a process have the signals in common: each task has its own. */
static int number_of(int side)
{
	return SIGRTMIN + side;
}

static sigset_t set_of(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

/* To the other task. */
static int signal_to(struct pt_task *task, int signal, int value)
{
	const struct pt_case *c = task->in;
	int pid = c->choice.process ? c->task[!task->number].pid : getpid();
	const union sigval with = { .sival_int = value };

	return sigqueue(pid, signal, with) ?
	       pt_failed(task, "sigqueue", -errno) : 0;
}

static void fill(struct pt_task *task, uint64_t number)
{
	pt_side(task)->value = (int)(number % INT_MAX);
}

static bool is_filled(struct pt_task *task, uint64_t number)
{
	return pt_side(task)->value == (int)(number % INT_MAX);
}

static int give(struct pt_task *task)
{
	return signal_to(task, number_of(!task->number), pt_side(task)->value);
}

static int take_sigwaitinfo(struct pt_task *task, int64_t *at_ns)
{
	const sigset_t set = set_of(number_of(task->number));
	siginfo_t info;

	/* EINTR: the process was stopped, and continues. */
	while (sigwaitinfo(&set, &info) < 0)
		if (errno != EINTR)
			return -errno;
	*at_ns = pt_now(task);
	pt_side(task)->value = info.si_value.sival_int;
	return 0;
}

/* For the handler; each task has its own, as it has its own signal. */
static struct {
	struct pt_task *task;
	volatile sig_atomic_t arrived;
	int64_t at_ns;
	int value;
} handled[2];

static void handle(int signal, siginfo_t *info, void *context)
{
	int side = signal - number_of(0);

	handled[side].at_ns = pt_now(handled[side].task);
	handled[side].value = info->si_value.sival_int;
	handled[side].arrived = 1;
}

static int enter_handler(struct pt_task *task)
{
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO,
	};

	handled[task->number].task = task;
	sigfillset(&action.sa_mask);
	return sigaction(number_of(task->number), &action, NULL) ? -errno : 0;
}

static int take_handler(struct pt_task *task, int64_t *at_ns)
{
	sigset_t others;

	sigfillset(&others);
	sigdelset(&others, number_of(task->number));
	while (!handled[task->number].arrived)
		sigsuspend(&others);
	handled[task->number].arrived = 0;
	*at_ns = handled[task->number].at_ns;
	pt_side(task)->value = handled[task->number].value;
	return 0;
}

static int enter_signalfd(struct pt_task *task)
{
	const sigset_t set = set_of(number_of(task->number));

	pt_side(task)->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	return pt_side(task)->signal_fd < 0 ? -errno : 0;
}

static int take_signalfd(struct pt_task *task, int64_t *at_ns)
{
	struct signalfd_siginfo info;

	if (read(pt_side(task)->signal_fd, &info, sizeof(info)) !=
	    sizeof(info))
		return -errno;
	*at_ns = pt_now(task);
	pt_side(task)->value = info.ssi_int;
	return 0;
}

static const struct pt_way by_sigwaitinfo = {
	NULL, fill, give, take_sigwaitinfo, is_filled,
};

static const struct pt_way by_handler = {
	enter_handler, fill, give, take_handler, is_filled,
};

static const struct pt_way by_signalfd = {
	enter_signalfd, fill, give, take_signalfd, is_filled,
};

/* Of the kind queue: SIGUSR1 is sent as often as the others. */
static int send_all(struct pt_task *task, int signal)
{
	int i, err = 0;

	for (i = 0; !err && i < QUEUED; i++)
		err = signal_to(task, signal, i);
	return err;
}

static int queue_once(struct pt_task *task, struct pt_trial *trial)
{
	struct pt_exchange *room = pt_room(task);
	int err;

	trial->t_ns[0] = pt_now(task);
	err = send_all(task, number_of(PT_ANSWERS));
	trial->t_ns[1] = pt_now(task);
	if (!err)
		err = send_all(task, SIGUSR1);
	if (err)
		return err;
	pt_side(task)->sent += QUEUED;
	sem_post(&room->go);
	err = pt_wait(&room->done);
	trial->t_ns[2] = task->in->stamp_ns;
	trial->t_ns[3] = room->taken_ns;
	return err;
}

static int queue(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	int err = pt_lead(task, queue_once);

	/* The other one waits for the next trial. */
	return err ? err : pt_post(&room->go);
}

static int await_go(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);

	return pt_wait(&room->go);
}

/* Takes a signal that is pending; false: there is none. */
static bool take(int signal, siginfo_t *info)
{
	static const struct timespec now;
	const sigset_t set = set_of(signal);

	return sigtimedwait(&set, info, &now) > 0;
}

static int take_all(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	struct pt_side *side = pt_side(task);
	int i, count = 0, values[QUEUED], signal = number_of(PT_ANSWERS);
	siginfo_t info;

	task->in->stamp_ns = pt_now(task);
	while (count < QUEUED && take(signal, &info))
		values[count++] = info.si_value.sival_int;
	room->taken_ns = pt_now(task);
	side->received += count;
	for (i = 0; i < count; i++)
		side->wrong += values[i] != i;
	while (take(signal, &info))
		side->received++;
	while (take(SIGUSR1, &info))
		room->standard++;
	return pt_post(&room->done);
}

static int dequeue(struct pt_task *task)
{
	return pt_answer(task, await_go, take_all);
}

/* Whether as many as are needed can be queued; all signals are blocked. */
static int open_signals(struct pt_case *c)
{
	const union sigval none = { .sival_int = 0 };
	struct pt_exchange *room = c->room;
	struct rlimit limit = { .rlim_cur = 0 };
	int i, err = 0;
	siginfo_t info;

	sem_init(&room->go, 1, 0);
	sem_init(&room->done, 1, 0);
	for (i = 0; !err && i <= QUEUED; i++)
		if (sigqueue(getpid(), number_of(0), none))
			err = -errno;
	while (take(number_of(0), &info))
		;
	if (!err)
		return 0;
	getrlimit(RLIMIT_SIGPENDING, &limit);
	return pt_refuse(c, err, "%d signals cannot be queued: %s; all that are pending for this user count, %lld are allowed (ulimit -i)",
			 QUEUED + 1, strerror(-err), (long long)limit.rlim_cur);
}

/* One SIGUSR1 a trial. */
static void verify(struct pt_case *c)
{
	const struct pt_exchange *room = c->room;
	long long sent = room->side[PT_ASKS].sent;
	long long lost = sent - room->side[PT_ANSWERS].received;
	long long wrong = room->side[PT_ANSWERS].wrong;

	if (pt_kind_ops(c)) {
		pt_exchange_verify(c);
		return;
	}
	pt_verdict(c, lost || wrong,
		   "%lld signals queued, %lld lost, %lld out of order", sent,
		   lost, wrong);
	pt_verdict(c, room->standard != sent / QUEUED,
		   "SIGUSR1 sent %d times, in each of %lld trials, arrived %lld times: once a trial is right",
		   QUEUED, sent / QUEUED, (long long)room->standard);
}

static const struct pt_metric queue_metrics[] = {
	PT_METRIC("send", "A signal to the queue", 0, 1, PT_SPAN(PT_TO_RUN, 0, 0),
		  .per = QUEUED, .rate = "signals"),
	PT_METRIC("take", "A signal from the queue", 2, 3,
		  PT_SPAN(PT_TO_RUN, 1, 0), .per = QUEUED),
	{ .token = NULL }
};

static const struct pt_role queue_roles[] = {
	{ "asks", PT_MID, .run = queue },
	{ "answers", PT_ORDERED, true, .run = dequeue },
	{ .name = NULL }
};

static const struct pt_kind kinds[] = {
	{ "sigwaitinfo", .ops = &by_sigwaitinfo },
	{ "handler", .ops = &by_handler },
	{ "signalfd", .ops = &by_signalfd },
	{ "queue", .trials = 1000, .metrics = queue_metrics,
	  .roles = queue_roles },
	{ .name = NULL }
};

const struct pt_test pt_signal = {
	.name = "signal",
	.about = "real-time signal to another task and back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_PACED,
	.kinds = kinds, .metrics = pt_exchange_metrics,
	.roles = pt_exchange_roles,
	.switches = 2, .trials = 10000, .room = sizeof(struct pt_exchange),
	.open = open_signals, .verify = verify,
};
