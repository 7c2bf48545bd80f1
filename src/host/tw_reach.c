// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_lines.h"
#include "tw_reach.h"

/* Together, a peer that is gone is noticed after 8 s. */
#define IDLE_S		5
#define PROBE_S		1
#define PROBES		3
#define UNACKED_MS	8000

bool tw_host_parse(const char *text, struct tw_host *host)
{
	bool bracket = *text == '[';
	const char *begin = text + bracket, *colon = strchr(begin, ':');
	size_t length = bracket ? strcspn(begin, "]") :
			colon && !strchr(colon + 1, ':') ? (size_t)(colon - begin) :
			strlen(begin);
	const char *end = begin + length + bracket;
	int last = 0;

	host->port = 0;
	if (!length || length >= sizeof(host->name) || *begin == '-' ||
	    (bracket && begin[length] != ']') ||
	    strspn(begin, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_@%-") < length)
		return false;
	snprintf(host->name, sizeof(host->name), "%.*s", (int)length, begin);
	if (!*end)
		return true;
	return strspn(end + 1, "0123456789") == strlen(end + 1) &&
	       sscanf(end, ":%5d%n", &host->port, &last) == 1 && !end[last] &&
	       host->port > 0 && host->port < 65536;
}

struct addrinfo *tw_reach_find(const char *name, const char **why)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *user = strchr(name, '@');
	struct addrinfo *found = NULL;
	int err = getaddrinfo(user ? user + 1 : name, NULL, &hints, &found);

	*why = err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err);
	return found;
}

int tw_reach_prepare(int fd)
{
	const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, PROBE_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, PROBES },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKED_MS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (setsockopt(fd, options[i].level, options[i].name,
			       &options[i].value, sizeof(int)))
			return -errno;
	return 0;
}

static int connect_one(const struct addrinfo *at, int port, int other_fd,
		       int64_t end_ns)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK |
			SOCK_CLOEXEC, 0);
	/* Both families have the port at the same place. */
	struct sockaddr_in6 *to = (void *)at->ai_addr;
	socklen_t length = sizeof(int);
	int err;

	if (fd < 0)
		return -errno;
	to->sin6_port = htons(port);
	err = connect(fd, at->ai_addr, at->ai_addrlen) ? -errno : 0;
	if (err == -EINPROGRESS)
		err = tw_await(fd, POLLOUT, other_fd, end_ns);
	if (!err && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length))
		err = err ? -err : tw_reach_prepare(fd);
	fcntl(fd, F_SETFL, 0);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int tw_reach_connect(const struct addrinfo **addresses, int port, int other_fd,
		     int64_t end_ns)
{
	int left = 0, fd = -EADDRNOTAVAIL;
	const struct addrinfo *at;

	for (at = *addresses; at; at = at->ai_next)
		left++;
	for (at = *addresses; at; at = at->ai_next) {
		int64_t now_ns = tw_in_ms(0);

		fd = connect_one(at, port, other_fd,
				 now_ns + (end_ns - now_ns) / left--);
		if (fd >= 0)
			*addresses = at;
		if (fd >= 0 || fd == -EINTR)
			break;
	}
	return fd;
}

static void __attribute__((noreturn))
be_command(const char *command, pid_t parent, int fd)
{
	static const int usual[] = { SIGPIPE, SIGXFSZ, SIGUSR2 };
	sigset_t none;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(usual); i++)
		signal(usual[i], SIG_DFL);
	/* Typed at the terminal: main ends the run by it, in good order. */
	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && dup2(fd, STDIN_FILENO) >= 0 &&
	    dup2(fd, STDOUT_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

pid_t tw_reach_start(const char *command, int *fd)
{
	pid_t pid, parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid)
		be_command(command, parent, ends[1]);
	if (pid < 0)
		pid = -errno;
	close(ends[1]);
	*fd = ends[0];
	return pid;
}
