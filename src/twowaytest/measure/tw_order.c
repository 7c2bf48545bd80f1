// SPDX-License-Identifier: GPL-2.0-or-later
/* The orders in which one server serves many clients. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "measure/tw_servers.h"

static int poll_open(struct tw_order *order)
{
	const struct tw_servers *servers = order->servers;
	int i;

	order->pollfds = calloc(servers->count, sizeof(*order->pollfds));
	if (!order->pollfds)
		return -ENOMEM;
	for (i = 0; i < servers->count; i++)
		order->pollfds[i] = (struct pollfd) {
			.fd = servers->served[i].fd, .events = POLLIN,
		};
	return 0;
}

static void poll_forget(struct tw_order *order, int index)
{
	order->pollfds[index].fd = -1;
	order->pollfds[index].revents = 0;
}

static void poll_close(struct tw_order *order)
{
	free(order->pollfds);
}

/* The first from @index on that has something to read; -1: none. */
static int find_ready(const struct tw_order *order, int index)
{
	for (; index < order->servers->count; index++)
		if (order->pollfds[index].revents)
			return index;
	return -1;
}

/* Asks again after each answer: a higher client may have come meanwhile. */
static int priority_next(struct tw_order *order)
{
	if (poll(order->pollfds, order->servers->count, -1) < 0)
		return -errno;
	return find_ready(order, 0);
}

/* All that were ready at one time are served in turn. */
static int fixed_next(struct tw_order *order)
{
	int index = find_ready(order, order->next);

	if (index < 0) {
		if (poll(order->pollfds, order->servers->count, -1) < 0)
			return -errno;
		index = find_ready(order, 0);
	}
	order->next = index + 1;
	return index;
}

/*
 * Edges: by level, a client that was served would stay in line, and come
 * before those that asked while it had its reply. It has one request under
 * way, so once that was read, what comes next is an edge of its own.
 */
static int arrival_open(struct tw_order *order)
{
	const struct tw_servers *servers = order->servers;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int i, err;

	order->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (order->epoll_fd < 0)
		return -errno;
	for (i = 0; i < servers->count; i++) {
		event.data.u32 = (uint32_t)i;
		if (epoll_ctl(order->epoll_fd, EPOLL_CTL_ADD,
			      servers->served[i].fd, &event)) {
			err = -errno;
			close(order->epoll_fd);
			return err;
		}
	}
	return 0;
}

/* The kernel keeps those that are ready in the order of their arrival. */
static int arrival_next(struct tw_order *order)
{
	struct epoll_event event;

	if (epoll_wait(order->epoll_fd, &event, 1, -1) < 0)
		return -errno;
	return (int)event.data.u32;
}

static void arrival_forget(struct tw_order *order, int index)
{
	epoll_ctl(order->epoll_fd, EPOLL_CTL_DEL,
		  order->servers->served[index].fd, NULL);
}

static void arrival_close(struct tw_order *order)
{
	close(order->epoll_fd);
}

static const struct tw_order_ops priority = {
	"priority", poll_open, priority_next, poll_forget, poll_close
};

static const struct tw_order_ops arrival = {
	"arrival", arrival_open, arrival_next, arrival_forget, arrival_close
};

static const struct tw_order_ops fixed = {
	"fixed", poll_open, fixed_next, poll_forget, poll_close
};

const struct tw_order_ops *const tw_order_kinds[] = {
	&priority, &arrival, &fixed, NULL
};
