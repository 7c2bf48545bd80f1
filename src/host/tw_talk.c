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
#include "tw_talk.h"
#include "tw_time.h"

#define CONNECT_S	5
#define SEND_MS		5000
#define KILL_MS		50	/* after SIGTERM */
#define LINE_MAX	(1 << 20)
#define MESSAGES_MAX	4096
#define BEGIN		"{\"twowaytest\""	/* of its lines */

static struct tw_lines lines = { .fd = -1, .max = LINE_MAX };
static int to_fd = -1;
static pid_t rsh_pid;
static int stop_fd;
static struct addrinfo *found;	/* addresses */
static bool told;		/* it has said what is wrong */

int64_t tw_talk_in_ms(int64_t ms)
{
	return tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
}

bool tw_talk_interrupted(void)
{
	return tw_lines_ready(stop_fd, -1, 0);
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
char *tw_talk_expect(const char *member, int64_t end_ns, bool hear)
{
	char *line;

	for (;;) {
		line = tw_lines_await(&lines, hear ? stop_fd : -1, end_ns);
		if (!line)
			break;
		if (strncmp(line, BEGIN, strlen(BEGIN)))
			continue;
		if (accept_line(line) && tw_remote_member(line, member))
			return line;
	}
	/* Without @hear there is no time, and nobody expects much. */
	if (lines.ended && hear)
		tell_end();
	else if (hear && !tw_talk_interrupted())
		warn("--connect=%s: the server's side did not answer in time (%s)\n",
		     tw_peer_way->text, member);
	return NULL;
}

void tw_talk_tell(const char *text)
{
	/* If it has ended, there is nothing to read, either. */
	if (to_fd >= 0)
		tw_lines_send(to_fd, text, strlen(text), SEND_MS);
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

const struct addrinfo *tw_talk_find(int type)
{
	const char *why;

	if (found)
		freeaddrinfo(found);
	found = tw_reach_find(tw_peer_way->host.name, type, &why);
	if (!found)
		fatal("--connect=%s: %s\n", tw_peer_way->text, why);
	return found;
}

/* The server that listens: returns false if a signal came. */
static bool connect_server(const struct addrinfo **addresses)
{
	int port = tw_peer_way->host.port;
	int fd;

	port = port ? port : TW_REACH_PORT;
	fd = tw_reach_connect(addresses, port, stop_fd,
			      tw_talk_in_ms(CONNECT_S * 1000));
	if (fd == -EINTR)
		return false;
	if (fd < 0)
		fatal("--connect=%s: cannot connect to port %d: %s\n",
		      tw_peer_way->text, port, strerror(-fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	lines.fd = to_fd = fd;
	return true;
}

const struct addrinfo *tw_talk_open(const struct tw_run *run)
{
	const struct addrinfo *addresses;

	stop_fd = tw_lines_stop_fd();
	addresses = tw_talk_find(SOCK_STREAM);
	if (tw_peer_way->command) {
		rsh_pid = tw_reach_start(tw_peer_way->command, &to_fd,
					 &lines.fd);
		if (rsh_pid < 0)
			fatal("--rsh: cannot start %s: %s\n",
			      tw_peer_way->command, strerror(-rsh_pid));
	} else if (!connect_server(&addresses)) {
		return NULL;
	}
	send_request(run);
	return addresses;
}

/* There is no further step: its input ends. */
void tw_talk_end_input(void)
{
	if (to_fd == lines.fd)
		shutdown(to_fd, SHUT_WR);
	else
		close(to_fd);
	to_fd = -1;
}

void tw_talk_close(int ms)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS };

	for (; rsh_pid && !waitpid(rsh_pid, NULL, WNOHANG); ms--) {
		if (ms == 0 || ms == -KILL_MS)
			kill(rsh_pid, ms ? SIGKILL : SIGTERM);
		nanosleep(&pause, NULL);
	}
	rsh_pid = 0;
	close(lines.fd);
	lines.fd = -1;
}

bool tw_talk_listen(void)
{
	char *line;

	while ((line = tw_lines_take(&lines)))
		if (!strncmp(line, BEGIN, strlen(BEGIN)))
			accept_line(line);
	if (lines.ended)
		tell_end();
	return !lines.ended;
}

bool tw_talk_ended(void)
{
	return lines.fd < 0 || lines.ended;
}

int tw_talk_fd(void)
{
	return lines.fd;
}

int tw_talk_stop_fd(void)
{
	return stop_fd;
}
