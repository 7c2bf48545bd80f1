// SPDX-License-Identifier: GPL-2.0-or-later
/* --wait: the ways in which the server waits for a request. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "tw_part.h"
#include "tw_link.h"

static int select_open(int fd)
{
	return fd < FD_SETSIZE ? fd : -EMFILE;
}

static void select_wait(int fd, const atomic_int *stop)
{
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(fd, &fds);
	select(fd + 1, &fds, NULL, NULL, NULL);
}

static int epoll_open(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	return epoll_fd;
}

static void epoll_wait_one(int fd, const atomic_int *stop)
{
	struct epoll_event event;

	epoll_wait(fd, &event, 1, -1);
}

/* The receive that follows blocks. */
static void read_wait(int fd, const atomic_int *stop)
{
}

static void busy_wait(int fd, const atomic_int *stop)
{
	char byte;

	while (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
	       errno == EAGAIN &&
	       !atomic_load_explicit(stop, memory_order_relaxed))
		;
}

static const struct tw_wait_ops wait_select = {
	"select", select_open, select_wait
};

static const struct tw_wait_ops wait_epoll = {
	"epoll", epoll_open, epoll_wait_one
};

const struct tw_wait_ops tw_wait_read = {
	"read", NULL, read_wait
};

const struct tw_wait_ops tw_wait_busy = {
	"busy", NULL, busy_wait
};

static const struct tw_wait_ops *const ways[] = {
	&tw_wait_poll,
	&wait_select,
	&wait_epoll,
	&tw_wait_read,
	&tw_wait_busy,
	NULL
};

static const char *name = "poll";

static const char *name_of(int number)
{
	return ways[number] ? ways[number]->name : NULL;
}

static const struct tw_option options[] = {
	{ 0, "wait", TW_WORD, &name, .choice = name_of,
	  .without = "--servers=one, where --order says how the server waits",
	  .far = TW_ASKED,
	  .help = "how the server waits:" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	int i = 0;

	while (strcmp(ways[i]->name, name))
		i++;
	tw_settings.wait = ways[i];
}

const struct tw_part tw_part_wait = {
	.options = options, .check = check,
};
