// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/tw_system.h"
#include "core/pt_session.h"
#include "core/pt_task.h"

static int open_clock(struct pt_session *session)
{
	int err = tw_clock_open(&session->clock, pt_config->clock);

	return err ? tw_fail(&session->run, err, "--clock=%s: cannot be used here: %s; choose another clock, such as monotonic",
			     pt_config->clock, strerror(-err)) : 0;
}

/* The starter's priority is the highest that will be needed: try it first. */
static int settle_main(struct pt_session *session)
{
	int own = pt_config_main_priority(pt_config);
	int most = pt_config_starter_priority(pt_config);
	int err = tw_system_schedule(pt_config->policy, most);

	if (!err)
		err = tw_system_schedule(own ? pt_config->policy : SCHED_OTHER,
					 own);
	if (err)
		return tw_fail(&session->run, err, "--priority=%lld: the kernel refuses priority %d, which the process that starts the tasks needs: %s; it needs root, CAP_SYS_NICE or RLIMIT_RTPRIO (ulimit -r) of %d",
			       (long long)pt_config->priority, most,
			       strerror(-err), most);
	err = tw_system_pin(&pt_config->main_cpus);
	if (err)
		return tw_fail(&session->run, err, "the parent process cannot be pinned to its CPU: %s",
			       strerror(-err));
	return tw_system_read(&session->main_settings);
}

static int open_session(struct tw_run *run)
{
	struct pt_session *session = pt_session(run);
	int err;

	session->result = calloc((size_t)pt_selection->count,
				 sizeof(*session->result));
	session->column = calloc((size_t)pt_selection->count * PT_METRICS,
				 sizeof(*session->column));
	if (!session->result || !session->column)
		return tw_fail(run, -ENOMEM, "no memory for the results");
	err = open_clock(session);
	return err ? err : settle_main(session);
}

static void close_session(struct tw_run *run)
{
	struct pt_session *session = pt_session(run);
	int i;

	for (i = 0; i < session->count; i++)
		pt_case_unmap(session->result[i].c);
	free(session->result);
	free(session->column);
	session->result = NULL;
	session->column = NULL;
	session->count = 0;
}

/*
 * Main's copy has only the pages with results, and children do not have it:
 * they would lock it.
 */
static struct pt_case *archive(const struct pt_session *session,
			       const struct pt_case *c)
{
	struct pt_case *copy = pt_case_map(c->config, &c->choice, &c->clock,
					   session->run.window_us, false);
	struct pt_case places;

	if (!copy)
		return NULL;
	madvise(copy, copy->size, MADV_DONTFORK);
	places = *copy;
	*copy = *c;
	copy->series = places.series;
	copy->room = places.room;
	copy->kept = places.kept;
	copy->worst = places.worst;
	tw_series_merge(copy->series, c->series);
	if (c->kept_max)
		memcpy(copy->kept, c->kept, c->kept_max * sizeof(*c->kept));
	if (c->worst)
		memcpy(copy->worst, c->worst, sizeof(*c->worst) *
		       (size_t)c->metric_count);
	return copy;
}

static int fail_memory(struct pt_session *session, const char *name)
{
	return tw_fail(&session->run, -errno, "%s: no memory for its results: %s; give fewer trials (-l), or fewer rows to -h",
		       name, strerror(errno));
}

/* What the case is judged by, when its tasks have ended. */
static void judge(struct pt_session *session, const struct pt_case *c)
{
	if (pt_switches_lack(c))
		session->not_switched = true;
	if (c->broken_ps) {
		session->broken = true;
		session->run.over = true;
	}
}

static int run_case(struct pt_session *session, struct pt_result *result)
{
	struct pt_case *c = pt_case_map(pt_config, result->choice,
					&session->clock,
					session->run.window_us, true);
	int err;

	if (!c) {
		char name[PT_NAME];

		pt_choice_name(result->choice, name);
		return fail_memory(session, name);
	}
	session->clock_ps = c->clock_ps;
	result->c = c;
	session->run.started = true;
	err = pt_watch(session, c);
	result->c = NULL;
	if (err == -ENOTSUP) {
		snprintf(result->skipped, sizeof(result->skipped), "%s",
			 c->refused);
		err = result->choice->named ?
		      tw_fail(&session->run, err, "--test=%s: %s: %s",
			      pt_config->tests, c->name, c->refused) : 0;
	} else {
		if (!err)
			judge(session, c);
		result->c = archive(session, c);
		if (!result->c)
			err = fail_memory(session, c->name);
	}
	pt_case_unmap(c);
	return err;
}

static bool is_over(const struct pt_session *session)
{
	return session->run.interrupted || session->run.over;
}

int pt_session_run(struct tw_run *run)
{
	struct pt_session *session = pt_session(run);
	const char *lacks;
	int i, err = 0;

	for (i = 0; !err && i < pt_selection->count && !is_over(session); i++) {
		struct pt_result *result = &session->result[i];

		session->count = i + 1;
		result->choice = &pt_selection->choice[i];
		lacks = pt_lacks(pt_config, result->choice);
		if (lacks)
			snprintf(result->skipped, sizeof(result->skipped),
				 "%s", lacks);
		else
			err = run_case(session, result);
	}
	return err;
}

/* Without any, a report could be mistaken for a good result. */
static bool has_values(const struct pt_session *session)
{
	int i, k;

	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		for (k = 0; c && k < c->metric_count; k++)
			if (c->series->row[k].stats.count)
				return true;
	}
	return false;
}

/* Of all cases that were run; after the last one, so that all are told. */
static void finish_session(struct tw_run *run)
{
	struct pt_session *session = pt_session(run);
	int i, k;

	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		for (k = 0; c && k < c->verdicts; k++)
			if (c->verdict[k].failed)
				tw_fail(run, -EBADMSG, "%s: %s", c->name,
					c->verdict[k].text);
	}
	if (run->started && !run->err && !has_values(session))
		tw_fail(run, -ENODATA, "nothing was measured: the run ended before the first trial, or in the warm-up; give more trials or time, or a smaller --warmup");
	if (session->not_switched)
		tw_fail(run, -EPROTO, "tasks did not switch as often as their trials need; see \"# Not switched\"");
}

static bool exceeded(const struct tw_run *run)
{
	return pt_session(run)->broken;
}

const struct tw_part pt_part_session = {
	.name = "session", .open = open_session, .close = close_session,
	.finish = finish_session, .exceeded = exceeded,
};

void pt_session_init(struct pt_session *session)
{
	memset(session, 0, sizeof(*session));
}
