// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes from another host is data: it is checked, and printed without
 * control characters.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_lines.h"
#include "tw_peer.h"
#include "tw_remote.h"
#include "tw_run.h"
#include "tw_time.h"

#define CONNECT_MS	5000
#define STATUS_MS	500	/* until a command has ended, too */
#define KILL_MS		50	/* after SIGTERM */
#define LINE_MAX	(1 << 20)
#define LINES_MAX	100	/* at once, while it measures */

static struct tw_lines lines = { .fd = -1, .max = LINE_MAX };
static pid_t rsh_pid;		/* 0: it has ended, or there is none */
static int rsh_status;
static bool told;		/* it is known what is wrong */

/* Waits until the command of --rsh has ended; returns whether it has. */
static bool rsh_ends(int ms)
{
	while (rsh_pid && waitpid(rsh_pid, &rsh_status, WNOHANG) != rsh_pid) {
		if (ms-- <= 0)
			return false;
		nanosleep(&(struct timespec) { .tv_nsec = TW_NS_PER_MS }, NULL);
	}
	rsh_pid = 0;
	return true;
}

/* Why there is nothing more to read. */
static void tell_end(void)
{
	const char *command = tw_peer_way->command;
	int status;

	if (told)
		return;
	told = true;
	status = command && rsh_ends(STATUS_MS) && WIFEXITED(rsh_status) ?
		 WEXITSTATUS(rsh_status) : -1;
	if (lines.too_long)
		warn("--connect=%s: its answer is longer than %d bytes\n",
		     tw_peer_way->text, LINE_MAX);
	else if (status == 127)
		warn("%s: a command was not found; twowaytest must be in the PATH of that user\n",
		     command);
	else if (status >= 0)
		warn("%s: it has ended with status %d\n", command, status);
	else
		warn("--connect=%s: the server's side has ended, or its host cannot be reached any longer\n",
		     tw_peer_way->text);
}

/*
 * If @line begins with the member, its value. NULL: it does not; or it is a
 * message, which is printed, of another version, or what a login prints.
 */
static const char *value_of(const char *line, const char *member)
{
	int version = 0, length = 0, end = 0;
	char name[TW_REACH_NAME + 2];

	sscanf(line, "{\"twowaytest\": %9d, \"%n%*[a-z]\": %n", &version,
	       &length, &end);
	if (!end)
		return NULL;
	if (version != TW_ASK_VERSION) {
		warn("--connect=%s: the server's side does not speak version %d of the protocol: install the same release on both hosts\n",
		     tw_peer_way->text, TW_ASK_VERSION);
		told = lines.ended = true;
		return NULL;
	}
	line += length;
	snprintf(name, sizeof(name), "%s: ", tw_peer_way->host.name);
	if (!strncmp(line, "messages", 8))
		told |= tw_remote_print(stderr, name, line + end - length);
	return !strncmp(line, member, strlen(member)) ? line + end - length :
	       NULL;
}

const char *tw_talk_expect(const char *member, int64_t end_ns, bool hear)
{
	int other_fd = hear ? tw_stop_fd() : -1;
	const char *line, *value;

	do {
		line = tw_lines_await(&lines, other_fd, end_ns);
		value = line ? value_of(line, member) : NULL;
		if (value)
			return value;
	} while (line && tw_in_ms(0) < end_ns && !(hear && tw_is_stopped()));
	/* Without @hear there is no time, and nobody expects much. */
	if (lines.ended && hear)
		tell_end();
	else if (hear && !tw_is_stopped())
		warn("--connect=%s: the server's side did not answer in time (%s)\n",
		     tw_peer_way->text, member);
	return NULL;
}

void tw_talk_tell(const char *text)
{
	/* If it has ended, there is nothing to read, either. */
	tw_lines_send(lines.fd, text, strlen(text));
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
	tw_talk_tell(text);
	free(text);
}

const struct addrinfo *tw_talk_open(const struct tw_run *run)
{
	int port = tw_peer_way->host.port ? tw_peer_way->host.port :
		   TW_REACH_PORT;
	const struct addrinfo *addresses;
	const char *why;

	addresses = tw_reach_find(tw_peer_way->host.name, &why);
	if (!addresses)
		fatal("--connect=%s: %s\n", tw_peer_way->text, why);
	if (tw_peer_way->command) {
		rsh_pid = tw_reach_start(tw_peer_way->command, &lines.fd);
		if (rsh_pid < 0)
			fatal("--rsh: cannot start %s: %s\n",
			      tw_peer_way->command, strerror(-rsh_pid));
	} else {
		lines.fd = tw_reach_connect(&addresses, port, tw_stop_fd(),
					    tw_in_ms(CONNECT_MS));
		if (lines.fd == -EINTR)
			return NULL;
		if (lines.fd < 0)
			fatal("--connect=%s: cannot connect to port %d: %s\n",
			      tw_peer_way->text, port, strerror(-lines.fd));
	}
	fcntl(lines.fd, F_SETFL, O_NONBLOCK);
	send_request(run);
	return addresses;
}

void tw_talk_end_input(void)
{
	shutdown(lines.fd, SHUT_WR);
}

void tw_talk_close(int ms)
{
	if (!rsh_ends(ms))
		kill(rsh_pid, SIGTERM);
	if (!rsh_ends(KILL_MS))
		kill(rsh_pid, SIGKILL);
	while (!rsh_ends(KILL_MS))
		;
	close(lines.fd);
	lines.fd = -1;
}

bool tw_talk_listen(void)
{
	char *line;
	int i = 0;

	while (i++ < LINES_MAX && (line = tw_lines_await(&lines, -1, 0)))
		value_of(line, "messages");
	if (lines.ended)
		tell_end();
	return !lines.ended;
}

bool tw_talk_ended(void)
{
	return lines.ended;
}

int tw_talk_fd(void)
{
	return lines.fd;
}
