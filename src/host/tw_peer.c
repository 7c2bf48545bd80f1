// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --connect: the servers are on another host, see tw_far.c. Times of two clocks
 * are not compared, so there is no send and no receive, but their sum, network.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_array.h"
#include "tw_await.h"
#include "tw_break.h"
#include "tw_datagram.h"
#include "tw_hosts.h"
#include "tw_jumps.h"
#include "tw_lines.h"
#include "tw_load.h"
#include "tw_part.h"
#include "tw_stamps.h"
#include "tw_string.h"
#include "tw_transport.h"

#define LOGIN_MS	120000	/* somebody may have to type a password */
#define READY_MS	20000	/* its loads start, too */
#define MEET_MS		5000
#define ANSWER_MS	8000	/* also to look into a trace */
#define HURRY_MS	150	/* after SIGINT */
#define FAILED_MS	3000	/* it may have something to say */
#define LOADS_MAX	8
#define RESULTS_MAX	(1 << 20)	/* bytes */
#define NUMBER_MAX	(INT64_MAX / 4)
#define APART	"compares the clocks of two hosts; use network, or latency"

static const char *const sides[] = { "client", "server", NULL };
static const char *load_side;	/* NULL: client */

static const struct addrinfo *addresses;	/* from the one that works */
static struct tw_meeting meeting;
static char *results;		/* its "twoway"; NULL: it has not answered */
static char *moved;		/* lines of servers that somebody has changed */
static int64_t times_set;	/* its clock */
static int64_t suspended_us;	/* its host */
static int64_t excess_ns = -1;	/* see tw_far_cause_answer() */
static bool cut;		/* it has ended before we did */

static const struct tw_option options[] = {
	{ 0, "connect", TW_TEXT, &tw_talk_way.text, "HOST[:PORT]",
	  .without = "--server\n--transport=unix or vsock; allowed is tcp or udp",
	  .help = "the servers run on HOST, by --server or --rsh; with --reflect, it is any device" },
	{ 0, "load-side", TW_WORD, &load_side, .choices = sides,
	  .with = "--connect", .without = "--reflect",
	  .help = "with --connect, --load's host: client (default), server" },
	/* A command is optional: see tw_option_given(). */
	{ 0, "rsh", TW_TEXT, &tw_talk_way.command, "COMMAND", .optional = true,
	  .with = "--connect", .without = "--reflect",
	  .help = "start the server's side there, default ssh HOST" },
	{ .name = NULL }
};

/* --trltp has set the columns of the reference program. */
static void check_columns(void)
{
	static const enum tw_metric_id reference[] = {
		TW_INTERVAL, TW_SEND, TW_SLEEP, TW_RECEIVE, TW_RESPONSE,
		TW_TOTAL
	}, instead[] = {
		TW_INTERVAL, TW_NETWORK, TW_SLEEP, TW_RESPONSE, TW_TOTAL
	};

	if (tw_config.columns != (int)ARRAY_SIZE(reference) ||
	    memcmp(tw_config.metrics, reference, sizeof(reference)))
		return;
	memcpy(tw_settings.metrics, instead, sizeof(instead));
	tw_settings.columns = ARRAY_SIZE(instead);
}

static void check_way(void)
{
	struct tw_host *host = &tw_talk_way.host;
	const char *command = tw_talk_way.command;
	bool by_rsh = tw_option_given("rsh");
	char *text;

	if (!tw_reach_parse(tw_talk_way.text, host) ||
	    (!by_rsh && strchr(host->name, '@')))
		tw_say_fatal("--connect=%s: allowed is HOST, HOST:PORT or [ADDRESS]:PORT; with --rsh, also USER@HOST\n",
			     tw_talk_way.text);
	if (!by_rsh)
		return;
	if (host->port)
		tw_say_fatal("--connect=%s: allowed with --rsh is HOST or USER@HOST\n",
			     tw_talk_way.text);
	if (asprintf(&text, "%s%s twowaytest --far", command ? command :
		     "ssh ", command ? "" : host->name) < 0)
		tw_say_fatal("--rsh: no memory\n");
	tw_talk_way.command = text;
}

/* All --load run on the server's host. */
static void check_load_side(void)
{
	int i;

	if (!tw_load_number(0))
		tw_say_fatal("--load-side=server: allowed only with --load\n");
	tw_settings.absent[TW_LOAD] = true;
	for (i = 0; tw_load_number(i); i++)
		tw_load_number(i)->elsewhere = true;
}

