/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session that is opened and begun, but without client and server. */
#ifndef SESSION_H
#define SESSION_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parse.h"
#include "open_files.h"

#include "measure/tw_ring.h"
#include "run/tw_session.h"
#include "base/tw_time.h"

#define QUIET	"--default-system -q "

static struct tw_session session;
static struct tw_config config;
static sigset_t mask;
static int files;

static inline int set_up(void **state)
{
	(void)state;
	files = count_open_files();
	return sigprocmask(SIG_SETMASK, NULL, &mask);
}

/* Each case closes its session; nothing is left of it. */
static inline int tear_down(void **state)
{
	const struct timespec now = { .tv_sec = 0 };
	sigset_t all;

	(void)state;
	sigfillset(&all);
	while (sigtimedwait(&all, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return count_open_files() == files &&
	       waitpid(-1, NULL, WNOHANG) == -1 ? 0 : -1;
}

static inline int try_open(const char *options)
{
	config = accepted(options);
	memset(&session, 0x5a, sizeof(session));
	tw_session_init(&session);
	session.run = parse_run;
	session.config = &config;
	if (tw_part_signals.open(&session.run))
		return session.run.err;
	return tw_part_session.open(&session.run);
}

static inline void session_open(const char *options)
{
	const int err = try_open(options);

	if (err)
		fail_msg("%s", session.run.error);
}

static inline void session_close(void)
{
	tw_part_session.close(&session.run);
	tw_part_signals.close(&session.run);
}

/* Not opened: the failure, of which nothing is left. */
static inline void open_fails(const char *options, int err, const char *error)
{
	assert_int_equal(try_open(options), err);
	assert_string_equal(session.run.error, error);
	session_close();
}

static inline int session_begin(int step)
{
	session.run.step = step;
	return tw_part_session.begin(&session.run);
}

static inline int session_finish(void)
{
	tw_part_session.finish(&session.run);
	return session.run.err;
}

static inline bool is_mapped(void *memory)
{
	return !msync(memory, 1, MS_ASYNC);
}

#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* So many cycles, a ms apart, each having missed so many expiries. */
static inline void count_cycles(struct tw_pair *pair, uint64_t count,
				uint64_t missed)
{
	struct tw_cycle cycle = { .missed = missed };

	while (count--) {
		cycle.seq++;
		cycle.t0_ns = (int64_t)cycle.seq * TW_NS_PER_MS;
		cycle.t1_ns = cycle.t0_ns + 10;
		cycle.t2_ns = cycle.t1_ns + 10;
		cycle.t3_ns = cycle.t2_ns + 10;
		tw_tally_add(pair->tally, &cycle);
	}
}

#endif /* SESSION_H */
