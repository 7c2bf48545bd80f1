/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways to another host. Called by main. */
#ifndef TW_REACH_H
#define TW_REACH_H

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tw_config.h"

#define TW_REACH_PORT	20110	/* where a server listens */
#define TW_REACH_NAME	256

/* Of either family; both have the port at the same place. */
union tw_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* A host as the user has written it. */
struct tw_host {
	char name[TW_REACH_NAME];	/* or an address */
	int port;			/* 0: none was given */
};

/*
 * Splits HOST, HOST:PORT, [ADDRESS]:PORT. false: it is none of these, or has
 * characters that no host has.
 */
bool tw_reach_parse(const char *text, struct tw_host *host);

/*
 * The addresses of @name, without a USER@ before it; the caller frees them with
 * freeaddrinfo(). NULL: see *@why.
 */
struct addrinfo *tw_reach_find(const char *name, const char **why);

/*
 * A socket that is connected to @port at one of the addresses, each of which
 * gets its share of the time. -EINTR: @other_fd can be read. The address is
 * then @addresses[0]: the list is cut in front of it. Returns it, or -errno.
 */
int tw_reach_connect(const struct addrinfo **addresses, int port, int other_fd,
		     int64_t end_ns);

/* A socket; one of IPv6 is for both families. Returns it, or -1 and errno. */
int tw_reach_socket(int family, int type);

/* Options of all streams between hosts: no delay; a dead peer is noticed. */
int tw_reach_prepare(int fd);

/*
 * Starts @command by a shell, with a stream to us as its standard input and
 * output, in our process group: it may ask at the terminal for a password. It
 * dies with main. Returns its PID or -errno.
 */
pid_t tw_reach_start(const char *command, int *fd);

/*
 * The measuring sockets of two hosts: one for each pair, connected, blocking.
 * Each begins as a connection of tcp whose first message has a secret and the
 * number of the pair.
 */
#define TW_COOKIE	32	/* characters, with 128 random bits */

struct tw_meeting {
	char cookie[TW_COOKIE + 1];
	int port;			/* of the server's side */
	int other_fd;			/* -EINTR when it can be read */
	int64_t end_ns;			/* -ETIMEDOUT then; see tw_await() */
	int fds[TW_PAIRS_MAX];		/* -1: not connected */
};

/*
 * The server's side: opens the port, at the address that @stream has here, if it
 * has one, and makes a cookie; then waits until all pairs are connected. Both
 * return 0 or -errno.
 */
int tw_reach_meet_listen(struct tw_meeting *meeting, int stream);
int tw_reach_meet_accept(struct tw_meeting *meeting);

/* The client's side. @addresses: see tw_reach_connect(). */
int tw_reach_meet_connect(struct tw_meeting *meeting,
			  const struct addrinfo **addresses);

#endif /* TW_REACH_H */
