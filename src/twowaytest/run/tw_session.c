// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_time.h"
#include "run/tw_session.h"

static int fail_memory(struct tw_session *session, int err)
{
	if (session->config->mlockall && err == -EAGAIN)
		return tw_fail(&session->run, err, "no memory for the results: %s; give fewer --threads or microseconds to -h, leave out -m, or raise RLIMIT_MEMLOCK (ulimit -l)",
			       strerror(-err));
	return tw_fail(&session->run, err, "no memory for the results: %s; give fewer microseconds to -h, or raise the limit (ulimit -v, -l)",
		       strerror(-err));
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int allocate(struct tw_session *session)
{
	session->steps = calloc(session->run.steps, sizeof(*session->steps));
	session->column = calloc(session->config->pairs.count *
				 session->config->metric_count,
				 sizeof(*session->column));
	if (session->steps && session->column)
		return 0;
	return fail_memory(session, -ENOMEM);
}

/* Main's settings. First tries the highest priority of a side. */
static int settle_main(struct tw_session *session)
{
	enum tw_step step = TW_STEP_SCHEDULE;
	struct tw_task task = { .period_ns = 0 };
	int err;

	tw_session_task(session, 0, &task);
	err = tw_system_schedule(task.policy,
				 task.priority[tw_session_highest(session)]);
	if (!err)
		err = tw_side_settle(&task, TW_MAIN, &session->main_settings,
				     &step);
	if (!err)
		return 0;
	return tw_explain(session, &(struct tw_failure) {
		.step = step, .role = TW_MAIN, .pid = getpid(), .err = err,
	});
}

static int open_clock(struct tw_session *session)
{
	static const struct {
		int err;
		const char *why;
	} reasons[] = {
		{ -ENOTSUP, "this CPU has no counter that runs at one rate in every state" },
		{ -ENODEV, "the kernel does not trust this CPU's counter (it is not in available_clocksource)" },
		{ -ERANGE, "the counter's rate, measured twice, differed by more than 100 ppm" },
	};
	const char *name = session->config->clock;
	int err = tw_clock_open(&session->clock, name);
	size_t i;

	if (!err)
		return 0;
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].err == err)
			break;
	return tw_fail(&session->run, err, "--clock=%s: %s; choose another clock, such as monotonic",
		       name, i < ARRAY_SIZE(reasons) ? reasons[i].why :
						       strerror(-err));
}

static int open_listener(struct tw_session *session)
{
	const struct tw_transport *transport = &session->transport;
	int port = (int)session->config->port;
	int err = session->far ? 0 :
		  tw_transport_listen(transport, (uint16_t)port,
				      &session->listener);

	if (err == -EACCES || err == -EADDRINUSE)
		return tw_fail(&session->run, err, "--port=%d: cannot listen on %s: %s; %s",
			       port, transport->where, strerror(-err),
			       err == -EACCES ? "ports below 1024 need root or CAP_NET_BIND_SERVICE" :
			       "leave it out, and the kernel chooses one");
	if (err && transport->ops->internet)
		return tw_fail(&session->run, err, "--address=%s: cannot listen: %s; %s",
			       transport->where, strerror(-err),
			       transport->ops->needs);
	if (err)
		return tw_fail(&session->run, err, "--transport=%s: cannot listen on %s: %s; %s",
			       transport->ops->name, transport->where,
			       strerror(-err), transport->ops->needs);
	if (session->listener >= 0)
		session->port = tw_transport_port(session->listener);
	return 0;
}

static int open_session(struct tw_run *run)
{
	static int (*const steps[])(struct tw_session *session) = {
		allocate, open_clock, settle_main, open_listener,
	};
	struct tw_session *session = tw_session(run);
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(steps); i++)
		err = steps[i](session);
	return err;
}

static int link_far(struct tw_session *session, const struct tw_pair *pair,
		    struct tw_link *link)
{
	int err = session->far->link(session, pair, link);

	return err ? err : tw_transport_settle(&session->transport, link);
}

