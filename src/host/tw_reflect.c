// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --connect=HOST --reflect: a client alone. Its peer runs nothing of ours; it
 * sends each request back: ICMP's echo, or UDP to an echo service.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <linux/icmp.h>		/* knows then that in6_addr is there */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_datagram.h"
#include "tw_hosts.h"
#include "tw_part.h"
#include "tw_wire.h"

#define PORT		7	/* of the echo service */
/* What would be told to a server of ours, even if it is the default. */
#define NO(option)	"--" option ", which is for a server\n"
#define IP_HEAD_MAX	60	/* a raw socket of IPv4 receives it, too */
#define ABSENT		"the peer of --reflect is no server of ours; allowed are latency, wakeup, response, interval and planned"

/* By family. The filter of a raw socket has a bit for what it keeps out. */
static const struct echo {
	int family, protocol;
	uint8_t request, reply;			/* types */
	int error_level, error_option;		/* errors are reported */
	int filter_level, filter_option;
	socklen_t filter_size;
	uint32_t filter[8];
} echoes[] = {
	{ AF_INET, IPPROTO_ICMP, ICMP_ECHO, ICMP_ECHOREPLY,
	  IPPROTO_IP, IP_RECVERR, SOL_RAW, ICMP_FILTER, 4, { ~1U } },
	{ AF_INET6, IPPROTO_ICMPV6, ICMP6_ECHO_REQUEST, ICMP6_ECHO_REPLY,
	  IPPROTO_IPV6, IPV6_RECVERR, IPPROTO_ICMPV6, ICMP6_FILTER, 32,
	  { ~0U, ~0U, ~0U, ~0U, ~2U, ~0U, ~0U, ~0U } },
};

static const char *const kinds[] = { "icmp", "udp", NULL };
const char *tw_reflect_kind;
static struct addrinfo *peer;

/* Of the pair that was opened last: its client inherits it. */
static const struct echo *echo;
static struct icmphdr head;	/* of a request; the same in ICMPv6 */
static size_t head_size;	/* 0: of UDP */
static bool raw;
static bool answered;		/* there was a reply */
static char *message, *reply;	/* whole */
static size_t reply_size;

/* The peer does not sleep; a --sleep that was given is refused later. */
static void parse_kind(const struct tw_option *option, char *value)
{
	tw_option_choice(option, value);
	tw_settings.sleep_us = 0;
}

static const struct tw_option options[] = {
	{ 0, "reflect", TW_WORD, &tw_reflect_kind, .choices = kinds,
	  .parse = parse_kind, .with = "--connect",
	  .without = NO("sleep") NO("wait") NO("peer") NO("server-affinity")
		     NO("server-priority") NO("servers") NO("order")
		     NO("transport"),
	  .help = "measure a device that sends requests back:" },
	{ .name = NULL }
};

static int open_icmp(void)
{
	static uint16_t number;	/* another identifier for each socket */
	int fd = socket(echo->family, SOCK_DGRAM | SOCK_CLOEXEC,
			echo->protocol);

	head.type = echo->request;
	raw = fd < 0;
	if (!raw)
		return fd;
	head.un.echo.id = htons((uint16_t)(getpid() + number++));
	fd = socket(echo->family, SOCK_RAW | SOCK_CLOEXEC, echo->protocol);
	if (fd < 0 && errno == EPERM)
		tw_say_fatal("--reflect=icmp: no socket of ICMP: %m; needed is root, CAP_NET_RAW, or a group of this process in net.ipv4.ping_group_range: sysctl -w net.ipv4.ping_group_range=\"%d %d\"\n",
			     (int)getegid(), (int)getegid());
	/* Else every packet of ICMP would wake the client. */
	setsockopt(fd, echo->filter_level, echo->filter_option, echo->filter,
		   echo->filter_size);
	return fd;
}

/* Called by main. @server_fd: there is none. */
static int open_pair(int *client_fd, int *server_fd)
{
	struct sockaddr_in6 own;	/* its port lies where IPv4's does */
	socklen_t len = sizeof(own);
	int on = 1, fd = head_size ? open_icmp() :
			 socket(echo->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, echo->error_level, echo->error_option,
				 &on, sizeof(on)) ||
	    tw_datagram_set_timeout(fd) ||
	    connect(fd, peer->ai_addr, peer->ai_addrlen) ||
	    getsockname(fd, (struct sockaddr *)&own, &len))
		tw_say_fatal("--connect=%s: %m\n", tw_talk_way.text);
	if (!raw)		/* the kernel has chosen the identifier */
		head.un.echo.id = own.sin6_port;
	*client_fd = fd;
	*server_fd = -1;
	return 0;
}

/* Of the head and the number; what follows is 0. For raw sockets of IPv4. */
static uint16_t checksum(const struct tw_request *request)
{
	uint16_t words[8];
	uint32_t sum = 0;
	int i;

	head.checksum = 0;
	memcpy(words, &head, 8);
	memcpy(words + 4, request, 8);
	for (i = 0; i < 8; i++)
		sum += words[i];
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)~(sum + (sum >> 16));
}

/*
 * After a failed call. 0: call again. Before the first reply, an error of the
 * network ends the run; later, the cycle is lost.
 */
