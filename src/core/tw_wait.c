// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <stddef.h>
#include <string.h>

#include "tw_wait.h"

static void poll_wait(int fd, const atomic_int *stop)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	poll(&ready, 1, -1);
}

/* The receive that follows blocks. */
static void read_wait(int fd, const atomic_int *stop)
{
}

const struct tw_wait_ops tw_wait_poll = {
	"poll", NULL, poll_wait
};

const struct tw_wait_ops tw_wait_read = {
	"read", NULL, read_wait
};

static const struct tw_wait_ops *const kinds[] = {
	&tw_wait_poll,
	&tw_wait_select,
	&tw_wait_epoll,
	&tw_wait_read,
	&tw_wait_busy,
	NULL
};

const char *tw_wait_name(int number)
{
	return kinds[number] ? kinds[number]->name : NULL;
}

const struct tw_wait_ops *tw_wait_find(const char *name)
{
	int i = 0;

	while (kinds[i] && strcmp(kinds[i]->name, name))
		i++;
	return kinds[i];
}
