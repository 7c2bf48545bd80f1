// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conversation with the server's side, see tw_far.c. What comes from there
 * is data: it is checked, and printed without control characters.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_break.h"
#include "tw_datagram.h"
#include "tw_far_cause.h"
#include "tw_lines.h"
#include "tw_link_far.h"
#include "tw_load.h"
#include "tw_meet.h"
#include "tw_part.h"
#include "tw_peer.h"
#include "tw_run.h"
#include "tw_time.h"
#include "tw_transport.h"
#include "tw_remote.h"

#define CONNECT_S	5
#define LOGIN_S		120	/* somebody may have to type a password */
#define READY_S		20	/* its loads start, too */
#define MEET_S		5
#define ANSWER_MS	8000	/* also to look into a trace */
#define HURRY_MS	150	/* after SIGINT */
#define FAILED_MS	1000	/* it may have something to say */
#define SILENT_S	9	/* udp: then its host is gone */
#define LINE_MAX	(1 << 20)
#define MESSAGES_MAX	4096
#define RATE_MAX	1000000000000000LL	/* thousandths, a second */

const struct tw_peer_way *tw_peer_way;

static struct tw_lines lines = { .fd = -1, .max = LINE_MAX };
static int to_fd = -1;
static pid_t rsh_pid;
static int stop_fd;
static struct addrinfo *found;	/* addresses */
static const struct addrinfo *addresses;	/* from the one that works */
static struct tw_meeting meeting;
static char *results;		/* its line with "twoway" */
static bool told;		/* it has said what is wrong */

static int64_t in_ms(int64_t ms)
{
	return tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
}

static bool interrupted(void)
{
	return tw_lines_ready(stop_fd, -1, 0);
}

/* Before the first step is measured there is nothing to be kept. */
static void give_up(struct tw_run *run)
{
	if (!run->step && !run->pairs[0]->process[TW_CLIENT].pid)
		exit(EXIT_FAILURE);
	run->failed = true;
}

static void print_messages(const char *value)
{
	char text[MESSAGES_MAX], *line, *next = text;

	if (!tw_remote_string(value, text, sizeof(text), false))
		return;
	told = true;
	while ((line = strsep(&next, "\n")))
		if (*line)
			fprintf(stderr, "%s: %s\n", tw_peer_way->host.name,
				line);
}

/* Why there is nothing more to read. */
static void tell_end(void)
{
	const char *name = tw_peer_way->text;
	int status = 0, ms = 0;
	pid_t pid = 0;

	if (told)
		return;
	while (rsh_pid && !pid && ms++ < 500) {
		pid = waitpid(rsh_pid, &status, WNOHANG);
		if (!pid)
			nanosleep(&(struct timespec) { .tv_nsec =
				  TW_NS_PER_MS }, NULL);
	}
	if (lines.too_long)
		warn("--connect=%s: its answer is longer than %d bytes\n",
		     name, LINE_MAX);
	else if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		warn("%s: a command was not found; twowaytest must be in the PATH of that user\n",
		     tw_peer_way->command);
	else if (pid > 0 && WIFEXITED(status))
		warn("%s: it has ended with status %d\n",
		     tw_peer_way->command, WEXITSTATUS(status));
	else
		warn("--connect=%s: the server's side has ended, or its host cannot be reached any longer\n",
		     name);
	rsh_pid = pid ? 0 : rsh_pid;
	told = true;
}

/* Whether it is well-formed, of our version, and no message. */
static bool accept_line(const char *line)
{
	const char *end = tw_remote_end(line);
	int64_t version;

	if (!end || *end) {
		warn("--connect=%s: the server's side has sent what is no JSON\n",
		     tw_peer_way->text);
		told = lines.ended = true;
		return false;
	}
	if (!tw_remote_number(tw_remote_member(line, "twowaytest"), 0, INT32_MAX,
			     &version) || version != TW_ASK_VERSION) {
		warn("--connect=%s: the server's side does not speak version %d of the protocol: install the same release on both hosts\n",
		     tw_peer_way->text, TW_ASK_VERSION);
		told = lines.ended = true;
		return false;
	}
	if (!tw_remote_member(line, "messages"))
		return true;
	print_messages(tw_remote_member(line, "messages"));
	return false;
}

/*
 * Waits for the line that has this member. What a login prints is skipped. NULL:
 * there was a message; or a signal is to end the run.
 */
static char *expect(const char *member, int64_t end_ns, bool hear)
{
	char *line;

	for (;;) {
		line = tw_lines_await(&lines, hear ? stop_fd : -1, end_ns);
		if (!line)
			break;
		if (strncmp(line, "{\"twowaytest\"", 13))
			continue;
		if (accept_line(line) && tw_remote_member(line, member))
			return line;
	}
	if (lines.ended)
		tell_end();
	else if (!interrupted())
		warn("--connect=%s: the server's side did not answer in time (%s)\n",
		     tw_peer_way->text, member);
	return NULL;
}

