/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a run by script: everything that tw_run.c calls stands here in
 * place of the program's own and the C library's. Time passes in poll() only,
 * up to the next thing that befalls, or to its timeout; each call of some
 * weight is noted in @noted.
 */
#ifndef RUN_H
#define RUN_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "frame/tw_output.h"
#include "run/tw_session.h"
#include "unit.h"

#define SIGNAL_FD	1001
#define LISTENER	1002
#define START_NS	(5000 * TW_NS_PER_S)
#define EVENTS		16
#define WORLD_PAIRS	3	/* at most */

/* What befalls at a time from the start of the watch on. */
struct event {
	int at_ms;
	int signal;		/* to main; SIGCHLD comes with an end */
	int strangers;		/* connect */
	bool steady;		/* the warm-up of @pair is over */
	bool ends;		/* a side does, ... */
	enum tw_role role;	/* ... this one, ... */
	int pair;		/* ... of this pair, ... */
	int status;		/* ... with this wait status, ... */
	enum tw_step failed;	/* ... and told this */
	int err;
	bool ends_run;		/* a part ends it */
	int late_ms;		/* main gets no CPU for so long */
};

static struct {
	struct event events[EVENTS];
	size_t event, polls;
	int timeouts_ms[64];
	int64_t now_ns, begin_ns;
	int signals[EVENTS];	/* queued */
	size_t signal_count;
	int strangers;
	bool run_ended;
	bool ended[WORLD_PAIRS][TW_ROLES];	/* yet to be reaped */
	int stop_takes_ms;	/* for each side */
	int limits_ms[TW_ROLES][WORLD_PAIRS];	/* that were given to it */
	bool lent[WORLD_PAIRS];	/* children have its memory */
	int told_at;		/* a signal comes before this pair starts */
	int link_err_at;	/* the pair that cannot be connected */
	int start_err[TW_ROLES];
	unsigned int start_err_at;	/* of this pair */
	const char *start_why[TW_ROLES];
	int stop_err[TW_ROLES];
	bool flag_at_stop[TW_ROLES];
	int tick_err_at, ticks;		/* 0: never */
	struct tw_failure failure;	/* the last that was explained */
	char noted[4096];
} world;

static struct tw_session session;
static struct tw_config config;
static struct tw_pair pair, more_pairs[WORLD_PAIRS - 1];
static struct tw_pairs steps[3];

static inline int64_t now_ms(void)
{
	return (world.now_ns - world.begin_ns) / TW_NS_PER_MS;
}

static inline void note(const char *format, ...)
{
	size_t used = strlen(world.noted);
	va_list args;

	va_start(args, format);
	vsnprintf(world.noted + used, sizeof(world.noted) - used, format,
		  args);
	va_end(args);
	assert_true(strlen(world.noted) < sizeof(world.noted) - 1);
}

/* cmocka reads clocks, too: nothing to be asserted here. */
int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	(void)clockid;
	*ts = tw_ns_to_ts(world.now_ns);
	return 0;
}

static inline void queue(int number)
{
	assert_true(world.signal_count < EVENTS);
	world.signals[world.signal_count++] = number;
}

/* The @index-th of the step; the first one's number is 3. */
static inline struct tw_pair *world_pair(unsigned int index)
{
	return index ? &more_pairs[index - 1] : &pair;
}

static inline unsigned int index_of(const struct tw_pair *its)
{
	unsigned int index = 0;

	while (index < session.pairs->count && world_pair(index) != its)
		index++;
	assert_true(index < session.pairs->count);
	return index;
}

static inline void befall(const struct event *event)
{
	struct tw_pair *its = world_pair(event->pair);
	struct tw_side *side = &its->side[event->role];

	if (event->signal)
		queue(event->signal);
	if (event->steady) {
		its->steady_ns = world.now_ns;
		atomic_store(&its->steady, 1);
	}
	if (event->ends) {
		world.ended[event->pair][event->role] = true;
		side->child.status = event->status;
		side->failed = event->failed;
		side->err = event->err;
		queue(SIGCHLD);
	}
	if (event->ends_run) {
		world.run_ended = true;
		queue(SIGCHLD);
	}
	world.strangers += event->strangers;
}

