/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control messages as the kernel makes them for its timestamps. */
#ifndef STAMPS_H
#define STAMPS_H

#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>

#include "base/tw_time.h"
#include "measure/tw_stamps.h"
#include "unit.h"

/*
 * Whether this system gives no stamps: a datagram to ourselves tells, without
 * any of the functions under test.
 */
static inline bool lacks_stamps(void)
{
	const unsigned int flags = SOF_TIMESTAMPING_SOFTWARE |
				   SOF_TIMESTAMPING_RX_SOFTWARE |
				   SOF_TIMESTAMPING_TX_SCHED |
				   SOF_TIMESTAMPING_TX_SOFTWARE |
				   SOF_TIMESTAMPING_OPT_ID |
				   SOF_TIMESTAMPING_OPT_TSONLY;
	struct sockaddr_in self = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd ready = { .fd = fd };
	socklen_t len = sizeof(self);
	bool lacks = true;
	char control[256];
	int i;

	bind(fd, (struct sockaddr *)&self, sizeof(self));
	getsockname(fd, (struct sockaddr *)&self, &len);
	connect(fd, (struct sockaddr *)&self, len);
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)))
		i = 100;
	else
		i = 0;
	for (; i < 100 && lacks; i++) {
		struct msghdr msg = {
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};

		usleep(i * 1000);
		send(fd, "", 1, 0);
		recvmsg(fd, &msg, MSG_DONTWAIT);
		lacks = !msg.msg_controllen || poll(&ready, 1, 0) != 1;
	}
	close(fd);
	return lacks;
}

static inline void need_stamps(void)
{
	if (lacks_stamps()) {
		print_message("# skip: the kernel gives no stamps here: an emulator\n");
		skip();
	}
}

#define BOTH_TX	(TW_STAMPS_HAS_SCHED | TW_STAMPS_HAS_SND)

/* Room for several; msg_control and msg_controllen are of what is in it. */
struct made {
	struct msghdr msg;
	_Alignas(struct cmsghdr) char control[512];
};

static inline void made_clear(struct made *made)
{
	memset(made, 0, sizeof(*made));
	made->msg.msg_control = made->control;
}

static inline void made_add(struct made *made, int level, int type,
			    const void *data, size_t size)
{
	struct cmsghdr *cmsg = (struct cmsghdr *)(made->control +
						  made->msg.msg_controllen);

	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(cmsg), data, size);
	made->msg.msg_controllen += CMSG_SPACE(size);
}

static inline void made_add_stamp(struct made *made, int64_t ns)
{
	struct scm_timestamping stamps = { 0 };

	stamps.ts[0] = tw_ns_to_ts(ns);
	made_add(made, SOL_SOCKET, SCM_TIMESTAMPING, &stamps, sizeof(stamps));
}

static inline void made_add_about(struct made *made, bool ipv6,
				  unsigned int origin, uint32_t type,
				  uint32_t id)
{
	const struct sock_extended_err about = {
		.ee_origin = (uint8_t)origin, .ee_info = type, .ee_data = id,
	};

	made_add(made, ipv6 ? SOL_IPV6 : SOL_IP,
		 ipv6 ? IPV6_RECVERR : IP_RECVERR, &about, sizeof(about));
}

/* A message of the error queue. */
static inline void made_tx(struct made *made, uint32_t type, uint32_t id,
			   int64_t ns)
{
	made_clear(made);
	made_add_stamp(made, ns);
	made_add_about(made, false, SO_EE_ORIGIN_TIMESTAMPING, type, id);
}

static inline void made_rx(struct made *made, int64_t ns)
{
	made_clear(made);
	made_add_stamp(made, ns);
}

#endif /* STAMPS_H */
