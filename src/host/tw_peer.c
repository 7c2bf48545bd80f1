// SPDX-License-Identifier: GPL-2.0-or-later
/* The clients of a run whose servers are on another host: see tw_far.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_break.h"
#include "tw_datagram.h"
#include "tw_far.h"
#include "tw_lines.h"
#include "tw_link_far.h"
#include "tw_load.h"
#include "tw_meet.h"
#include "tw_part.h"
#include "tw_peer.h"
#include "tw_remote.h"
#include "tw_run.h"
#include "tw_stamps.h"
#include "tw_time.h"
#include "tw_transport.h"

#define LOGIN_MS	120000	/* somebody may have to type a password */
#define READY_MS	20000	/* its loads start, too */
#define MEET_MS		5000
#define ANSWER_MS	8000	/* also to look into a trace */
#define HURRY_MS	150	/* after SIGINT */
#define FAILED_MS	1000	/* it may have something to say */
#define SILENT_S	9	/* udp: then its host is gone */
#define RATE_MAX	1000000000000000LL	/* thousandths, a second */

const struct tw_peer_way *tw_peer_way;

static const struct addrinfo *addresses;	/* from the one that works */
static struct tw_meeting meeting;
static const char *results;	/* its "twoway", and what follows it... */
static const char *cause;	/* ...the cause; NULL: it has not answered */

/* Before the first step is measured there is nothing to be kept. */
static void give_up(struct tw_run *run)
{
	if (!run->step && !run->pairs[0]->process[TW_CLIENT].pid)
		exit(EXIT_FAILURE);
	run->failed = true;
}

static void tell_wrong(const char *member)
{
	warn("--connect=%s: what the server's side has sent is wrong (%s)\n",
	     tw_peer_way->text, member);
}

/* Port, cookie and byte order of the server's side. */
static bool read_ready(const char *value)
{
	char order[8];
	int end = 0;

	sscanf(value, "%5d, \"cookie\": \"%32[0-9a-f]\", \"order\": \"%7[a-z]\"%n",
	       &meeting.port, meeting.cookie, order, &end);
	if (!end || meeting.port < 1 || meeting.port > 65535)
		return false;
	tw_far_swaps = strcmp(order, tw_far_order_name());
	return strlen(meeting.cookie) == TW_COOKIE;
}

/* Connects all pairs of a step. Returns 0 or, after a message, -1. */
static int meet(const struct tw_run *run)
{
	int login_ms = tw_peer_way->command && !run->step ? LOGIN_MS : 0;
	const char *value;
	char text[32];
	int err;

	snprintf(text, sizeof(text), "{\"step\": %d}\n", run->step);
	tw_talk_tell(text);
	value = tw_talk_expect("ready", tw_in_ms(READY_MS + login_ms), true);
	if (!value)
		return -1;
	if (!read_ready(value)) {
		tell_wrong("ready");
		return -1;
	}
	meeting.udp = !strcmp(tw_config.link->name, "udp");
	meeting.pairs = (int)tw_config.pairs;
	err = tw_meet_connect(&meeting, &addresses, tw_stop_fd(),
			      tw_in_ms(MEET_MS));
	if (err && err != -EINTR)
		warn("--connect=%s: cannot connect to port %d over %s: %s\n",
		     tw_peer_way->text, meeting.port, tw_config.link->name,
		     strerror(-err));
	if (err)
		return -1;
	return tw_talk_expect("started", tw_in_ms(READY_MS), true) ? 0 : -1;
}

void tw_peer_start_pair(struct tw_run *run, int number)
{
	static bool met;
	struct tw_pair *pair = run->pairs[number];

	if (!number && !run->step)
		addresses = tw_talk_open(run);
	if (!number)
		met = addresses && !meet(run);
	if (!met && !tw_is_stopped())
		give_up(run);
	if (!met)
		return;
	pair->fd[TW_SERVER] = -1;
	pair->fd[TW_CLIENT] = meeting.fds[number];
	tw_transport_prepare(pair->fd[TW_CLIENT]);
	tw_stamps_enable(pair->fd[TW_CLIENT]);
	if (meeting.udp) {
		tw_datagram_set_timeout(pair->fd[TW_CLIENT]);
		if (run->tick_ms < 0)
			run->tick_ms = tw_config.quiet ? 1000 : 100;
	}
	run->wake_fd = tw_talk_fd();
	tw_pair_start_process(run, number, TW_CLIENT);
}

/*
 * Over udp, no socket tells that a host is gone, and ssh does not for hours. A
 * lost datagram is one that is followed by others; if none of any pair comes for
 * so long, this is the end.
 */
