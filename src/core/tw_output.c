// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "tw_output.h"
#include "tw_time.h"

#define TICK_MS		250
#define STACK		65536	/* a child that locks its memory has it, too */
#define WAKE_SIGNAL	(SIGRTMIN + 2)
#define PENDING_MS	1000	/* main does not take the signal... */
#define LEFT_MS		5000	/* ...or has taken it, but cannot print */

static int signals, event = -1;	/* descriptors */
static pthread_t owner;		/* main */
static atomic_int ends, lost;

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

/* A write that waits is interrupted, and begins anew. */
static void give_up(void)
{
	int fd, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (is_full(fd))
			dup2(null, fd);
	close(null);
	lost = 1;
	pthread_kill(owner, WAKE_SIGNAL);
}

static void *watch(void *arg)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = event, .events = POLLIN },
	};
	const struct timespec tick = { .tv_nsec = TICK_MS * TW_NS_PER_MS };
	int ms = 0;
	bool pending;

	for (;;) {
		poll(fds, 2, -1);
		nanosleep(&tick, NULL);
		pending = is_pending();
		ms = (pending || ends) && (is_full(STDOUT_FILENO) ||
					   is_full(STDERR_FILENO)) ?
		     ms + TICK_MS : 0;
		if (ms < (pending ? PENDING_MS : LEFT_MS))
			continue;
		give_up();
		ms = 0;
	}
	return NULL;
}

static void on_wake(int signal)
{
}

void tw_output_watch(int signal_fd)
{
	const struct sigaction action = {
		.sa_handler = on_wake, .sa_flags = SA_RESTART,
	};
	pthread_attr_t attributes;
	pthread_t thread;

	owner = pthread_self();
	signals = signal_fd;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sigaction(WAKE_SIGNAL, &action, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	/* Without it, as where no more threads may be, nothing else changes. */
	pthread_create(&thread, &attributes, watch, NULL);
	pthread_attr_destroy(&attributes);
}

void tw_output_ends(int signal)
{
	/* Who interrupts it by hand may read what it prints by hand, too. */
	ends = signal != SIGINT;
	if (ends)
		eventfd_write(event, 1);
}

bool tw_output_lost(void)
{
	return lost;
}
