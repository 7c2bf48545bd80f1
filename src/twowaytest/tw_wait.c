// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_wait.h"

static int nothing_to_open(struct tw_wait *wait)
{
	(void)wait;
	return 0;
}

static void nothing_to_close(struct tw_wait *wait)
{
	(void)wait;
}

static void poll_wait(struct tw_wait *wait)
{
	poll(&wait->pollfd, 1, -1);
}

static int select_open(struct tw_wait *wait)
{
	return wait->fd < FD_SETSIZE ? 0 : -EBADF;
}

static void select_wait(struct tw_wait *wait)
{
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(wait->fd, &fds);
	select(wait->fd + 1, &fds, NULL, NULL, NULL);
}

static int epoll_open(struct tw_wait *wait)
{
	struct epoll_event event = { .events = EPOLLIN };
	int err;

	wait->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (wait->epoll_fd < 0)
		return -errno;
	if (epoll_ctl(wait->epoll_fd, EPOLL_CTL_ADD, wait->fd, &event)) {
		err = -errno;
		close(wait->epoll_fd);
		return err;
	}
	return 0;
}

static void epoll_wait_one(struct tw_wait *wait)
{
	struct epoll_event event;

	epoll_wait(wait->epoll_fd, &event, 1, -1);
}

static void epoll_close(struct tw_wait *wait)
{
	close(wait->epoll_fd);
}

/* The read that follows blocks. */
static void read_wait(struct tw_wait *wait)
{
	(void)wait;
}

static void busy_wait(struct tw_wait *wait)
{
	char byte;

	while (recv(wait->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
	       errno == EAGAIN)
		;
}

static const struct tw_wait_ops kinds[] = {
	{ "poll", nothing_to_open, poll_wait, nothing_to_close },
	{ "select", select_open, select_wait, nothing_to_close },
	{ "epoll", epoll_open, epoll_wait_one, epoll_close },
	{ "read", nothing_to_open, read_wait, nothing_to_close },
	{ "busy", nothing_to_open, busy_wait, nothing_to_close },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

const struct tw_wait_ops *const tw_wait_busy = &kinds[KINDS - 1];

const struct tw_wait_ops *tw_wait_kind(size_t index)
{
	return index < KINDS ? &kinds[index] : NULL;
}

int tw_wait_open(struct tw_wait *wait, const struct tw_wait_ops *ops, int fd)
{
	memset(wait, 0, sizeof(*wait));
	wait->ops = ops;
	wait->fd = fd;
	wait->pollfd.fd = fd;
	wait->pollfd.events = POLLIN;
	return ops->open(wait);
}
