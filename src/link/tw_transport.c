// SPDX-License-Identifier: GPL-2.0-or-later
/* --transport, the options of its sockets, and the counts of datagrams. */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <string.h>
#include <sys/socket.h>

#include "tw_array.h"
#include "tw_datagram.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_time.h"
#include "tw_transport.h"
#include "tw_link.h"

#define UNREACHABLE	"; the host is not there, or cannot be reached: see its address, its power, the cable and what is between"
#define INET		"--transport=tcp or udp"
#define TIMEOUT_US	100000	/* default, but not below twice the sleep */

/* In this order they are set: IP_TOS changes SO_PRIORITY. */
static struct sockopt {
	const char *option;
	int level, name;
	int shift;
	int64_t value;		/* -1: not given; later, as read back */
	bool given;
} sockopts[] = {
	{ "dscp", IPPROTO_IP, IP_TOS, 2, -1, false },
	{ "sock-priority", SOL_SOCKET, SO_PRIORITY, 0, -1, false },
	{ "busy-poll", SOL_SOCKET, SO_BUSY_POLL, 0, -1, false },
	{ "prefer-busy-poll", SOL_SOCKET, SO_BUSY_POLL_BUDGET, 0, -1, false },
	{ "prefer-busy-poll", SOL_SOCKET, SO_PREFER_BUSY_POLL, 0, -1, false },
};

#define SOCKOPTS	(sizeof(sockopts) / sizeof(sockopts[0]))

static const struct tw_link_ops *const kinds[] = {
	&tw_link_tcp, &tw_link_udp, &tw_link_unix, &tw_link_vsock, NULL
};

static const struct tw_link_ops *kind;
static bool lossy;		/* udp, or --reflect */
static bool told;		/* the server's counts are known */
static const char *kind_name = "tcp";
static int64_t timeout_us = -1;

static const char *name_of(int number)
{
	return kinds[number] ? kinds[number]->name : NULL;
}

/* Its value is the budget. */
static void parse_prefer(const struct tw_option *option, char *value)
{
	tw_option_number(option, value);
	sockopts[4].value = 1;
}

static const struct tw_option options[] = {
	{ 0, "busy-poll", TW_NUMBER, &sockopts[2].value, "US", 0, 1000000,
	  .with = INET, .far = TW_ASKED, .group = TW_SOCKETS,
	  .help = "let the kernel poll the device so long in a receive" },
	{ 0, "dscp", TW_NUMBER, &sockopts[0].value, NULL, 0, 63, .with = INET,
	  .far = TW_ASKED, .group = TW_SOCKETS,
	  .help = "the packets' class of service" },
	{ 0, "prefer-busy-poll", TW_NUMBER, &sockopts[3].value, NULL, 1, 65535,
	  .parse = parse_prefer, .with = INET, .far = TW_ASKED,
	  .group = TW_SOCKETS,
	  .help = "at most N at once in a receive, without interrupts" },
	{ 0, "sock-priority", TW_NUMBER, &sockopts[1].value, NULL, 0, INT32_MAX,
	  .with = INET, .far = TW_ASKED, .group = TW_SOCKETS,
	  .help = "the packets' priority in this host" },
	{ 0, "timeout", TW_NUMBER, &timeout_us, "US", 1, 10000000,
	  .most = 20000000,	/* twice the longest sleep */
	  .with = "--transport=udp or --reflect", .far = TW_ASKED,
	  .help = "udp, --reflect: a later reply is lost, default 100000" },
	{ 0, "transport", TW_WORD, &kind_name, .choice = name_of,
	  .becomes = "icmp", .far = TW_ASKED,
	  .help = "what requests go over:" },
	{ .name = NULL }
};

/* IPv6 has a name of its own for what is an option of IPv4. */
static struct sockopt in_family(struct sockopt option, int fd)
{
	socklen_t len = sizeof(int);
	int family;

	if (option.level == IPPROTO_IP &&
	    !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) &&
	    family == AF_INET6) {
		option.level = IPPROTO_IPV6;
		option.name = IPV6_TCLASS;
	}
	return option;
}

static void set(const struct sockopt *option, int fd)
{
	const struct sockopt of = in_family(*option, fd);
	int value = (int)option->value << option->shift;

	/* IPv4 within IPv6 keeps to the options of IPv4. */
	if (of.level != option->level)
		setsockopt(fd, option->level, option->name, &value,
			   sizeof(value));
	if (setsockopt(fd, of.level, of.name, &value, sizeof(value)))
		tw_say_fatal("--%s=%" PRId64 ": refused by the kernel: %m%s\n",
			     option->option, option->value, errno == EPERM ?
			     "; needed is root or CAP_NET_ADMIN" : "");
}

