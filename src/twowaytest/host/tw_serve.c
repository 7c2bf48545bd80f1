// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_ceilings.h"
#include "host/tw_far_cause.h"
#include "host/tw_limited.h"
#include "host/tw_meet.h"
#include "host/tw_peer.h"
#include "host/tw_serve.h"
#include "result/tw_part_oneway.h"
#include "run/tw_part_transport.h"

#define NEXT_MS		60000	/* from a run to the client's next step */

/* The run under way. */
static struct {
	struct tw_service *serving;	/* NULL: this process serves nobody */
	struct tw_session *session;
	struct tw_asked asked;
	struct tw_granted granted;
	struct tw_meet meet;
	struct tw_far far;
	bool stopped;			/* the client's STOP has come */
	bool has_broken;		/* and its BREAK, before */
	struct tw_broken broken;
	int64_t runs;			/* that were granted */
	char why[TW_REFUSAL_TEXT];	/* it ended before; "" */
} now;

/* What each pair shares. */
struct room {
	struct tw_far_limit limit;
	struct tw_traced traced;
};

size_t tw_serve_room(const struct tw_run *run)
{
	(void)run;
	return now.serving ? sizeof(struct room) : 0;
}

void tw_serve_attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	struct room *room = memory;

	(void)run;
	if (!now.serving)
		return;
	pair->limit = &room->limit;
	pair->limit->take = pair->take;
	pair->limit->burst_ns = tw_ceilings_burst_ns(&now.serving->ceilings,
						     &now.asked, pair->number,
						     TW_BURST);
	pair->limit->junk_ns = TW_BURST * TW_NS_PER_S * now.asked.pairs /
			       now.serving->ceilings.rate;
	memcpy(pair->limit->cookie, now.meet.cookie, TW_COOKIE);
	pair->take = tw_limited_take;
	if (now.granted.traces)
		tw_traced_attach(pair, &room->traced,
				 now.serving->trace->fds.mark);
}

static int link_pair(struct tw_session *session, const struct tw_pair *pair,
		     struct tw_link *link)
{
	const int wake_fds[] = { session->run.signal_fd,
				 now.serving->control.in_fd };
	int err = 0;

	if (!pair->number) {
		/* The end of a child of the run before. */
		tw_control_told_to_end(session->run.signal_fd);
		err = tw_meet_await(&now.meet, wake_fds, TW_STEP_MS);
	}
	session->strangers = now.meet.strangers;
	if (err == -EINTR)
		return tw_fail(&session->run, err, "the client has gone, or a signal came, before its connections were there");
	if (err)
		return tw_fail(&session->run, err, "the connections of its %d pairs did not come: %s; is a port filtered between the hosts?",
			       (int)now.asked.pairs, strerror(-err));
	link->client_fd = -1;
	link->server_fd = tw_meet_take(&now.meet, pair->number);
	return link->server_fd < 0 ? link->server_fd : 0;
}

/* START, or STOP with the reason. */
static int send_word(enum tw_frame_type type, const char *why)
{
	struct tw_stop stop;

	snprintf(stop.why, sizeof(stop.why), "%s", why);
	return tw_control_send(&now.serving->control, type, tw_stop_keys,
			       &stop);
}

static int ready(struct tw_session *session)
{
	int err;

	if (now.granted.traces)
		tw_far_cause_learn(now.serving->trace, session);
	err = send_word(TW_FRAME_START, "");
	return err ? tw_fail(&session->run, err, "the client cannot be told to start: %s",
			     strerror(-err)) : 0;
}

/* A cycle was too long: the trace ends at once, the run soon. */
static int take_break(const struct tw_frame *frame, char *why)
{
	if (now.granted.traces)
		tw_far_trace_stop(now.serving->trace);
	now.has_broken = true;
	return tw_control_take(&now.serving->control, 0, 0, frame,
			       TW_FRAME_BREAK, tw_broken_keys, &now.broken,
			       why);
}

static int take_stop(int err, const struct tw_frame *frame, char *why)
{
	struct tw_stop stop;

	err = tw_control_take(&now.serving->control, err, TW_STEP_MS, frame,
			      TW_FRAME_STOP, tw_stop_keys, &stop, why);
	now.stopped = !err;
	return err;
}

