/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cause of a delay between two hosts, each of which has traced itself.
 * Called by main of the client's host.
 */
#ifndef TW_CAUSE_H
#define TW_CAUSE_H

#include "cause/tw_analysis_phase.h"

/* What one host sees. */
struct tw_cause_view {
	bool traced;		/* it has traced, and looked into it */
	char host[64];
	char lacks[192];	/* why there is no analysis; "": there is one */
	size_t cut;		/* bytes of the trace that it left out */
	/*
	 * Of the network, how long it had the message or could have had it, in
	 * ns; -1: unknown.
	 */
	int64_t own_ns;
	int64_t after_t1_ns;	/* the server: when the analysis begins */
	struct tw_analysis analysis;
};

/* Where a delay was. */
enum tw_cause_where {
	TW_WHERE_UNKNOWN,
	TW_WHERE_CLIENT,
	TW_WHERE_SERVER,
	TW_WHERE_BETWEEN
};

/* "client", "server" and "between", for JSON; NULL: unknown. */
extern const char *const tw_cause_places[];

/*
 * Whose doing it is that @phase was @excess_ns longer than on average. Network
 * is the doing of the host that had the message for longer, and for at least
 * half of the excess. @client_ns, @server_ns: own_ns of both.
 */
enum tw_cause_where tw_cause_decide(enum tw_metric_id phase, double excess_ns,
				    int64_t client_ns, int64_t server_ns);

struct tw_cause {
	enum tw_metric_id phase;
	enum tw_cause_where where;
	double excess_ns;
	bool has_mean;		/* there were cycles before */
	const struct tw_cause_view *client, *server;
	/*
	 * Whether both fit on one time line: when the server's begins after t0
	 * on the client's clock, and how far that may be wrong.
	 */
	bool placed;
	int64_t server_at_ns, within_ns;
};

/*
 * Sets these last members, from what --oneway has found; @oneway: NULL if it is
 * off.
 */
void tw_cause_place(struct tw_cause *cause, const struct tw_cycle *cycle,
		    const struct tw_oneway *oneway);

/* Prints one time line of both; cause->placed. */
void tw_cause_print_both(FILE *file, const struct tw_cause *cause);

/* Prints the cause, and the time lines of the hosts that tell of it. */
void tw_cause_print(FILE *file, const struct tw_cause *cause);

/*
 * Members "where", "server_at_ns", "server_within_ns", "server_cut_bytes",
 * "analysis" and "other_analysis".
 */
void tw_cause_json(struct tw_json *json, const struct tw_cause *cause);

#endif /* TW_CAUSE_H */
