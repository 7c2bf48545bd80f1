// SPDX-License-Identifier: GPL-2.0-or-later
/* Which requests and replies count, in which order they may ever come. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "unit.h"
#include "tw_datagram.h"
#include "tw_loop.h"
#include "tw_time.h"
#include "tw_link.h"
#include "tw_wire.h"

#define WARMUP	2
#define SIZE	24		/* of requests, that of replies */
#define SHORT	UINT64_MAX	/* a datagram of another size */

static uint64_t base;		/* added to all numbers: each row has its own */
static int64_t now_ns, step_ns;

static int64_t fake_ns(void)
{
	return now_ns += step_ns;
}

/* Sends what is to come to @fd. */
static void send_all(int fd, const uint64_t *come)
{
	struct tw_reply reply = {
		.t1_ns = htole64(7), .t2_ns = htole64(8)
	};

	for (; *come; come++) {
		reply.seq = htole64(base + *come);
		assert_true(send(fd, &reply, *come == SHORT ? SIZE - 1 : SIZE,
				 0) > 0);
	}
}

static struct tw_loop loop_of(int *fds, struct tw_request *request,
			      atomic_int *stop, struct tw_datagrams *counts)
{
	const struct timeval timeout = { .tv_usec = 1000 };

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
	assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout,
				    sizeof(timeout)), 0);
	memset(counts, 0, sizeof(*counts));
	tw_datagram_count(3, counts, 5000);
	base += 1000;
	now_ns = 100000;
	return (struct tw_loop) {
		.fd = fds[0], .link = &tw_link_udp, .pair = 3, .size = SIZE,
		.request = request, .now_ns = fake_ns, .warmup = base + WARMUP,
		.wait = &tw_wait_read, .stop = stop,
	};
}

