// SPDX-License-Identifier: GPL-2.0-or-later
/* --transport, the options of its sockets, and the counts of datagrams. */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "measure/tw_address.h"
#include "measure/tw_datagram.h"
#include "measure/tw_sockopt.h"
#include "measure/tw_transport_kinds.h"
#include "run/tw_part_transport.h"
#include "run/tw_session.h"

#define TIMEOUT_US	100000	/* if not told else */

static struct {
	const struct tw_transport_ops *ops;
	union tw_address address;
	char where[TW_ADDRESS_TEXT];	/* that address; "": the default */
	bool quickack;
	int64_t wanted[TW_SOCKOPTS];
	int64_t got[TW_SOCKOPTS];	/* what the kernel says, at a link */
	char failed[64];
} set;
static const __typeof__(set) initial = {
	.ops = &tw_transport_tcp,
	.wanted = { [0 ... TW_SOCKOPTS - 1] = TW_SOCKOPT_NONE },
	.got = { [0 ... TW_SOCKOPTS - 1] = TW_SOCKOPT_NONE },
};

static int parse_address(const struct tw_option *option, const char *value,
			 struct tw_run *run)
{
	if (tw_address_parse(value, &set.address))
		return tw_option_error(option, value, run,
				       "allowed is a numeric address of the loopback: 127.0.0.1 to 127.255.255.255, or ::1, also as [::1]");
	tw_address_format(&set.address, set.where);
	return 0;
}

