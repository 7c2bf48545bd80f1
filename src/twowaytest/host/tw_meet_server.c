// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_meet_greeting.h"

#define UNKNOWN		16	/* connections that have not greeted */
#define DROP_MAX	4096	/* datagrams; more than a queue holds */

/* Connections of streams, before and while they greet. */
struct unknown {
	int fd;			/* -1: unused */
	size_t have;
	char buf[TW_GREETING];
};

void tw_meet_init(struct tw_meet *meet)
{
	int k;

	memset(meet, 0, sizeof(*meet));
	meet->listener = -1;
	for (k = 0; k < TW_FAR_PAIRS; k++)
		meet->fds[k] = -1;
}

void tw_meet_close(struct tw_meet *meet)
{
	int k;

	if (meet->listener >= 0)
		close(meet->listener);
	meet->listener = -1;
	for (k = 0; k < TW_FAR_PAIRS; k++) {
		if (meet->fds[k] >= 0)
			close(meet->fds[k]);
		meet->fds[k] = -1;
	}
}

/* One socket for each pair, that is not connected yet. */
static int open_datagrams(struct tw_meet *meet, union tw_address address,
			  struct tw_granted *granted)
{
	uint16_t first = tw_meet_port(&address);
	unsigned int k;
	int off = 0;

	for (k = 0; k < meet->pairs; k++) {
		tw_meet_set_port(&address, first ? (uint16_t)(first + k) : 0);
		meet->fds[k] = meet->ops->listen(&address);
		if (meet->fds[k] < 0)
			return meet->fds[k];
		/* On one host, links share the port; here, nobody does. */
		setsockopt(meet->fds[k], SOL_SOCKET, SO_REUSEADDR, &off,
			   sizeof(off));
		granted->at[k].port = tw_transport_port(meet->fds[k]);
	}
	granted->ports = meet->pairs;
	return 0;
}

static int open_stream(struct tw_meet *meet, const union tw_address *address,
		       struct tw_granted *granted)
{
	meet->listener = meet->ops->listen(address);
	if (meet->listener < 0)
		return meet->listener;
	granted->ports = 1;
	granted->at[0].port = tw_transport_port(meet->listener);
	return 0;
}

int tw_meet_open(struct tw_meet *meet, const struct tw_transport_ops *ops,
		 const union tw_address *local, unsigned int pairs,
		 size_t size, struct tw_granted *granted)
{
	int err;

	meet->ops = ops;
	meet->pairs = pairs;
	meet->size = size;
	if (getrandom(meet->cookie, TW_COOKIE, 0) != TW_COOKIE)
		return errno ? -errno : -EAGAIN;
	memcpy(granted->cookie, meet->cookie, TW_COOKIE);
	err = ops->datagrams ? open_datagrams(meet, *local, granted) :
			       open_stream(meet, local, granted);
	if (err)
		tw_meet_close(meet);
	return err;
}

static void drop(struct tw_meet *meet, struct unknown *unknown)
{
	close(unknown->fd);
	unknown->fd = -1;
	meet->strangers++;
}

/* Moves those that are there to the front, in their order. Their number. */
static int close_up(struct unknown unknown[UNKNOWN])
{
	int i, count = 0;

	for (i = 0; i < UNKNOWN; i++)
		if (unknown[i].fd >= 0)
			unknown[count++] = unknown[i];
	for (i = count; i < UNKNOWN; i++)
		unknown[i].fd = -1;
	return count;
}

/* Only who controls the run takes part in it, and gets the replies. */
static bool is_client(const struct tw_meet *meet, const union tw_address *from)
{
	const union tw_address *client = &meet->from;

	if (client->any.sa_family == AF_UNSPEC)
		return true;
	if (client->any.sa_family != from->any.sa_family)
		return false;
	if (from->any.sa_family == AF_INET6)
		return IN6_ARE_ADDR_EQUAL(&client->in6.sin6_addr,
					  &from->in6.sin6_addr);
	return client->in.sin_addr.s_addr == from->in.sin_addr.s_addr;
}

