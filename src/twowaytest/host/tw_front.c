// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_front.h"

#define PIECE		4096
#define TOKEN_NS	(TW_NS_PER_S / TW_FRONT_RATE)
#define NEVER_NS	INT64_MAX

/* What tw_front_poll() waits for; those that are not there have fd -1. */
struct waits {
	struct pollfd extra[TW_FRONT_EXTRA];
	struct pollfd listeners[TW_FRONT_LISTENERS];
	struct pollfd peers[TW_FRONT_PEERS];
};

int tw_front_open(struct tw_front *front, const int *listeners,
		  unsigned int count, const struct tw_allow *allow,
		  const struct tw_versions *versions)
{
	unsigned int i;
	int flags;

	if (count > TW_FRONT_LISTENERS)
		return -E2BIG;
	memset(front, 0, sizeof(*front));
	for (i = 0; i < count; i++) {
		flags = fcntl(listeners[i], F_GETFL);
		if (flags < 0 ||
		    fcntl(listeners[i], F_SETFL, flags | O_NONBLOCK))
			return -errno;
	}
	for (i = 0; i < TW_FRONT_LISTENERS; i++)
		front->listeners[i] = i < count ? listeners[i] : -1;
	for (i = 0; i < TW_FRONT_PEERS; i++)
		front->peers[i].fd = -1;
	front->allow = allow;
	front->versions = *versions;
	front->limit_ms = TW_HELLO_MS;
	front->tokens_ns = TW_NS_PER_S;
	front->filled_ns = tw_now_ns(CLOCK_MONOTONIC);
	return 0;
}

static void close_peer(struct tw_front *front, struct tw_front_peer *peer,
		       enum tw_front_reason reason)
{
	front->closed[reason]++;
	close(peer->fd);
	peer->fd = -1;
}

void tw_front_close(struct tw_front *front)
{
	unsigned int i;

	for (i = 0; i < TW_FRONT_PEERS; i++)
		if (front->peers[i].fd >= 0) {
			close(front->peers[i].fd);
			front->peers[i].fd = -1;
		}
}

/* Closes those whose time is over. Returns when the next one's is. */
static int64_t expire(struct tw_front *front, int64_t now_ns)
{
	int64_t next_ns = NEVER_NS;
	struct tw_front_peer *peer;
	unsigned int i;

	for (i = 0; i < TW_FRONT_PEERS; i++) {
		peer = &front->peers[i];
		if (peer->fd >= 0 && peer->end_ns <= now_ns)
			close_peer(front, peer, TW_FRONT_TIME_OUT);
		if (peer->fd >= 0 && peer->end_ns < next_ns)
			next_ns = peer->end_ns;
	}
	return next_ns;
}

/* Returns when the next accept is allowed. */
static int64_t fill_tokens(struct tw_front *front, int64_t now_ns)
{
	front->tokens_ns += now_ns - front->filled_ns;
	front->filled_ns = now_ns;
	if (front->tokens_ns > TW_NS_PER_S)
		front->tokens_ns = TW_NS_PER_S;
	return now_ns + TOKEN_NS - front->tokens_ns;
}

static struct tw_front_peer *free_peer(struct tw_front *front)
{
	unsigned int i;

	for (i = 0; i < TW_FRONT_PEERS; i++)
		if (front->peers[i].fd < 0)
			return &front->peers[i];
	return NULL;
}

static void admit(struct tw_front *front, int fd,
		  const union tw_address *address, int64_t now_ns)
{
	struct tw_front_peer *peer = free_peer(front);
	enum tw_front_reason reason = TW_FRONT_FULL;

	if (front->allow && !tw_allow_match(front->allow, address))
		reason = TW_FRONT_NOT_ALLOWED;
	else if (peer)
		reason = TW_FRONT_OPEN;
	if (reason != TW_FRONT_OPEN) {
		front->closed[reason]++;
		close(fd);
		return;
	}
	peer->fd = fd;
	peer->address = *address;
	peer->end_ns = now_ns + front->limit_ms * TW_NS_PER_MS;
	tw_greeting_init(&peer->greeting, &front->versions);
}