static bool wrong(const char *word)
{
	tw_say_warn("--connect=%s: what the server's side has sent is wrong (%s)\n",
		    tw_talk_way.text, word);
	return false;
}

/* Port and cookie of the server's side. */
static bool read_ready(const char *text)
{
	int end = 0;

	sscanf(text, " %5d %32[0-9a-f]%n", &meeting.port, meeting.cookie,
	       &end);
	return end && !text[end] && meeting.port >= 1 &&
	       meeting.port <= 65535 && strlen(meeting.cookie) == TW_COOKIE;
}

/* Connects all pairs of a step. Returns false after a message, or a signal. */
static bool meet(const struct tw_run *run)
{
	int login_ms = tw_talk_way.command && !run->step ? LOGIN_MS : 0;
	const char *text = tw_talk_expect(
		"ready", tw_await_in_ms(READY_MS + login_ms), false);
	int err;

	if (!text || !read_ready(text))
		return text && wrong("ready");
	meeting.other_fd = tw_await_stop_fd();
	meeting.end_ns = tw_await_in_ms(MEET_MS);
	err = tw_reach_meet_connect(&meeting, &addresses);
	if (err && err != -EINTR)
		tw_say_warn("--connect=%s: cannot connect to its tcp port %d: %s\n",
			    tw_talk_way.text, meeting.port, strerror(-err));
	return !err && tw_talk_expect("started", tw_await_in_ms(READY_MS),
				      false);
}

static void start_pair(struct tw_run *run, int number)
{
	static bool met;
	struct tw_pair *pair = run->pairs[number];
	char *text;

	if (!number && !run->step) {
		text = tw_ask_text(run->steps);
		addresses = tw_talk_open();
		if (addresses)
			tw_talk_tell(text);
		free(text);
	}
	if (!number)
		met = addresses && meet(run);
	if (!met) {
		run->failed |= !tw_await_stopped();
		return;
	}
	pair->fd[TW_SERVER] = -1;
	pair->fd[TW_CLIENT] = meeting.fds[number];
	tw_transport_prepare(pair->fd[TW_CLIENT]);
	tw_stamps_enable(pair->fd[TW_CLIENT]);
	/* Of a stream, there is none. */
	tw_datagram_set_timeout(pair->fd[TW_CLIENT]);
	run->wake_fd = tw_talk_fd();
	tw_pair_start_process(run, number, TW_CLIENT);
}

static void check(struct tw_run *run)
{
	if (tw_reflect_kind || !tw_talk_way.text)
		return;
	check_way();
	if (!tw_oneway_chosen()) {
		tw_metric_two_clocks(APART, 0);
		check_columns();
	}
	if (load_side && !strcmp(load_side, "server"))
		check_load_side();
	tw_settings.absent[TW_SERVER] = true;
	run->start_pair = start_pair;
}

/*
 * While it measures, the server's side says nothing unless it fails. A signal
 * from a terminal may end both.
 */
static void woken(struct tw_run *run)
{
	if (addresses && run->wake_fd >= 0 && !tw_talk_listen() &&
	    !run->interrupted)
		cut = run->failed = true;
}

/*
 * Whether all went well there; else after a message. A signal may have ended
 * both sides, as SIGINT at a terminal.
 */
static bool has_succeeded(int64_t status, bool interrupted)
{
	if ((!status && !cut) || (status == 2 && interrupted))
		return true;
	tw_say_warn(status == 1 ?
		    "--connect=%s: the run of the server's side has failed\n" :
		    "--connect=%s: the server's side has ended before the client, as by a signal there\n",
		    tw_talk_way.text);
	return false;
}

/* What tw_far.c says of a step. A load there ran with our settings. */
static bool read_ended(struct tw_run *run, const char *text, int64_t *status)
{
	int64_t all[4 + TW_PAIRS_MAX + LOADS_MAX], *numbers = all + 4;
	struct tw_load *load;
	int i, pairs = (int)tw_config.pairs;
	int count = tw_lines_numbers(text, NUMBER_MAX, all,
				     (int)ARRAY_SIZE(all)) - 4;

	if (count < pairs || all[0] < 0 || all[0] > 2 || all[1] < 0 ||
	    all[2] < 0)
		return wrong("ended");
	*status = all[0];
	times_set = all[1];
	suspended_us = all[2];
	excess_ns = all[3];
	if (times_set)
		run->doubt = TW_CLOCK_SET;
	if (suspended_us)
		run->doubt = TW_SUSPENDED;
	for (i = 0; i < pairs; i++)
		tw_transport_told(run, i, (uint64_t)numbers[i]);
	for (; i < count && (load = tw_load_number(i - pairs)); i++)
		if (load->elsewhere)
			load->rate = (double)numbers[i] / 1000;
	return true;
}