static void look_for_replies(struct tw_run *run)
{
	static uint64_t last;
	static int64_t last_ns;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC), period_us = 0;
	uint64_t count = 0;
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		count += run->pairs[i]->tally.results.stats[0].count;
		if (tw_config_interval_us(i) > period_us)
			period_us = tw_config_interval_us(i);
	}
	if (!count || count != last)
		last_ns = now_ns;
	last = count;
	if (now_ns - last_ns < SILENT_S * TW_NS_PER_S +
			       2 * period_us * TW_NS_PER_US)
		return;
	warn("--connect=%s: no reply has come for %d s\n", tw_peer_way->text,
	     (int)((now_ns - last_ns) / TW_NS_PER_S));
	run->failed = true;
}

/* While it measures, the server's side says nothing unless it fails. */
static void woken(struct tw_run *run)
{
	if (!tw_peer_way || run->wake_fd < 0)
		return;
	if (meeting.udp)
		look_for_replies(run);
	if (tw_talk_listen())
		return;
	run->wake_fd = -1;
	run->failed = true;
}

/*
 * A load there ran with our settings: how much it has done. And how many
 * requests each server has answered.
 */
static void read_ended(const struct tw_run *run, const char *value)
{
	int64_t numbers[TW_PAIRS_MAX];
	struct tw_load *load;
	int i, count;

	value = strchr(value, '[');
	count = value ? tw_remote_numbers(value, RATE_MAX, numbers,
					  TW_PAIRS_MAX) : 0;
	for (i = 0; i < count && (load = tw_load_number(i)); i++)
		if (load->elsewhere)
			load->rate = (double)numbers[i] / 1000;
	value = value ? strchr(value + 1, '[') : NULL;
	count = value ? tw_remote_numbers(value, INT64_MAX, numbers,
					  (int)tw_config.pairs) : 0;
	for (i = 0; i < count; i++)
		tw_datagrams_told(run, i, (uint64_t)numbers[i]);
}

/* What it answers to the end of a step, in time. */
static void take_answers(struct tw_run *run, bool last, bool hurry)
{
	int64_t end_ns = tw_in_ms(hurry ? HURRY_MS : run->failed ?
				       FAILED_MS : ANSWER_MS);
	const char *value = tw_talk_expect("ended", end_ns, !hurry);

	if (value)
		read_ended(run, value);
	if (value && last)
		value = tw_talk_expect("twoway", end_ns, !hurry);
	if (value && last) {
		results = strdup(value);
		cause = tw_remote_end(results);
	}
	if (value && last && !cause)
		tell_wrong("twoway");
	if ((!value || (last && !cause)) && !hurry && !tw_is_stopped())
		run->failed = true;
	/* What it has to say comes last. */
	if (run->failed && !hurry)
		tw_talk_expect("messages", end_ns, false);
}

static void end(struct tw_run *run)
{
	bool hurry = run->interrupted || tw_is_stopped();
	bool last = run->step + 1 >= run->steps || run->failed || hurry ||
		    tw_break_pair(run) >= 0;
	char text[32];

	if (!tw_peer_way || tw_talk_fd() < 0)
		return;
	run->wake_fd = -1;
	tw_far_cause_tell(run);
	snprintf(text, sizeof(text), "{\"end\": %d}\n", run->step);
	tw_talk_tell(text);
	if (last)
		tw_talk_end_input();
	if (!tw_talk_ended())
		take_answers(run, last, hurry);
	else
		run->failed |= !hurry;
	if (last || run->failed)
		tw_talk_close(hurry || tw_is_stopped() ? 0 : 500);
}

static void text(FILE *file, const struct tw_run *run)
{
	char address[INET6_ADDRSTRLEN + 1] = "?";

	if (!tw_peer_way)
		return;
	if (addresses)
		getnameinfo(addresses->ai_addr, addresses->ai_addrlen, address,
			    sizeof(address), NULL, 0, NI_NUMERICHOST);
	tw_far_cause_print(file, run, cause);
	fprintf(file, "# Server: %s (%s)\n", tw_peer_way->host.name, address);
}

/* It is well-formed, of one line, and ASCII. */
static void json(FILE *file, const struct tw_run *run)
{
	if (tw_peer_way)
		fprintf(file, "    \"peer\": %.*s,\n", cause ?
			(int)(cause - results) : 4, cause ? results : "null");
}

const struct tw_part tw_part_peer = {
	.woken = woken, .end = end, .text = text, .json = json,
};
