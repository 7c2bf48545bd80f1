// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three pairs as processes: they measure, -A has them share their expiries, and
 * one side that is killed ends the run. Only order and grids are asserted.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/time.h>

#include "session.h"

#include "measure/tw_ring.h"
#include "run/tw_session.h"

#define PAIRS	3

/* A signal of this timer ends a run that hangs; a busy host must not. */
#define HANGS_S	60

static void start(const char *options)
{
	session_open(options);
	assert_int_equal(session.config->pairs.count, PAIRS);
	assert_int_equal(session_begin(0), 0);
	alarm(HANGS_S);
}

static void finish(void)
{
	alarm(0);
	tw_part_session.end(&session.run);
	session_close();
}

static void run_all(void)
{
	if (tw_session_run(&session.run))
		fail_msg("%s", session.run.error);
}

/* Each measures as many cycles as it is to, in processes that are its own. */
static void test_run(void **state)
{
	const struct tw_pair *pair;
	unsigned int k, j;
	int role;

	(void)state;
	start(QUIET "-t3 -i2000 -d2000 -l12 --warmup=3");
	run_all();
	assert_true(session.run.started);
	assert_int_equal(session.run.interrupted, 0);
	assert_int_equal(session.strangers, 0);
	for (k = 0; (pair = tw_session_pair(&session, k)); k++) {
		assert_int_equal(pair->tally->cycles, 12 / (k + 1));
		assert_int_equal(pair->tally->warmup, 3);
		for (role = TW_SERVER; role <= TW_CLIENT; role++) {
			assert_true(pair->side[role].child.pid > 0);
			assert_true(pair->side[role].child.ended);
			assert_int_equal(pair->side[role].child.status, 0);
		}
		for (j = 0; j < k; j++)
			assert_int_not_equal(pair->side[TW_SERVER].child.pid,
					     tw_session_pair(&session, j)->
					     side[TW_SERVER].child.pid);
	}
	/* The first has measured what measuring costs, for all. */
	assert_true(tw_session_first(&session)->cost.clock.max_ns > 0);
	assert_int_equal(session_finish(), 0);
	finish();
}

/* All planned times of a pair, by its ring. */
static void check_grid(const struct tw_pair *pair, int64_t *first_ns)
{
	struct tw_cycle cycle;
	int64_t off_ns;
	int count = 0;

	*first_ns = pair->first_ns;
	assert_true(*first_ns > 0);
	while (tw_ring_get(pair->ring, &cycle)) {
		off_ns = cycle.planned_ns - *first_ns;
		assert_true(off_ns > 0);
		assert_int_equal(off_ns % pair->task.period_ns, 0);
		/* No expiry is early. */
		assert_true(cycle.t0_ns >= cycle.planned_ns);
		count++;
	}
	assert_int_equal(count, pair->tally->cycles);
}

static void check_aligned(const char *timer, int64_t aligned_us)
{
	int64_t first_ns[PAIRS];
	char options[120];
	unsigned int k;

	snprintf(options, sizeof(options), QUIET "-t3 -i2000 -l8 --dump=f -A%d --timer=%s",
		 (int)aligned_us, timer);
	start(options);
	run_all();
	for (k = 0; k < PAIRS; k++) {
		check_grid(tw_session_pair(&session, k), &first_ns[k]);
		assert_int_equal(first_ns[k] - first_ns[0],
				 k * aligned_us * TW_NS_PER_US);
	}
	finish();
}

/* Of three periods: the first expiry is common, and all others follow it. */
static void test_aligned(void **state)
{
	(void)state;
	check_aligned("nanosleep", 0);
	check_aligned("nanosleep", 300);
	check_aligned("posix", 0);
	check_aligned("timerfd", 0);
}

/* From outside, once it measures. Returns the pid of who does that. */
static pid_t kill_later(const struct tw_pair *victim, enum tw_role role)
{
	int ms;
	pid_t killer;

	tw_session_lend(victim, true);
	killer = fork();
	assert_true(killer >= 0);
	for (ms = 0; !killer && ms < 5000; ms++) {
		if (victim->tally->cycles > 20) {
			kill(victim->side[role].child.pid, SIGKILL);
			_exit(0);
		}
		usleep(1000);
	}
	if (!killer)
		_exit(1);
	tw_session_lend(victim, false);
	return killer;
}

static void check_killed(unsigned int number, enum tw_role role)
{
	const struct tw_pair *pair, *victim;
	char want[120];
	unsigned int k;
	pid_t pid, killer;
	int side, status;

	start(QUIET "-t3 -i1000 -d0");
	victim = tw_session_pair(&session, number);
	killer = kill_later(victim, role);
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(waitpid(killer, &status, 0), killer);
	assert_int_equal(status, 0);
	assert_int_equal(session.run.err, SIGKILL);
	pid = victim->side[role].child.pid;
	snprintf(want, sizeof(want), "the %s of pair %u (pid %d) was killed by signal 9 (Killed)",
		 role == TW_CLIENT ? "client" : "server", number, (int)pid);
	assert_string_equal(session.run.error, want);
	/* Nobody is left behind. */
	for (k = 0; (pair = tw_session_pair(&session, k)); k++)
		for (side = TW_SERVER; side <= TW_CLIENT; side++)
			assert_true(pair->side[side].child.ended);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	finish();
}

static void test_killed(void **state)
{
	(void)state;
	check_killed(0, TW_CLIENT);
	check_killed(2, TW_CLIENT);
	check_killed(1, TW_SERVER);
	check_killed(2, TW_SERVER);
}

/* A signal to main ends all of them, each after a whole cycle. */
static void test_interrupted(void **state)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 300000 } };
	const struct tw_pair *pair;
	unsigned int k;

	(void)state;
	start(QUIET "-t3 -i1000");
	/* Its default action would be to kill: main reads another. */
	signal(SIGALRM, SIG_DFL);
	alarm(0);
	if (!fork()) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		usleep((useconds_t)soon.it_value.tv_usec);
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	run_all();
	assert_int_equal(session.run.interrupted, SIGTERM);
	for (k = 0; (pair = tw_session_pair(&session, k)); k++) {
		assert_int_equal(pair->side[TW_CLIENT].child.status, 0);
		assert_int_equal(pair->side[TW_SERVER].child.status, 0);
		assert_int_equal(atomic_load(&pair->stop), 1);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_run),
		TEST(test_aligned),
		TEST(test_killed),
		TEST(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
