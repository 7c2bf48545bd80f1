// SPDX-License-Identifier: GPL-2.0-or-later
/* The client's side of a test between two hosts: --connect. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "cause/tw_part_trace.h"
#include "frame/tw_run.h"
#include "host/tw_ask.h"
#include "host/tw_control.h"
#include "host/tw_host.h"
#include "host/tw_meet.h"
#include "host/tw_part_host.h"
#include "host/tw_peer.h"
#include "host/tw_rsh.h"
#include "host/tw_tell_break.h"
#include "result/tw_part_oneway.h"
#include "run/tw_session.h"

/* Longer than the server waits: it knows what is missing. */
#define START_MS	(TW_STEP_MS + 1000)
#define AGAIN_MS	100	/* a greeting that may be lost is repeated */
#define END_MS		2000	/* for the far program to end */
#define LOGIN_MS	120000	/* to type a password */

static struct {
	const char *to;		/* as given; NULL: both sides are here */
	bool accept;
	bool by_rsh;
	const char *rsh;	/* NULL: ssh HOST */
	char host[TW_HOST_NAME];
	uint16_t port;		/* 0: none was given */
	union tw_address address;	/* of the server's host */
	struct tw_control control;
	struct tw_rsh far;
	struct tw_far session;
	struct tw_asked asked;
	struct tw_granted granted;
	bool running;		/* granted, and not stopped yet */
	struct tw_telling telling;
	struct tw_peer peer;
} set;
static const __typeof__(set) initial = {
	.control = { .in_fd = -1, .out_fd = -1 },
};

static int parse_connect(const struct tw_option *option, const char *value,
			 struct tw_run *run)
{
	set.port = 0;
	if (tw_host_split(value, set.host, &set.port))
		return tw_option_error(option, value, run,
				       "allowed is a host, or HOST:PORT with a port from 1 to 65535; an address of IPv6 with a port is [ADDRESS]:PORT");
	set.to = value;
	tw_config_two_clocks();
	return 0;
}

static int parse_rsh(const struct tw_option *option, const char *value,
		     struct tw_run *run)
{
	set.by_rsh = true;
	set.rsh = NULL;
	if (value && !*value)
		return tw_option_error(option, value, run,
				       "a command is needed, such as \"ssh -p 2222 host\"; or --rsh alone");
	return value ? tw_option_string(option, value, run) : 0;
}