/* An event without a time is none: its time has to come some day. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct event *event = &world.events[world.event];
	int64_t end_ns = world.now_ns + timeout_ms * TW_NS_PER_MS;
	int64_t at_ns = world.begin_ns + event->at_ms * TW_NS_PER_MS;

	assert_int_equal(count, 2);
	assert_int_equal(fds[0].fd, SIGNAL_FD);
	assert_int_equal(fds[0].events, POLLIN);
	assert_int_equal(fds[1].fd, LISTENER);
	assert_int_equal(fds[1].events, POLLIN);
	assert_true(timeout_ms >= 0);
	if (world.polls == 64)
		abort();
	world.timeouts_ms[world.polls++] = timeout_ms;
	if (event->at_ms && at_ns <= end_ns) {
		world.now_ns = at_ns + event->late_ms * TW_NS_PER_MS;
		world.event++;
		befall(event);
	} else {
		world.now_ns = end_ns;
	}
	fds[0].revents = world.signal_count ? POLLIN : 0;
	fds[1].revents = world.strangers ? POLLIN : 0;
	return !!fds[0].revents + !!fds[1].revents;
}

ssize_t read(int fd, void *buf, size_t size)
{
	struct signalfd_siginfo *info = buf;

	assert_int_equal(fd, SIGNAL_FD);
	assert_int_equal(size, sizeof(*info));
	if (!world.signal_count) {
		errno = EAGAIN;
		return -1;
	}
	memset(info, 0, sizeof(*info));
	info->ssi_signo = (uint32_t)world.signals[0];
	memmove(world.signals, world.signals + 1,
		--world.signal_count * sizeof(world.signals[0]));
	return size;
}

static inline const char *name_of(enum tw_role role)
{
	return role == TW_CLIENT ? "client" :
	       role == TW_SERVER ? "server" : "main";
}

/* Of one pair no more than the role; of several " 1", if it is the second. */
static inline const char *of_pair(unsigned int index)
{
	static const char *const texts[WORLD_PAIRS] = { " 0", " 1", " 2" };

	return session.pairs->count > 1 ? texts[index] : "";
}

int tw_session_link(struct tw_session *its, struct tw_pair *to)
{
	assert_ptr_equal(its, &session);
	note("link%s\n", of_pair(index_of(to)));
	return world.link_err_at && world_pair(world.link_err_at) == to ?
	       tw_fail(&its->run, -EBADF, "no link") : 0;
}

int tw_side_start(struct tw_pair *its, enum tw_role role)
{
	struct tw_child *child = &its->side[role].child;
	unsigned int index = index_of(its);
	bool fails = world.start_err[role] && index == world.start_err_at;

	note("start %s%s\n", name_of(role), of_pair(index));
	/* Of no pid: not even a fork. */
	if (!fails || world.start_err[role] != -EAGAIN)
		child->pid = 100 + 10 * (int)index + (int)role;
	if (fails) {
		child->ended = child->pid;
		if (world.start_why[role])
			snprintf(child->why, sizeof(child->why), "%s",
				 world.start_why[role]);
	} else {
		world.begin_ns = world.now_ns;
	}
	return fails ? world.start_err[role] : 0;
}

/* That main wakes a side of many, which it then waits for one by one. */
int kill(pid_t pid, int number)
{
	assert_int_equal(number, TW_STOP_SIGNAL);
	note("wake %d\n", (int)pid);
	return 0;
}

static inline struct tw_pair *owner_of(const struct tw_child *child,
				       enum tw_role *role)
{
	struct tw_pair *its;
	unsigned int index;

	for (index = 0; index < session.pairs->count; index++) {
		its = world_pair(index);
		for (*role = TW_SERVER; *role <= TW_CLIENT; ++*role)
			if (child == &its->side[*role].child)
				return its;
	}
	abort();	/* a child of no pair */
}

bool tw_child_reap(struct tw_child *child)
{
	enum tw_role role;
	struct tw_pair *its = owner_of(child, &role);

	if (world.ended[index_of(its)][role])
		child->ended = true;
	return child->ended;
}

int tw_child_stop(struct tw_child *child, int signal, int limit_ms)
{
	enum tw_role role;
	struct tw_pair *its = owner_of(child, &role);

	assert_int_equal(signal, TW_STOP_SIGNAL);
	assert_in_range(limit_ms, 0, 10000);
	world.limits_ms[role][index_of(its)] = limit_ms;
	world.now_ns += world.stop_takes_ms * TW_NS_PER_MS;
	assert_true(child->pid && !child->ended && !child->lost);
	note("stop %s%s\n", name_of(role), of_pair(index_of(its)));
	world.flag_at_stop[role] = atomic_load(&its->stop);
	child->ended = true;
	return world.stop_err[role];
}

