// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a session opens for all steps and for each, how that fails, and that all
 * of it is undone.
 */
#include <sys/signalfd.h>

#include "session.h"

static void test_task(void **state)
{
	struct tw_task filled = { .loops = 0 };
	const struct tw_task *task = &filled;
	int role;

	(void)state;
	session_open(QUIET "-i 700 --sleep=30 --size=99 --warmup=7 -l 11 --timer=timerfd");
	tw_session_task(&session, 0, &filled);
	assert_int_equal(task->period_ns, 700000);
	assert_int_equal(task->sleep_ns, 30000);
	assert_int_equal(task->size, 99);
	assert_int_equal(task->warmup, 7);
	assert_int_equal(task->loops, 11);
	assert_int_equal(task->policy, SCHED_OTHER);
	assert_false(task->lock_memory);
	assert_string_equal(task->timer_ops->name, "timerfd");
	assert_ptr_equal(task->wait_ops, config.wait);
	for (role = 0; role < TW_ROLES; role++) {
		assert_int_equal(task->priority[role], 0);
		assert_false(task->pinned[role]);
		assert_true(CPU_EQUAL(&task->cpus[role], &config.allowed));
	}
	assert_int_equal(session.main_settings.policy, SCHED_OTHER);
	assert_true(CPU_COUNT(&session.main_settings.cpus) > 0);
	session_close();
}

static void test_close(void **state)
{
	(void)state;
	session_open(QUIET "-l 1");
	assert_true(session.listener >= 0);
	assert_int_equal(session.port, tw_transport_port(session.listener));
	assert_true(session.port > 0);
	session_close();
	assert_int_equal(session.listener, -1);
	assert_int_equal(session.run.signal_fd, -1);
	assert_null(session.steps);
	assert_null(session.pairs);
	assert_int_equal(count_open_files(), files);
	session_close();
	assert_int_equal(count_open_files(), files);
}

/* The next signal that main would read; 0: none. */
static int next_signal(void)
{
	struct signalfd_siginfo info;

	return read(session.run.signal_fd, &info, sizeof(info)) ==
	       sizeof(info) ? (int)info.ssi_signo : 0;
}

/* As nohup, and a shell that starts a job in the background, do. */
static void check_signals(int ignored)
{
	static const int heeded[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1,
				      SIGCHLD };
	size_t i;

	for (i = 0; i < 5; i++)
		signal(heeded[i], SIG_DFL);
	signal(ignored, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	session_open(QUIET "-l 1");
	assert_int_equal(next_signal(), 0);
	for (i = 0; i < 5; i++) {
		assert_int_equal(raise(heeded[i]), 0);
		assert_int_equal(next_signal(),
				 heeded[i] == ignored ? 0 : heeded[i]);
	}
	assert_true(fcntl(session.run.signal_fd, F_GETFD) & FD_CLOEXEC);
	/* Ignored, the kernel would reap in main's place. */
	assert_ptr_equal(signal(SIGCHLD, SIG_DFL), SIG_DFL);
	/* A reader that has gone, a file that is full: the write tells. */
	assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_IGN);
	assert_ptr_equal(signal(SIGXFSZ, SIG_DFL), SIG_IGN);
	assert_ptr_equal(signal(ignored, SIG_DFL), SIG_IGN);
	session_close();
}

static void test_signals(void **state)
{
	check_signals(SIGHUP);
	tear_down(state);
	check_signals(SIGINT);
}

static int listen_anywhere(void)
{
	struct tw_transport transport;
	int listener;

	tw_transport_init(&transport);
	assert_int_equal(tw_transport_listen(&transport, 0, &listener), 0);
	return listener;
}

static void test_port_in_use(void **state)
{
	char options[64], error[200];
	int other = listen_anywhere();
	int port = tw_transport_port(other);

	(void)state;
	snprintf(options, sizeof(options), QUIET "-l 1 --port=%d", port);
	snprintf(error, sizeof(error), "--port=%d: cannot listen on 127.0.0.1: Address already in use; leave it out, and the kernel chooses one",
		 port);
	open_fails(options, -EADDRINUSE, error);
	close(other);
	assert_int_equal(count_open_files(), files);
}

/* The first failure is the cause of the others. */
static void test_fail(void **state)
{
	(void)state;
	memset(&session, 0, sizeof(session));
	assert_int_equal(tw_fail(&session.run, -EIO, "first %d", 1), -EIO);
	assert_int_equal(tw_fail(&session.run, -EINVAL, "second"), -EINVAL);
	assert_int_equal(session.run.err, -EIO);
	assert_string_equal(session.run.error, "first 1");
}

