// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --server: listens for clients, one at a time, and becomes the server's side
 * of each in a process of its own, see tw_far.c. For a laboratory: in other
 * networks, the units of systemd guard a host.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_ask.h"
#include "tw_far.h"
#include "tw_lines.h"
#include "tw_part.h"
#include "tw_reach.h"
#include "tw_run.h"
#include "tw_time.h"

#define NOBODY		65534
#define NETS_MAX	32
#define PENDING		64	/* connections that have not sent a request */
#define GREETING_MS	2000	/* until they have */
#define GREETING	"[\"--far="

/* IPv4 is written as IPv6 has it: ::ffff:192.0.2.1. */
static struct net {
	struct in6_addr address;
	int bits;
} nets[NETS_MAX];
static int net_count;

static struct pending {
	int fd;			/* -1: none */
	int64_t end_ns;
	bool told;		/* that the server is busy */
} pending[PENDING];

static pid_t client;		/* the process for it; 0: none */
static const char *where, *allow;	/* --server, --allow */

static bool to_address(const char *text, struct in6_addr *address, int *bits)
{
	char mapped[INET6_ADDRSTRLEN + 8];

	*bits = strchr(text, ':') ? 0 : 96;
	snprintf(mapped, sizeof(mapped), "%s%s", *bits ? "::ffff:" : "", text);
	return inet_pton(AF_INET6, mapped, address) == 1;
}

static bool same_net(const struct net *net, const struct in6_addr *address)
{
	int i = 0, left = net->bits % 8;
	const uint8_t *a = net->address.s6_addr, *b = address->s6_addr;

	while (i < net->bits / 8 && a[i] == b[i])
		i++;
	return i == net->bits / 8 &&
	       (!left || !((a[i] ^ b[i]) & (0xff00 >> left & 0xff)));
}

static void parse_server(const struct tw_option *option, char *value)
{
	where = value ? value : "127.0.0.1";
}

static void parse_allow(const struct tw_option *option, char *value)
{
	char *copy = strdup(value), *word;

	*(const char **)option->to = value;
	net_count = 0;
	while ((word = strsep(&copy, ","))) {
		char *slash = strchr(word, '/'), *end = NULL;
		struct net net;
		int base;

		if (slash)
			*slash++ = '\0';
		if (net_count == NETS_MAX ||
		    !to_address(word, &net.address, &base))
			tw_option_refuse(option, value, "allowed are up to 32 addresses or networks, such as 192.0.2.0/24,2001:db8::1");
		net.bits = slash ? base + (int)strtol(slash, &end, 10) : 128;
		if (slash && (!*slash || *end || net.bits < base ||
			      net.bits > 128))
			tw_option_refuse(option, value, "allowed after / is a number of bits, up to 32 or 128");
		nets[net_count++] = net;
	}
}

/* Without --allow, this server listens at a loopback address only. */
static bool is_allowed(const struct in6_addr *address)
{
	int i;

	for (i = 0; i < net_count; i++)
		if (same_net(&nets[i], address))
			return true;
	return !net_count;
}

static bool is_loopback(const struct in6_addr *address)
{
	struct net v4 = { .bits = 104 };

	to_address("127.0.0.0", &v4.address, &(int) { 0 });
	return IN6_IS_ADDR_LOOPBACK(address) || same_net(&v4, address);
}

static int open_listener(void)
{
	struct sockaddr_in6 own = { .sin6_family = AF_INET6 };
	int fd, base, on = 1, off = 0;
	struct tw_host host;

	if (!tw_host_parse(where, &host) ||
	    !to_address(host.name, &own.sin6_addr, &base))
		fatal("--server=%s: allowed is an address of this host, ADDR, ADDR:PORT or [ADDR]:PORT\n",
		      where);
	if (!is_loopback(&own.sin6_addr) && !allow)
		fatal("--server=%s: allowed is a loopback address, or --allow=LIST with the addresses of the clients\n",
		      where);
	if (IN6_IS_ADDR_V4MAPPED(&own.sin6_addr) &&
	    !memcmp(own.sin6_addr.s6_addr + 12, "\0\0\0", 4))
		own.sin6_addr = in6addr_any;
	own.sin6_port = htons(host.port ? host.port : TW_REACH_PORT);
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&own, sizeof(own)) ||
	    listen(fd, SOMAXCONN))
		fatal("--server=%s: cannot listen: %m\n", where);
	return fd;
}