static void accept_one(struct tw_front *front, int listener, int64_t now_ns)
{
	union tw_address address = { .any.sa_family = AF_UNSPEC };
	socklen_t size = sizeof(address);
	int fd = accept4(listener, &address.any, &size,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* Errors cost as much: without descriptors, it stays ready. */
	front->tokens_ns -= TOKEN_NS;
	if (fd >= 0)
		admit(front, fd, &address, now_ns);
	else
		front->closed[TW_FRONT_SYSTEM]++;
}

static int left(struct tw_greeting *greeting)
{
	greeting->reason = TW_FRONT_LEFT;
	return -EPROTO;
}

/* Behind RUN, it has to wait for our answer: 1, or -EPROTO. */
static int check_silent(struct tw_front_peer *peer)
{
	char byte;
	ssize_t got = recv(peer->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);

	if (got < 0 && errno == EAGAIN)
		return 1;
	if (got <= 0)
		return left(&peer->greeting);
	peer->greeting.reason = TW_FRONT_EXTRA_BYTES;
	return -EPROTO;
}

/* Whether it asks for a run: 1, 0; or -EPROTO with the reason to close it. */
static int hear(struct tw_front_peer *peer)
{
	struct tw_greeting *greeting = &peer->greeting;
	char buf[PIECE];
	ssize_t got = recv(peer->fd, buf, sizeof(buf), MSG_DONTWAIT);
	int result;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0)
		return left(greeting);
	result = tw_greeting_feed(greeting, buf, (size_t)got);
	/*
	 * It fits: nothing else was sent on this connection. If that broke,
	 * recv() tells.
	 */
	if (greeting->reply_length)
		tw_frame_write(peer->fd, greeting->reply,
			       greeting->reply_length, 0);
	greeting->reply_length = 0;
	return result > 0 ? check_silent(peer) : result;
}

/* Returns whether *run is set. */
static bool serve_peer(struct tw_front *front, struct tw_front_peer *peer,
		       struct tw_front_run *run)
{
	int result = hear(peer);

	if (result < 0)
		close_peer(front, peer, peer->greeting.reason);
	if (result <= 0)
		return false;
	tw_front_take(&peer->greeting, run);
	run->fd = peer->fd;
	run->address = peer->address;
	tw_front_peer_text(&peer->address, run->peer);
	peer->fd = -1;
	return true;
}

/* Serves what poll() has found. Returns whether *run is set. */
static bool serve(struct tw_front *front, const struct waits *waits,
		  struct tw_front_run *run)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	unsigned int i;

	/* Those who are there before those who come. */
	for (i = 0; i < TW_FRONT_PEERS; i++)
		if (waits->peers[i].revents &&
		    serve_peer(front, &front->peers[i], run))
			return true;
	for (i = 0; i < TW_FRONT_LISTENERS; i++)
		if (waits->listeners[i].revents &&
		    front->tokens_ns >= TOKEN_NS)
			accept_one(front, front->listeners[i], now_ns);
	return false;
}

static int64_t earlier(int64_t one_ns, int64_t other_ns)
{
	return one_ns < other_ns ? one_ns : other_ns;
}

/* Sets what to wait for. Returns until when. */
static int64_t prepare(struct tw_front *front, struct waits *waits,
		       const struct pollfd *extra, unsigned int extra_count,
		       int64_t now_ns)
{
	int64_t wake_ns = expire(front, now_ns);
	int64_t token_ns = fill_tokens(front, now_ns);
	bool may_accept = token_ns <= now_ns;
	unsigned int i;

	for (i = 0; i < TW_FRONT_EXTRA; i++) {
		waits->extra[i].fd = i < extra_count ? extra[i].fd : -1;
		waits->extra[i].events = i < extra_count ? extra[i].events : 0;
	}
	for (i = 0; i < TW_FRONT_LISTENERS; i++) {
		waits->listeners[i].fd = may_accept ? front->listeners[i] : -1;
		waits->listeners[i].events = POLLIN;
	}
	for (i = 0; i < TW_FRONT_PEERS; i++) {
		waits->peers[i].fd = front->peers[i].fd;
		waits->peers[i].events = POLLIN;
	}
	return may_accept ? wake_ns : earlier(wake_ns, token_ns);
}

/* Returns how many of @extra are ready. */
static unsigned int pass_on(const struct waits *waits, struct pollfd *extra,
			    unsigned int extra_count)
{
	unsigned int i, ready = 0;

	for (i = 0; i < extra_count; i++) {
		extra[i].revents = waits->extra[i].revents;
		ready += extra[i].revents != 0;
	}
	return ready;
}

int tw_front_poll(struct tw_front *front, struct pollfd *extra,
		  unsigned int extra_count, int timeout_ms,
		  struct tw_front_run *run)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t end_ns = timeout_ms < 0 ? NEVER_NS :
			 now_ns + timeout_ms * TW_NS_PER_MS;
	struct waits waits;
	unsigned int ready;
	int64_t wake_ns;

	if (extra_count > TW_FRONT_EXTRA)
		return -E2BIG;
	for (;;) {
		now_ns = tw_now_ns(CLOCK_MONOTONIC);
		wake_ns = prepare(front, &waits, extra, extra_count, now_ns);
		if (poll((struct pollfd *)&waits,
			 sizeof(waits) / sizeof(struct pollfd),
			 tw_until_ms(now_ns, earlier(wake_ns, end_ns))) < 0)
			return -errno;
		ready = pass_on(&waits, extra, extra_count);
		if (serve(front, &waits, run))
			return 1;
		if (ready)
			return -EINTR;
		/* Even if there is more to do: nobody can hold us here. */
		if (now_ns >= end_ns)
			return 0;
	}
}