static struct requests {
	const char *name;
	uint64_t come[16], taken[16];
	uint64_t repeated, reordered;
} requests[] = {
	{ "in order", { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, 0, 0 },
	{ "one is lost", { 1, 3, 4, 9 }, { 1, 3, 4, 9 }, 0, 0 },
	{ "twice", { 3, 3, 4, 4, 4 }, { 3, 4 }, 3, 0 },
	{ "swapped", { 3, 5, 4, 6 }, { 3, 5, 6 }, 0, 1 },
	{ "swapped, then again", { 3, 5, 4, 4, 5, 6 }, { 3, 5, 6 }, 2, 1 },
	{ "warm-up", { 2, 2, 1, 3 }, { 2, 3 }, 0, 0 },
	{ "another size", { 3, SHORT, 4 }, { 3, 4 }, 0, 0 },
	{ "in the window", { 70, 7, 7, 71 }, { 70, 71 }, 1, 1 },
	{ "out of the window", { 70, 6, 6, 71 }, { 70, 71 }, 0, 2 },
	{ "the window moves", { 5, 68, 5, 69, 5 }, { 5, 68, 69 }, 1, 1 },
	{ "by a window", { 5, 6, 70, 69, 71 }, { 5, 6, 70, 71 }, 0, 1 },
	{ "a jump", { 5, 6, 70, 6, 133, 70, 70 }, { 5, 6, 70, 133 }, 2, 1 },
};

TEST_EACH(taken, requests)
{
	struct tw_request *request = calloc(1, SIZE);
	struct tw_reply reply = { .seq = 0 };
	struct tw_datagrams counts;
	atomic_int stop = 0;
	int fds[2], i;
	struct tw_loop loop = loop_of(fds, request, &stop, &counts);

	step_ns = 10;
	send_all(fds[1], of->come);
	for (i = 0; of->taken[i]; i++) {
		assert_int_equal(loop.link->take(&loop, fds[0], &reply), 0);
		assert_int_equal(le64toh(reply.seq), base + of->taken[i]);
		assert_int_equal(le64toh(reply.t1_ns), now_ns);
	}
	/* Nothing is left, which a socket of a server would wait for. */
	assert_int_equal(loop.link->take(&loop, fds[0], &reply), -EAGAIN);
	assert_int_equal(counts.repeated_requests, of->repeated);
	assert_int_equal(counts.reordered, of->reordered);
	close(fds[0]);
	close(fds[1]);
	free(request);
}

static struct replies {
	const char *name;
	uint64_t come[8];
	int64_t step_ns;	/* each reading of the clock */
	uint64_t seq;		/* of the cycle */
	int result;
	int left;		/* datagrams */
	uint64_t late, repeated;
} replies[] = {
	{ "the reply", { 9 }, 10, 9, 0, 0, 0, 0 },
	{ "of warm-up", { 1 }, 10, 1, 0, 0, 0, 0 },
	{ "nothing", { 0 }, 10, 9, TW_LINK_LOST, 0, 0, 0 },
	{ "a late one before", { 8, 9 }, 10, 9, 0, 0, 1, 0 },
	{ "late ones", { 5, 8, 7, 9 }, 10, 9, 0, 0, 3, 0 },
	{ "late ones of warm-up", { 1, 2, 9 }, 10, 9, 0, 0, 0, 0 },
	{ "late twice", { 8, 8, 9 }, 10, 9, 0, 0, 1, 1 },
	{ "twice", { 9, 9 }, 10, 9, 0, 1, 0, 0 },
	{ "another size", { SHORT, 9 }, 10, 9, 0, 0, 0, 0 },
	{ "just in time", { 9 }, 5000, 9, 0, 0, 0, 0 },
	{ "just late", { 9 }, 5001, 9, TW_LINK_LOST, 0, 1, 0 },
	{ "held up", { 3, 4, 5, 6, 7, 9 }, 1001, 9, TW_LINK_LOST, 1, 5, 0 },
};

TEST_EACH(received, replies)
{
	bool measured = of->seq > WARMUP;
	struct tw_datagrams counts;
	struct tw_request request;
	atomic_int stop = 0;
	char buf[64];
	int fds[2], left = 0;
	struct tw_loop loop = loop_of(fds, &request, &stop, &counts);
	struct tw_cycle cycle = { .seq = base + of->seq, .t0_ns = 100000 };

	loop.size = sizeof(request);
	request.seq = htole64(cycle.seq);
	step_ns = of->step_ns;
	send_all(fds[1], of->come);
	assert_int_equal(loop.link->exchange(&loop, &cycle), of->result);
	assert_int_equal(cycle.t3_ns, now_ns);
	assert_int_equal(cycle.t1_ns, of->result ? 0 : 7);
	assert_int_equal(cycle.t2_ns, of->result ? 0 : 8);
	assert_int_equal(counts.sent, measured);
	assert_int_equal(counts.late, of->late);
	assert_int_equal(counts.repeated_replies, of->repeated);
	assert_int_equal(recv(fds[1], buf, sizeof(buf), 0), sizeof(request));
	while (recv(fds[0], buf, sizeof(buf), MSG_DONTWAIT) > 0)
		left++;
	assert_int_equal(left, of->left);
	/* The server has gone: the cycle is in no count. */
	close(fds[1]);
	assert_int_equal(loop.link->exchange(&loop, &cycle), -ECONNRESET);
	assert_int_equal(counts.sent, measured);
	close(fds[0]);
}

/* A stranger is always faster: before each connect(), one datagram is there. */
int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	int stranger = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in own;
	socklen_t own_len = sizeof(own);

	getsockname(fd, (struct sockaddr *)&own, &own_len);
	assert_int_equal(sendto(stranger, "", 1, 0, (struct sockaddr *)&own,
				own_len), 1);
	close(stranger);
	return __real_connect(fd, to, len);
}

TEST(what_strangers_sent_is_thrown_away)
{
	int fds[2], i;
	char byte;

	assert_int_equal(tw_link_udp.open(&fds[0], &fds[1]), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(recv(fds[i], &byte, 1, MSG_DONTWAIT), -1);
		assert_int_equal(errno, EAGAIN);
	}
	assert_int_equal(send(fds[0], "a", 1, 0), 1);
	assert_int_equal(recv(fds[1], &byte, 1, 0), 1);
	assert_int_equal(byte, 'a');
	close(fds[0]);
	close(fds[1]);
}
