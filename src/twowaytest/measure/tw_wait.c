// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/tw_wait.h"

int tw_wait_nothing_to_open(struct tw_wait *wait)
{
	(void)wait;
	return 0;
}

void tw_wait_nothing_to_close(struct tw_wait *wait)
{
	(void)wait;
}

static void poll_wait(struct tw_wait *wait)
{
	poll(&wait->pollfd, 1, -1);
}

const struct tw_wait_ops tw_wait_poll = {
	"poll", tw_wait_nothing_to_open, poll_wait, tw_wait_nothing_to_close,
	false
};

const struct tw_wait_ops *const tw_wait_kinds[] = {
	&tw_wait_poll,
	&tw_wait_select,
	&tw_wait_epoll,
	&tw_wait_read,
	&tw_wait_busy,
	NULL
};

int tw_wait_open(struct tw_wait *wait, const struct tw_wait_ops *ops, int fd)
{
	memset(wait, 0, sizeof(*wait));
	wait->ops = ops;
	wait->fd = fd;
	wait->pollfd.fd = fd;
	wait->pollfd.events = POLLIN;
	return ops->open(wait);
}
