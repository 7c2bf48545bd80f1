// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's stamps are of CLOCK_REALTIME. In the slack after a cycle, each
 * side converts its own to the measuring clock, all by the same distance. The
 * server's stamps of a cycle come with its next reply. A device has none.
 */
#include <netinet/in.h>
#include <stdalign.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "tw_clocks.h"
#include "tw_config.h"
#include "tw_jumps.h"
#include "tw_loop.h"
#include "tw_say.h"
#include "tw_stamps.h"
#include "tw_time.h"
#include "tw_wire.h"

#define BATCH	8	/* the two stamps of a message, and late ones */
#define ACKED_MS	1000

/* Of a side. */
enum stamp { RX, SCHED, SND, STAMPS };

/* What follows a reply: the server's stamps of cycle @seq, little-endian. */
struct trailer {
	uint64_t seq;
	uint64_t at_ns[STAMPS];
};

static const struct tw_link_ops *plain;
static bool with_all, is_stream, served;

/* Of this process, a client or a server. */
static bool is_client;
static uint32_t sent;		/* bytes of a stream, or datagrams */
static struct trailer trailer;	/* the last received, or the next to be sent */
static int64_t own_ns[STAMPS];	/* of its last cycle */
static struct {			/* with the last message received */
	struct msghdr msg;
	alignas(struct cmsghdr) char control[128];
} in;

/* Returns the size of the reply alone; both come whole, in one packet. */
static ssize_t receive(int fd, void *buf, size_t size, int flags)
{
	struct iovec iov[] = { { buf, size }, { &trailer, sizeof(trailer) } };
	bool trails = is_client && served;
	ssize_t len;

	in.msg = (struct msghdr) {
		.msg_iov = iov, .msg_iovlen = 1 + trails,
		.msg_control = in.control,
		.msg_controllen = sizeof(in.control),
	};
	len = recvmsg(fd, &in.msg, flags);
	if (len <= 0 || !trails)
		return len;
	if (len == (ssize_t)(size + sizeof(trailer)))
		return (ssize_t)size;
	trailer.seq = 0;
	return 0;
}

static ssize_t send_on(int fd, const void *buf, size_t size, int flags)
{
	struct iovec iov[] = {
		{ (void *)buf, size }, { &trailer, sizeof(trailer) }
	};
	const struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t len = is_client ? send(fd, buf, size, flags) :
		      sendmsg(fd, &msg, flags);

	if (len > 0)
		sent += is_stream ? len : 1;
	return len < 0 || is_client ? len : (ssize_t)size;
}

/* The stamp that came with a message; if it is about one that was sent, which. */
static int64_t read_stamp(struct msghdr *msg, struct sock_extended_err *about)
{
	struct timespec ts = { .tv_sec = 0 };
	struct cmsghdr *one;

	for (one = CMSG_FIRSTHDR(msg); one; one = CMSG_NXTHDR(msg, one)) {
		/* Of three times, the first is that of the software. */
		if (one->cmsg_level == SOL_SOCKET &&
		    one->cmsg_type == SCM_TIMESTAMPING)
			memcpy(&ts, CMSG_DATA(one), sizeof(ts));
		else if (one->cmsg_type == (one->cmsg_level == SOL_IP ?
					    IP_RECVERR : IPV6_RECVERR))
			memcpy(about, CMSG_DATA(one), sizeof(*about));
	}
	return ts.tv_sec * TW_NS_PER_S + ts.tv_nsec;
}

