/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cycles with the kernel's timestamps (--stamps): where the time of a request
 * and its reply goes, within the two hosts and between them.
 *
 *	client	t0 ..app_out.. sched ..stack_out.. snd      rx ..wake_in.. t3
 *	                                            \       /
 *	                                             wire
 *	                                            /       \
 *	server	t2 ..app_out.. sched ..stack_out.. snd      rx ..wake_in.. t1
 *
 *	client_stack = (client snd - t0) + (t3 - client rx)
 *	server_stack = (t1 - server rx) + (server snd - t2)
 *	wire = (client rx - client snd) - (server snd - server rx)
 *	client_stack + wire + server_stack = (t3 - t0) - (t2 - t1) = network
 *
 * Each difference is of one host, so the sums are valid without a common clock.
 *
 * The stamps are of CLOCK_REALTIME. Each side converts them to its measuring
 * clock, in the slack after a cycle: it reads the two clocks together once, and
 * adds that distance to all stamps of its cycle. So an error of that reading,
 * 50 ns at best, is in app_out, and with the opposite sign in wake_in; there is
 * none in the other figures, and the sum above is exact to the ns. If
 * CLOCK_REALTIME was set meanwhile, a cycle has no stamps.
 *
 * The server's stamps of a cycle come with its next reply, so the last cycle of
 * a run is never complete, nor is one before a cycle that was lost. A stamp
 * that is missing is counted, never waited for.
 */
#ifndef TW_STAMPED_H
#define TW_STAMPED_H

#include "base/tw_clock.h"
#include "base/tw_system.h"
#include "measure/tw_client.h"
#include "measure/tw_server.h"
#include "measure/tw_stamps.h"

/* The stamps of a cycle. */
enum tw_stamp_id {
	TW_CLIENT_SCHED,
	TW_CLIENT_SND,
	TW_SERVER_RX,
	TW_SERVER_SCHED,
	TW_SERVER_SND,
	TW_CLIENT_RX,
	TW_STAMPS
};

/* A cycle with its stamps, on the measuring clock of their side. */
struct tw_stamped {
	uint64_t seq;		/* 0: none */
	int64_t t0_ns, t1_ns, t2_ns, t3_ns;
	int64_t at_ns[TW_STAMPS];	/* or TW_STAMP_NONE */
};

/* What a cycle is broken down into. */
enum tw_stamped_id {
	TW_CLIENT_APP_OUT,
	TW_CLIENT_STACK_OUT,
	TW_CLIENT_WAKE_IN,
	TW_SERVER_WAKE_IN,
	TW_SERVER_APP_OUT,
	TW_SERVER_STACK_OUT,
	TW_CLIENT_STACK,
	TW_WIRE,
	TW_SERVER_STACK,
	TW_STAMPED_NETWORK,
	TW_STAMPED_PARTS
};

struct tw_stamped_row {
	uint64_t count;
	int64_t min_ns, max_ns, sum_ns;	/* of no meaning if count is 0 */
};

/* The results; of measured cycles, not of the warm-up. */
struct tw_stamped_sum {
	uint64_t cycles;	/* that were broken down */
	uint64_t left_out;	/* as a stamp was missing */
	uint64_t missing[TW_STAMPS];
	struct tw_stamped_row part[TW_STAMPED_PARTS];
	/* The client's work of it in a cycle, after t3. */
	struct tw_stamped_row work;
};

/* CLOCK_REALTIME, as seen from the measuring clock. */
struct tw_stamped_clock {
	struct tw_ahead ahead;
	int64_t at_ns;		/* of the last reading; measuring clock */
	int64_t ahead_ns;	/* that reading */
	bool known;		/* there was one */
};

/*
 * State and results of a pair, in memory that it shares with main. Client and
 * server each use their own half, and none of the other's.
 */
struct tw_stamps {
	enum tw_stamps_mode mode;
	/* From a message's number to that of the next. */
	uint32_t client_step, server_step;
	struct tw_stamped_sum before;	/* of earlier steps; by main */
	/* Whole cycles for --dump, or NULL: seq & (slots - 1) is its place. */
	struct tw_stamped *slot;
	uint32_t slots;		/* a power of two */
	_Alignas(TW_CACHE_LINE) struct {
		_Atomic uint32_t version;	/* odd: sum is being written */
		struct tw_stamped_sum sum;
		struct tw_stamped_clock clock;
		struct tw_stamps_in in;
		struct tw_stamps_out out;
		struct tw_reply_stamps reply;	/* what the last reply had */
		struct tw_stamped pending;	/* lacks the server's stamps */
	} client;
	_Alignas(TW_CACHE_LINE) struct {
		struct tw_stamped_clock clock;
		struct tw_stamps_in in;
		struct tw_stamps_out out;
		struct tw_reply_stamps reply;	/* for the next reply */
	} server;
};

/*
 * Initialises zeroed memory. @request: bytes of a request; 0: the kernel counts
 * datagrams.
 */
void tw_stamped_init(struct tw_stamps *stamps, enum tw_stamps_mode mode,
		     size_t request);

/*
 * Called by the client after each request that it has sent, when it has its
 * reply. @cycle: complete; NULL: it was lost.
 */
void tw_stamped_client(const struct tw_client *client,
		       const struct tw_cycle *cycle);

/*
 * Called by the server before it waits for a request. @last: the reply that it
 * has sent since the last call.
 */
void tw_stamped_server(const struct tw_server *server,
		       const struct tw_reply *last);

/* The loops with stamps, and what they wait by. */
int tw_stamped_client_run(const struct tw_client *client);
int tw_stamped_server_run(const struct tw_server *server);
int tw_server_take_stamped(const struct tw_server *server,
			   struct tw_wait *wait, struct tw_reply *reply);

/* The part's value in ns; TW_STAMP_NONE: a stamp of it is missing. */
int64_t tw_stamped_part(const struct tw_stamped *stamped,
			enum tw_stamped_id id);

/*
 * Called by the client: adds a cycle to *sum, or counts what it lacks of the
 * stamps of @mode; and adds a value to a row.
 */
void tw_stamped_count(struct tw_stamped_sum *sum, enum tw_stamps_mode mode,
		      const struct tw_stamped *stamped);
void tw_stamped_value(struct tw_stamped_row *row, int64_t value_ns);

/* Called by main, also while the client runs: the results, and their sum. */
struct tw_stamped_sum tw_stamped_read(const struct tw_stamps *stamps);
void tw_stamped_add(struct tw_stamped_sum *sum,
		    const struct tw_stamped_sum *more);

/*
 * Called by main: stores cycle @seq and its stamps, if the client has completed
 * it and not overwritten it since; else all stamps are TW_STAMP_NONE.
 */
void tw_stamped_find(const struct tw_stamps *stamps, uint64_t seq,
		     struct tw_stamped *found);

#endif /* TW_STAMPED_H */