void tw_session_lend(const struct tw_pair *pair, bool lent)
{
	world.lent[pair->number % WORLD_PAIRS] = lent;
}

uint64_t tw_transport_turn_away(const struct tw_transport_ops *ops,
				int listener)
{
	uint64_t count = world.strangers;

	assert_ptr_equal(ops, &tw_transport_tcp);
	assert_int_equal(listener, LISTENER);
	world.strangers = 0;
	return count;
}

/* Called before each pair but the first is started. */
bool tw_system_told_to_end(void)
{
	if (!world.told_at || --world.told_at)
		return false;
	world.signals[world.signal_count++] = SIGTERM;
	return true;
}

int tw_system_schedule(int policy, int priority)
{
	note("schedule %d %d\n", policy, priority);
	return 0;
}

/* The first is kept, as by tw_fail(). */
int tw_explain(struct tw_session *its, const struct tw_failure *failure)
{
	assert_ptr_equal(its, &session);
	if (!its->run.err)
		world.failure = *failure;
	return tw_fail(&its->run, failure->err, "failure");
}

/* All of tw_output.c that the run calls. */
void tw_output_status(struct tw_run *run)
{
	assert_ptr_equal(run, &session.run);
	note("status %d\n", (int)now_ms());
}

void tw_session_close_links(struct tw_session *its)
{
	assert_ptr_equal(its, &session);
	note("close links\n");
}

static int on_tick(struct tw_run *run)
{
	assert_ptr_equal(run, &session.run);
	note("tick %d\n", (int)now_ms());
	return ++world.ticks == world.tick_err_at ? -ENOSPC : 0;
}

static int on_woken(struct tw_run *run)
{
	assert_ptr_equal(run, &session.run);
	return world.run_ended ? tw_fail(run, -ECHILD, "out of breath") : 0;
}

static const struct tw_part part = { .tick = on_tick, .woken = on_woken };
static const struct tw_part *const parts[] = { &part, NULL };

static inline void use_pairs(unsigned int count)
{
	config.pairs.count = count;
	for (steps[1].count = 0; steps[1].count < count; steps[1].count++)
		steps[1].pair[steps[1].count] = world_pair(steps[1].count);
}

static inline int set_up(void **state)
{
	unsigned int k;

	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&session, 0, sizeof(session));
	memset(&config, 0, sizeof(config));
	memset(&pair, 0, sizeof(pair));
	memset(more_pairs, 0, sizeof(more_pairs));
	memset(steps, 0, sizeof(steps));
	world.now_ns = START_NS;
	for (k = 0; k < WORLD_PAIRS; k++) {
		world_pair(k)->number = 3 + k;
		world_pair(k)->server = k;
		sem_init(&world_pair(k)->gate, 0, 0);
	}
	for (k = 0; k < TW_PAIRS_MAX; k++)
		session.link[k] = (struct tw_link) { -1, -1 };
	use_pairs(1);
	session.config = &config;
	session.pairs = &steps[1];
	session.steps = steps;
	session.run.step = 1;
	session.transport.ops = &tw_transport_tcp;
	session.run.signal_fd = SIGNAL_FD;
	session.listener = LISTENER;
	session.run.parts = parts;
	return 0;
}

static inline void assert_failure(enum tw_step step, enum tw_role role,
				  int err)
{
	assert_int_equal(session.run.err, err);
	assert_int_equal(world.failure.step, step);
	assert_int_equal(world.failure.role, role);
	assert_int_equal(world.failure.err, err);
	if (role != TW_CLIENT && role != TW_SERVER)
		return;
	assert_int_equal(world.failure.pair, 3);
	assert_int_equal(world.failure.pid, pair.side[role].child.pid);
	assert_ptr_equal(world.failure.child, &pair.side[role].child);
}

/* A failure of main itself, with its message. */
static inline void assert_error(int err, const char *message)
{
	assert_int_equal(session.run.err, err);
	assert_string_equal(session.run.error, message);
}

#define IN_WORLD(test)	cmocka_unit_test_setup(test, set_up)

#define STARTED	"link\nstart server\nstart client\nclose links\n"
#define STOPPED	"stop client\nstop server\n"

#endif /* RUN_H */
