// SPDX-License-Identifier: GPL-2.0-or-later
/* The front's words; its answers; a connection that is there already. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_front.h"

#define PIECE	4096

const char *tw_front_reason_text(enum tw_front_reason reason)
{
	static const char *const texts[TW_FRONT_REASONS] = {
		[TW_FRONT_OPEN] = "open",
		[TW_FRONT_NOT_ALLOWED] = "not allowed",
		[TW_FRONT_FULL] = "too many connections",
		[TW_FRONT_BAD_FRAME] = "not the protocol of twowaytest",
		[TW_FRONT_BAD_HELLO] = "wrong HELLO",
		[TW_FRONT_VERSION] = "no common version",
		[TW_FRONT_EXTRA_BYTES] = "bytes behind RUN",
		[TW_FRONT_LEFT] = "left",
		[TW_FRONT_TIME_OUT] = "too slow",
		[TW_FRONT_SYSTEM] = "no resources",
	};

	return texts[reason];
}

void tw_front_peer_text(const union tw_address *address,
			char text[TW_FRONT_PEER_TEXT])
{
	char number[INET6_ADDRSTRLEN] = "unknown", scope[16] = "";
	const struct in6_addr *six = &address->in6.sin6_addr;

	if (address->any.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(six)) {
		inet_ntop(AF_INET6, six, number, sizeof(number));
		if (address->in6.sin6_scope_id)
			snprintf(scope, sizeof(scope), "%%%u",
				 (unsigned int)address->in6.sin6_scope_id);
		snprintf(text, TW_FRONT_PEER_TEXT, "[%s%s]:%u", number, scope,
			 ntohs(address->in6.sin6_port));
		return;
	}
	if (address->any.sa_family == AF_INET6)
		inet_ntop(AF_INET, six->s6_addr + 12, number, sizeof(number));
	else if (address->any.sa_family == AF_INET)
		inet_ntop(AF_INET, &address->in.sin_addr, number,
			  sizeof(number));
	/* The port is at the same place in both. */
	snprintf(text, TW_FRONT_PEER_TEXT, "%s:%u", number,
		 ntohs(address->in.sin_port));
}

void tw_front_take(const struct tw_greeting *greeting,
		   struct tw_front_run *run)
{
	run->version = greeting->version;
	run->length = greeting->run.length;
	memcpy(run->body, greeting->run.body, run->length);
}

int tw_front_turn_away(struct tw_front_run *run, enum tw_frame_type type,
		       const char *text)
{
	int err = tw_refusal_send(run->fd, type, text, 0);

	close(run->fd);
	run->fd = -1;
	return err;
}

/* Waits for input and takes it: 1: RUN has come; 0: not yet; or -errno. */
static int hear(struct tw_greeting *greeting, struct pollfd fds[2],
		int left_ms)
{
	char buf[PIECE];
	ssize_t got;
	int found = poll(fds, 2, left_ms);

	if (found < 0)
		return -errno;
	if (fds[1].revents)
		return -EINTR;
	if (!found)
		return left_ms ? 0 : -ETIMEDOUT;
	got = read(fds[0].fd, buf, sizeof(buf));
	if (got < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (!got)
		return -ECONNRESET;
	return tw_greeting_feed(greeting, buf, (size_t)got);
}

int tw_front_greet(int in_fd, int out_fd, int wake_fd, int limit_ms,
		   const struct tw_versions *versions,
		   struct tw_front_run *run, enum tw_front_reason *reason)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) +
			 limit_ms * TW_NS_PER_MS;
	struct pollfd fds[] = {
		{ .fd = in_fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};
	struct tw_greeting greeting;
	int left_ms, got, err;

	tw_greeting_init(&greeting, versions);
	do {
		left_ms = tw_left_ms(end_ns);
		got = hear(&greeting, fds, left_ms);
		err = 0;
		if (greeting.reply_length)
			err = tw_frame_write(out_fd, greeting.reply,
					     greeting.reply_length, left_ms);
		greeting.reply_length = 0;
	} while (!got && !err);
	*reason = greeting.reason;
	if (got < 0)
		return got;
	if (err)
		return err;
	memset(run, 0, offsetof(struct tw_front_run, body));
	run->fd = -1;
	tw_front_take(&greeting, run);
	return 0;
}