/* Empties the error queue: because of a stamp in it, poll() would return. */
static void read_sent(int fd, int64_t at_ns[STAMPS])
{
	alignas(struct cmsghdr) char control[BATCH][256];
	struct mmsghdr msgs[BATCH];
	int i, count;

	for (i = 0; i < BATCH; i++)
		msgs[i].msg_hdr = (struct msghdr) {
			.msg_control = control[i],
			.msg_controllen = sizeof(control[i]),
		};
	count = recvmmsg(fd, msgs, BATCH, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
	for (i = 0; i < count; i++) {
		struct sock_extended_err about = { .ee_origin = 0 };
		int64_t ns = read_stamp(&msgs[i].msg_hdr, &about);

		/*
		 * It has the number of the message's last byte, or of the
		 * datagram: no late one of another message.
		 */
		if (about.ee_origin == SO_EE_ORIGIN_TIMESTAMPING &&
		    about.ee_data == sent - 1)
			at_ns[about.ee_info == SCM_TSTAMP_SCHED ?
			      SCHED : SND] = ns;
	}
}

/*
 * By how much the measuring clock is ahead of CLOCK_REALTIME. False: that was
 * set since the last call, so the stamps since then may be wrong.
 */
static bool read_ahead(int64_t *ahead_ns)
{
	static struct tw_watch wall;

	tw_jumps_look(&wall, &tw_clock_realtime);
	*ahead_ns = tw_config.clock == &tw_clock_realtime ? 0 :
		    tw_config.clock == &tw_clock_monotonic ? -wall.ahead_ns :
		    tw_clocks_ahead_ns(tw_config.clock) - wall.ahead_ns;
	return !wall.set_ns;
}

/* This side's stamps of the last message sent and the last one received. */
static void collect(int fd, int64_t at_ns[STAMPS])
{
	struct sock_extended_err about;
	int64_t ahead_ns;
	bool valid;
	int i;

	at_ns[SCHED] = at_ns[SND] = 0;
	at_ns[RX] = read_stamp(&in.msg, &about);
	if (with_all)
		read_sent(fd, at_ns);
	valid = read_ahead(&ahead_ns);
	for (i = 0; i < STAMPS; i++)
		at_ns[i] = valid && at_ns[i] ? at_ns[i] + ahead_ns : 0;
}

/* Of the cycle of @own_ns: what is missing now does not come. */
static void complete(struct tw_cycle *cycle)
{
	bool has_come = le64toh(trailer.seq) == cycle->seq;
	int i;

	cycle->at_ns[TW_CLIENT_SCHED] = own_ns[SCHED];
	cycle->at_ns[TW_CLIENT_SND] = own_ns[SND];
	cycle->at_ns[TW_CLIENT_RX] = own_ns[RX];
	for (i = 0; i < STAMPS; i++)
		cycle->at_ns[TW_SERVER_RX + i] = has_come ?
			(int64_t)le64toh(trailer.at_ns[i]) : 0;
}

static int exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	int err, i;

	tw_wire_in = receive;
	tw_wire_out = send_on;
	is_client = true;
	err = plain->exchange(loop, cycle);
	if (err < 0)
		return err;
	/* t3 was taken: the rest belongs to the slack. */
	complete(&loop->progress->held);
	collect(loop->fd, own_ns);
	for (i = TW_CLIENT_SCHED; i < TW_TIMES; i++)
		cycle->at_ns[i] = TW_NO_VALUE;
	if (!served)
		complete(cycle);
	return err;
}

/* @reply is still that of the cycle before. */
static int take(const struct tw_loop *loop, int wait_fd,
		struct tw_reply *reply)
{
	int i;

	collect(loop->fd, own_ns);
	for (i = 0; i < STAMPS; i++)
		trailer.at_ns[i] = htole64(own_ns[i]);
	trailer.seq = reply->seq;
	tw_wire_in = receive;
	tw_wire_out = send_on;
	return plain->take(loop, wait_fd, reply);
}

void tw_stamps_enable(int fd)
{
	int ms, unacked = 0;
	unsigned int flags = SOF_TIMESTAMPING_SOFTWARE |
			     SOF_TIMESTAMPING_RX_SOFTWARE;

	if (!plain || fd < 0)
		return;
	/* The kernel counts a stream from the first byte not acknowledged. */
	for (ms = 0; is_stream && ms < ACKED_MS &&
	     !ioctl(fd, SIOCOUTQ, &unacked) && unacked; ms++)
		nanosleep(&(struct timespec) { .tv_nsec = TW_NS_PER_MS }, NULL);
	if (with_all)
		flags |= SOF_TIMESTAMPING_TX_SCHED |
			 SOF_TIMESTAMPING_TX_SOFTWARE |
			 SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)))
		tw_say_fatal("--stamps: the kernel refuses it (SO_TIMESTAMPING): %m\n");
}

static int open_both(int *client_fd, int *server_fd)
{
	int err = plain->open(client_fd, server_fd);

	if (err)
		return err;
	tw_stamps_enable(*client_fd);
	tw_stamps_enable(*server_fd);
	return 0;
}

const struct tw_link_ops *tw_stamps_link(const struct tw_link_ops *link,
		bool all, bool has_server)
{
	static struct tw_link_ops stamped;

	plain = link;
	is_stream = !strcmp(link->name, "tcp");
	with_all = all;
	served = has_server;
	stamped = *link;
	stamped.open = open_both;
	stamped.exchange = exchange;
	if (link->take)
		stamped.take = take;
	return &stamped;
}