static bool is_loopback(const char *name)
{
	struct ifreq request = { .ifr_flags = 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	found = !ioctl(fd, SIOCGIFFLAGS, &request) &&
		request.ifr_flags & IFF_LOOPBACK;
	close(fd);
	return found;
}

/* Over any other, packets to a loopback address would leave this host. */
static int parse_interface(const struct tw_option *option, const char *value,
			   struct tw_run *run)
{
	int64_t *index = option->to;
	char name[IF_NAMESIZE];
	bool found;

	*index = strlen(value) < sizeof(name) ? if_nametoindex(value) : 0;
	/* Names like "lo:1" are those of an address. */
	found = *index && if_indextoname((unsigned int)*index, name) &&
		!strcmp(name, value);
	if (found && is_loopback(value))
		return 0;
	return tw_option_error(option, value, run,
			       found ? "does not lead to the addresses of the loopback; allowed is lo" :
			       "there is no such interface here; allowed is lo");
}

static const struct tw_option options[] = {
	{ 0, "address", TW_ARGUMENT, "ADDR", parse_address, NULL,
	  .help = "loopback address of the server, IPv4 or IPv6,\n"
		  "default 127.0.0.1" },
	{ 0, "busy-poll", TW_ARGUMENT, "US", tw_option_number,
	  &set.wanted[TW_SOCKOPT_BUSY_POLL],
	  .max = 1000000,
	  .help = "let the kernel poll the network device for so many\n"
		  "microseconds in a receive (SO_BUSY_POLL)" },
	{ 0, "dscp", TW_ARGUMENT, "N", tw_option_number,
	  &set.wanted[TW_SOCKOPT_DSCP],
	  .max = 63,
	  .help = "code point of the packets' service (IP_TOS)" },
	{ 0, "interface", TW_ARGUMENT, "NAME", parse_interface,
	  &set.wanted[TW_SOCKOPT_INTERFACE],
	  .help = "bind the sockets to this interface: lo" },
	{ 0, "quickack", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.quickack,
	  .help = "acknowledge at once (TCP_QUICKACK), until the\n"
		  "kernel changes that" },
	{ 0, "sock-priority", TW_ARGUMENT, "N", tw_option_number,
	  &set.wanted[TW_SOCKOPT_PRIORITY],
	  .max = INT32_MAX,
	  .help = "priority of the packets (SO_PRIORITY)" },
	{ 0, "timeout", TW_ARGUMENT, "US", tw_option_number,
	  &set.wanted[TW_SOCKOPT_TIMEOUT],
	  .min = 1, .max = 10000000,
	  .help = "with udp: a reply that takes longer is lost, in\n"
		  "microseconds, rounded up to jiffies; default 100000" },
	{ 0, "transport", TW_ARGUMENT, "KIND", tw_option_kind, &set.ops,
	  .kinds = tw_transport_kinds, .lists_kinds = true,
	  .help = "what requests go over: tcp (default)" },
	{ .name = NULL }
};

/* "--dscp=46", "--interface=lo", "--quickack" */
static const char *name_option(enum tw_sockopt_id id)
{
	const char *name = tw_sockopts[id].option;
	char interface[IF_NAMESIZE] = "?";

	if (id == TW_SOCKOPT_QUICKACK)
		snprintf(set.failed, sizeof(set.failed), "--%s", name);
	else if (id == TW_SOCKOPT_INTERFACE)
		snprintf(set.failed, sizeof(set.failed), "--%s=%s", name,
			 if_indextoname((unsigned int)set.wanted[id],
					interface) ? interface : "?");
	else
		snprintf(set.failed, sizeof(set.failed), "--%s=%" PRId64,
			 name, set.wanted[id]);
	return set.failed;
}

static int check_options(struct tw_run *run)
{
	const char *kind = set.ops->name;
	int id;

	if (!set.ops->internet && tw_option_given(run, "port"))
		return tw_fail(run, -EINVAL, "--port=%d: --transport=%s has no such port; leave it out, or choose tcp or udp",
			       (int)tw_config->port, kind);
	if (!set.ops->internet && *set.where)
		return tw_fail(run, -EINVAL, "--address=%s: --transport=%s has no such address; leave it out, or choose tcp or udp",
			       set.where, kind);
	for (id = 0; id < TW_SOCKOPTS; id++)
		if (set.wanted[id] != TW_SOCKOPT_NONE &&
		    !tw_sockopts[id].fits(set.ops))
			return tw_fail(run, -EINVAL, "%s: --transport=%s cannot take it; leave it out, or choose %s",
				       name_option(id), kind,
				       tw_sockopts[id].with);
	return 0;
}

static int check_datagrams(struct tw_run *run)
{
	int64_t *timeout_us = &set.wanted[TW_SOCKOPT_TIMEOUT];

	if (set.ops->size_max && tw_config->size > set.ops->size_max)
		return tw_fail(run, -EINVAL, "--size=%lld: does not fit into a datagram; with --transport=%s, allowed is a whole number from %d to %lld",
			       (long long)tw_config->size, set.ops->name,
			       TW_REQUEST_MIN, (long long)set.ops->size_max);
	if (!set.ops->datagrams)
		return 0;
	if (tw_config->serving.one)
		return tw_fail(run, -EINVAL, "--transport=%s: with --servers=one, allowed is a transport that loses nothing, such as tcp or unix",
			       set.ops->name);
	if (*timeout_us == TW_SOCKOPT_NONE)
		*timeout_us = TIMEOUT_US > 2 * tw_config->sleep_us ?
			      TIMEOUT_US : 2 * tw_config->sleep_us;
	if (*timeout_us <= tw_config->sleep_us)
		return tw_fail(run, -EINVAL, "--timeout=%lld: no reply comes as early with --sleep=%lld; allowed is more than the sleep",
			       (long long)*timeout_us,
			       (long long)tw_config->sleep_us);
	return 0;
}

static int check(struct tw_run *run)
{
	int err;

	if (set.quickack)
		set.wanted[TW_SOCKOPT_QUICKACK] = 1;
	err = check_options(run);
	return err ? err : check_datagrams(run);
}

static int settle(const struct tw_link *link, const char **failed)
{
	enum tw_sockopt_id id;
	int err = tw_sockopt_set(link, set.wanted, &id);

	if (err)
		*failed = name_option(id);
	else
		tw_sockopt_get(set.ops, link->client_fd >= 0 ?
			       link->client_fd : link->server_fd, set.got);
	return err;
}

static int open_transport(struct tw_run *run)
{
	struct tw_transport *transport = &tw_session(run)->transport;

	transport->ops = set.ops;
	transport->settle = settle;
	if (set.ops->where)
		transport->where = set.ops->where;
	if (*set.where) {
		transport->address = set.address;
		transport->where = set.where;
	}
	return 0;
}

const struct tw_transport_ops *tw_transport_wanted(void)
{
	return set.ops;
}

int64_t tw_transport_option(enum tw_sockopt_id id)
{
	return set.wanted[id];
}

static size_t room(const struct tw_run *run)
{
	(void)run;
	return set.ops->datagrams ? sizeof(struct tw_datagrams) : 0;
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	if (!set.ops->datagrams)
		return;
	pair->datagrams = memory;
	pair->datagrams->timeout_ns = set.wanted[TW_SOCKOPT_TIMEOUT] *
				      TW_NS_PER_US;
	pair->receive = tw_datagram_receive;
	pair->take = tw_datagram_take;
}

static void merge(struct tw_pair *sum, const struct tw_pair *pair)
{
	if (pair->datagrams)
		tw_datagram_merge(sum->datagrams, pair->datagrams);
}

/* Of a pair, in all steps: these are added up later. False: it has cycles. */
static bool has_lost_all(const struct tw_session *session, unsigned int k,
			 struct tw_datagram_counts *counts)
{
	struct tw_datagram_counts own;
	const struct tw_pair *pair;
	int i;

	*counts = (struct tw_datagram_counts) { .sent = 0 };
	for (i = 0; i < session->steps_done; i++) {
		if (k >= session->steps[i].count)
			continue;
		pair = session->steps[i].pair[k];
		if (pair->datagrams) {
			own = tw_datagram_count(pair->datagrams);
			tw_datagram_add(counts, &own);
		}
		if (pair->tally->cycles)
			return false;
	}
	return counts->lost;
}

static void finish(struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	struct tw_datagram_counts counts;
	char of[32] = "";
	unsigned int k;

	for (k = 0; k < session->config->pairs.count; k++) {
		if (!has_lost_all(session, k, &counts))
			continue;
		if (session->config->pairs.count > 1)
			snprintf(of, sizeof(of), " of pair %u", k);
		tw_fail(run, -ENODATA, "not one cycle%s was measured: of %" PRIu64 " cycles sent over %s, all were lost (%" PRIu64 " requests, %" PRIu64 " replies); give a longer --timeout, or see what drops the datagrams",
			of, counts.sent, set.ops->name, counts.lost_request,
			counts.lost_reply);
	}
}

/* Of all pairs, with what came to the server's port from elsewhere. */
static bool count(const struct tw_run *run, struct tw_datagram_counts *sum)
{
	const struct tw_session *session = tw_session(run);
	struct tw_datagram_counts own;
	const struct tw_pair *pair;
	unsigned int k;

	*sum = (struct tw_datagram_counts) {
		.strangers = session->strangers,
	};
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		if (!pair->datagrams)
			return false;
		own = tw_datagram_count(pair->datagrams);
		tw_datagram_add(sum, &own);
	}
	return true;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	struct tw_datagram_counts counts;

	if (!count(run, &counts))
		return;
	if (counts.lost)
		fprintf(file, "# Lost: %" PRIu64 " of %" PRIu64 " cycles: %" PRIu64 " requests, %" PRIu64 " replies\n",
			counts.lost, counts.sent, counts.lost_request,
			counts.lost_reply);
	if (counts.late || counts.duplicate || counts.reordered ||
	    counts.strangers)
		fprintf(file, "# Datagrams: late %" PRIu64 ", duplicate %" PRIu64 ", reordered %" PRIu64 ", from strangers %" PRIu64 "\n",
			counts.late, counts.duplicate, counts.reordered,
			counts.strangers);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	struct tw_datagram_counts counts;

	if (!count(run, &counts)) {
		tw_json_null(json, "datagrams");
		return;
	}
	tw_json_begin(json, "datagrams", '{');
	tw_json_uint(json, "sent", counts.sent);
	tw_json_uint(json, "answered", counts.answered);
	tw_json_uint(json, "lost", counts.lost);
	tw_json_uint(json, "lost_request", counts.lost_request);
	tw_json_uint(json, "lost_reply", counts.lost_reply);
	tw_json_uint(json, "late", counts.late);
	tw_json_uint(json, "duplicate", counts.duplicate);
	tw_json_uint(json, "reordered", counts.reordered);
	tw_json_uint(json, "strangers", counts.strangers);
	tw_json_end(json);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	const int64_t *got = set.got;
	char interface[IF_NAMESIZE];
	char address[TW_ADDRESS_TEXT];
	int id;

	tw_json_text(json, "address", set.ops->internet ?
		     tw_address_format(&tw_session(run)->transport.address,
				       address) : NULL);
	for (id = 0; id < TW_SOCKOPTS; id++) {
		const char *member = tw_sockopts[id].member;

		if (id == TW_SOCKOPT_INTERFACE)
			tw_json_text(json, member, got[id] <= 0 ? NULL :
				     if_indextoname((unsigned int)got[id],
						    interface));
		else if (id == TW_SOCKOPT_QUICKACK)
			tw_json_bool(json, member, set.quickack && got[id] > 0);
		else
			tw_json_int_if(json, member, got[id] >= 0, got[id]);
	}
}

const struct tw_part tw_part_transport = {
	.name = "transport", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_transport, .room = room,
	.attach = attach, .merge = merge, .finish = finish,
	.remarks = remarks, .json = json, .json_settings = json_settings,
};
