// SPDX-License-Identifier: GPL-2.0-or-later
/* How a task gets a signal that is blocked otherwise. */
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "rows/pt_signal.h"

static int open_nothing(struct pt_signal_side *side)
{
	(void)side;
	return 0;
}

static int take_sigwaitinfo(struct pt_signal_side *side,
			    struct pt_signal_got *got)
{
	siginfo_t info;

	/* EINTR: the process was stopped, and continues. */
	while (sigwaitinfo(&side->set, &info) < 0)
		if (errno != EINTR)
			return -errno;
	got->t_ns = pt_now(side->task);
	got->value = info.si_value.sival_int;
	return 0;
}

/* For the handler; each task has its own, as it has its own signal. */
static struct {
	struct pt_task *task;
	volatile sig_atomic_t arrived;
	struct pt_signal_got got;
} handled[PT_SIGNAL_SIDES];

static void handle(int signo, siginfo_t *info, void *context)
{
	int side = signo - pt_signal_number(0);

	(void)context;
	handled[side].got.t_ns = pt_now(handled[side].task);
	handled[side].got.value = info->si_value.sival_int;
	handled[side].arrived = 1;
}

static int open_handler(struct pt_signal_side *side)
{
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO,
	};

	handled[side->signo - pt_signal_number(0)].task = side->task;
	sigfillset(&action.sa_mask);
	return sigaction(side->signo, &action, NULL) ? -errno : 0;
}

static int take_handler(struct pt_signal_side *side, struct pt_signal_got *got)
{
	int number = side->signo - pt_signal_number(0);
	sigset_t others;

	sigfillset(&others);
	sigdelset(&others, side->signo);
	while (!handled[number].arrived)
		sigsuspend(&others);
	handled[number].arrived = 0;
	*got = handled[number].got;
	return 0;
}

static int open_signalfd(struct pt_signal_side *side)
{
	side->fd = signalfd(-1, &side->set, SFD_CLOEXEC);
	return side->fd < 0 ? -errno : 0;
}

static int take_signalfd(struct pt_signal_side *side, struct pt_signal_got *got)
{
	struct signalfd_siginfo info;

	if (read(side->fd, &info, sizeof(info)) != sizeof(info))
		return -errno;
	got->t_ns = pt_now(side->task);
	got->value = info.ssi_int;
	return 0;
}

static void verify(struct pt_case *c)
{
	const struct pt_signal *shared = c->room;

	pt_verdict(c, shared->sent != shared->received || shared->wrong,
		   "%lld signals sent, %lld received, %lld of them with another value",
		   (long long)shared->sent, (long long)shared->received,
		   (long long)shared->wrong);
}

const struct pt_signal_way pt_signal_sigwaitinfo = {
	open_nothing, take_sigwaitinfo, verify,
};

const struct pt_signal_way pt_signal_handler = {
	open_handler, take_handler, verify,
};

const struct pt_signal_way pt_signal_signalfd = {
	open_signalfd, take_signalfd, verify,
};