/* STOP, and perhaps BREAK before it; without @wait, the first of them. */
static int await_stop(bool wait, char *why)
{
	struct tw_frame frame;
	int err;

	while (!now.stopped) {
		err = tw_control_receive(&now.serving->control, -1,
					 TW_STEP_MS, &frame);
		if (!err && frame.type == TW_FRAME_BREAK && !now.has_broken)
			err = take_break(&frame, why);
		else
			err = take_stop(err, &frame, why);
		if (err || !wait)
			return err;
	}
	return 0;
}

/* The client ends the run, or has gone. */
static int attend(struct tw_session *session)
{
	char why[TW_REFUSAL_TEXT];
	int err = await_stop(false, why);

	if (err == -ETIMEDOUT)
		snprintf(why, sizeof(why), TW_NO_LIFE, "it", TW_ALIVE_S);
	return err ? tw_fail(&session->run, err, "the client: %s", why) : 0;
}

static int refuse(const char *why)
{
	return tw_refusal_send(now.serving->control.out_fd, TW_FRAME_REFUSE,
			       why, TW_STEP_MS);
}

static int grant(void)
{
	union tw_address local = now.serving->local;
	char why[TW_REFUSAL_TEXT];
	int err;

	tw_meet_set_port(&local, (uint16_t)now.serving->port);
	now.meet.from = now.serving->client;
	err = tw_meet_open(&now.meet, now.session->transport.ops, &local,
			   (unsigned int)now.asked.pairs,
			   (size_t)now.asked.size, &now.granted);
	if (err) {
		snprintf(why, sizeof(why), "it cannot listen for the measurement%s: %s",
			 now.serving->port ? " on its --port" : "",
			 strerror(-err));
		refuse(why);
		return err;
	}
	now.granted.unsynchronised = !tw_oneway_kernel_claims();
	tw_far_cause_start(now.serving->trace, now.serving->no_trace,
			   now.session, &now.asked, &now.granted);
	return tw_control_send(&now.serving->control, TW_FRAME_GRANT,
			       tw_granted_keys, &now.granted);
}

static int prepare(struct tw_run *run)
{
	int err;

	now.session = tw_session(run);
	tw_session_init(now.session);
	err = tw_serve_parse(now.serving, run, &now.asked, &now.granted);
	if (err)
		return err;
	now.far = (struct tw_far) {
		.here = TW_SERVER, .link = link_pair, .ready = ready,
		.attend = attend,
		.fd = now.serving->control.in_fd,
	};
	now.session->far = &now.far;
	err = tw_run_open(run);
	return err ? err : tw_session_try_lock(now.session);
}

/* Without locked memory, if the client accepts that. */
static int prepare_unlocked(struct tw_run *run)
{
	char why[TW_REFUSAL_TEXT];
	int err;

	snprintf(why, sizeof(why), "%.400s", run->error);
	tw_run_close(run);
	munlockall();
	now.granted.lock_memory = false;
	err = prepare(run);
	if (err || now.asked.accept)
		return err;
	return tw_fail(run, -EPERM, "%s; or give --accept to measure with memory that is not locked there",
		       why);
}

static void say_stopped(int number)
{
	snprintf(now.why, sizeof(now.why), "it was stopped there by signal %d (%s)",
		 number, strsignal(number));
}

/* Why a run has ended before the client did; "": it has not. */
static void find_reason(const struct tw_run *run)
{
	const struct tw_ceilings *ceilings = &now.serving->ceilings;

	*now.why = '\0';
	/* A timer has asked for less than it might have. */
	if (run->err == -EDQUOT && now.asked.each[0].interval_us)
		snprintf(now.why, sizeof(now.why), "the client sent more than it had asked for");
	else if (run->err == -EDQUOT)
		snprintf(now.why, sizeof(now.why), "the client sent more than %lld requests a second (--max-rate there)",
			 (long long)ceilings->rate);
	else if (run->err)
		snprintf(now.why, sizeof(now.why), "%.500s", run->error);
	else if (now.stopped || now.has_broken)
		return;
	else if (run->interrupted)
		say_stopped(run->interrupted);
	else if (tw_now_ns(CLOCK_MONOTONIC) >= now.session->end_ns)
		snprintf(now.why, sizeof(now.why), "the run took longer than it allows: up to %lld s (--max-time there)",
			 (long long)ceilings->time_s);
}

