/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a run on two hosts. All is called by main. */
#ifndef TW_HOSTS_H
#define TW_HOSTS_H

#include <stdbool.h>
#include <stdio.h>

#include "tw_metric.h"
#include "tw_policy.h"
#include "tw_reach.h"

struct tw_run;

/* tw_far.c, tw_ask.c, tw_far_cause.c */

/* This is the server's side, of a client at standard input and output. */
extern bool tw_far;

/*
 * The highest that a server may have, and then no SCHED_DEADLINE; INT_MAX: the
 * rights of the login or of the service are the only limit.
 */
extern int tw_far_priority;

/* A client measures only if it gets this lock; -1: there is none. */
extern int tw_far_lock_fd;

/* Its parent holds /dev/cpu_dma_latency, so it need not, and may not. */
extern bool tw_far_is_awake;

/*
 * The number of the version follows. So begins what each side says first; in
 * version 2, the server's side began otherwise.
 */
#define TW_ASK_GREETING	"[\"--far="
#define TW_ASK_ANSWER	"twowaytest "
#define TW_ASK_ANSWER_2	"{\"twowaytest\": "
#define TW_ASK_VERSION	"3"
#define TW_ASK_MAX	65536	/* bytes of a line */
#define TW_ASK_S	2	/* until it has begun, and until it is there */

/*
 * What a client's side asks of a server's side: one line, whose words after the
 * version are the number of steps, unless it is in the options, and options of
 * twowaytest. The caller frees it.
 */
char *tw_ask_text(int steps);

/*
 * Reads the options out of such a line; returns the number of steps. Ends the
 * program after a message if it is wrong, or asks for what nobody may ask for
 * from another host, or not without a @login there.
 */
int tw_ask_parse(const char *line, bool login);

/*
 * -b with --trace between two hosts: each traces itself. When a client breaks,
 * its side tells the other one which cycle that was, in a line; the answer has
 * what the other one has found.
 */

/* The client's side: sends the line, if a cycle was too long. */
void tw_far_cause_tell(const struct tw_run *run);

/* The server's side: notes what such a line says, and stops the trace. */
void tw_far_cause_note(const struct tw_run *run, const char *line);

/*
 * The same: sends what it has found, and returns by how much its phase was
 * longer than usual; -1: that is not known.
 */
int64_t tw_far_cause_answer(const struct tw_run *run);

/* The client's side: what both have found. @theirs_ns: of that answer. */
void tw_far_cause_print(FILE *file, const struct tw_run *run,
			int64_t theirs_ns);

/* tw_talk.c: the stream of lines to and from the server's side. */

/* How to reach it, from --connect and --rsh. */
extern struct tw_talk_way {
	struct tw_host host;
	const char *text;	/* of --connect; NULL: all is on this host */
	const char *command;	/* of --rsh; NULL: a server listens there */
} tw_talk_way;

/*
 * Opens it. Returns the addresses of the host, from the one that works; NULL: a
 * signal came. What fails ends the program after a message.
 */
const struct addrinfo *tw_talk_open(void);

void tw_talk_tell(const char *line);

/*
 * Waits until then for an answer that begins with this word, and returns what
 * follows that. NULL: there was a message, unless @quiet; or a signal is to end
 * the run.
 */
const char *tw_talk_expect(const char *word, int64_t end_ns, bool quiet);

/*
 * Reads what there is; false, after a message: it has ended, or its run has,
 * whose answer is then kept.
 */
bool tw_talk_listen(void);

/* A command may take so long to end. */
void tw_talk_close(int ms);

/* To wait for it; -1: it is closed. */
int tw_talk_fd(void);

/* Lines of text that belong to an answer: each begins with #. */
const char *tw_talk_text(void);

/* tw_reflect.c: of --reflect; NULL: it was not given. */
extern const char *tw_reflect_kind;

/* tw_oneway.c: send and receive between hosts whose clocks agree. */

/* Whether it was asked for. */
bool tw_oneway_chosen(void);

/*
 * Whether a limit on metric @id of a pair cannot be decided, as fewer than half
 * of its cycles are proven.
 */
bool tw_oneway_doubts(const struct tw_run *run, int pair, enum tw_metric_id id);

#endif /* TW_HOSTS_H */
