// SPDX-License-Identifier: GPL-2.0-or-later
/* A message that the kernel takes or gives in parts, or not at all. */
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "unit.h"
#include "tw_config.h"
#include "tw_datagram.h"
#include "tw_loop.h"
#include "tw_wire.h"

#define SIZE	24

static char message[SIZE];
/* What each call returns; below 0: -1 with this errno. */
static const int *calls;
static size_t done;

static ssize_t next_part(const void *buf, size_t size)
{
	int part = *calls++;

	/* One call too many would wait for ever. */
	assert_true(done < SIZE);
	assert_ptr_equal(buf, message + done);
	assert_int_equal(size, SIZE - done);
	if (part >= 0) {
		done += part;
		return part;
	}
	errno = -part;
	return -1;
}

static ssize_t part_in(int fd, void *buf, size_t size, int flags)
{
	assert_int_equal(fd, 3);
	assert_int_equal(flags, MSG_WAITALL);
	return next_part(buf, size);
}

static ssize_t part_out(int fd, const void *buf, size_t size, int flags)
{
	assert_int_equal(fd, 3);
	assert_int_equal(flags, MSG_NOSIGNAL);
	return next_part(buf, size);
}

static struct transfers {
	const char *name;
	int calls[4];
	int result;
	bool ended;	/* the other side has closed: only received */
	int stop;
} transfers[] = {
	{ "whole", { SIZE }, 0, false, 0 },
	{ "parts", { 5, 18, 1 }, 0, false, 0 },
	{ "a signal", { -EINTR, SIZE }, 0, false, 0 },
	{ "a signal between", { 5, -EINTR, SIZE - 5 }, 0, false, 0 },
	{ "a signal to stop", { -EINTR, SIZE }, -ECANCELED, false, 1 },
	{ "the end", { 0 }, -ECONNRESET, true, 0 },
	{ "the end between", { 5, 0 }, -ECONNRESET, true, 0 },
	{ "nobody reads", { 5, -EPIPE }, -ECONNRESET, false, 0 },
	{ "nobody is there", { -ECONNREFUSED }, -ECONNRESET, false, 0 },
	{ "an error between", { 5, -EIO }, -EIO, false, 0 },
};

TEST_EACH(transferred, transfers)
{
	atomic_int stop = of->stop;

	tw_wire_in = part_in;
	tw_wire_out = part_out;
	done = 0;
	calls = of->calls;
	assert_int_equal(tw_wire_receive(3, message, SIZE, &stop), of->result);
	assert_int_equal(done == SIZE, !of->result);
	if (of->ended)
		return;
	done = 0;
	calls = of->calls;
	assert_int_equal(tw_wire_send(3, message, SIZE, &stop), of->result);
	assert_int_equal(done == SIZE, !of->result);
}

/* What a server's end tells a client, which may be last to see that all stop. */
static const struct ending {
	const char *name;
	int stop, err, result;
} endings[] = {
	{ "closed", 0, -ECONNRESET, -ECONNRESET },
	{ "closed, as all stop", 1, -ECONNRESET, 0 },
	{ "cancelled", 1, -ECANCELED, 0 },
	{ "wrong, as all stop", 1, -EPROTO, -EPROTO },
};
static const struct ending *ending;

static int exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	(void)cycle;
	*loop->stop = ending->stop;
	return ending->err;
}

TEST_EACH(ended, endings)
{
	const struct tw_link_ops link = { .exchange = exchange };
	struct tw_request request = { 0 };
	int64_t first_ns = 0, end_ns = 0;
	struct tw_progress progress = { .cycle.seq = 0 };
	atomic_int stop = 0;
	const struct tw_loop loop = {
		.link = &link, .request = &request, .progress = &progress,
		.now_ns = tw_clock_monotonic.now_ns,
		.timer = tw_timer_find("none"),
		.first_ns = &first_ns, .warmup = 2, .end_ns = &end_ns,
		.stop = &stop,
	};

	ending = of;
	assert_int_equal(tw_client_run(&loop), of->result);
}

/* What goes over the wire, on each machine. */
#define AT(number)	0x1122334455667700 + (number)
static const unsigned char sent[] = { 5, 0, 0, 0, 0, 0, 0, 0 };
static const unsigned char replied[] = {
	5, 0, 0, 0, 0, 0, 0, 0, 1, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
	2, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11
};
static int64_t now_ns;

static int64_t fake_ns(void)
{
	return ++now_ns;
}

static const struct carrier {
	const char *name;
	const struct tw_link_ops *link;
} carriers[] = {
	{ "tcp", &tw_link_tcp }, { "udp", &tw_link_udp },
};

TEST_EACH(bytes_of_messages, carriers)
{
	struct tw_datagrams counts = { .sent = 0 };
	struct tw_request request = { .seq = htole64(5) };
	struct tw_reply reply = { .seq = htole64(4) };
	struct tw_cycle cycle = { .seq = 5, .t0_ns = AT(0) };
	unsigned char bytes[sizeof(replied) + 1];
	atomic_int stop = 0;
	struct tw_loop loop = {
		.link = of->link, .size = sizeof(request), .request = &request,
		.now_ns = fake_ns, .wait = &tw_wait_poll, .stop = &stop,
	};
	int fds[2];

	tw_wire_in = recv;
	tw_wire_out = send;
	now_ns = AT(0);
	tw_datagram_count(0, &counts, 1000);
	tw_datagram_count(1, &counts, 1000);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	loop.fd = fds[0];
	/* The server's side. */
	assert_int_equal(write(fds[1], sent, sizeof(sent)), sizeof(sent));
	assert_int_equal(tw_server_answer(&loop, fds[0], &reply), 0);
	assert_int_equal(read(fds[1], bytes, sizeof(bytes)), sizeof(replied));
	assert_memory_equal(bytes, replied, sizeof(replied));
	/* The client's; each side looks at which numbers it has had. */
	loop.pair = 1;
	assert_int_equal(write(fds[1], replied, sizeof(replied)),
			 sizeof(replied));
	assert_int_equal(of->link->exchange(&loop, &cycle), 0);
	assert_int_equal(read(fds[1], bytes, sizeof(bytes)), sizeof(sent));
	assert_memory_equal(bytes, sent, sizeof(sent));
	assert_int_equal(cycle.t1_ns, AT(1));
	assert_int_equal(cycle.t2_ns, AT(2));
	close(fds[0]);
	close(fds[1]);
}