/* The end of a run, from whichever side it came. */
static int finish(struct tw_run *run)
{
	char why[TW_REFUSAL_TEXT];
	int err = 0;

	/* A client that stops amid a cycle closes its connection at once. */
	if (run->err == -ECONNRESET || run->err == -EPIPE)
		run->err = await_stop(true, why);
	/* What befell a server is told, too, if the client has stopped. */
	find_reason(run);
	/* The client is silent until it has stopped, and so are we. */
	if (*now.why)
		err = send_word(TW_FRAME_STOP, now.why);
	if (!err)
		err = await_stop(true, why);
	if (!err && now.has_broken)
		err = tw_far_cause_send(&now.serving->control,
					now.serving->trace, now.session,
					&now.broken);
	if (!err)
		err = tw_peer_send(now.session, now.serving);
	return err;
}

static uint64_t count_requests(void)
{
	const struct tw_pair *pair;
	uint64_t sum = 0;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(now.session, k)); k++)
		sum += atomic_load(&pair->limit->requests);
	return sum;
}

/* In one write: other sessions print, too. */
static void tell(void)
{
	if (now.serving->silent)
		return;
	dprintf(STDOUT_FILENO, "%s: %d pair%s, %s, priority %d, %" PRIu64 " requests%s%s\n",
		now.serving->peer, (int)now.asked.pairs,
		now.asked.pairs == 1 ? "" : "s", now.asked.transport,
		now.granted.priority ? (int)now.granted.priority - 1 : 0,
		count_requests(), *now.why ? "; " : "", now.why);
}

static int run_it(struct tw_run *run)
{
	int err;

	if (now.asked.trace)
		tw_far_cause_clear(now.serving->trace);
	err = prepare(run);
	if (err && now.granted.lock_memory)
		err = prepare_unlocked(run);
	if (err) {
		refuse(run->error);
		tw_run_close(run);
		return 0;
	}
	tw_meet_init(&now.meet);
	now.stopped = false;
	now.has_broken = false;
	err = grant();
	if (!err) {
		now.runs++;
		tw_run_steps(run);
		err = finish(run);
		if (now.session->pairs)
			tell();
	}
	tw_meet_close(&now.meet);
	tw_run_close(run);
	if (now.granted.traces)
		tw_far_trace_stop(now.serving->trace);
	return run->interrupted ? -EINTR : err;
}

/* One RUN of the client: 0, or -errno if there can be no further. */
static int answer(struct tw_run *run, const char *body, size_t length)
{
	struct tw_keys_notes notes = { .list_unknown = false };
	char why[TW_REFUSAL_TEXT];

	memset(&now.asked, 0, sizeof(now.asked));
	if (tw_keys_decode(tw_asked_keys, &now.asked,
			   now.serving->control.version, body, length,
			   &notes)) {
		snprintf(why, sizeof(why), "it does not understand what was asked for: %s",
			 notes.why);
		return refuse(why);
	}
	if (tw_ceilings_check(&now.serving->ceilings, &now.asked,
			      &now.granted, why))
		return refuse(why);
	return run_it(run);
}

/* The client's next RUN; false: there is none, or a signal came. */
static bool await_run(struct tw_frame *frame)
{
	struct tw_service *serving = now.serving;
	int err = tw_control_receive(&serving->control, serving->signal_fd,
				     NEXT_MS, frame);
	struct signalfd_siginfo info;

	/* Of those that are pending, the lowest number is read. */
	if (err == -EINTR && tw_control_told_to_end(serving->signal_fd) &&
	    read(serving->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		say_stopped((int)info.ssi_signo);
		send_word(TW_FRAME_STOP, now.why);
	}
	return !err && frame->type == TW_FRAME_RUN;
}

int tw_serve(struct tw_service *serving, struct tw_run *run,
	     const char *body, size_t length)
{
	struct tw_frame frame = { .body = body, .length = length };

	now.serving = serving;
	now.runs = 0;
	while (!answer(run, frame.body, frame.length)) {
		if (serving->runs && now.runs >= serving->runs)
			break;
		if (!await_run(&frame))
			break;
	}
	now.serving = NULL;
	return (int)now.runs;
}
