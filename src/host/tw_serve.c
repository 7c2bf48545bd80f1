// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --server: listens for clients, and becomes the server's side of each in a
 * process of its own, see tw_far.c; one of them measures. For a laboratory: in
 * other networks, the units of systemd guard a host.
 */
#include <arpa/inet.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_child.h"
#include "tw_hosts.h"
#include "tw_idle.h"
#include "tw_part.h"

/*
 * Root becomes this user. Users of programs do not have it, nor does "nobody",
 * who is shared: none of them may send a signal to a server.
 */
#define USER		65533
#define NETS_MAX	32
#define CHILDREN	16	/* of which one measures */

/* IPv4 is written as IPv6 has it: ::ffff:192.0.2.1. */
static struct net {
	struct in6_addr address;
	int bits;
} nets[NETS_MAX];
static int net_count;

static int children;
static const char *where, *allow;	/* --server, --allow */

static bool to_address(const char *text, struct in6_addr *address)
{
	char mapped[TW_REACH_NAME + 8];

	snprintf(mapped, sizeof(mapped), "%s%s", strchr(text, ':') ? "" :
		 "::ffff:", text);
	return inet_pton(AF_INET6, mapped, address) == 1;
}

static void read_nets(void)
{
	char *next = strdup(allow ? allow : "127.0.0.0/8,::1"), *word;

	while ((word = strsep(&next, ","))) {
		char *slash = strchr(word, '/');
		struct net *net = &nets[net_count++];
		bool is_v4 = !strchr(word, ':');
		int64_t bits = is_v4 ? 32 : 128;

		if (slash)
			*slash++ = '\0';
		if (net_count > NETS_MAX || !to_address(word, &net->address))
			tw_say_fatal("--allow=%s: allowed are up to 32 addresses or networks, such as 192.0.2.0/24,2001:db8::1\n",
				     allow);
		if (slash && !tw_option_whole(slash, !is_v4 &&
				IN6_IS_ADDR_V4MAPPED(&net->address) ? 96 : 0,
				bits, &bits))
			tw_say_fatal("--allow=%s: allowed after / is a number of bits: up to 32 of IPv4, up to 128 of IPv6, 96 to 128 of IPv4 that is written as IPv6\n",
				     allow);
		net->bits = (int)bits + (is_v4 ? 96 : 0);
	}
}

/* No network of IPv6 has an address of IPv4 in it, also if it has all. */
static bool is_allowed(const struct in6_addr *address)
{
	int i, bit;

	for (i = 0; i < net_count; i++) {
		const struct in6_addr *of = &nets[i].address;

		for (bit = 0; bit < nets[i].bits; bit++)
			if ((of->s6_addr[bit / 8] ^ address->s6_addr[bit / 8]) &
			    0x80 >> bit % 8)
				break;
		if (bit == nets[i].bits && !IN6_IS_ADDR_V4MAPPED(of) ==
		    !IN6_IS_ADDR_V4MAPPED(address))
			return true;
	}
	return false;
}

/* A kernel without IPv6 serves IPv4 as well. */
static union tw_address own_address(void)
{
	union tw_address own = { .v6 = { .sin6_family = AF_INET6 } };
	struct in6_addr address;
	struct tw_host host;

	if (!tw_reach_parse(where, &host) || !to_address(host.name, &address))
		tw_say_fatal("--server=%s: allowed is an address of this host, ADDR, ADDR:PORT or [ADDR]:PORT\n",
			     where);
	if (!allow && !is_allowed(&address))
		tw_say_fatal("--server=%s: allowed is a loopback address, or --allow=LIST with the addresses of the clients\n",
			     where);
	own.v6.sin6_addr = address;
	if (IN6_IS_ADDR_V4MAPPED(&address)) {
		own.v4.sin_family = AF_INET;
		memcpy(&own.v4.sin_addr, address.s6_addr + 12, 4);
	}
	own.v4.sin_port = htons(host.port ? host.port : TW_REACH_PORT);
	return own;
}

static int open_listener(void)
{
	int fd, on = 1, greeting_s = TW_ASK_S;
	union tw_address own;

	read_nets();
	own = own_address();
	fd = tw_reach_socket(own.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &greeting_s,
		       sizeof(greeting_s)) ||
	    bind(fd, &own.any, sizeof(own)) || listen(fd, SOMAXCONN))
		tw_say_fatal("--server=%s: cannot listen: %m\n", where);
	return fd;
}

/* Gives all capabilities up but these; returns those that it has of them. */
static uint32_t keep(uint32_t wanted)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		tw_say_fatal("--server: cannot read its capabilities: %m\n");
	wanted &= data[0].permitted;
	memset(data, 0, sizeof(data));
	data[0].effective = data[0].permitted = wanted;
	if (syscall(SYS_capset, &header, data))
		tw_say_fatal("--server: cannot give up capabilities: %m\n");
	return wanted;
}

