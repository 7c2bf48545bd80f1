// SPDX-License-Identifier: GPL-2.0-or-later
/* --stamps: what pairs get, and what is tried before the measurement. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "measure/tw_datagram.h"
#include "measure/tw_stamped.h"
#include "measure/tw_stamps_cost.h"
#include "run/tw_part_stamps.h"
#include "run/tw_part_transport.h"
#include "run/tw_session.h"

#define TRIES	5		/* of the test exchange */
#define PAUSE_NS (20 * TW_NS_PER_MS)	/* between them */

static struct {
	int mode;		/* enum tw_stamps_mode */
	/* An exchange without stamps, and with them; see tw_stamps_cost(). */
	struct tw_stamped_row without, with;
} set;
static const __typeof__(set) initial;

static const char *const modes[] = { "off", "rx", "all", NULL };

/* What a mode adds to a cycle: calls of the client, and of the server. */
static const int calls_more[] = { 0, 0, 1 };

static const struct tw_option options[] = {
	{ 0, "stamps", TW_ARGUMENT, "NAME", tw_option_word, &set.mode,
	  .kinds = modes,
	  .help = "the kernel's timestamps of the packets: off\n"
		  "(default), rx (those received), all; they tell where\n"
		  "the time goes, and take some of it" },
	{ .name = NULL }
};

bool tw_stamps_wanted(void)
{
	return set.mode != TW_STAMPS_OFF;
}

const char *tw_stamps_name(void)
{
	return modes[set.mode];
}

static void keep(struct tw_pair *pair, void *memory, uint32_t count)
{
	pair->stamps->slot = memory;
	pair->stamps->slots = count;
}

/* In the order of enum tw_stamp_id; nothing for one that is missing. */
static void dump(FILE *file, const struct tw_pair *pair, uint64_t seq)
{
	struct tw_stamped stamped;
	int id;

	tw_stamped_find(pair->stamps, seq, &stamped);
	for (id = 0; id < TW_STAMPS; id++)
		if (stamped.at_ns[id] != TW_STAMP_NONE)
			fprintf(file, ",%" PRId64, stamped.at_ns[id]);
		else
			fprintf(file, ",");
}

static const struct tw_dumped dumped = {
	",client_sched_ns,client_snd_ns,server_rx_ns,server_sched_ns,server_snd_ns,client_rx_ns",
	sizeof(struct tw_stamped), keep, dump,
};

static int check(struct tw_run *run)
{
	const struct tw_transport_ops *ops = tw_transport_wanted();

	if (!tw_stamps_wanted())
		return 0;
	if (!ops->internet)
		return tw_fail(run, -EINVAL, "--stamps=%s: --transport=%s has no packets that the kernel stamps; leave it out, or choose tcp or udp",
			       modes[set.mode], ops->name);
	if (tw_config->serving.one)
		return tw_fail(run, -EINVAL, "--stamps=%s: with --servers=one, a reply has no room for the stamps; allowed is off, or --servers=each",
			       modes[set.mode]);
	tw_config_dump(&dumped);
	return 0;
}

static size_t room(const struct tw_run *run)
{
	(void)run;
	return tw_stamps_wanted() ? sizeof(struct tw_stamps) : 0;
}

static const struct {
	unsigned int bit;
	enum tw_stamps_mode least;	/* the mode that asks for it */
	const char *name;
} kinds[] = {
	{ TW_STAMPS_HAS_RX, TW_STAMPS_RX, "rx" },
	{ TW_STAMPS_HAS_SCHED, TW_STAMPS_ALL, "sched" },
	{ TW_STAMPS_HAS_SND, TW_STAMPS_ALL, "snd" },
};

/* One message each way. What is missing to *missing; 0 or -errno. */
static int exchange(const struct tw_link *link, enum tw_stamps_mode mode,
		    unsigned int missing[TW_ROLES])
{
	const struct {
		int from, to;
		enum tw_role sender, receiver;
	} ways[] = {
		{ link->client_fd, link->server_fd, TW_CLIENT, TW_SERVER },
		{ link->server_fd, link->client_fd, TW_SERVER, TW_CLIENT },
	};
	unsigned int wanted = 0;
	uint32_t id;
	size_t i;
	int said, heard;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		wanted |= mode >= kinds[i].least ? kinds[i].bit : 0;
	missing[TW_CLIENT] = wanted;
	missing[TW_SERVER] = wanted;
	for (i = 0; i < 2; i++) {
		said = tw_stamps_say(ways[i].from, mode, &id);
		heard = said < 0 ? said : tw_stamps_hear(ways[i].to, mode);
		if (heard < 0)
			return heard;
		missing[ways[i].sender] &= ~(unsigned int)said;
		missing[ways[i].receiver] &= ~(unsigned int)heard;
	}
	return 0;
}

