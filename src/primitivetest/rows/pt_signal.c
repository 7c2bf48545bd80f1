// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal: a task sends another a real-time signal with a value, and that one
 * sends the value back. queue: what is sent while it is blocked; real-time
 * signals wait in a queue, in order, of a standard one, one waits.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "tw_process.h"

#define QUEUED	10

/* Of a task: where its signals come from. */
static struct pt_channel *from_of(const struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);

	return &room->channel[!task->number];
}

/* The value of a signal that is pending; -1: there is none. */
static int take_pending(const sigset_t *signals)
{
	static const struct timespec now;
	siginfo_t info;

	return sigtimedwait(signals, &info, &now) > 0 ?
	       info.si_value.sival_int : -1;
}

/*
 * Threads of a process have the signals in common: each way has its own. The
 * core has one that ends a task. All are blocked; as many as are needed can be
 * queued, or it is refused.
 */
static int open_signal(struct pt_case *c, struct pt_channel *channel)
{
	const struct pt_exchange *room = c->room;
	const union sigval none = { .sival_int = 0 };
	struct rlimit limit = { .rlim_cur = 0 };
	int i, err = 0;

	channel->fd[1] = TW_STOP_SIGNAL + 1 + (int)(channel - room->channel);
	sigemptyset(&channel->signals);
	sigaddset(&channel->signals, channel->fd[1]);
	for (i = 0; !err && i <= QUEUED; i++)
		if (sigqueue(getpid(), channel->fd[1], none))
			err = -errno;
	while (take_pending(&channel->signals) >= 0)
		;
	if (!err)
		return 0;
	getrlimit(RLIMIT_SIGPENDING, &limit);
	return pt_refuse(c, err, "%d signals cannot be queued: %s; all that are pending for this user count, %lld are allowed (ulimit -i)",
			 QUEUED + 1, strerror(-err), (long long)limit.rlim_cur);
}

static int queue_one(struct pt_task *task, const struct pt_channel *to,
		     int signal, int value)
{
	return sigqueue(to->pid, signal, (union sigval){ .sival_int = value }) ?
	       pt_failed(task, "sigqueue", -errno) : 0;
}

static int give(struct pt_task *task, struct pt_channel *to)
{
	int value;

	memcpy(&value, to->content[1], sizeof(value));
	return queue_one(task, to, to->fd[1], value);
}

static int take_sigwaitinfo(struct pt_task *task, struct pt_channel *from)
{
	siginfo_t info;

	/* EINTR: the process was stopped, and continues. */
	while (sigwaitinfo(&from->signals, &info) < 0)
		if (errno != EINTR)
			return -errno;
	memcpy(from->content[0], &info.si_value.sival_int, sizeof(int));
	return 0;
}

/* Each task's, for its handler. */
static struct pt_task *handles[2];

static void handle(int signal, siginfo_t *info, void *context)
{
	struct pt_task *task = handles[signal - TW_STOP_SIGNAL - 1];

	pt_stamp(task, PT_ARRIVED(task->number));
	memcpy(from_of(task)->content[0], &info->si_value.sival_int,
	       sizeof(int));
	pt_side(task)->handled = 1;
}

/* A task that is a process begins without the handlers of its parent. */
int pt_signal_enter(struct pt_task *task)
{
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO,
	};
	struct pt_channel *from = from_of(task);

	from->pid = getpid();
	if (pt_kind_ops(task->in) != &pt_way_handler)
		return 0;
	handles[!task->number] = task;
	sigfillset(&action.sa_mask);
	return sigaction(from->fd[1], &action, NULL) ? -errno : 0;
}

static int take_handler(struct pt_task *task, struct pt_channel *from)
{
	struct pt_side *side = pt_side(task);
	sigset_t others;

	sigfillset(&others);
	sigdelset(&others, from->fd[1]);
	while (!side->handled)
		sigsuspend(&others);
	side->handled = 0;
	return 0;
}

static int open_signalfd(struct pt_case *c, struct pt_channel *channel)
{
	int err = open_signal(c, channel);

	if (err)
		return err;
	channel->fd[0] = signalfd(-1, &channel->signals, SFD_CLOEXEC);
	return channel->fd[0] < 0 ? -errno : 0;
}

static int take_signalfd(struct pt_task *task, struct pt_channel *from)
{
	struct signalfd_siginfo info;

	if (read(from->fd[0], &info, sizeof(info)) != sizeof(info))
		return -errno;
	memcpy(from->content[0], &info.ssi_int, sizeof(int));
	return 0;
}

#define WAY(name, opened, ...) \
	const struct pt_way pt_way_##name = { \
		.open = open_##opened, .give = give, .take = take_##name, \
		.size = sizeof(int), __VA_ARGS__ \
	}

WAY(sigwaitinfo, signal);
WAY(handler, signal, .stamps = true);
WAY(signalfd, signalfd);

static int send_all(struct pt_task *task, int signal)
{
	const struct pt_exchange *room = pt_room(task);
	int i, err = 0;

	for (i = 0; !err && i < QUEUED; i++)
		err = queue_one(task, &room->channel[PT_ASKS], signal, i);
	return err;
}

/* SIGUSR1 is sent as often as the others. */
static int queue(struct pt_task *task)
{
	const struct pt_exchange *room = pt_room(task);
	int err;

	pt_stamp(task, 0);
	err = send_all(task, room->channel[PT_ASKS].fd[1]);
	pt_stamp(task, 1);
	if (!err)
		err = send_all(task, SIGUSR1);
	if (err)
		return err;
	pt_side(task)->sent += QUEUED;
	pt_wake(task, PT_ANSWERS);
	pt_await(task);
	return 0;
}

static int dequeue(struct pt_task *task)
{
	const sigset_t *signals = &from_of(task)->signals;
	struct pt_exchange *room = pt_room(task);
	struct pt_side *side = pt_side(task);
	int i, count = 0, values[QUEUED];
	sigset_t standard;

	pt_stamp(task, 2);
	while (count < QUEUED && (values[count] = take_pending(signals)) >= 0)
		count++;
	pt_stamp(task, 3);
	side->received += count;
	for (i = 0; i < count; i++)
		side->wrong += values[i] != i;
	while (take_pending(signals) >= 0)
		side->received++;
	sigemptyset(&standard);
	sigaddset(&standard, SIGUSR1);
	while (take_pending(&standard) >= 0)
		room->standard++;
	return pt_wake(task, PT_ASKS);
}

/* Of queue, one SIGUSR1 a trial. */
void pt_signal_verify(struct pt_case *c)
{
	const struct pt_exchange *room = c->room;
	long long sent = room->side[PT_ASKS].sent;
	long long lost = sent - room->side[PT_ANSWERS].received;
	long long wrong = room->side[PT_ANSWERS].wrong;

	if (!c->choice.kind->roles) {
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

const struct pt_metric pt_queue_metrics[] = {
	PT_METRIC("send", "A signal to the queue", 0, 1,
		  PT_WHO(PT_TO_RUN, PT_ASKS, 0), .per = QUEUED,
		  .rate = "signals"),
	PT_METRIC("take", "A signal from the queue", 2, 3,
		  PT_WHO(PT_TO_RUN, PT_ANSWERS, 0), .per = QUEUED),
	{ .token = NULL }
};

const struct pt_role pt_queue_roles[] = {
	[PT_ASKS] = { "asks", PT_MID, .once = queue },
	[PT_ANSWERS] = { "answers", PT_ORDERED, true, .serve = dequeue },
	{ .name = NULL }
};
