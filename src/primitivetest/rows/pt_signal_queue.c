// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kind queue of signal: what is sent while it is blocked. Real-time signals
 * wait in a queue, in order; of a standard one, one waits.
 */
#include <errno.h>
#include <time.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_signal.h"

static int send_all(struct pt_task *task, int signo)
{
	int i, err = 0;

	for (i = 0; !err && i < PT_SIGNAL_QUEUED; i++)
		err = pt_signal_send(task, PT_SIGNAL_ANSWERS, signo, i);
	return err;
}

static int send_once(struct pt_task *task, struct pt_trial *trial)
{
	struct pt_signal *shared = pt_room(task);
	int err;

	trial->t_ns[0] = pt_now(task);
	err = send_all(task, pt_signal_number(PT_SIGNAL_ANSWERS));
	trial->t_ns[1] = pt_now(task);
	if (!err)
		err = send_all(task, SIGUSR1);
	if (err)
		return err;
	shared->sent += PT_SIGNAL_QUEUED;
	if (sem_post(&shared->go) || sem_wait(&shared->done))
		return -errno;
	trial->t_ns[2] = task->in->stamp_ns;
	trial->t_ns[3] = shared->taken_ns;
	return 0;
}

static int send(struct pt_task *task)
{
	struct pt_signal *shared = pt_room(task);
	struct pt_trial trial = { .t_ns = { 0 } };
	struct pt_pace pace;
	int err = 0;

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		pt_pace_wait(&pace);
		err = send_once(task, &trial);
		if (!err)
			pt_record(task, &trial);
	}
	/* The other one waits for the next trial. */
	return err ? err : sem_post(&shared->go) ? -errno : 0;
}

/* Takes a signal that is pending; false: there is none. */
static bool take(const sigset_t *set, siginfo_t *info)
{
	static const struct timespec now;

	return sigtimedwait(set, info, &now) > 0;
}

static void take_all(struct pt_task *task, const sigset_t *queued,
		     const sigset_t *standard)
{
	struct pt_signal *shared = pt_room(task);
	int value[PT_SIGNAL_QUEUED];
	int i, count = 0;
	siginfo_t info;

	task->in->stamp_ns = pt_now(task);
	while (count < PT_SIGNAL_QUEUED && take(queued, &info))
		value[count++] = info.si_value.sival_int;
	shared->taken_ns = pt_now(task);
	shared->received += count;
	for (i = 0; i < count; i++)
		shared->wrong += value[i] != i;
	while (take(queued, &info))
		shared->received++;
	while (take(standard, &info))
		shared->standard++;
}

static int receive(struct pt_task *task)
{
	struct pt_signal *shared = pt_room(task);
	sigset_t queued, standard;

	sigemptyset(&queued);
	sigaddset(&queued, pt_signal_number(PT_SIGNAL_ANSWERS));
	sigemptyset(&standard);
	sigaddset(&standard, SIGUSR1);
	for (;;) {
		if (sem_wait(&shared->go))
			return -errno;
		if (pt_over(task))
			return 0;
		take_all(task, &queued, &standard);
		if (sem_post(&shared->done))
			return -errno;
	}
}

/* One SIGUSR1 a trial. */
static void verify(struct pt_case *c)
{
	const struct pt_signal *shared = c->room;
	int64_t lost = shared->sent - shared->received;
	int64_t trials = shared->sent / PT_SIGNAL_QUEUED;

	pt_verdict(c, lost || shared->wrong,
		   "%lld signals queued, %lld lost, %lld out of order",
		   (long long)shared->sent, (long long)lost,
		   (long long)shared->wrong);
	pt_verdict(c, shared->standard != trials,
		   "SIGUSR1 sent %d times, in each of %lld trials, arrived %lld times: once a trial is right",
		   PT_SIGNAL_QUEUED, (long long)trials,
		   (long long)shared->standard);
}

const struct pt_signal_way pt_signal_queue = {
	.open = NULL, .take = NULL, .verify = verify,
};

const struct pt_metric pt_signal_queue_metrics[] = {
	{ .token = "send", .label = "A signal to the queue", .from = 0,
	  .to = 1, .per = PT_SIGNAL_QUEUED, .rate = "signals",
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = "take", .label = "A signal from the queue", .from = 2,
	  .to = 3, .per = PT_SIGNAL_QUEUED,
	  .span = { PT_TO_RUN, 1, 0 } },
	{ .token = NULL }
};

const struct pt_role pt_signal_queue_roles[] = {
	{ "asks", PT_MID, false, send },
	{ "answers", PT_ORDERED, true, receive },
	{ .name = NULL }
};
