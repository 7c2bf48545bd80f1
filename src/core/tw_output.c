// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tw_output.h"
#include "tw_run.h"
#include "tw_say.h"
#include "tw_text.h"
#include "tw_time.h"

#define TICK_MS		250
#define WAKE_SIGNAL	(SIGRTMIN + 2)
#define PENDING_MS	1000	/* main does not take the signal... */
#define LEFT_MS		5000	/* ...or has taken it, but cannot print */

static timer_t timer;
static bool has_timer;
static volatile sig_atomic_t waited_ms, ends, lost;
static int why;		/* errno of the first write that failed */

static bool is_pending(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) > 0 ||
	       sigismember(&pending, SIGTERM) > 0 ||
	       sigismember(&pending, SIGHUP) > 0;
}

/* Nobody reads it, or whoever does has stopped. */
static bool is_full(int fd)
{
	struct pollfd of = { .fd = fd, .events = POLLOUT };

	return !poll(&of, 1, 0);
}

/* The write that waits begins anew. */
static void give_up(void)
{
	int fd, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (is_full(fd))
			dup2(null, fd);
	close(null);
	lost = 1;
}

/* It interrupts a write, and has only calls that may do so. */
static void on_tick(int signal)
{
	int err = errno;
	bool pending = is_pending();

	waited_ms = (pending || ends) &&
		    (is_full(STDOUT_FILENO) || is_full(STDERR_FILENO)) ?
		    waited_ms + TICK_MS : 0;
	if (waited_ms >= (pending ? PENDING_MS : LEFT_MS))
		give_up();
	errno = err;
}

void tw_output_watch(void)
{
	const struct sigaction action = {
		.sa_handler = on_tick, .sa_flags = SA_RESTART,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = WAKE_SIGNAL,
	};

	sigaction(WAKE_SIGNAL, &action, NULL);
	/* Without it, as where no more timers may be, nothing else changes. */
	has_timer = !timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static void tick_every(int ms)
{
	const struct timespec tick = { .tv_nsec = ms * TW_NS_PER_MS };

	if (has_timer)
		timer_settime(timer, 0, &(struct itimerspec) { tick, tick },
			      NULL);
}

void tw_output_begin(void)
{
	waited_ms = 0;
	tick_every(TICK_MS);
}

void tw_output_end(void)
{
	tick_every(0);
}

void tw_output_ends(int signal)
{
	/* Who interrupts it by hand may read what it prints by hand, too. */
	ends = signal != SIGINT;
}

void tw_output_take_signals(struct tw_run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			tw_text_status(stderr, run);
		else if (info.ssi_signo != SIGCHLD &&
			 info.ssi_signo != SIGALRM)
			run->interrupted = (int)info.ssi_signo;
	}
	if (run->interrupted)
		tw_output_ends(run->interrupted);
}

bool tw_output_lost(void)
{
	return lost;
}

bool tw_output_flush(void)
{
	if (fflush(stdout) && !why)
		why = errno;
	return !tw_output_failed();
}

bool tw_output_failed(void)
{
	return ferror(stdout) || lost;
}

void tw_output_warn(void)
{
	tw_say_warn("cannot write to standard output: %s\n",
		    lost ? "nobody reads it" : strerror(why ? why : EIO));
}
