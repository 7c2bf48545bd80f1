/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run whose traces are made up: what tw_part_trace.c calls stands here in
 * place of the program's own; each call is noted.
 */
#ifndef TRACE_PART_H
#define TRACE_PART_H

#include <errno.h>

#include "report.h"
#include "base/tw_time.h"
#include "cause/tw_analysis_phase.h"
#include "cause/tw_part_break.h"
#include "cause/tw_part_cause.h"
#include "cause/tw_trace_own.h"

#define SERVER_PID	200
#define CLIENT_PID	100
#define CLOCK_AHEAD_NS	(37 * TW_NS_PER_S)
#define SPACE_AHEAD_NS	(5 * TW_NS_PER_S)

/* The descriptors of the user's trace, and of our own. */
static const struct tw_trace_fds user_fds = { 11, 12 }, own_fds = { 21, 22 };

static struct {
	char noted[256];
	int user_err, own_err, collect_err;
	const char *events;
	cpu_set_t cpus;
	const struct tw_trace *own;
	const char *collects;	/* the text of the trace */
	int64_t from_ns;
	const char *text;
	const struct tw_break *brk;
	const struct tw_metric_params *params;
	pid_t pids[TW_ROLES];
	bool may_throttle;
	enum tw_bypass bypass;
	struct tw_analysis found;
} world;

static inline void note(const char *what)
{
	strcat(world.noted, what);
}

int tw_trace_open_user(struct tw_trace_fds *fds, char why[TW_TRACE_WHY])
{
	note("user ");
	if (world.user_err)
		strcpy(why, "tracefs is not mounted");
	else
		*fds = user_fds;
	return world.user_err;
}

int tw_trace_open_own(struct tw_trace *trace, struct tw_trace_fds *fds,
		      const char *events, const cpu_set_t *cpus,
		      char why[TW_TRACE_WHY])
{
	note("own ");
	world.events = events;
	world.cpus = *cpus;
	world.own = trace;
	if (world.own_err) {
		strcpy(why, "this kernel has no event x");
		return world.own_err;
	}
	strcpy(trace->dir, "/instance");
	*fds = own_fds;
	return 0;
}

int tw_trace_collect(const struct tw_trace *trace, int64_t from_ns,
		     char **text)
{
	note("collect ");
	assert_ptr_equal(trace, world.own);
	world.from_ns = from_ns;
	if (!world.collect_err)
		*text = strdup(world.collects);
	return world.collect_err;
}

void tw_trace_close_fds(struct tw_trace_fds *fds)
{
	note(fds->mark == user_fds.mark ? "close user " :
	     fds->mark == own_fds.mark ? "close own " :
	     fds->mark == -1 && fds->stop == -1 ? "" : "? ");
	*fds = (struct tw_trace_fds) { -1, -1 };
}

void tw_trace_close(struct tw_trace *trace)
{
	if (trace->dir[0])
		note("remove ");
	trace->dir[0] = '\0';
}

int64_t tw_trace_ahead_ns(const char *root)
{
	assert_string_equal(root, "");
	return SPACE_AHEAD_NS;
}

void tw_analyse(struct tw_analysis *analysis, const char *text,
		const struct tw_break *brk,
		const struct tw_metric_params *params,
		const pid_t pids[TW_ROLES], bool may_throttle,
		enum tw_bypass bypass)
{
	note("analyse ");
	*analysis = world.found;
	world.text = text;
	world.brk = brk;
	world.params = params;
	memcpy(world.pids, pids, sizeof(world.pids));
	world.may_throttle = may_throttle;
	world.bypass = bypass;
}

/* Only the client, and the text of -b, call these. */
int tw_trace_mark_and_stop(const struct tw_trace_fds *fds, const char *mark,
			   int len)
{
	(void)fds;
	(void)mark;
	(void)len;
	return -EPERM;
}

void tw_trace_print_mark_err(FILE *file, int err)
{
	(void)file;
	(void)err;
}

/* Only a server for other hosts calls these. */
int tw_trace_open_file(const char *dir, const char *name, int flags,
		       char why[TW_TRACE_WHY])
{
	(void)dir;
	(void)name;
	(void)flags;
	(void)why;
	return -EPERM;
}

void tw_trace_mask(char text[TW_TRACE_MASK], const cpu_set_t *cpus)
{
	(void)cpus;
	text[0] = '\0';
}

void tw_analyse_stretch(struct tw_analysis *analysis, const char *text,
			const struct tw_stretch *stretch)
{
	(void)analysis;
	(void)text;
	(void)stretch;
}

static inline int set_up(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.collects = "the trace";
	world.found.phase = TW_SEND;
	world.found.side = TW_SERVER;
	world.found.names = tw_analysis_names(TW_SEND, TW_SERVER);
	world.found.running_ns = -1;
	strcpy(world.found.sentence, "it was \"cat\"");
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	tw_part_trace.close(&session.run);
	return 0;
}

static inline int open_run(const char *line)
{
	new_run(line);
	CPU_SET(3, &config.role_set[TW_CLIENT]);
	CPU_SET(5, &config.role_set[TW_SERVER]);
	pair.side[TW_SERVER].child.pid = SERVER_PID;
	pair.side[TW_CLIENT].child.pid = CLIENT_PID;
	world.noted[0] = '\0';
	return tw_part_trace.open(&session.run);
}

/* Opened, and given to the pair of a step. */
static inline void begin(const char *line)
{
	assert_int_equal(open_run(line), 0);
	tw_run_attach(&session.run, &pair, rooms[0]);
	world.noted[0] = '\0';
}

static inline void finish(void)
{
	tw_part_break.finish(&session.run);
	tw_part_trace.finish(&session.run);
}

/* The run ended by its second cycle. */
static inline void break_run(const char *line)
{
	begin(line);
	pair.brk->broken = true;
	pair.brk->number = 1;
	pair.brk->kept.cycle = run_cycles[1];
	pair.brk->ahead_ns = CLOCK_AHEAD_NS;
	finish();
}

static inline bool has_trace(void)
{
	return tw_part_trace.result->has_any(&session.run);
}

#define SCRIPTED(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* TRACE_PART_H */