int tw_session_link(struct tw_session *session, struct tw_pair *pair)
{
	struct tw_link *link = &session->link[pair->number];
	struct tw_transport *transport = &session->transport;
	int err = session->far ? link_far(session, pair, link) :
		  tw_transport_link(transport, session->listener, link,
				    &session->strangers);

	pair->task.link = *link;
	if (!err)
		return pair->linked ? pair->linked(&session->run, pair) : 0;
	if (transport->failed)
		return tw_fail(&session->run, err, "%s: the kernel refuses it: %s%s",
			       transport->failed, strerror(-err),
			       err == -EPERM ? "; it needs root or CAP_NET_ADMIN" : "");
	if (err == -EMFILE || err == -ENFILE)
		return tw_fail(&session->run, err, "cannot connect client and server of pair %u: %s; raise the limit (ulimit -n), or give fewer pairs",
			       pair->number, strerror(-err));
	return tw_fail(&session->run, err, "cannot connect to our own server on %s: %s; %s",
		       transport->where, strerror(-err),
		       transport->ops->needs);
}

/* Keep only the results of earlier steps. */
static void drop_step(struct tw_session *session)
{
	tw_session_drop(&session->steps[session->run.step]);
	session->pairs = session->steps_done ?
			 &session->steps[session->steps_done - 1] : NULL;
}

static int begin_session(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	struct tw_pairs *step = &session->steps[run->step];
	int err = tw_session_map(session, step,
				 tw_config_pairs_in(session->config,
						    run->step));

	if (err)
		return fail_memory(session, err);
	session->pairs = step;
	return 0;
}

static void end_session(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);

	/* Another part failed to begin. */
	if (session->steps_done == run->step)
		drop_step(session);
}

/* Without any cycle, a report could be mistaken for a good result. */
static void check_cycles(struct tw_session *session)
{
	const struct tw_config *config = session->config;
	int number = session->run.interrupted;
	unsigned long long warm;
	long long all = 0;
	int i;
	char of[32] = "";
	struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		if (!pair->tally->cycles)
			break;
	if (!tw_session_has(session, TW_CLIENT))
		return;
	/* What else ends a run, as -b does, may come before a slow pair. */
	if (!session->run.started || !pair ||
	    (session->run.over && !number))
		return;
	for (i = 0; i < session->steps_done; i++)
		if (k < session->steps[i].count)
			all += config->warmup;
	warm = pair->tally->warmup;
	if (session->pairs->count > 1)
		snprintf(of, sizeof(of), " of pair %u", k);
	if (number)
		tw_fail(&session->run, -ENODATA, "not one cycle%s was measured: signal %d (%s) came after %llu of %lld warm-up cycles",
			of, number, strsignal(number), warm, all);
	else
		tw_fail(&session->run, -ENODATA, "not one cycle%s was measured: with --duration=%lld, time was up after %llu of %lld warm-up cycles; give a longer duration, a smaller --warmup, or see what holds up the client",
			of, (long long)config->duration_s, warm, all);
}

static void finish_session(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	int err;

	tw_system_read(&session->main_left);
	session->has_drift = tw_clock_drift(&session->clock,
					    &session->drift_ns,
					    &session->drift_over_ns);
	if (session->steps_done > 1) {
		err = tw_session_sum(session, &session->merged);
		if (err)
			fail_memory(session, err);
		else
			session->pairs = &session->merged;
	}
	if (session->pairs)
		check_cycles(session);
}

void tw_session_close_links(struct tw_session *session)
{
	int k;

	for (k = 0; k < TW_PAIRS_MAX; k++) {
		close_fd(&session->link[k].client_fd);
		close_fd(&session->link[k].server_fd);
	}
}

static void close_session(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	int i;

	close_fd(&session->listener);
	tw_session_close_links(session);
	for (i = 0; i < session->steps_done; i++)
		tw_session_drop(&session->steps[i]);
	tw_session_drop(&session->merged);
	session->pairs = NULL;
	free(session->steps);
	free(session->column);
	session->steps = NULL;
	session->column = NULL;
}

void tw_session_init(struct tw_session *session)
{
	int k;

	memset(session, 0, sizeof(*session));
	session->config = tw_config;
	tw_transport_init(&session->transport);
	session->listener = -1;
	for (k = 0; k < TW_PAIRS_MAX; k++)
		session->link[k] = (struct tw_link) { -1, -1 };
}

const struct tw_part tw_part_session = {
	.name = "session", .open = open_session, .begin = begin_session,
	.end = end_session, .finish = finish_session, .close = close_session,
	.remarks = tw_session_remarks,
};
