// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes with a reply, and CLOCK_REALTIME that is set meanwhile. */
#include <errno.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "tw_jumps.h"
#include "tw_loop.h"
#include "tw_stamps.h"
#include "tw_wire.h"

#define WALL	INT64_C(1700000000000000000)	/* CLOCK_REALTIME is ahead */
#define OF_SERVER	1000	/* the first of its stamps, as it sends them */

static int64_t ahead_ns;
static int fd;			/* connected to itself */
static const struct row *row;
static struct tw_progress progress;

/* A cycle: what comes with its reply, and what is known of it then. */
static const struct row {
	const char *name;
	uint64_t of;		/* cycle that the trailer is about */
	int64_t set_ns;		/* by so much, the clock was set in it */
	bool lost, shorter;
	bool rx, server;	/* its own stamp; those of the cycle before */
} rows[] = {
	{ "the first", 0, WALL, false, false, true, false },
	{ "with the server's of the first", 1, 0, false, false, true, true },
	{ "with those of an earlier one", 1, 0, false, false, true, false },
	{ "as before", 3, 0, false, false, true, true },
	{ "the clock was set forward", 4, 20000, false, false, false, true },
	{ "and is right again", 5, 0, false, false, true, true },
	{ "the clock was set back", 6, -20000, false, false, false, true },
	{ "lost", 7, 0, true, false, false, true },
	{ "after the lost one", 8, 0, false, false, true, false },
	{ "the reply is cut", 9, 0, false, true, true, false },
};

void __wrap_tw_jumps_look(struct tw_watch *watch, const struct tw_clock *clock);
void __wrap_tw_jumps_look(struct tw_watch *watch, const struct tw_clock *clock)
{
	assert_ptr_equal(clock, &tw_clock_realtime);
	watch->set_ns = watch->at_ns ? row->set_ns : 0;
	watch->at_ns = 1;
	watch->ahead_ns = ahead_ns;
}

static int fake_exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	struct {
		struct tw_reply reply;
		uint64_t words[4];
	} both = { { htole64(cycle->seq), htole64(5), htole64(6) }, {
		htole64(row->of), htole64(OF_SERVER), htole64(OF_SERVER + 1),
		htole64(OF_SERVER + 2),
	} };
	size_t size = sizeof(both) - row->shorter;
	struct tw_reply reply;

	assert_int_equal(loop->fd, fd);
	assert_int_equal(send(fd, &both, size, 0), size);
	assert_int_equal(tw_wire_in(fd, &reply, sizeof(reply), MSG_TRUNC),
			 row->shorter ? 0 : sizeof(reply));
	assert_int_equal(le64toh(reply.seq), cycle->seq);
	cycle->t3_ns = 9;
	return row->lost ? TW_LINK_LOST : 0;
}

static int fake_open(int *client_fd, int *server_fd)
{
	*client_fd = *server_fd = fd;
	return 0;
}

/* Until the kernel has begun to stamp; whether it has. */
static bool await_stamp(int from)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	char control[128], byte;
	struct iovec iov = { &byte, 1 };
	int i;

	for (i = 0; i < 50; i++) {
		struct msghdr msg = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};

		assert_int_equal(send(from, "", 1, 0), 1);
		assert_int_equal(recvmsg(from, &msg, 0), 1);
		if (msg.msg_controllen)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* That gets what it sends. */
static int open_socket(void)
{
	struct sockaddr_in own = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(own);
	int one = socket(AF_INET, SOCK_DGRAM, 0);

	assert_int_equal(bind(one, (struct sockaddr *)&own, len), 0);
	assert_int_equal(getsockname(one, (struct sockaddr *)&own, &len), 0);
	assert_int_equal(connect(one, (struct sockaddr *)&own, len), 0);
	return one;
}

static const struct tw_link_ops *open_link(void)
{
	static const struct tw_link_ops plain = {
		"udp", "", fake_open, fake_exchange, NULL
	};
	const struct tw_link_ops *link = tw_stamps_link(&plain, false, true);
	int both[2];

	fd = open_socket();
	assert_int_equal(link->open(&both[0], &both[1]), 0);
	return link;
}

/* What this cycle has, and the one before it, now that it has its reply. */
static void check(const struct tw_cycle *cycle, bool rx)
{
	int i;

	for (i = TW_CLIENT_SCHED; i < TW_TIMES; i++)
		assert_int_equal(cycle->at_ns[i], TW_NO_VALUE);
	if (!progress.held.seq)
		return;
	assert_true((progress.held.at_ns[TW_CLIENT_RX] != 0) == rx);
	assert_int_equal(progress.held.at_ns[TW_CLIENT_SCHED], 0);
	assert_int_equal(progress.held.at_ns[TW_CLIENT_SND], 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(progress.held.at_ns[TW_SERVER_RX + i],
				 row->server ? OF_SERVER + i : 0);
}

/* An emulator of another machine does not, nor do some kernels. */
static bool can_stamp(void)
{
	int flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE;
	int one = open_socket();
	bool can = !setsockopt(one, SOL_SOCKET, SO_TIMESTAMPING, &flags,
			       sizeof(flags)) && await_stamp(one);

	close(one);
	return can;
}

TEST(test_cycles)
{
	struct tw_loop loop = { .progress = &progress };
	const struct tw_link_ops *link;
	bool rx = false;
	size_t i;

	if (!can_stamp()) {
		print_message("the kernel gives no timestamps here\n");
		skip();
	}
	link = open_link();
	loop.fd = fd;
	assert_true(await_stamp(fd));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_cycle cycle = { .seq = i + 1, .t1_ns = 5 };

		row = &rows[i];
		ahead_ns += row->set_ns;
		assert_int_equal(link->exchange(&loop, &cycle),
				 row->lost ? TW_LINK_LOST : 0);
		check(&cycle, rx);
		rx = row->rx;
		/* As the client does. */
		progress.held = cycle;
		if (row->lost)
			progress.held.seq = 0;
	}
	close(fd);
}
