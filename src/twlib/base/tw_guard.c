// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/tw_guard.h"

#define UNDO_MS	10000	/* some ms are usual; a trace takes a second or so */

/* The guardian, and both ends of the pipe that it watches. */
struct post {
	const struct tw_guard *guard;
	int fds[2];
};

/* Waits for main's end of the pipe to close, by whatever end main takes. */
static int stand_guard(void *arg)
{
	const struct post *post = arg;
	char byte;
	int err;

	/* With this one open it would wait for itself. */
	close(post->fds[1]);
	err = tw_child_ready();
	if (err)
		return err;
	while (read(post->fds[0], &byte, 1) < 0 && errno == EINTR)
		;
	return post->guard->undo(post->guard->what);
}

int tw_guard_open(struct tw_guard *guard, int (*undo)(const void *what),
		  const void *what, int held)
{
	struct post post = { .guard = guard };
	struct tw_child_how how = {
		/* Out of reach of what is sent to main's whole group. */
		.name = "twoway-guard", .place = TW_CHILD_OWN_SESSION,
		.live = stand_guard, .arg = &post,
	};
	int err;

	guard->fd = -1;
	guard->undo = undo;
	guard->what = what;
	if (pipe2(post.fds, O_CLOEXEC))
		return -errno;
	how.keep[0] = post.fds[0];
	how.keep[1] = held;
	err = tw_child_start(&guard->child, &how, TW_CHILD_READY_MS);
	close(post.fds[0]);
	if (err)
		close(post.fds[1]);
	else
		guard->fd = post.fds[1];
	return err;
}

void tw_guard_close(struct tw_guard *guard)
{
	int err;

	if (guard->fd < 0)
		return;
	close(guard->fd);
	guard->fd = -1;
	err = tw_child_stop(&guard->child, 0, UNDO_MS);
	if (err || guard->child.status)	/* it was killed, or could not */
		guard->undo(guard->what);
}