/* A container's root may not raise limits: then these are kept. */
static int keep_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { {
		.effective = 1U << CAP_SYS_NICE | 1U << CAP_IPC_LOCK,
		.permitted = 1U << CAP_SYS_NICE | 1U << CAP_IPC_LOCK,
	} };

	return (int)syscall(SYS_capset, &header, data);
}

/* The kernel then refuses higher priorities, and nothing brings root back. */
static void drop_root(void)
{
	const struct rlimit memory = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit priority = {
		tw_config.priority, tw_config.priority
	};
	bool limited = !setrlimit(RLIMIT_RTPRIO, &priority);
	bool root = !geteuid();

	limited &= !root || !setrlimit(RLIMIT_MEMLOCK, &memory);
	if (!limited && !root)
		fatal("--priority=%d: cannot be allowed to servers: %m; needed is root or a higher \"ulimit -r\"\n",
		      (int)tw_config.priority);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (!limited && prctl(PR_SET_KEEPCAPS, 1)) ||
	    (root && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		      setresuid(NOBODY, NOBODY, NOBODY) || !setuid(0))) ||
	    (!limited && keep_capabilities()))
		fatal("--server: cannot become the user %d: %m\n", NOBODY);
}

static void say_busy(struct pending *of)
{
	char text[4096];
	int length = snprintf(text, sizeof(text),
			      "{\"twowaytest\": %d, \"messages\": \"BUSY: the server is measuring with another client\"}\n",
			      TW_ASK_VERSION);

	send(of->fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(of->fd, SHUT_WR);
	of->told = true;
}

static void drop(struct pending *of)
{
	close(of->fd);
	of->fd = -1;
}

static void accept_all(int listener)
{
	struct sockaddr_in6 from;
	socklen_t length = sizeof(from);
	/* A few bytes wake nobody. */
	const int lowest = sizeof(GREETING) - 1;
	int fd, i;

	while ((fd = accept4(listener, (struct sockaddr *)&from, &length,
			     SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		struct pending *oldest = pending;

		length = sizeof(from);
		if (!is_allowed(&from.sin6_addr) || tw_reach_prepare(fd) ||
		    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &lowest,
			       sizeof(lowest))) {
			close(fd);
			continue;
		}
		for (i = 0; i < PENDING; i++)
			if (pending[i].fd < 0 ||
			    (oldest->fd >= 0 &&
			     pending[i].end_ns < oldest->end_ns))
				oldest = &pending[i];
		if (oldest->fd >= 0)
			drop(oldest);
		*oldest = (struct pending) {
			.fd = fd, .end_ns = tw_now_ns(CLOCK_MONOTONIC) +
					    GREETING_MS * TW_NS_PER_MS,
		};
	}
}

/* Whether it begins as a request does; if it cannot be one, it is closed. */
static bool is_request(struct pending *of)
{
	char text[4096];
	ssize_t length = recv(of->fd, text, sizeof(GREETING) - 1, MSG_PEEK);

	/* If it is closed with what was not read, the answer may be lost. */
	if (of->told && length > 0) {
		recv(of->fd, text, sizeof(text), 0);
		return false;
	}
	if (length > 0 && !memcmp(text, GREETING, length))
		return length == sizeof(GREETING) - 1;
	drop(of);
	return false;
}

/* In the child: the server's side of this client, and nothing else. */
static void be_server(int listener, int fd, pid_t parent)
{
	const int any = 1;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	close(listener);
	for (i = 0; i < PENDING; i++)
		if (pending[i].fd >= 0 && pending[i].fd != fd)
			close(pending[i].fd);
	if (getppid() != parent ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &any, sizeof(any)) ||
	    dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
		exit(EXIT_FAILURE);
	close(fd);
	tw_far_priority = (int)tw_config.priority;
	tw_config.priority = 0;
	tw_far = true;
}

/* Returns whether this is the child. */
static bool serve(int listener, struct pending *of)
{
	pid_t parent = getpid();

	if (client) {
		say_busy(of);
		return false;
	}
	fflush(NULL);
	client = fork();
	if (!client) {
		be_server(listener, of->fd, parent);
		return true;
	}
	if (client < 0) {
		warn("cannot start a process for a client: %m\n");
		client = 0;
	}
	drop(of);
	return false;
}

/* Returns whether this is the child. */
static bool look_at_pending(int listener)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int i;

	for (i = 0; i < PENDING; i++) {
		struct pollfd ready = { .fd = pending[i].fd, .events = POLLIN };

		if (pending[i].fd < 0)
			continue;
		if (poll(&ready, 1, 0) > 0 && is_request(&pending[i])) {
			if (serve(listener, &pending[i]))
				return true;
		} else if (pending[i].fd >= 0 && now_ns > pending[i].end_ns) {
			drop(&pending[i]);
		}
	}
	return false;
}

static void __attribute__((noreturn)) finish(void)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS };
	int ms;

	if (client)
		kill(client, SIGTERM);
	for (ms = 0; client && !waitpid(client, NULL, WNOHANG); ms++) {
		if (ms == 2000)
			kill(client, SIGKILL);
		nanosleep(&pause, NULL);
	}
	exit(EXIT_SUCCESS);
}

