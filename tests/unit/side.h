/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pair of which one side is a process of its own, and the test its peer. */
#ifndef SIDE_H
#define SIDE_H

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "run/tw_side.h"
#include "base/tw_time.h"
#include "measure/tw_client.h"
#include "measure/tw_ring.h"
#include "measure/tw_server.h"
#include "measure/tw_wire.h"

#define LIMIT_MS	20000	/* a busy host must not break a test */

static struct tw_pair *pair;
static int ends[2];		/* the side's, and the test's */
static size_t bytes;

static inline size_t rounded(size_t size)
{
	return (size + 63) / 64 * 64;
}

/* As a part would that takes whole cycles. */
static inline void record_whole(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *its = sink;

	tw_tally_add(its->tally, cycle);
	tw_ring_put(its->ring, cycle);
}

/* As the part does that tells the cost of measuring. */
static inline void measure_cost(struct tw_pair *its)
{
	tw_cost_measure(&its->cost, &its->task.clock, &its->tally->params);
}

/* Ordinary, unlocked, a closed loop: what anybody may have. */
static inline int set_up(void **state)
{
	const struct tw_metric_params params = { .period_ns = 0 };
	const size_t at_tally = rounded(sizeof(struct tw_pair));
	const size_t at_ring = at_tally + rounded(tw_tally_size(0));
	const struct timeval limit = { .tv_sec = LIMIT_MS / 1000 };
	char *memory;
	int role;

	(void)state;
	bytes = at_ring + tw_ring_size(TW_RING_MOST);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return -1;
	pair = (struct tw_pair *)memory;
	pair->shared_size = bytes;
	pair->tally = tw_tally_init(memory + at_tally, &params, 0);
	pair->ring = tw_ring_init(memory + at_ring, TW_RING_MOST);
	pair->record = record_whole;
	pair->prepare = measure_cost;
	pair->run_client = tw_client_run;
	pair->run_server = tw_server_run;
	pair->served = &pair;
	pair->served_count = 1;
	pair->task.serve = tw_side_serve;
	for (role = 0; role < TW_ROLES; role++)
		if (sched_getaffinity(0, sizeof(cpu_set_t),
				      &pair->task.cpus[role]))
			return -1;
	pair->task.policy = SCHED_OTHER;
	pair->task.timer_ops = &tw_timer_none;
	pair->task.wait_ops = tw_wait_kinds[0];
	pair->task.link = (struct tw_link) { ends[0], ends[0] };
	pair->task.size = TW_REQUEST_MIN;
	return tw_clock_open(&pair->task.clock, "monotonic");
}

static inline int tear_down(void **state)
{
	int role;

	(void)state;
	for (role = TW_SERVER; role <= TW_CLIENT; role++)
		tw_child_stop(&pair->side[role].child, SIGKILL, LIMIT_MS);
	close(ends[0]);
	close(ends[1]);
	return munmap(pair, bytes);
}

static inline void start(enum tw_role role)
{
	assert_int_equal(tw_side_start(pair, role), 0);
	assert_true(pair->side[role].child.pid > 0);
}

/* Until @role has ended; its exit status. */
static inline int end_of(enum tw_role role)
{
	struct tw_child *child = &pair->side[role].child;

	/* Without a signal: it is to end by itself. */
	assert_int_equal(tw_child_stop(child, 0, LIMIT_MS), 0);
	assert_true(WIFEXITED(child->status));
	return WEXITSTATUS(child->status);
}

static inline void stop(enum tw_role role)
{
	struct tw_child *child = &pair->side[role].child;

	atomic_store(&pair->stop, 1);
	assert_int_equal(tw_child_stop(child, TW_STOP_SIGNAL, LIMIT_MS), 0);
	assert_true(WIFEXITED(child->status));
	assert_int_equal(WEXITSTATUS(child->status), 0);
}

static inline void request(uint64_t seq)
{
	char buf[TW_REQUEST_MIN];

	tw_wire_put_request(buf, seq);
	assert_int_equal(send(ends[1], buf, sizeof(buf), MSG_NOSIGNAL),
			 sizeof(buf));
}

static inline struct tw_reply await_reply(uint64_t seq)
{
	char buf[TW_REPLY_SIZE];
	struct tw_reply got;

	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_WAITALL),
			 sizeof(buf));
	assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), seq, &got), 0);
	return got;
}

static inline void await_request(uint64_t seq)
{
	char buf[TW_REQUEST_MIN];

	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_WAITALL),
			 sizeof(buf));
	assert_int_equal(tw_wire_get_request(buf, sizeof(buf), sizeof(buf),
					     seq), 0);
}

static inline void reply_after(uint64_t seq, int64_t sleep_ns)
{
	const struct tw_reply sent = {
		.seq = seq, .t1_ns = 11, .t2_ns = 11 + sleep_ns, .cpu = 13,
	};
	char buf[TW_REPLY_SIZE];

	tw_wire_put_reply(buf, &sent);
	assert_int_equal(send(ends[1], buf, sizeof(buf), MSG_NOSIGNAL),
			 sizeof(buf));
}

static inline void reply(uint64_t seq)
{
	reply_after(seq, 1);
}

#define WITH_PAIR(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* SIDE_H */