/* Also those that were not asked for: for the JSON. */
static void read_back(struct sockopt *option, int fd)
{
	const struct sockopt of = in_family(*option, fd);
	socklen_t len = sizeof(int);
	int value;

	if (!getsockopt(fd, of.level, of.name, &value, &len))
		option->value = value >> option->shift;
}

void tw_transport_prepare(int fd)
{
	size_t i;

	for (i = 0; i < SOCKOPTS; i++)
		if (sockopts[i].given)
			set(&sockopts[i], fd);
	for (i = 0; i < SOCKOPTS; i++)
		read_back(&sockopts[i], fd);
}

static int open_with_options(int *client_fd, int *server_fd)
{
	int err = kind->open(client_fd, server_fd);

	if (!err) {
		if (*server_fd >= 0)
			tw_transport_prepare(*server_fd);
		tw_transport_prepare(*client_fd);
	}
	return err;
}

static void check_datagrams(void)
{
	if (!lossy)
		return;
	if (tw_config.size > TW_DATAGRAM_MAX)
		tw_say_fatal("--size=%" PRId64 ": with datagrams, allowed is a whole number from 8 to %d\n",
			     tw_config.size, TW_DATAGRAM_MAX);
	if (timeout_us < 0)
		timeout_us = TIMEOUT_US > 2 * tw_config.sleep_us ?
			     TIMEOUT_US : 2 * tw_config.sleep_us;
	if (timeout_us <= tw_config.sleep_us)
		tw_say_fatal("--timeout=%" PRId64 ": allowed is more than --sleep=%" PRId64 "\n",
			     timeout_us, tw_config.sleep_us);
}

/* At a real-time priority, main would not get a CPU to end the run. */
static void check_busy(void)
{
	cpu_set_t main_cpus, cpus, spun;
	int i;

	if (tw_config.wait != &tw_wait_busy || !tw_config.priority)
		return;
	tw_place(TW_MAIN, 0, &main_cpus);
	CPU_ZERO(&spun);
	for (i = 0; i < tw_config.pairs; i++) {
		tw_place(TW_SERVER, i, &cpus);
		CPU_OR(&spun, &spun, &cpus);
	}
	CPU_AND(&cpus, &spun, &main_cpus);
	if (CPU_EQUAL(&cpus, &main_cpus) &&
	    tw_config.pairs >= CPU_COUNT(&main_cpus))
		tw_say_fatal("--wait=busy: at a real-time priority, %d server%s would leave the parent process no CPU; allowed are fewer pairs, or --server-affinity and --mainaffinity that differ\n",
			     (int)tw_config.pairs,
			     tw_config.pairs > 1 ? "s" : "");
}

static void check(struct tw_run *run)
{
	static struct tw_link_ops with_options;
	bool reflects = !tw_config.link->take;
	int i = 0;

	while (strcmp(kinds[i]->name, kind_name))
		i++;
	kind = reflects ? tw_config.link : kinds[i];
	kind_name = kind->name;
	lossy = reflects || kind == &tw_link_udp;
	told = !reflects && !tw_config.absent[TW_SERVER] &&
	       !tw_config.absent[TW_CLIENT];
	check_datagrams();
	check_busy();
	tw_settings.link = kind;
	if (kind == &tw_link_tcp || lossy) {
		with_options = *kind;
		with_options.open = open_with_options;
		if (tw_config.absent[TW_SERVER] && !reflects)
			tw_link_far(&with_options);
		tw_settings.link = &with_options;
	}
	for (i = 0; i < (int)SOCKOPTS; i++)
		sockopts[i].given = sockopts[i].value >= 0;
}

static size_t room(const struct tw_run *run)
{
	return lossy ? sizeof(struct tw_datagrams) : 0;
}

static void attach(void *room, int pair)
{
	tw_datagram_count(pair, room, timeout_us * TW_NS_PER_US);
}

static bool record(void *room, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct tw_datagrams *counts = room;

	counts->answered++;
	return false;
}

static void lose(void *room, const struct tw_cycle *cycle)
{
	struct tw_datagrams *counts = room;

	counts->lost += cycle->t0_ns != 0;
}

/* Of a pair; zeros without udp. */
static struct tw_datagrams counts_of(const struct tw_run *run, int pair)
{
	const struct tw_datagrams *counts =
		tw_pair_room(run, pair, &tw_part_transport);

	return counts ? *counts : (struct tw_datagrams) { .sent = 0 };
}

uint64_t tw_transport_lost(const struct tw_run *run, int pair)
{
	return counts_of(run, pair).lost;
}

int64_t tw_transport_timeout_ns(void)
{
	return timeout_us * TW_NS_PER_US;
}

uint64_t tw_transport_answered(const struct tw_run *run, int pair)
{
	return counts_of(run, pair).requests;
}

