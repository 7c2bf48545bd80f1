// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>

#include "base/tw_time.h"
#include "measure/tw_stamps.h"

#define TEST_MS		100
#define TEST_SIZE	8
#define BATCH		4	/* the two of a message, and two late ones */
#define BATCHES		16	/* a socket that never ends must not hold us */

/* Linux 6.2: TCP's numbers begin at what was sent, not at what was received. */
#define OPT_ID_TCP	(1u << 16)

static int set_flags(int fd, uint32_t flags)
{
	return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags,
			  sizeof(flags)) ? -errno : 0;
}

static bool is_stream(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) &&
	       type == SOCK_STREAM;
}

int tw_stamps_enable(int fd, enum tw_stamps_mode mode)
{
	uint32_t flags = SOF_TIMESTAMPING_SOFTWARE |
			 SOF_TIMESTAMPING_RX_SOFTWARE;
	int err;

	if (mode == TW_STAMPS_OFF)
		return 0;
	if (mode == TW_STAMPS_RX)
		return set_flags(fd, flags);
	flags |= SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE |
		 SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
	err = is_stream(fd) ? set_flags(fd, flags | OPT_ID_TCP) : -EINVAL;
	return err == -EINVAL ? set_flags(fd, flags) : err;
}

/* Of TCP without OPT_ID_TCP: what the peer has not acknowledged is numbered. */
static uint32_t numbered_before(int fd, uint32_t flags)
{
	int waiting = 0;

	if (flags & OPT_ID_TCP || !is_stream(fd) ||
	    ioctl(fd, SIOCOUTQ, &waiting))
		return 0;
	return (uint32_t)waiting;
}

int tw_stamps_begin(int fd, uint32_t *id)
{
	uint32_t flags = 0;
	socklen_t len = sizeof(flags);
	struct tw_stamps_out unused = { .id = 0 };
	int err;

	*id = UINT32_MAX;
	if (getsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, &len) ||
	    !(flags & SOF_TIMESTAMPING_OPT_ID))
		return 0;
	tw_stamps_collect(fd, &unused);
	err = set_flags(fd, flags & ~(SOF_TIMESTAMPING_OPT_ID | OPT_ID_TCP));
	*id += numbered_before(fd, flags);
	return err ? err : set_flags(fd, flags);
}

static const void *find(const struct msghdr *msg, int level, int type,
			size_t size)
{
	struct msghdr *all = (struct msghdr *)msg;
	struct cmsghdr *one;

	for (one = CMSG_FIRSTHDR(all); one; one = CMSG_NXTHDR(all, one))
		if (one->cmsg_level == level && one->cmsg_type == type &&
		    one->cmsg_len >= CMSG_LEN(size))
			return CMSG_DATA(one);
	return NULL;
}

int64_t tw_stamps_get(const struct msghdr *msg)
{
	const void *data = find(msg, SOL_SOCKET, SCM_TIMESTAMPING,
				sizeof(struct scm_timestamping));
	struct timespec ts;

	if (!data)
		return TW_STAMP_NONE;
	/* The first of three is that of the software; zero: none. */
	memcpy(&ts, data, sizeof(ts));
	return ts.tv_sec || ts.tv_nsec ? tw_ts_to_ns(&ts) : TW_STAMP_NONE;
}

/* What a message of the error queue is about; false: not about a stamp. */
static bool is_about_stamp(const struct msghdr *msg,
			   struct sock_extended_err *about)
{
	const void *data = find(msg, SOL_IP, IP_RECVERR, sizeof(*about));

	if (!data)
		data = find(msg, SOL_IPV6, IPV6_RECVERR, sizeof(*about));
	if (!data)
		return false;
	memcpy(about, data, sizeof(*about));
	return about->ee_origin == SO_EE_ORIGIN_TIMESTAMPING;
}

