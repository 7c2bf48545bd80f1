// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/tw_wait.h"

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

/* Does not wait: the receive that follows blocks. */
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

const struct tw_wait_ops tw_wait_select = {
	"select", select_open, select_wait, tw_wait_nothing_to_close, false
};

const struct tw_wait_ops tw_wait_epoll = {
	"epoll", epoll_open, epoll_wait_one, epoll_close, false
};

const struct tw_wait_ops tw_wait_read = {
	"read", tw_wait_nothing_to_open, read_wait, tw_wait_nothing_to_close,
	false
};

const struct tw_wait_ops tw_wait_busy = {
	"busy", tw_wait_nothing_to_open, busy_wait, tw_wait_nothing_to_close,
	true
};