/*
 * The kernel then refuses higher priorities, and nothing brings root back. A
 * container's root may not raise limits: where a limit cannot be set, what is
 * needed without it is kept, and tw_far.c alone refuses more.
 */
static void drop_rights(void)
{
	const struct rlimit memory = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit priority = {
		tw_config.priority, tw_config.priority
	};
	uint32_t nice = setrlimit(RLIMIT_RTPRIO, &priority) ?
			1U << CAP_SYS_NICE : 0;
	uint32_t lock = setrlimit(RLIMIT_MEMLOCK, &memory) ?
			1U << CAP_IPC_LOCK : 0, kept;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_KEEPCAPS, 1) ||
	    (!geteuid() && (setgroups(0, NULL) ||
			    setresgid(USER, USER, USER) ||
			    setresuid(USER, USER, USER))))
		tw_say_fatal("--server: cannot become the user %d: %m; start it as an ordinary user\n",
			     USER);
	kept = keep(nice | lock);
	if (nice & ~kept)
		tw_say_fatal("--priority=%d: cannot be allowed to servers; needed is root, CAP_SYS_NICE or a higher \"ulimit -r\"\n",
			     (int)tw_config.priority);
	if (!setuid(0))
		tw_say_fatal("--server: cannot give up root\n");
}

/* Those that have said nothing, the kernel keeps for some seconds. */
static bool begins_request(int fd)
{
	char text[sizeof(TW_ASK_GREETING) - 1];

	return recv(fd, text, sizeof(text), MSG_PEEK) == sizeof(text) &&
	       !memcmp(text, TW_ASK_GREETING, sizeof(text));
}

/*
 * Starts a process for a client. Returns whether this is that: the server's side
 * of the client, and nothing else.
 */
static bool serve(int listener, int fd)
{
	pid_t pid;

	if (children == CHILDREN)
		return false;
	pid = tw_child_start(SIGTERM);
	if (pid < 0)
		tw_say_warn("cannot start a process for a client: %m\n");
	children += pid > 0;
	if (pid)
		return false;
	close(listener);
	if (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
		exit(EXIT_FAILURE);
	return true;
}

/* As the nets have it. */
static struct in6_addr address_of(const union tw_address *peer)
{
	struct in6_addr address = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (peer->any.sa_family == AF_INET6)
		return peer->v6.sin6_addr;
	memcpy(address.s6_addr + 12, &peer->v4.sin_addr, 4);
	return address;
}

/* Returns whether this is a child. */
static bool accept_all(int listener)
{
	union tw_address peer;
	struct in6_addr address;
	socklen_t length = sizeof(peer);
	bool child = false;
	int fd;

	while (!child &&
	       (fd = accept4(listener, &peer.any, &length,
			     SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		address = address_of(&peer);
		child = is_allowed(&address) && begins_request(fd) &&
			!tw_reach_prepare(fd) && serve(listener, fd);
		close(fd);
		length = sizeof(peer);
	}
	return child;
}

/* Returns in a process for a client, which ends with this one. */
static void check(struct tw_run *run)
{
	struct signalfd_siginfo info;
	int listener;

	if (!tw_option_given("server"))
		return;
	if (!where)
		where = "127.0.0.1";
	listener = open_listener();
	tw_far_lock_fd = memfd_create("twowaytest-lock", MFD_CLOEXEC);
	if (tw_far_lock_fd < 0)
		tw_say_fatal("--server=%s: no lock for its clients: %m\n",
			     where);
	if (!tw_idle.untouched)
		tw_far_is_awake = tw_idle_limit(0);
	drop_rights();
	printf("# Listening at %s, priorities up to %d, as the user %d\n",
	       where, (int)tw_config.priority, (int)geteuid());
	fflush(stdout);
	do {
		tw_await(listener, POLLIN, run->signal_fd, INT64_MAX);
		if (tw_await_stopped())
			exit(EXIT_SUCCESS);
		while (read(run->signal_fd, &info, sizeof(info)) > 0)
			;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			children--;
	} while (!accept_all(listener));
	tw_far_priority = (int)tw_config.priority;
	tw_settings.priority = 0;
	tw_far = true;
}

static const struct tw_option options[] = {
	{ 0, "allow", TW_LIST, &allow, .with = "--server",
	  .help = "with --server: who may connect, as 192.0.2.0/24,::1" },
	{ 0, "server", TW_TEXT, &where, "ADDR[:PORT]", .optional = true,
	  .help = "serve other hosts at ADDR, default 127.0.0.1; -p is the highest priority; root becomes user 65533" },
	{ .name = NULL }
};

const struct tw_part tw_part_serve = {
	.options = options, .group = TW_HOSTS, .check = check,
};
