/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One server and its clients, all in this process: what the clients do is
 * done while the server is about to wait, or sleeps. No time passes.
 */
#ifndef SERVERS_H
#define SERVERS_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "measure/tw_servers.h"
#include "measure/tw_wire.h"
#include "open_files.h"
#include "unit.h"

#define CLIENTS		4
#define SERVED_MAX	500

static struct {
	int fd;			/* the client's end; the server's: in served */
	uint64_t sent;
	bool gone;
	unsigned int steady;	/* calls of it */
	size_t replies_at_steady;
} client[CLIENTS];

static struct tw_served served[CLIENTS];
static _Atomic uint32_t counts[CLIENTS];
static atomic_int stop;
static char request[TW_REQUEST_MAX];
static int files;

/* What happens, and what has happened. */
static struct {
	/* What clients do before wait() number @at, or in nap number @at. */
	void (*before_wait)(size_t at);
	void (*during_nap)(size_t at);
	void (*at_receive)(int index);	/* the server turns to a client */
	size_t waits, naps;
	char order[SERVED_MAX + 1];	/* clients it turned to, as digits */
	int wait_err;		/* of the next wait */
	int receive_err;	/* of the next recv(), with stop */
	bool trickle;		/* requests come in two parts */
	int64_t now_ns;
} world;

static inline size_t waiting_bytes(int fd)
{
	int bytes;

	assert_int_equal(ioctl(fd, FIONREAD, &bytes), 0);
	return bytes;
}

/* Replies that client @index has and has not read. */
static inline size_t replies_of(int index)
{
	size_t bytes = waiting_bytes(client[index].fd);

	assert_int_equal(bytes % TW_REPLY_SIZE, 0);
	return bytes / TW_REPLY_SIZE;
}

static inline void send_bytes(int index, const void *buf, size_t size)
{
	assert_int_equal(write(client[index].fd, buf, size), size);
}

static inline void send_request(int index)
{
	char buf[TW_REQUEST_MIN];

	tw_wire_put_request(buf, ++client[index].sent);
	send_bytes(index, buf, world.trickle ? 3 : sizeof(buf));
}

static inline void go(int index)
{
	if (client[index].gone)
		return;
	client[index].gone = true;
	assert_int_equal(shutdown(client[index].fd, SHUT_WR), 0);
}

/* Nobody waits for a reply: then all go, so that every run has an end. */
static inline bool all_answered(void)
{
	int i;

	for (i = 0; i < CLIENTS; i++)
		if (!client[i].gone && served[i].fd >= 0 &&
		    waiting_bytes(served[i].fd))
			return false;
	return true;
}

static inline int wait_begins(void)
{
	if (world.before_wait)
		world.before_wait(world.waits);
	world.waits++;
	errno = world.wait_err;
	world.wait_err = 0;
	return errno ? -1 : 0;
}

/* Nothing else could end such a wait: better a failure than for ever. */
static inline int wait_ends(int found)
{
	if (!found)
		errno = ETIME;
	return found ? found : -1;
}

/* In place of the C library's. */
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	const struct timespec none = { 0, 0 };

	assert_int_equal(timeout, -1);
	return wait_begins() ? -1 : wait_ends(ppoll(fds, count, &none, NULL));
}

int epoll_wait(int fd, struct epoll_event *events, int count, int timeout)
{
	assert_int_equal(timeout, -1);
	return wait_begins() ? -1 :
	       wait_ends(epoll_pwait(fd, events, count, 0, NULL));
}

int nanosleep(const struct timespec *span, struct timespec *left)
{
	(void)left;
	assert_int_equal(span->tv_nsec, 5000);
	if (world.during_nap)
		world.during_nap(world.naps);
	world.naps++;
	return 0;
}

static inline int index_of_fd(int fd)
{
	int i;

	for (i = 0; i < CLIENTS; i++)
		if (served[i].fd == fd)
			return i;
	fail_msg("%d is no client's", fd);
	return -1;
}

ssize_t recv(int fd, void *buf, size_t size, int flags)
{
	static const char zeros[TW_REQUEST_MIN];
	int index = index_of_fd(fd);
	ssize_t len;
	char rest[TW_REQUEST_MIN];

	if (world.receive_err) {
		errno = world.receive_err;
		world.receive_err = 0;
		return -1;
	}
	if (size == TW_REQUEST_MIN) {
		assert_true(strlen(world.order) < SERVED_MAX);
		world.order[strlen(world.order)] = (char)('0' + index);
		if (world.at_receive)
			world.at_receive(index);
	}
	if (world.trickle && size == TW_REQUEST_MIN) {
		len = recvfrom(fd, buf, size, MSG_DONTWAIT, NULL, NULL);
		tw_wire_put_request(rest, client[index].sent);
		if (len == 3)
			send_bytes(index, rest + 3, sizeof(rest) - 3);
		return len;
	}
	len = recvfrom(fd, buf, size, flags | MSG_DONTWAIT, NULL, NULL);
	/* A server that would wait here: a request of zeros is none. */
	if (len < 0 && errno == EAGAIN) {
		memcpy(buf, zeros, sizeof(zeros));
		return sizeof(zeros);
	}
	return len;
}

static int64_t count_ns(const struct tw_clock *clock)
{
	(void)clock;
	return ++world.now_ns;
}

static const struct tw_clock counting = {
	.name = "counting", .read_ns = count_ns,
};

static inline void steady(void *sink)
{
	int index = (int)((struct tw_served *)sink - served);

	client[index].steady++;
	client[index].replies_at_steady = replies_of(index);
}

static inline int set_up(void **state)
{
	int i, ends[2];

	(void)state;
	memset(&world, 0, sizeof(world));
	memset(client, 0, sizeof(client));
	atomic_store(&stop, 0);
	files = count_open_files();
	for (i = 0; i < CLIENTS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return -1;
		client[i].fd = ends[1];
		atomic_store(&counts[i], 0);
		served[i] = (struct tw_served) {
			.fd = ends[0], .inversions = &counts[i],
			.sink = &served[i],
		};
	}
	return 0;
}

/* The loop forgets the descriptors of those that have gone. */
static int server_fds[CLIENTS];

static inline int tear_down(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < CLIENTS; i++) {
		close(client[i].fd);
		close(server_fds[i]);
	}
	return count_open_files() == files ? 0 : -1;
}

static inline int serve_by(const struct tw_order_ops *order, uint64_t warmup)
{
	struct tw_servers servers = {
		.served = served, .count = CLIENTS, .size = TW_REQUEST_MIN,
		.request = request, .clock = &counting, .order = order,
		.sleep_ns = 5000, .warmup = warmup, .stop = &stop,
		.steady = steady,
	};
	int i, err, open_before = count_open_files();

	for (i = 0; i < CLIENTS; i++)
		server_fds[i] = served[i].fd;
	err = tw_servers_run(&servers);
	assert_int_equal(count_open_files(), open_before);
	return err;
}

/* The next reply to client @index must be that to request @seq. */
static inline struct tw_reply read_reply(int index, uint64_t seq)
{
	struct tw_reply reply = { .seq = 0 };
	char buf[TW_REPLY_SIZE];

	assert_int_equal(read(client[index].fd, buf, sizeof(buf)),
			 sizeof(buf));
	assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), seq, &reply), 0);
	return reply;
}

#define WITH_CLIENTS(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* SERVERS_H */
