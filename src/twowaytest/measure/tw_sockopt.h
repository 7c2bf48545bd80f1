/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of sockets that the user can set: they are set, and read back. */
#ifndef TW_SOCKOPT_H
#define TW_SOCKOPT_H

#include "measure/tw_transport.h"

/* In this order they are set: IP_TOS changes SO_PRIORITY. */
enum tw_sockopt_id {
	TW_SOCKOPT_DSCP,
	TW_SOCKOPT_PRIORITY,
	TW_SOCKOPT_BUSY_POLL,
	TW_SOCKOPT_INTERFACE,
	TW_SOCKOPT_QUICKACK,
	TW_SOCKOPT_TIMEOUT,
	TW_SOCKOPTS
};

#define TW_SOCKOPT_NONE	(-1)	/* not asked for; the socket has none */

struct tw_sockopt {
	const char *option;	/* as the user gives it: "sock-priority" */
	const char *member;	/* in the JSON: "sock_priority" */
	const char *with;	/* for a message: "tcp or udp" */
	bool (*fits)(const struct tw_transport_ops *ops);
	/* Values are numbers: us, or the number of an interface. */
	int (*set)(int fd, int64_t value);
	int (*get)(int fd, int64_t *value);
	bool client_only;
};

extern const struct tw_sockopt tw_sockopts[TW_SOCKOPTS];

/*
 * Sets those of @values that are asked for at both ends. Returns 0; or -errno,
 * and the option in *failed.
 */
int tw_sockopt_set(const struct tw_link *link,
		   const int64_t values[TW_SOCKOPTS],
		   enum tw_sockopt_id *failed);

/* Reads what the kernel says of the client's end. */
void tw_sockopt_get(const struct tw_transport_ops *ops, int fd,
		    int64_t values[TW_SOCKOPTS]);

#endif /* TW_SOCKOPT_H */