static void test_begin(void **state)
{
	struct tw_pair *pair;
	struct tw_link link;
	size_t ring;

	(void)state;
	session_open(QUIET "-i 500 -l 1 --dump=f --histogram=50");
	assert_int_equal(session_begin(0), 0);
	pair = tw_session_first(&session);
	assert_int_equal(session.link[0].client_fd, -1);
	assert_int_equal(tw_session_link(&session, pair), 0);
	link = session.link[0];
	assert_ptr_equal(session.steps[0].pair[0], pair);
	assert_int_equal(pair->task.link.client_fd, link.client_fd);
	assert_int_equal(pair->task.link.server_fd, link.server_fd);
	assert_int_equal(pair->task.period_ns, 500000);
	assert_non_null(pair->ring);
	assert_ptr_equal(pair->tally->clock, &pair->task.clock);
	assert_int_equal(pair->tally->step, 0);
	/* All in one piece: the tally, and the rooms of the parts. */
	assert_true((char *)(pair + 1) <= (char *)pair->tally);
	assert_true((char *)pair->tally + tw_tally_size(50) <=
		    (char *)pair->ring);
	ring = tw_ring_size(pair->ring->size);
	assert_true((char *)pair->ring + ring <=
		    (char *)pair + pair->shared_size);
	memset(pair->ring, 0, ring);
	tw_session_close_links(&session);
	assert_int_equal(fcntl(link.client_fd, F_GETFD), -1);
	assert_int_equal(fcntl(link.server_fd, F_GETFD), -1);
	session.steps_done = 1;
	session_close();
	assert_false(is_mapped(pair));
}

/* Nobody asks for whole cycles, or for anything else. */
static void test_begin_small(void **state)
{
	size_t size;

	(void)state;
	session_open(QUIET "-l 1 --dump=f");
	assert_int_equal(session_begin(0), 0);
	size = tw_session_first(&session)->shared_size -
	       tw_ring_size(tw_session_first(&session)->ring->size);
	session.steps_done = 1;
	session_close();
	session_open(QUIET "-l 1");
	assert_int_equal(session_begin(0), 0);
	assert_null(tw_session_first(&session)->ring);
	assert_ptr_equal(tw_session_first(&session)->record, tw_side_record);
	assert_int_equal(tw_session_first(&session)->shared_size, size);
	session.steps_done = 1;
	session_close();
}

/* Each part has room of its own. */
static void test_memory_of_spikes(void **state)
{
	const struct tw_spikes *spikes;
	const struct tw_pair *pair;
	const char *ring;

	(void)state;
	session_open(QUIET "-l 1 --dump=f --spike=3 --spike-nodes=900");
	assert_int_equal(session_begin(0), 0);
	pair = tw_session_first(&session);
	spikes = &pair->tally->spikes;
	ring = (const char *)pair->ring;
	assert_int_equal(spikes->limit_ns, 3000);
	assert_int_equal(spikes->room, 900);
	assert_true((char *)spikes->kept > (char *)pair->tally);
	assert_true((char *)(spikes->kept + 900) <= ring ||
		    ring + tw_ring_size(pair->ring->size) <=
		    (char *)spikes->kept);
	assert_true((char *)(spikes->kept + 900) <=
		    (char *)pair + pair->shared_size);
	session.steps_done = 1;
	session_close();
}

/* More than any process can have. */
static void test_no_memory(void **state)
{
	(void)state;
	session_open(QUIET "-l 1");
	session.run.window_us = (int64_t)(SIZE_MAX / TW_METRICS /
					  sizeof(uint64_t) * 3 / 4);
	assert_int_equal(session_begin(0), -ENOMEM);
	assert_string_equal(session.run.error, "no memory for the results: Cannot allocate memory; give fewer microseconds to -h, or raise the limit (ulimit -v, -l)");
	assert_null(session.pairs);
	assert_int_equal(session.steps[0].count, 0);
	session_close();
}

/* Nobody to connect to: nothing is started, and the results so far stay. */
static void test_link_fails(void **state)
{
	struct tw_pair *first, *second;

	(void)state;
	session_open(QUIET "-l 1 --load=fft --steps=3");
	assert_int_equal(session_begin(0), 0);
	session.steps_done = 1;
	first = tw_session_first(&session);
	tw_session_close_links(&session);
	close(session.listener);
	session.listener = -1;
	assert_int_equal(session_begin(1), 0);
	second = tw_session_first(&session);
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(session.run.err, -EBADF);
	assert_string_equal(session.run.error, "cannot connect to our own server on 127.0.0.1: Bad file descriptor; is the loopback interface up, and not filtered?");
	assert_false(session.run.started);
	assert_int_equal(second->side[TW_SERVER].child.pid, 0);
	assert_int_equal(second->side[TW_CLIENT].child.pid, 0);
	assert_ptr_equal(session.steps[0].pair[0], first);
	assert_true(is_mapped(first));
	session_close();
	assert_false(is_mapped(first));
	assert_false(is_mapped(second));
}

/* Nor if another part cannot begin. */
static void test_other_part_fails(void **state)
{
	struct tw_pair *first, *second;

	(void)state;
	session_open(QUIET "-l 1 --load=fft --steps=3");
	assert_int_equal(session_begin(0), 0);
	first = tw_session_first(&session);
	session.steps_done = 1;
	/* It has run: the results stay. */
	tw_part_session.end(&session.run);
	assert_ptr_equal(tw_session_first(&session), first);
	tw_session_close_links(&session);
	assert_int_equal(session_begin(1), 0);
	second = tw_session_first(&session);
	tw_part_session.end(&session.run);
	assert_ptr_equal(tw_session_first(&session), first);
	assert_int_equal(session.steps[1].count, 0);
	assert_false(is_mapped(second));
	session_close();
	assert_false(is_mapped(first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_task),
		TEST(test_close),
		TEST(test_signals),
		TEST(test_port_in_use),
		TEST(test_fail),
		TEST(test_begin),
		TEST(test_begin_small),
		TEST(test_memory_of_spikes),
		TEST(test_no_memory),
		TEST(test_link_fails),
		TEST(test_other_part_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