bool tw_stamps_put(struct tw_stamps_out *out, const struct msghdr *msg)
{
	struct sock_extended_err about;

	if (!is_about_stamp(msg, &about) || about.ee_data != out->id)
		return false;
	if (about.ee_info == SCM_TSTAMP_SCHED)
		out->sched_ns = tw_stamps_get(msg);
	else if (about.ee_info == SCM_TSTAMP_SND)
		out->snd_ns = tw_stamps_get(msg);
	else
		return false;
	return true;
}

/* Without data (OPT_TSONLY): nothing but what the kernel says of it. */
struct batch {
	struct mmsghdr msgs[BATCH];
	_Alignas(struct cmsghdr) char control[BATCH][256];
};

static int read_errors(int fd, struct batch *batch)
{
	int i;

	for (i = 0; i < BATCH; i++)
		batch->msgs[i].msg_hdr = (struct msghdr) {
			.msg_control = batch->control[i],
			.msg_controllen = sizeof(batch->control[i]),
		};
	return recvmmsg(fd, batch->msgs, BATCH, MSG_ERRQUEUE | MSG_DONTWAIT,
			NULL);
}

void tw_stamps_collect(int fd, struct tw_stamps_out *out)
{
	struct batch batch;
	int i, count, left = BATCHES;

	out->sched_ns = TW_STAMP_NONE;
	out->snd_ns = TW_STAMP_NONE;
	do {
		count = read_errors(fd, &batch);
		for (i = 0; i < count; i++)
			tw_stamps_put(out, &batch.msgs[i].msg_hdr);
	} while (count == BATCH && --left);
}

static unsigned int kinds_of(const struct tw_stamps_out *out)
{
	return (out->sched_ns != TW_STAMP_NONE ? TW_STAMPS_HAS_SCHED : 0) |
	       (out->snd_ns != TW_STAMP_NONE ? TW_STAMPS_HAS_SND : 0);
}

/* The number of the only message under way is that of its stamps. */
static unsigned int learn(int fd, uint32_t *id)
{
	struct tw_stamps_out out = { 0, TW_STAMP_NONE, TW_STAMP_NONE };
	struct pollfd ready = { .fd = fd };
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) +
			 TEST_MS * TW_NS_PER_MS;
	struct sock_extended_err about;
	struct batch batch;
	int i, count;

	do {
		/* No events: an error queue that is not empty is POLLERR. */
		poll(&ready, 1, 1);
		count = read_errors(fd, &batch);
		for (i = 0; i < count; i++) {
			const struct msghdr *msg = &batch.msgs[i].msg_hdr;

			if (!is_about_stamp(msg, &about))
				continue;
			*id = about.ee_data;
			out.id = *id;
			tw_stamps_put(&out, msg);
		}
	} while (kinds_of(&out) != (TW_STAMPS_HAS_SCHED | TW_STAMPS_HAS_SND) &&
		 tw_now_ns(CLOCK_MONOTONIC) < end_ns);
	return kinds_of(&out);
}

int tw_stamps_say(int fd, enum tw_stamps_mode mode, uint32_t *id)
{
	const char test[TEST_SIZE] = "";

	if (send(fd, test, sizeof(test), MSG_NOSIGNAL) < 0)
		return -errno;
	return mode == TW_STAMPS_ALL ? (int)learn(fd, id) : 0;
}

int tw_stamps_hear(int fd, enum tw_stamps_mode mode)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct tw_stamps_in in;
	char test[TEST_SIZE];
	ssize_t len;

	if (poll(&ready, 1, TEST_MS) != 1)
		return -ETIMEDOUT;
	len = tw_stamps_recv(fd, test, sizeof(test),
			     MSG_WAITALL | MSG_DONTWAIT, &in);
	if (len < 0)
		return -errno;
	if (len != sizeof(test))
		return -EPROTO;
	if (mode == TW_STAMPS_OFF)
		return 0;
	return tw_stamps_get(&in.msg) != TW_STAMP_NONE ? TW_STAMPS_HAS_RX : 0;
}
