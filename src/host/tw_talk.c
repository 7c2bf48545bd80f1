// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes from another host is data: its characters can be printed (see
 * tw_lines.c), its numbers are checked, and there is a limit to all of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_child.h"
#include "tw_hosts.h"
#include "tw_lines.h"
#include "tw_say.h"

#define CONNECT_MS	5000
#define STATUS_MS	500	/* until a command has ended, too */
#define KILL_MS		50	/* after SIGTERM */
#define LINE_MAX	65536
#define LINES_MAX	100	/* at once, while it measures */
#define MESSAGES_MAX	100
#define TEXT_MAX	16384	/* bytes */

struct tw_talk_way tw_talk_way;

static struct tw_lines lines = { .fd = -1, .max = LINE_MAX };
static bool greeted;		/* the server's side has begun to speak */
static char text[TEXT_MAX];
static pid_t rsh_pid;		/* 0: it has ended, or there is none */
static int rsh_status;
static int messages;		/* that were printed */
static bool told;		/* what is wrong, since it has answered */
static char *early;		/* an end that nobody has asked for */

/* Waits until the command of --rsh has ended; returns whether it has. */
static bool rsh_ends(int ms)
{
	if (rsh_pid && !tw_child_ends(rsh_pid, ms, 0, &rsh_status))
		return false;
	rsh_pid = 0;
	return true;
}

static void tell_end_of(const char *command)
{
	if (!rsh_ends(STATUS_MS))
		tw_say_warn("%s: it has closed its standard output\n", command);
	else if (WIFSIGNALED(rsh_status))
		tw_say_warn("%s: it was killed by signal %d (%s)\n", command,
			    WTERMSIG(rsh_status),
			    strsignal(WTERMSIG(rsh_status)));
	else if (WEXITSTATUS(rsh_status) == 127)
		tw_say_warn("%s: a command was not found; twowaytest must be in the PATH of that user\n",
			    command);
	else
		tw_say_warn("%s: it has ended with status %d\n", command,
			    WEXITSTATUS(rsh_status));
}

/* Why there is nothing more to read. */
static void tell_end(void)
{
	if (told)
		return;
	told = true;
	if (lines.too_long)
		tw_say_warn("--connect=%s: its answer is longer than %d bytes\n",
			    tw_talk_way.text, LINE_MAX);
	else if (tw_talk_way.command)
		tell_end_of(tw_talk_way.command);
	else
		tw_say_warn("--connect=%s: the server's side has ended, its --allow has not this host, or its host cannot be reached any longer\n",
			    tw_talk_way.text);
}

/* It is no answer: a message, or the text that belongs to the next one. */
static void take_text(const char *line)
{
	size_t used = strlen(text);

	if (*line == '#')
		snprintf(text + used, TEXT_MAX - used, "%s\n", line);
	else if (*line && messages++ < MESSAGES_MAX)
		fprintf(stderr, "%s: %s\n", tw_talk_way.host.name, line);
	told |= *line && *line != '#';
}

/*
 * If @line is an answer that begins with the word, what follows. What comes
 * before the first answer, a login prints.
 */
static const char *rest_of(const char *line, const char *word)
{
	size_t size = strlen(word);
	char version[10];
	int length = 0;

	sscanf(line, TW_ASK_ANSWER_2 "%9[0-9]%n", version, &length);
	if (!length)
		sscanf(line, TW_ASK_ANSWER "%9[0-9]%n", version, &length);
	if (!length && greeted)
		take_text(line);
	if (!length)
		return NULL;
	greeted = true;
	if (strcmp(version, TW_ASK_VERSION)) {
		if (!told)
			tw_say_warn("--connect=%s: the server's side speaks version %s of the protocol, this program version %s: install the same release on both hosts\n",
				    tw_talk_way.text, version, TW_ASK_VERSION);
		told = lines.ended = true;
		return NULL;
	}
	line += length + (line[length] == ' ');
	if (strncmp(line, word, size) || (line[size] && line[size] != ' '))
		return NULL;
	told = false;
	return line + size;
}

const char *tw_talk_expect(const char *word, int64_t end_ns, bool quiet)
{
	const char *line = "", *rest = strcmp(word, "ended") ? NULL : early;

	while (line && !rest && tw_await_in_ms(0) < end_ns &&
	       !tw_await_stopped()) {
		line = tw_lines_await(&lines, tw_await_stop_fd(), end_ns);
		rest = line ? rest_of(line, word) : NULL;
	}
	if (rest || quiet)
		return rest;
	if (lines.ended)
		tell_end();
	else if (!tw_await_stopped())
		tw_say_warn("--connect=%s: the server's side did not answer in time (%s)\n",
			    tw_talk_way.text, word);
	return NULL;
}

void tw_talk_tell(const char *line)
{
	/* If it has ended, there is nothing to read, either. */
	tw_lines_send(lines.fd, line, strlen(line));
}

const struct addrinfo *tw_talk_open(void)
{
	int port = tw_talk_way.host.port ? tw_talk_way.host.port :
		   TW_REACH_PORT;
	const struct addrinfo *addresses;
	const char *why;
	pid_t pid;

	addresses = tw_reach_find(tw_talk_way.host.name, &why);
	if (!addresses)
		tw_say_fatal("--connect=%s: %s\n", tw_talk_way.text, why);
	if (tw_talk_way.command) {
		pid = tw_reach_start(tw_talk_way.command, &lines.fd);
		if (pid < 0)
			tw_say_fatal("--rsh: cannot start %s: %s; see \"ulimit -u\" and \"ulimit -n\"\n",
				     tw_talk_way.command, strerror(-pid));
		rsh_pid = pid;
	} else {
		lines.fd = tw_reach_connect(&addresses, port,
					    tw_await_stop_fd(),
					    tw_await_in_ms(CONNECT_MS));
		if (lines.fd == -EINTR)
			return NULL;
		if (lines.fd < 0)
			tw_say_fatal("--connect=%s: cannot connect to port %d: %s\n",
				     tw_talk_way.text, port,
				     strerror(-lines.fd));
	}
	fcntl(lines.fd, F_SETFL, O_NONBLOCK);
	return addresses;
}

void tw_talk_close(int ms)
{
	if (!rsh_ends(ms))
		kill(rsh_pid, SIGTERM);
	if (!rsh_ends(KILL_MS) && kill(rsh_pid, SIGKILL))
		tw_say_warn("%s: it cannot be ended: %m\n",
			    tw_talk_way.command);
	rsh_ends(STATUS_MS);
	close(lines.fd);
	lines.fd = -1;
}

bool tw_talk_listen(void)
{
	const char *line, *rest;
	int i = 0;

	while (i++ < LINES_MAX && !early &&
	       (line = tw_lines_await(&lines, -1, 0))) {
		rest = rest_of(line, "ended");
		if (rest)
			early = strdup(rest);
	}
	if (lines.ended && !early)
		tell_end();
	return !lines.ended && !early;
}

int tw_talk_fd(void)
{
	return lines.fd;
}

const char *tw_talk_text(void)
{
	return text;
}
