// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>

#include "base/tw_time.h"
#include "measure/tw_stamps_cost.h"

#define EXCHANGES	200	/* that count; as many before do not */
#define WAIT_MS		100
#define SIZE		8

/* Mostly it is there at once. Nothing may be left for the measurement. */
static ssize_t receive(int fd, void *buf, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct tw_stamps_in in;
	ssize_t len = tw_stamps_recv(fd, buf, size, MSG_DONTWAIT, &in);

	if (len >= 0 || errno != EAGAIN)
		return len;
	if (poll(&ready, 1, WAIT_MS) != 1)
		return -1;
	return tw_stamps_recv(fd, buf, size, MSG_DONTWAIT, &in);
}

static int pass_on(int from, int to)
{
	char buf[SIZE] = "";

	if (send(from, buf, sizeof(buf), MSG_NOSIGNAL) < 0)
		return -errno;
	return receive(to, buf, sizeof(buf)) == sizeof(buf) ? 0 : -EPROTO;
}

/*
 * The time of a message there and one back, in ns, or -errno. Of TCP, messages
 * one way alone would be acknowledged in some other way later than at first.
 */
static int64_t exchange(const struct tw_link *link,
			const struct tw_clock *clock)
{
	int64_t begin_ns = clock->read_ns(clock), end_ns;
	int err = pass_on(link->client_fd, link->server_fd);

	if (!err)
		err = pass_on(link->server_fd, link->client_fd);
	end_ns = clock->read_ns(clock);
	if (err)
		return err;
	/* CLOCK_REALTIME can be set back. */
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

int tw_stamps_cost(const struct tw_link *link, const struct tw_clock *clock,
		   struct tw_stamped_row *row)
{
	struct tw_stamps_out unused = { .id = 0 };
	int64_t span_ns;
	int i;

	for (i = 0; i < 2 * EXCHANGES; i++) {
		span_ns = exchange(link, clock);
		if (span_ns < 0)
			return (int)span_ns;
		if (i >= EXCHANGES)
			tw_stamped_value(row, span_ns);
		tw_stamps_collect(link->client_fd, &unused);
		tw_stamps_collect(link->server_fd, &unused);
	}
	return 0;
}