/* "client rx, server snd" */
static void name_missing(const unsigned int missing[TW_ROLES], char *text,
			 size_t size)
{
	static const char *const names[] = {
		[TW_CLIENT] = "client", [TW_SERVER] = "server",
	};
	static const enum tw_role roles[] = { TW_CLIENT, TW_SERVER };
	size_t used = 0, r, i;

	*text = '\0';
	for (r = 0; r < 2; r++)
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (missing[roles[r]] & kinds[i].bit && used < size)
				used += snprintf(text + used, size - used,
						 "%s%s %s", used ? ", " : "",
						 names[roles[r]],
						 kinds[i].name);
}

static int fail_exchange(struct tw_run *run, int err)
{
	return tw_fail(run, err, "--stamps=%s: the test exchange over %s failed: %s",
		       modes[set.mode], tw_transport_wanted()->name,
		       strerror(-err));
}

/* The kernel switches stamps on a moment after it was asked to. */
static int try_out(struct tw_run *run, const struct tw_link *link)
{
	const struct timespec pause = tw_ns_to_ts(PAUSE_NS);
	unsigned int missing[TW_ROLES] = { 0 };
	char text[128];
	int i, err;

	for (i = 0; i < TRIES; i++) {
		err = exchange(link, set.mode, missing);
		if (err)
			return fail_exchange(run, err);
		if (!missing[TW_CLIENT] && !missing[TW_SERVER])
			return 0;
		nanosleep(&pause, NULL);
	}
	name_missing(missing, text, sizeof(text));
	return tw_fail(run, -ENODATA, "--stamps=%s: in %d test exchanges over %s, the kernel gave no stamp of: %s; leave it out%s",
		       modes[set.mode], TRIES, tw_transport_wanted()->name,
		       text, set.mode == TW_STAMPS_ALL ? ", or give rx" : "");
}

static int measure(struct tw_run *run, const struct tw_pair *pair,
		   struct tw_stamped_row *row)
{
	int err = tw_stamps_cost(&pair->task.link, &pair->task.clock, row);

	return err ? fail_exchange(run, err) : 0;
}

/*
 * An end that is -1 is on another host. Then there is no test: the warm-up goes
 * before, and what is missing is counted.
 */
static int linked(struct tw_run *run, struct tw_pair *pair)
{
	const struct tw_link *link = &pair->task.link;
	bool far = link->client_fd < 0 || link->server_fd < 0;
	bool first = !far && !set.without.count;
	int err;

	if (first && measure(run, pair, &set.without))
		return run->err;
	err = link->client_fd < 0 ? 0 :
	      tw_stamps_enable(link->client_fd, pair->stamps->mode);
	if (!err && link->server_fd >= 0)
		err = tw_stamps_enable(link->server_fd, pair->stamps->mode);
	if (err)
		return tw_fail(run, err, "--stamps=%s: the kernel refuses it (SO_TIMESTAMPING): %s; leave it out",
			       modes[set.mode], strerror(-err));
	if (far)
		return 0;
	err = try_out(run, link);
	return !err && first ? measure(run, pair, &set.with) : err;
}

/* Behind the transport, whose functions it replaces. */
static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	if (!tw_stamps_wanted())
		return;
	pair->stamps = memory;
	tw_stamped_init(pair->stamps, set.mode,
			pair->datagrams ? 0 : pair->task.size);
	pair->linked = linked;
	pair->run_client = tw_stamped_client_run;
	pair->run_server = tw_stamped_server_run;
	pair->take = pair->datagrams ? tw_datagram_take_stamped :
				       tw_server_take_stamped;
	if (pair->datagrams)
		pair->receive = tw_datagram_receive_stamped;
}

static void merge(struct tw_pair *sum, const struct tw_pair *pair)
{
	struct tw_stamped_sum more;

	if (!pair->stamps)
		return;
	more = tw_stamped_read(pair->stamps);
	tw_stamped_add(&sum->stamps->before, &more);
}

/* What the report has of it. */
static struct tw_stamps_about about(void)
{
	return (struct tw_stamps_about) {
		.mode = modes[set.mode], .calls_more = calls_more[set.mode],
		.without = set.without, .with = set.with,
	};
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_stamps_about what = about();

	tw_stamps_print(file, run, &what);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_stamps_about what = about();

	tw_stamps_json(json, run, tw_stamps_wanted() ? &what : NULL);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_text(json, "stamps", modes[set.mode]);
}

const struct tw_part tw_part_stamps = {
	.name = "stamps", .options = options, TW_SETTINGS(set, initial),
	.check = check, .room = room, .attach = attach, .merge = merge,
	.remarks = remarks, .json = json, .json_settings = json_settings,
};
