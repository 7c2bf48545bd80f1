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

#include "tw_session.h"
#include "tw_time.h"
#include "unit.h"

#define SIGNAL_FD	1001
#define LISTENER	1002
#define START_NS	(5000 * TW_NS_PER_S)
#define EVENTS		16

/* What befalls at a time from the start of the watch on. */
struct event {
	int at_ms;
	int signal;		/* to main; SIGCHLD comes with an end */
	int strangers;		/* connect */
	bool steady;		/* the warm-up is over */
	bool ends;		/* a side does, ... */
	enum tw_role role;	/* ... this one, ... */
	int status;		/* ... with this wait status, ... */
	enum tw_step failed;	/* ... and told this */
	int err;
	bool load_dies;
	int late_ms;		/* main gets no CPU for so long */
	uint64_t cycles;	/* so many come into the ring */
};

static struct {
	struct event events[EVENTS];
	size_t event, polls;
	int timeouts_ms[64];
	int64_t now_ns, begin_ns;
	int signals[EVENTS];	/* queued */
	size_t signal_count;
	int strangers;
	bool load_dead;
	int start_err[TW_ROLES];
	const char *start_why[TW_ROLES];
	int stop_err[TW_ROLES];
	bool flag_at_stop[TW_ROLES];
	int tick_err_at, ticks;		/* 0: never */
	uint64_t cycle_err_at, cycles;
	struct tw_load_slot progress[2];	/* before, after */
	size_t progress_reads;
	char noted[4096];
} world;

static struct tw_session session;
static struct tw_config config;
static struct tw_pair pair;
static struct tw_ring ring;
static struct tw_step_result steps[3];

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

static inline void put_cycles(uint64_t count)
{
	struct tw_cycle cycle = { .seq = 0 };

	while (count--) {
		cycle.seq = ++world.cycles;
		tw_ring_put(&ring, &cycle);
	}
}

static inline void befall(const struct event *event)
{
	struct tw_side *side = &pair.side[event->role];

	if (event->signal)
		queue(event->signal);
	if (event->steady) {
		pair.steady_ns = world.now_ns;
		atomic_store(&pair.steady, 1);
	}
	if (event->ends) {
		side->child.ended = true;
		side->child.status = event->status;
		side->failed = event->failed;
		side->err = event->err;
		queue(SIGCHLD);
	}
	if (event->load_dies) {
		world.load_dead = true;
		queue(SIGCHLD);
	}
	world.strangers += event->strangers;
	put_cycles(event->cycles);
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

int tw_side_start(struct tw_pair *its, enum tw_role role)
{
	struct tw_child *child = &its->side[role].child;

	assert_ptr_equal(its, &pair);
	note("start %s\n", name_of(role));
	/* Of no pid: not even a fork. */
	if (world.start_err[role] != -EAGAIN)
		child->pid = 100 + (int)role;
	if (world.start_err[role]) {
		child->ended = child->pid;
		if (world.start_why[role])
			snprintf(child->why, sizeof(child->why), "%s",
				 world.start_why[role]);
	} else {
		world.begin_ns = world.now_ns;
	}
	return world.start_err[role];
}

bool tw_child_reap(struct tw_child *child)
{
	return child->ended;
}

int tw_child_stop(struct tw_child *child, int signal, int limit_ms)
{
	enum tw_role role = child == &pair.side[TW_CLIENT].child ? TW_CLIENT :
								   TW_SERVER;

	assert_ptr_equal(child, &pair.side[role].child);
	assert_int_equal(signal, TW_STOP_SIGNAL);
	assert_in_range(limit_ms, 100, 10000);
	assert_true(child->pid && !child->ended && !child->lost);
	note("stop %s\n", name_of(role));
	world.flag_at_stop[role] = atomic_load(&pair.stop);
	child->ended = true;
	return world.stop_err[role];
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

struct tw_load_slot tw_load_progress(const struct tw_load *load)
{
	assert_ptr_equal(load, &session.load);
	assert_true(world.progress_reads < 2);
	return world.progress[world.progress_reads++];
}

int tw_system_schedule(int policy, int priority)
{
	note("schedule %d %d\n", policy, priority);
	return 0;
}

int tw_session_fail(struct tw_session *its, enum tw_step step, int err)
{
	if (its->failure.step == TW_STEP_NONE)
		its->failure = (struct tw_failure) {
			.step = step, .role = TW_MAIN, .err = err,
		};
	return err;
}

void tw_session_close_link(struct tw_session *its)
{
	assert_ptr_equal(its, &session);
	note("close link\n");
}

static inline int on_tick(void *arg)
{
	assert_ptr_equal(arg, &world);
	note("tick %d\n", (int)now_ms());
	return ++world.ticks == world.tick_err_at ? -ENOSPC : 0;
}

static inline int on_cycle(void *arg, unsigned int number,
			   const struct tw_cycle *cycle)
{
	assert_ptr_equal(arg, &world);
	assert_int_equal(number, pair.number);
	note("cycle %d\n", (int)cycle->seq);
	return cycle->seq == world.cycle_err_at ? -EFBIG : 0;
}

static inline void on_status(void *arg)
{
	assert_ptr_equal(arg, &world);
	note("status %d\n", (int)now_ms());
}

static struct tw_watch watch;

static inline int set_up(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&session, 0, sizeof(session));
	memset(&config, 0, sizeof(config));
	memset(&pair, 0, sizeof(pair));
	memset(&ring, 0, sizeof(ring));
	memset(steps, 0, sizeof(steps));
	world.now_ns = START_NS;
	pair.number = 3;
	session.config = &config;
	session.pair = &pair;
	session.steps = steps;
	session.step = 1;
	session.transport = &tw_transport_tcp;
	session.signal_fd = SIGNAL_FD;
	session.listener = LISTENER;
	watch = (struct tw_watch) { .arg = &world };
	return 0;
}

static inline void assert_failure(enum tw_step step, enum tw_role role,
				  int err)
{
	assert_int_equal(session.failure.step, step);
	assert_int_equal(session.failure.role, role);
	assert_int_equal(session.failure.err, err);
	if (role != TW_CLIENT && role != TW_SERVER)
		return;
	assert_int_equal(session.failure.pair, 3);
	assert_int_equal(session.failure.pid, pair.side[role].child.pid);
	assert_ptr_equal(session.failure.child, &pair.side[role].child);
}

#define IN_WORLD(test)	cmocka_unit_test_setup(test, set_up)

#define STARTED	"start server\nstart client\nclose link\n"
#define STOPPED	"stop client\nstop server\n"

#endif /* RUN_H */