/* A signal has come: of a client's process that has ended, or to end. */
static void take_signals(int signal_fd, int stop_fd)
{
	struct signalfd_siginfo info;

	if (tw_lines_ready(stop_fd, -1, 0))
		finish();
	while (read(signal_fd, &info, sizeof(info)) > 0)
		;
	if (client && waitpid(client, NULL, WNOHANG))
		client = 0;
}

/* Returns in a process for a client. */
static void check(struct tw_run *run)
{
	struct pollfd all[PENDING + 2];
	int i, listener, stop_fd, waiting;

	if (allow && !where)
		fatal("--allow=%s: allowed only with --server\n", allow);
	if (!where)
		return;
	listener = open_listener();
	stop_fd = tw_lines_stop_fd();
	if (!*(bool *)tw_option_find("default-system")->to)
		tw_far_is_awake = set_latency_target(0) >= 0;
	drop_root();
	printf("# Listening at %s, priorities up to %d\n", where,
	       (int)tw_config.priority);
	fflush(stdout);
	for (i = 0; i < PENDING; i++)
		pending[i].fd = -1;
	do {
		all[0] = (struct pollfd) {
			.fd = run->signal_fd, .events = POLLIN
		};
		all[1] = (struct pollfd) { .fd = listener, .events = POLLIN };
		for (i = waiting = 0; i < PENDING; i++) {
			all[i + 2] = (struct pollfd) {
				.fd = pending[i].fd, .events = POLLIN
			};
			waiting += pending[i].fd >= 0;
		}
		poll(all, PENDING + 2, waiting ? 50 : -1);
		if (all[0].revents)
			take_signals(run->signal_fd, stop_fd);
		if (all[1].revents)
			accept_all(listener);
	} while (!look_at_pending(listener));
	close(stop_fd);
}

static const struct tw_option options[] = {
	{ 0, "allow", required_argument, "LIST", parse_allow, &allow,
	  .help = "with --server: who may connect, addresses and networks,\n"
		  "as 192.0.2.0/24,2001:db8::1" },
	{ 0, "server", optional_argument, "ADDR[:PORT]", parse_server, &where,
	  .help = "serve clients of other hosts at ADDR, default\n"
		  "127.0.0.1, one at a time, until a signal comes; -p is\n"
		  "the highest priority of a client" },
	{ .name = NULL }
};

const struct tw_part tw_part_serve = {
	.options = options, .check = check,
};