void tw_transport_told(const struct tw_run *run, int pair, uint64_t requests)
{
	struct tw_datagrams *counts =
		tw_pair_room(run, pair, &tw_part_transport);

	if (counts)
		counts->requests = requests;
	told = true;
}

/* The others' replies were lost, or late. What another host says can be any. */
static uint64_t lost_requests(const struct tw_datagrams *counts)
{
	uint64_t lost = counts->sent > counts->requests ?
			counts->sent - counts->requests : 0;

	return lost < counts->lost ? lost : counts->lost;
}

/* What to do about an error of the network. */
static const char *remedy(int error)
{
	static const struct {
		int error;
		const char *text;
	} known[] = {
		{ ECONNREFUSED, "; nothing listens at that port" },
		{ EHOSTUNREACH, UNREACHABLE }, { EHOSTDOWN, UNREACHABLE },
		{ ENETUNREACH, UNREACHABLE }, { EACCES, UNREACHABLE },
	};
	size_t i = 0;

	while (i < ARRAY_SIZE(known) && known[i].error != error)
		i++;
	return i < ARRAY_SIZE(known) ? known[i].text : "";
}

static void end(struct tw_run *run)
{
	struct tw_datagrams counts;
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		counts = counts_of(run, i);
		if (counts.errors)
			tw_say_warn("pair %d: errors came from the network instead of replies: %" PRIu64 ", the last: %s%s\n",
				    i, counts.errors, strerror(counts.error),
				    remedy(counts.error));
		if (counts.lost && !counts.answered)
			tw_say_warn("pair %d: all %" PRIu64 " cycles were lost%s\n",
				    i, counts.lost, counts.late ? ", as their replies came late: give a longer --timeout" :
				    counts.errors ? "" :
				    ", and no reply came late: the other side is not there, does not answer, or something drops the datagrams");
	}
}

static void text(FILE *file, const struct tw_run *run)
{
	struct tw_datagrams sum = { .sent = 0 };
	uint64_t repeated = 0, requests = 0;
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		struct tw_datagrams counts = counts_of(run, i);

		requests += lost_requests(&counts);
		sum.sent += counts.sent;
		sum.lost += counts.lost;
		sum.late += counts.late;
		sum.reordered += counts.reordered;
		repeated += counts.repeated_replies + counts.repeated_requests;
	}
	if (!sum.lost && !sum.late && !sum.reordered && !repeated)
		return;
	fprintf(file, "# Lost: %" PRIu64 " of %" PRIu64 " cycles; late %" PRIu64 ", duplicate %" PRIu64 ", reordered %" PRIu64,
		sum.lost, sum.sent, sum.late, repeated, sum.reordered);
	if (told)
		fprintf(file, "; requests %" PRIu64 ", replies %" PRIu64,
			requests, sum.lost - requests);
	fprintf(file, "\n");
}

/* What the JSON says of a pair. */
struct counted {
	struct tw_datagrams of;
	uint64_t duplicate, lost_request, lost_reply;
};

static const void *datagrams_of(const void *of)
{
	static struct counted counted;
	const struct tw_spot *spot = of;

	counted.of = counts_of(spot->run, spot->number);
	counted.duplicate = counted.of.repeated_replies +
			    counted.of.repeated_requests;
	counted.lost_request = lost_requests(&counted.of);
	counted.lost_reply = counted.of.lost - counted.lost_request;
	return lossy ? &counted : NULL;
}

#define OF(field)	#field, TW_IN(struct counted, of.field), TW_COUNT

static const struct tw_member counts[] = {
	{ OF(sent), "Requests; answered + lost." },
	{ OF(answered), "Cycles with a reply in time: those that were measured." },
	{ OF(lost), "Cycles without." },
	{ OF(late), "Replies to lost cycles that came after all." },
	{ TW_NAMED(struct counted, duplicate), TW_COUNT, "Requests and replies that came again." },
	{ OF(reordered), "Requests that came after a newer one, and got no reply; with --reflect, late replies that did." },
	{ TW_NAMED(struct counted, lost_request), TW_COUNT, "Of the lost cycles, those whose request the server did not answer; absent: its count is not known.",
	  TW_IF(told) },
	{ TW_NAMED(struct counted, lost_reply), TW_COUNT, "The others: their reply was lost, or late.",
	  TW_IF(told) },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "datagrams", TW_NOWHERE, TW_OBJECT, "Of udp and reflect, without the warm-up; null: another transport.",
	  .nullable = true, .get = datagrams_of, .of = counts },
	{ .name = NULL }
};

const struct tw_part tw_part_transport = {
	.options = options, .check = check, .room = room, .attach = attach,
	.record = record, .whole = true, .lose = lose, .end = end,
	.text = text, .members[TW_OF_PAIR] = members,
};