static void tell(const char *text)
{
	/* If it has ended, there is nothing to read, either. */
	if (to_fd >= 0)
		tw_lines_send(to_fd, text, strlen(text), ANSWER_MS);
}

static void send_request(const struct tw_run *run)
{
	struct tw_ask ask = tw_peer_way->ask;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		fatal("no memory for the request\n");
	ask.steps = run->steps;
	tw_ask_write(file, &ask);
	fclose(file);
	if (size > TW_ASK_MAX)
		fatal("--connect=%s: the options are longer than %d bytes\n",
		      tw_peer_way->text, TW_ASK_MAX);
	tell(text);
	free(text);
}

static void find_addresses(int type)
{
	const char *why;

	if (found)
		freeaddrinfo(found);
	found = tw_reach_find(tw_peer_way->host.name, type, &why);
	if (!found)
		fatal("--connect=%s: %s\n", tw_peer_way->text, why);
	addresses = found;
}

/* The server that listens: returns false if a signal came. */
static bool connect_server(void)
{
	int port = tw_peer_way->host.port;
	int fd;

	port = port ? port : TW_REACH_PORT;
	fd = tw_reach_connect(&addresses, port, stop_fd,
			      in_ms(CONNECT_S * 1000));
	if (fd == -EINTR)
		return false;
	if (fd < 0)
		fatal("--connect=%s: cannot connect to port %d: %s\n",
		      tw_peer_way->text, port, strerror(-fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	lines.fd = to_fd = fd;
	return true;
}

static bool open_stream(const struct tw_run *run)
{
	stop_fd = tw_lines_stop_fd();
	find_addresses(SOCK_STREAM);
	if (tw_peer_way->command) {
		rsh_pid = tw_reach_start(tw_peer_way->command, &to_fd,
					 &lines.fd);
		if (rsh_pid < 0)
			fatal("--rsh: cannot start %s: %s\n",
			      tw_peer_way->command, strerror(-rsh_pid));
	} else if (!connect_server()) {
		return false;
	}
	send_request(run);
	return true;
}

static bool read_cookie(const char *value)
{
	char text[2 * TW_COOKIE + 1];
	unsigned int byte;
	int i;

	if (!tw_remote_string(value, text, sizeof(text), false) ||
	    strspn(text, "0123456789abcdef") != 2 * TW_COOKIE)
		return false;
	for (i = 0; i < TW_COOKIE; i++) {
		sscanf(text + 2 * i, "%2x", &byte);
		meeting.cookie[i] = byte;
	}
	return true;
}

/* Ports, cookie and byte order of the server's side. */
static bool read_ready(const char *line)
{
	const uint16_t one = 1;
	const char *value = tw_remote_first(tw_remote_member(line, "ready"));
	char order[8];
	int64_t port;
	int count = 0;

	meeting.pairs = (int)tw_config.pairs;
	for (; value && count < meeting.pairs; value = tw_remote_next(value)) {
		if (!tw_remote_number(value, 1, 65535, &port))
			return false;
		meeting.ports[count++] = (int)port;
	}
	if (value || count < meeting.pairs ||
	    !read_cookie(tw_remote_member(line, "cookie")) ||
	    !tw_remote_string(tw_remote_member(line, "order"), order,
			     sizeof(order), false))
		return false;
	tw_far_swaps = strcmp(order, *(const uint8_t *)&one ? "little" : "big");
	return true;
}

/* Connects all pairs of a step. false: none is to be started. */
static bool meet(struct tw_run *run)
{
	int login_s = tw_peer_way->command && !run->step ? LOGIN_S : 0;
	char text[32], *line;
	int err;

	if (!run->step && !open_stream(run))
		return false;
	snprintf(text, sizeof(text), "{\"step\": %d}\n", run->step);
	tell(text);
	line = expect("ready", in_ms((READY_S + login_s) * 1000), true);
	if (!line) {
		if (!interrupted())
			give_up(run);
		return false;
	}
	if (!read_ready(line)) {
		warn("--connect=%s: what the server's side has sent is wrong (ready)\n",
		     tw_peer_way->text);
		give_up(run);
		return false;
	}
	meeting.udp = tw_config.link == &tw_link_far_udp;
	if (meeting.udp && !run->step)
		find_addresses(SOCK_DGRAM);
	err = tw_meet_connect(&meeting, &addresses, stop_fd,
			      in_ms(MEET_S * 1000));
	if (err && err != -EINTR) {
		warn("--connect=%s: cannot connect to port %d over %s: %s\n",
		     tw_peer_way->text, meeting.ports[0],
		     tw_config.link->name, strerror(-err));
		give_up(run);
	}
	if (err)
		return false;
	if (expect("started", in_ms(READY_S * 1000), true))
		return true;
	if (!interrupted())
		give_up(run);
	return false;
}

void tw_peer_start_pair(struct tw_run *run, int number)
{
	static bool met;
	struct tw_pair *pair = run->pairs[number];
	bool udp = !strcmp(tw_config.link->name, "udp");

	tw_config.link = udp ? &tw_link_far_udp : &tw_link_far_tcp;
	if (!number)
		met = meet(run);
	if (!met)
		return;
	pair->fd[TW_SERVER] = -1;
	pair->fd[TW_CLIENT] = meeting.fds[number];
	tw_transport_prepare(pair->fd[TW_CLIENT]);
	if (udp) {
		tw_datagram_prepare(pair->fd[TW_CLIENT]);
		if (run->tick_ms < 0)
			run->tick_ms = tw_config.quiet ? 1000 : 100;
	}
	run->wake_fd = lines.fd;
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
	char *line;

	if (!tw_peer_way || lines.fd < 0 || run->wake_fd < 0)
		return;
	if (meeting.udp)
		look_for_replies(run);
	while ((line = tw_lines_take(&lines)))
		if (!strncmp(line, "{\"twowaytest\"", 13))
			accept_line(line);
	if (!lines.ended)
		return;
	tell_end();
	run->wake_fd = -1;
	run->failed = true;
}

/* A load there ran with our settings: how much it has done. */
static void read_rates(const char *line)
{
	const char *value = tw_remote_first(tw_remote_member(line, "rates"));
	struct tw_load *load;
	int64_t rate;
	int i;

	for (i = 0; value && (load = tw_load_number(i)); i++) {
		if (load->elsewhere &&
		    tw_remote_number(value, 0, RATE_MAX, &rate))
			load->rate = (double)rate / 1000;
		value = tw_remote_next(value);
	}
}

/* There is no further step: its input ends. */
static void end_input(void)
{
	if (to_fd == lines.fd)
		shutdown(to_fd, SHUT_WR);
	else
		close(to_fd);
	to_fd = -1;
}

static void end_stream(int ms)
{
	if (rsh_pid)
		while (!waitpid(rsh_pid, NULL, WNOHANG)) {
			if (ms-- == 0)
				kill(rsh_pid, SIGTERM);
			if (ms < -1000)
				break;
			nanosleep(&(struct timespec) { .tv_nsec =
				  TW_NS_PER_MS }, NULL);
		}
	rsh_pid = 0;
	close(lines.fd);
	lines.fd = -1;
}

static void tell_break(const struct tw_run *run)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	tw_far_cause_tell(file, run);
	fclose(file);
	tell(text);
	free(text);
}

static void end(struct tw_run *run)
{
	bool last = run->step + 1 >= run->steps || run->failed ||
		    run->interrupted || tw_break_pair(run) >= 0 ||
		    interrupted();
	bool hurry = run->interrupted || interrupted();
	char text[32], *line;
	int64_t end_ns;

	if (!tw_peer_way || lines.fd < 0)
		return;
	run->wake_fd = -1;
	end_ns = in_ms(hurry ? HURRY_MS : run->failed ? FAILED_MS : ANSWER_MS);
	snprintf(text, sizeof(text), "{\"end\": %d}\n", run->step);
	tell_break(run);
	tell(text);
	if (last)
		end_input();
	line = lines.ended ? NULL : expect("ended", end_ns, !hurry);
	if (line)
		read_rates(line);
	if (line && last) {
		line = expect("twoway", end_ns, !hurry);
		results = line ? strdup(line) : NULL;
	}
	if (!line && !hurry && !interrupted())
		run->failed = true;
	if (last || !line)
		end_stream(hurry ? 0 : 500);
}

static void text(FILE *file, const struct tw_run *run)
{
	char address[INET6_ADDRSTRLEN + 1] = "?";

	if (!tw_peer_way)
		return;
	if (addresses)
		getnameinfo(addresses->ai_addr, addresses->ai_addrlen, address,
			    sizeof(address), NULL, 0, NI_NUMERICHOST);
	tw_far_cause_print(file, run, results);
	fprintf(file, "# Server: %s (%s)\n", tw_peer_way->host.name, address);
}

/* It is well-formed, of one line, and ASCII. */
static void json(FILE *file, const struct tw_run *run)
{
	const char *value = results ? tw_remote_member(results, "twoway") :
			    NULL;

	if (!tw_peer_way)
		return;
	fprintf(file, "    \"peer\": %.*s,\n", value ?
		(int)(tw_remote_end(value) - value) : 4, value ? value : "null");
}

const struct tw_part tw_part_peer = {
	.woken = woken, .end = end, .text = text, .json = json,
};