static int failed(const struct tw_loop *loop)
{
	int number = errno, err = tw_wire_failed(loop->stop);

	if (number == EAGAIN)
		return TW_LINK_LOST;
	if (!err || err == -ECANCELED)
		return err;
	tw_datagram_error(loop, number);
	return answered ? TW_LINK_LOST : -number;
}

static int send_request(const struct tw_loop *loop, uint64_t seq)
{
	int err = 0;

	head.un.echo.sequence = htons((uint16_t)seq);
	if (raw && echo->family == AF_INET)
		head.checksum = checksum(loop->request);
	memcpy(message, &head, head_size);
	memcpy(message + head_size, loop->request, sizeof(struct tw_request));
	while (!err && tw_wire_out(loop->fd, message, head_size + loop->size,
				   MSG_NOSIGNAL) < 0)
		err = failed(loop);
	return err;
}

/* The number of the request that has come back; 0: it is not ours. */
static uint64_t number_of(const struct tw_loop *loop, ssize_t len)
{
	size_t at = raw && echo->family == AF_INET ? (*reply & 15) * 4 : 0;
	struct tw_request back;
	struct icmphdr got;
	uint64_t seq;

	if (len != (ssize_t)(at + head_size + loop->size))
		return 0;
	memcpy(&got, reply + at, sizeof(got));
	memcpy(&back, reply + at + head_size, sizeof(back));
	seq = le64toh(back.seq);
	if (head_size && (got.type != echo->reply || got.code ||
			  got.un.echo.id != head.un.echo.id ||
			  got.un.echo.sequence != htons((uint16_t)seq)))
		return 0;
	return seq;
}

static int await_reply(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	for (;;) {
		ssize_t len = tw_wire_in(loop->fd, reply, reply_size,
					 MSG_TRUNC);
		uint64_t seq;
		int err;

		cycle->t3_ns = loop->now_ns();
		err = len < 0 ? failed(loop) : 0;
		if (err)
			return err;
		seq = len < 0 ? 0 : number_of(loop, len);
		if (seq && seq <= cycle->seq &&
		    tw_datagram_is_reply(loop, cycle, seq)) {
			answered = true;
			return 0;
		}
		if (!tw_datagram_in_time(cycle))
			return TW_LINK_LOST;
		cycle->t3_ns = 0;	/* it waits on: see tw_loop.h */
	}
}

static int exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	int err = send_request(loop, cycle->seq);

	if (!err)
		err = await_reply(loop, cycle);
	return tw_datagram_sent(loop, cycle, err);
}

static void start_pair(struct tw_run *run, int number)
{
	tw_pair_connect(run, number);
	tw_pair_start_process(run, number, TW_CLIENT);
	/* There is none: nobody waits for its end. */
	run->pairs[number]->process[TW_SERVER].ended = true;
}

/* Whether this kernel has the family, and a way there. */
static bool is_reachable(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool reachable = fd >= 0 && !connect(fd, at->ai_addr, at->ai_addrlen);

	if (fd >= 0)
		close(fd);
	return reachable;
}

static void find_peer(void)
{
	const char *host = tw_talk_way.text, *why;
	struct tw_host parsed;
	int port;

	if (!tw_reach_parse(host, &parsed) || strchr(parsed.name, '@'))
		tw_say_fatal("--connect=%s: allowed is HOST, HOST:PORT or [ADDRESS]:PORT\n",
			     host);
	if (head_size && parsed.port)
		tw_say_fatal("--connect=%s: a port is allowed only with --reflect=udp\n",
			     host);
	peer = tw_reach_find(parsed.name, &why);
	if (!peer)
		tw_say_fatal("--connect=%s: %s\n", host, why);
	while (peer->ai_next && !is_reachable(peer))
		peer = peer->ai_next;
	port = htons(parsed.port ? parsed.port : PORT);
	/* Both families have it at the same place. */
	((struct sockaddr_in6 *)peer->ai_addr)->sin6_port = port;
}

static void check(struct tw_run *run)
{
	static struct tw_link_ops link = {
		.open = open_pair, .exchange = exchange
	};

	if (!tw_reflect_kind)
		return;
	head_size = strcmp(tw_reflect_kind, "udp") ? sizeof(head) : 0;
	find_peer();
	tw_metric_no_server(ABSENT);
	echo = &echoes[peer->ai_family == AF_INET6];
	/* One byte more: a longer reply is seen. */
	reply_size = IP_HEAD_MAX + head_size + tw_config.size + 1;
	reply = calloc(1, reply_size);
	message = calloc(1, head_size + tw_config.size);
	if (!reply || !message)
		tw_say_fatal("--reflect=%s: no memory\n", tw_reflect_kind);
	link.name = tw_reflect_kind;
	tw_settings.link = &link;
	run->start_pair = start_pair;
}

static void text(FILE *file, const struct tw_run *run)
{
	char address[INET6_ADDRSTRLEN + 20], port[8];

	if (tw_reflect_kind &&
	    !getnameinfo(peer->ai_addr, peer->ai_addrlen, address,
			 sizeof(address), port, sizeof(port),
			 NI_NUMERICHOST | NI_NUMERICSERV))
		fprintf(file, "# Reflected by %s%s%s: %s\n", address,
			head_size ? "" : " port ", head_size ? "" : port,
			tw_reflect_kind);
}

const struct tw_part tw_part_reflect = {
	.options = options, .check = check, .text = text,
};