/* In the place of the one that has waited longest, if there is no other. */
static void admit(struct tw_meet *meet, struct unknown unknown[UNKNOWN])
{
	union tw_address from;
	socklen_t from_len = sizeof(from);
	int fd = accept4(meet->listener, &from.any, &from_len,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	int count;

	if (fd < 0)
		return;
	if (!is_client(meet, &from)) {
		close(fd);
		meet->strangers++;
		return;
	}
	count = close_up(unknown);
	if (count == UNKNOWN) {
		drop(meet, &unknown[0]);
		count = close_up(unknown);
	}
	unknown[count] = (struct unknown) { .fd = fd };
}

/* Reads no byte of what follows the greeting. */
static void listen_to(struct tw_meet *meet, struct unknown *unknown)
{
	ssize_t len = recv(unknown->fd, unknown->buf + unknown->have,
			   TW_GREETING - unknown->have, 0);
	int64_t pair;

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (len <= 0) {
		drop(meet, unknown);
		return;
	}
	unknown->have += (size_t)len;
	if (unknown->have < TW_GREETING)
		return;
	pair = tw_meet_check(unknown->buf, TW_GREETING, meet);
	if (pair < 0 || meet->fds[pair] >= 0 ||
	    meet->ops->tune(unknown->fd) || tw_meet_watch(unknown->fd)) {
		drop(meet, unknown);
		return;
	}
	meet->fds[pair] = unknown->fd;
	unknown->fd = -1;
}

static bool all_there(const struct tw_meet *meet)
{
	unsigned int k;

	for (k = 0; k < meet->pairs; k++)
		if (meet->fds[k] < 0)
			return false;
	return true;
}

static int await_streams(struct tw_meet *meet, struct unknown *unknown,
			 const int wake_fds[2], int64_t end_ns)
{
	struct pollfd fds[UNKNOWN + 3];
	int i, ready;

	while (!all_there(meet)) {
		for (i = 0; i < UNKNOWN; i++)
			fds[i] = (struct pollfd) { unknown[i].fd, POLLIN, 0 };
		fds[i++] = (struct pollfd) { meet->listener, POLLIN, 0 };
		fds[i++] = (struct pollfd) { wake_fds[0], POLLIN, 0 };
		fds[i++] = (struct pollfd) { wake_fds[1], POLLIN, 0 };
		ready = poll(fds, UNKNOWN + 3, tw_left_ms(end_ns));
		if (!ready || !tw_left_ms(end_ns))
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready < 0 || fds[UNKNOWN + 1].revents ||
		    fds[UNKNOWN + 2].revents)
			return -EINTR;
		for (i = 0; i < UNKNOWN; i++)
			if (fds[i].revents)
				listen_to(meet, &unknown[i]);
		if (fds[UNKNOWN].revents)
			admit(meet, unknown);
	}
	return 0;
}

static int meet_streams(struct tw_meet *meet, const int wake_fds[2],
			int64_t end_ns)
{
	struct unknown unknown[UNKNOWN];
	int i, err;

	for (i = 0; i < UNKNOWN; i++)
		unknown[i].fd = -1;
	err = await_streams(meet, unknown, wake_fds, end_ns);
	for (i = 0; i < UNKNOWN; i++)
		if (unknown[i].fd >= 0)
			drop(meet, &unknown[i]);
	close(meet->listener);
	meet->listener = -1;
	return err;
}

/* True if the sender has greeted: from then on, it alone is heard. */
static bool greeted(struct tw_meet *meet, unsigned int pair)
{
	char buf[TW_GREETING_MAX];
	union tw_address from;
	socklen_t from_len = sizeof(from);
	ssize_t len = recvfrom(meet->fds[pair], buf, sizeof(buf),
			       MSG_DONTWAIT | MSG_TRUNC, &from.any, &from_len);

	if (len < 0)
		return false;
	if ((size_t)len <= sizeof(buf) &&
	    tw_meet_check(buf, (size_t)len, meet) == pair &&
	    is_client(meet, &from) &&
	    !connect(meet->fds[pair], &from.any, from_len))
		return true;
	meet->strangers++;
	return false;
}

/* What came before the socket was connected; the greeting may come twice. */
static void drain(struct tw_meet *meet, unsigned int pair)
{
	char buf[TW_GREETING_MAX];
	ssize_t len;
	int i;

	for (i = 0; i < DROP_MAX; i++) {
		len = recv(meet->fds[pair], buf, sizeof(buf),
			   MSG_DONTWAIT | MSG_TRUNC);
		if (len < 0)
			return;
		if ((size_t)len > sizeof(buf) ||
		    tw_meet_check(buf, (size_t)len, meet) != pair)
			meet->strangers++;
	}
}

static int meet_datagrams(struct tw_meet *meet, const int wake_fds[2],
			  int64_t end_ns)
{
	struct pollfd fds[TW_FAR_PAIRS + 2];
	unsigned int k, missing = meet->pairs;
	int ready;

	for (k = 0; k < meet->pairs; k++)
		fds[k] = (struct pollfd) { meet->fds[k], POLLIN, 0 };
	fds[k] = (struct pollfd) { wake_fds[0], POLLIN, 0 };
	fds[k + 1] = (struct pollfd) { wake_fds[1], POLLIN, 0 };
	while (missing) {
		ready = poll(fds, meet->pairs + 2, tw_left_ms(end_ns));
		if (!ready || !tw_left_ms(end_ns))
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready < 0 || fds[meet->pairs].revents ||
		    fds[meet->pairs + 1].revents)
			return -EINTR;
		for (k = 0; k < meet->pairs; k++)
			if (fds[k].revents && greeted(meet, k)) {
				fds[k].fd = -1;
				missing--;
			}
	}
	for (k = 0; k < meet->pairs; k++)
		drain(meet, k);
	return 0;
}

int tw_meet_await(struct tw_meet *meet, const int wake_fds[2], int limit_ms)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;

	return meet->ops->datagrams ?
	       meet_datagrams(meet, wake_fds, end_ns) :
	       meet_streams(meet, wake_fds, end_ns);
}

int tw_meet_take(struct tw_meet *meet, unsigned int pair)
{
	int fd = meet->fds[pair];
	int err;

	meet->fds[pair] = -1;
	err = tw_transport_make_blocking(fd);
	if (err)
		close(fd);
	return err ? err : fd;
}