static bool take_moved(int64_t end_ns, bool quiet)
{
	FILE *file = tw_string_open(&moved);
	const char *text = "";
	int i;

	for (i = 0; i < tw_config.pairs && text; i++) {
		text = tw_talk_expect("moved", end_ns, quiet);
		if (text && *text)
			fprintf(file, TW_CHANGED "pair %d: server on %s,%s\n",
				i, tw_talk_way.host.name, text);
	}
	fclose(file);
	return text;
}

/* Whether they have come. What they are, is their host's affair. */
static bool take_results(struct tw_run *run, int64_t end_ns, bool quiet)
{
	struct tw_lines_json json = { .file = tw_string_open(&results) };
	const char *text;
	bool whole;

	do
		text = tw_talk_expect("result", end_ns, quiet);
	while (text && *text && tw_lines_read_json(&json, text + 1) &&
	       json.level && ftell(json.file) < RESULTS_MAX);
	whole = !json.level && json.more;
	fclose(json.file);
	if (!whole)
		results = NULL;
	if (text && !whole)
		run->failed = !wrong("result");
	return text;
}

/* What it answers to the end of a step, in time. */
static void take_answer(struct tw_run *run, bool last, bool hurry)
{
	int64_t end_ns = tw_await_in_ms(hurry ? HURRY_MS : run->failed ?
					FAILED_MS : ANSWER_MS);
	bool quiet = hurry || run->failed;
	const char *text = tw_talk_expect("ended", end_ns, quiet);
	int64_t status;

	if (text && !read_ended(run, text, &status)) {
		run->failed = true;
		return;
	}
	if (text && !has_succeeded(status, hurry))
		run->failed = last = true;
	if (text && (!last || (take_moved(end_ns, quiet) &&
			       take_results(run, end_ns, quiet))))
		return;
	if (!tw_talk_listen() || (!hurry && !tw_await_stopped()))
		run->failed = true;
}

static void end(struct tw_run *run)
{
	bool hurry = run->interrupted || tw_await_stopped();
	bool last = run->step + 1 >= run->steps || run->failed || hurry ||
		    tw_break_pair(run) >= 0;

	if (!addresses || tw_talk_fd() < 0)
		return;
	if (run->wake_fd >= 0) {
		tw_far_cause_tell(run);
		tw_talk_tell(last ? "end 1\n" : "end 0\n");
		take_answer(run, last, hurry);
	}
	if (last || run->failed)
		tw_talk_close(hurry || tw_await_stopped() ? 0 : 500);
}

static void text(FILE *file, const struct tw_run *run)
{
	char address[INET6_ADDRSTRLEN + 1] = "?";

	if (!addresses)
		return;
	getnameinfo(addresses->ai_addr, addresses->ai_addrlen, address,
		    sizeof(address), NULL, 0, NI_NUMERICHOST);
	tw_far_cause_print(file, run, excess_ns);
	fprintf(file, "# Server: %s (%s)%s\n", tw_talk_way.host.name, address,
		results ? "" : ", without its results");
	if (times_set)
		fprintf(file, "# Server: its clock %s was set %" PRId64 " time%s\n",
			tw_config.clock->name, times_set,
			times_set == 1 ? "" : "s");
	if (suspended_us)
		fprintf(file, "# Server: its host was suspended for %.3f s\n",
			(double)suspended_us / 1e6);
	if (moved)
		fputs(moved, file);
}

/* It is well-formed, of one line, and ASCII. */
static void write_peer(FILE *file, const void *of)
{
	fputs(results ? results : "null", file);
}

static const struct tw_member members[] = {
	{ "peer", TW_NOWHERE, TW_ANY, "With connect, this member of the server's side; null: it was not sent.",
	  "'anyOf': [ { 'type': 'null' }, { '$ref': '#/properties/twoway' } ]",
	  TW_IF(addresses), .write = write_peer },
	{ .name = NULL }
};

const struct tw_part tw_part_connect = {
	.options = options, .group = TW_HOSTS, .check = check,
};

/* Behind the ramp, which then has the work that a load did there. */
const struct tw_part tw_part_peer = {
	.woken = woken, .end = end, .text = text, .members[TW_OF_RUN] = members,
	.tells_end = true,
};