static const struct tw_option options[] = {
	{ 0, "accept", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.accept,
	  .help = "with --connect: measure also if the server's host\n"
		  "grants less than was asked for" },
	{ 0, "connect", TW_ARGUMENT, "HOST", parse_connect, NULL,
	  .help = "run only the client here; the server is that of\n"
		  "twowaytest --server on HOST, or HOST:PORT" },
	{ 0, "rsh", TW_OPTIONAL_ARGUMENT, "COMMAND", parse_rsh, &set.rsh,
	  .help = "with --connect: start the server by this command,\n"
		  "default ssh HOST; nothing has to listen there" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	const char *alone = set.accept ? "accept" : set.by_rsh ? "rsh" : NULL;

	if (!set.to && alone)
		return tw_fail(run, -EINVAL, "--%s: client and server are both on this host; give --connect=HOST too",
			       alone);
	if (set.by_rsh && set.port)
		return tw_fail(run, -EINVAL, "--connect=%s: with --rsh, nothing listens on a port, and HOST alone is allowed; give a port of ssh by --rsh='ssh -p PORT HOST'",
			       set.to);
	if (!set.port)
		set.port = TW_PORT_DEFAULT;
	return set.to ? tw_ask_check(run) : 0;
}

/* What the other host did, for a message. */
static int fail_far(struct tw_run *run, int err, const char *why)
{
	return tw_fail(run, err, err == -ECONNREFUSED || err == -ECANCELED ?
		       "the server on %s: %s" :
		       "the server on %s cannot be used: %s", set.to, why);
}

static int dial(struct tw_run *run)
{
	const char *why;
	int fd = tw_host_dial(set.host, set.port, TW_STEP_MS, &set.address,
			      &why);

	if (fd < 0)
		return tw_fail(run, fd, "--connect=%s: cannot connect to port %u: %s; is twowaytest --server running there, with --allow for this host?",
			       set.to, set.port, why);
	tw_meet_watch(fd);
	tw_control_init(&set.control, fd, fd);
	return 0;
}

/* The measuring sockets go to an address that only we can look up. */
static int start_rsh(struct tw_run *run)
{
	const char *at = strrchr(set.host, '@');
	const char *why = tw_host_find(at ? at + 1 : set.host, set.port,
				       &set.address);
	char usual[TW_HOST_NAME + 8];
	const char *command = set.rsh;
	int err;

	/* ssh would take it for options, the shell for a command. */
	if (!command && !tw_host_is_plain(set.host))
		return tw_fail(run, -EINVAL, "--connect=%s: with --rsh, allowed are letters, digits and .-_:%%@, with no - at the beginning",
			       set.to);
	if (why)
		return tw_fail(run, -EADDRNOTAVAIL, "--connect=%s: no address of this host is known: %s",
			       set.to, why);
	if (!command) {
		snprintf(usual, sizeof(usual), "ssh '%s'", set.host);
		command = usual;
	}
	err = tw_rsh_start(&set.far, command, "twowaytest",
			   tw_part_trace_wanted() ? "--trace" : "");
	if (err)
		return tw_fail(run, err, "--rsh=%s: cannot be started: %s",
			       command, strerror(-err));
	tw_control_init(&set.control, set.far.in_fd, set.far.out_fd);
	return 0;
}

/* The connection ended before any word. */
static int fail_silent(struct tw_run *run, int err)
{
	int status;

	if (!set.by_rsh)
		return fail_far(run, err, "it closed the connection; has it --allow for this host?");
	tw_control_close(&set.control);
	status = tw_rsh_end(&set.far, END_MS);
	return tw_fail(run, err, "--rsh: the command that starts the server ended with status %d before the server answered; is twowaytest in the PATH of %s?",
		       WIFEXITED(status) ? WEXITSTATUS(status) : -1, set.host);
}

/* Both say which versions they speak; the highest common one is used. */
static int greet(struct tw_run *run)
{
	static const struct tw_versions ours = { TW_VERSION_MIN,
						 TW_VERSION_MAX };
	struct tw_versions theirs = { 0, 0 };
	char why[TW_REFUSAL_TEXT] = "";
	int err = tw_control_send(&set.control, TW_FRAME_HELLO, tw_hello_keys,
				  &ours);

	if (!err)
		err = tw_control_await(&set.control, TW_FRAME_HELLO,
				       tw_hello_keys, &theirs,
				       run->signal_fd,
				       set.by_rsh ? LOGIN_MS : TW_STEP_MS,
				       why);
	if (err == -EPIPE || err == -ECONNRESET)
		return fail_silent(run, err);
	if (err)
		return fail_far(run, err, *why ? why : strerror(-err));
	set.control.version = tw_hello_choose(&ours, &theirs);
	if (set.control.version)
		return 0;
	return tw_fail(run, -EPROTONOSUPPORT, "the server on %s speaks versions %d to %d of the protocol, and this program %d to %d; install the same release on both hosts",
		       set.to, (int)theirs.min, (int)theirs.max,
		       TW_VERSION_MIN, TW_VERSION_MAX);
}

/* Client's end of the connection of @pair. */
static int link_pair(struct tw_session *session, const struct tw_pair *pair,
		     struct tw_link *link)
{
	unsigned int k = set.granted.ports > 1 ? pair->number : 0;
	union tw_address address = set.address;

	tw_meet_set_port(&address, (uint16_t)set.granted.at[k].port);
	link->server_fd = -1;
	link->client_fd = tw_meet_connect(session->transport.ops, &address,
					  set.granted.cookie, pair->number,
					  pair->task.size, TW_STEP_MS);
	if (link->client_fd >= 0)
		return 0;
	return tw_fail(&session->run, link->client_fd, "the server on %s cannot be reached by %s on port %d: %s; is that port filtered?",
		       set.to, session->transport.ops->name,
		       (int)set.granted.at[k].port,
		       strerror(-link->client_fd));
}

static int await_start(struct tw_session *session)
{
	static const struct tw_stop none;
	bool again = session->transport.ops->datagrams;
	struct tw_stop stop = none;
	char why[TW_REFUSAL_TEXT];
	int err, next_ms = again ? AGAIN_MS : START_MS, left_ms = START_MS;

	do {
		err = tw_control_await(&set.control, TW_FRAME_START,
				       tw_stop_keys, &stop,
				       session->run.signal_fd, next_ms, why);
		if (err == -ETIMEDOUT && again)
			tw_tell_greeting(session, set.granted.cookie);
		left_ms -= next_ms;
		/* Seldom: a server that is slow to start has to read them. */
		next_ms = 2 * next_ms < left_ms ? 2 * next_ms : left_ms;
	} while (err == -ETIMEDOUT && left_ms > 0);
	if (err == -ETIMEDOUT)
		snprintf(why, sizeof(why), "it sent no START within %d s",
			 START_MS / 1000);
	return err ? fail_far(&session->run, err, why) : 0;
}

/* While it measures, the server's host only speaks to end the run. */
static int attend(struct tw_session *session)
{
	struct tw_stop stop;
	char why[TW_REFUSAL_TEXT];
	int err;

	err = tw_control_await(&set.control, TW_FRAME_STOP, tw_stop_keys,
			       &stop, -1, TW_STEP_MS, why);
	if (!err)
		snprintf(why, sizeof(why), "%s", stop.why);
	/* Something came: that is the kernel's own time limit. */
	if (err == -ETIMEDOUT)
		snprintf(why, sizeof(why), TW_NO_LIFE, "its host",
			 TW_ALIVE_S);
	set.running = !err;
	return fail_far(&session->run, err ? err : -ECANCELED, why);
}

static void over(struct tw_session *session)
{
	if (set.running)
		tw_tell_break(&set.telling, session);
}

static int open_connect(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	int err;

	if (!set.to)
		return 0;
	set.session = (struct tw_far) {
		.here = TW_CLIENT, .link = link_pair, .linked = await_start,
		.attend = attend, .over = over,
	};
	session->far = &set.session;
	err = set.by_rsh ? start_rsh(run) : dial(run);
	if (!err)
		err = greet(run);
	set.session.fd = set.control.in_fd;
	/* For the settings in the JSON. */
	session->transport.address = set.address;
	return err;
}

static int begin(struct tw_run *run)
{
	char why[TW_REFUSAL_TEXT];
	int err;

	if (!set.to)
		return 0;
	tw_ask(run, &set.asked);
	set.asked.accept = set.accept;
	set.asked.trace = tw_part_trace_wanted();
	err = tw_control_send(&set.control, TW_FRAME_RUN, tw_asked_keys,
			      &set.asked);
	/* It may have said why before it closed the connection. */
	if (err && err != -EPIPE)
		return fail_far(run, err, strerror(-err));
	err = tw_control_await(&set.control, TW_FRAME_GRANT, tw_granted_keys,
			       &set.granted, run->signal_fd,
			       TW_STEP_MS, why);
	if (err)
		return fail_far(run, err, why);
	set.running = true;
	tw_tell_begin(&set.telling, &set.control, set.host, &set.granted);
	tw_session(run)->port = (uint16_t)set.granted.at[0].port;
	if (set.granted.ports != 1 && set.granted.ports != set.asked.pairs)
		return fail_far(run, -EPROTO, "it granted another number of ports than there are pairs");
	if (set.granted.unsynchronised && tw_oneway_wants_sync())
		return tw_fail(run, -EINVAL, "--oneway=sync: the kernel of the server's host, %s, says that its clock is not synchronised (adjtimex, STA_UNSYNC); start chronyd, or ptp4l and phc2sys there, and wait for them; or give --oneway=bound",
			       set.to);
	return 0;
}

/* The client only tells that its connection ended. */
static bool is_lost(const struct tw_session *session)
{
	int err = session->run.err;

	return session->lost_peer || err == -ETIMEDOUT ||
	       err == -EHOSTUNREACH || err == -ENETUNREACH;
}

static int fetch(struct tw_session *session, char *why)
{
	static const struct tw_stop stop = { "" };
	int err = tw_control_send(&set.control, TW_FRAME_STOP, tw_stop_keys,
				  &stop);

	if (err)
		snprintf(why, TW_REFUSAL_TEXT, "%s", strerror(-err));
	else
		err = tw_tell_receive(&set.telling, &set.peer, why);
	/* It may have said so before it heard of our end. */
	if (err == -ECANCELED && is_lost(session)) {
		session->run.err = 0;
		fail_far(&session->run, err, why);
	}
	if (err == -ECANCELED)
		err = tw_tell_receive(&set.telling, &set.peer, why);
	return err;
}

static void end(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	char why[TW_REFUSAL_TEXT];
	int err;

	if (!set.running)
		return;
	set.running = false;
	err = fetch(session, why);
	if (err && is_lost(session)) {
		run->err = 0;
		if (err == -ETIMEDOUT)
			snprintf(why, sizeof(why), TW_NO_LIFE, "its host",
			 TW_ALIVE_S);
	}
	if (err)
		fail_far(run, err, why);
	else
		tw_peer_add(&set.peer, session);
	if (!err && set.peer.host.unsynchronised && tw_oneway_wants_sync())
		tw_oneway_distrust(run, "the server's kernel says that its clock is no longer synchronised (adjtimex, STA_UNSYNC)");
}

static void close_connect(struct tw_run *run)
{
	tw_control_close(&set.control);
	if (set.by_rsh)
		tw_rsh_end(&set.far, END_MS);
	tw_session(run)->far = NULL;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	(void)run;
	if (set.to)
		tw_peer_print(file, &set.peer, set.to, &set.asked,
			      &set.granted);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	if (!set.to) {
		tw_json_null(json, "peer");
		return;
	}
	tw_json_begin(json, "peer", '{');
	tw_json_text(json, "address", set.to);
	tw_json_text(json, "started_by", set.by_rsh ? "rsh" : NULL);
	tw_peer_json_terms(json, &set.asked, &set.granted);
	tw_peer_json(json, &set.peer);
	tw_json_end(json);
}

const struct tw_part tw_part_connect = {
	.name = "connect", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_connect, .begin = begin, .end = end,
	.close = close_connect, .remarks = remarks, .json = json,
};
