// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "measure/tw_sockopt.h"

#define US_PER_S	1000000
#define DSCP_SHIFT	2	/* above the bits of congestion control */

static int set_number(int fd, int level, int name, int64_t value)
{
	int number = (int)value;

	return setsockopt(fd, level, name, &number, sizeof(number)) ? -errno :
								      0;
}

static int get_number(int fd, int level, int name, int64_t *value)
{
	int number = 0;
	socklen_t len = sizeof(number);

	if (getsockopt(fd, level, name, &number, &len))
		return -errno;
	*value = number;
	return 0;
}

static bool is_ipv6(int fd)
{
	int64_t domain = 0;

	return !get_number(fd, SOL_SOCKET, SO_DOMAIN, &domain) &&
	       domain == AF_INET6;
}

static int set_dscp(int fd, int64_t value)
{
	if (is_ipv6(fd))
		return set_number(fd, IPPROTO_IPV6, IPV6_TCLASS,
				  value << DSCP_SHIFT);
	return set_number(fd, IPPROTO_IP, IP_TOS, value << DSCP_SHIFT);
}

static int get_dscp(int fd, int64_t *value)
{
	int err = is_ipv6(fd) ?
		  get_number(fd, IPPROTO_IPV6, IPV6_TCLASS, value) :
		  get_number(fd, IPPROTO_IP, IP_TOS, value);

	if (!err)
		*value >>= DSCP_SHIFT;
	return err;
}

static int set_priority(int fd, int64_t value)
{
	return set_number(fd, SOL_SOCKET, SO_PRIORITY, value);
}

static int get_priority(int fd, int64_t *value)
{
	return get_number(fd, SOL_SOCKET, SO_PRIORITY, value);
}

static int set_busy_poll(int fd, int64_t value)
{
	return set_number(fd, SOL_SOCKET, SO_BUSY_POLL, value);
}

static int get_busy_poll(int fd, int64_t *value)
{
	return get_number(fd, SOL_SOCKET, SO_BUSY_POLL, value);
}

static int set_interface(int fd, int64_t value)
{
	char name[IF_NAMESIZE];

	if (!if_indextoname((unsigned int)value, name))
		return -errno;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name,
			  (socklen_t)strlen(name) + 1) ? -errno : 0;
}

static int get_interface(int fd, int64_t *value)
{
	char name[IF_NAMESIZE] = "";
	socklen_t len = sizeof(name);

	if (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &len))
		return -errno;
	*value = len ? if_nametoindex(name) : 0;
	return 0;
}

static int set_quickack(int fd, int64_t value)
{
	return set_number(fd, IPPROTO_TCP, TCP_QUICKACK, value);
}

static int get_quickack(int fd, int64_t *value)
{
	return get_number(fd, IPPROTO_TCP, TCP_QUICKACK, value);
}

static int set_timeout(int fd, int64_t value)
{
	const struct timeval tv = {
		.tv_sec = value / US_PER_S, .tv_usec = value % US_PER_S,
	};

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) ?
	       -errno : 0;
}

/* The kernel counts it in jiffies, and rounds up. */
static int get_timeout(int fd, int64_t *value)
{
	struct timeval tv = { .tv_sec = 0 };
	socklen_t len = sizeof(tv);

	if (getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len))
		return -errno;
	*value = (int64_t)tv.tv_sec * US_PER_S + tv.tv_usec;
	return 0;
}

static bool on_internet(const struct tw_transport_ops *ops)
{
	return ops->internet;
}

static bool in_segments(const struct tw_transport_ops *ops)
{
	return ops->internet && !ops->datagrams;
}

static bool in_datagrams(const struct tw_transport_ops *ops)
{
	return ops->datagrams;
}

#define BOTH	"tcp or udp"

const struct tw_sockopt tw_sockopts[TW_SOCKOPTS] = {
	[TW_SOCKOPT_DSCP] = {
		"dscp", "dscp", BOTH, on_internet, set_dscp, get_dscp, false
	},
	[TW_SOCKOPT_PRIORITY] = {
		"sock-priority", "sock_priority", BOTH, on_internet,
		set_priority, get_priority, false
	},
	[TW_SOCKOPT_BUSY_POLL] = {
		"busy-poll", "busy_poll_us", BOTH, on_internet,
		set_busy_poll, get_busy_poll, false
	},
	[TW_SOCKOPT_INTERFACE] = {
		"interface", "interface", BOTH, on_internet,
		set_interface, get_interface, false
	},
	[TW_SOCKOPT_QUICKACK] = {
		"quickack", "quickack", "tcp", in_segments,
		set_quickack, get_quickack, false
	},
	[TW_SOCKOPT_TIMEOUT] = {
		"timeout", "timeout_us", "udp", in_datagrams,
		set_timeout, get_timeout, true
	},
};

int tw_sockopt_set(const struct tw_link *link,
		   const int64_t values[TW_SOCKOPTS],
		   enum tw_sockopt_id *failed)
{
	int id, err = 0;

	for (id = 0; id < TW_SOCKOPTS; id++) {
		const struct tw_sockopt *row = &tw_sockopts[id];

		if (values[id] == TW_SOCKOPT_NONE)
			continue;
		if (link->client_fd >= 0)
			err = row->set(link->client_fd, values[id]);
		if (!err && !row->client_only && link->server_fd >= 0)
			err = row->set(link->server_fd, values[id]);
		if (err) {
			*failed = id;
			return err;
		}
	}
	return 0;
}

void tw_sockopt_get(const struct tw_transport_ops *ops, int fd,
		    int64_t values[TW_SOCKOPTS])
{
	int id;

	for (id = 0; id < TW_SOCKOPTS; id++)
		if (!tw_sockopts[id].fits(ops) ||
		    tw_sockopts[id].get(fd, &values[id]))
			values[id] = TW_SOCKOPT_NONE;
}
