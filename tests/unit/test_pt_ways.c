// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a primitive has done: the way of a message between two tasks, which are
 * this process, the results of a hundred operations, a signal's handler; and
 * who is late if a trial is.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pt_unit.h"

#include "pt_exchange.h"
#include "pt_rows.h"

#define PATIENCE_S	30	/* then SIGALRM ends it: something waits */

AT_START(block_signals)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigdelset(&all, SIGSEGV);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* The status of a file has its mode; a file gets the lowest number. */
static int64_t mode, number, parent;

BEFORE_EACH
{
	struct stat status;

	alarm(PATIENCE_S);
	stat("/dev/null", &status);
	mode = status.st_mode;
	number = open("/dev/null", O_RDONLY);
	close((int)number);
	parent = getppid();
}

static struct pt_case *open_case(const struct pt_test *test, const char *kind)
{
	struct pt_case *c = pt_unit_case(test, pt_unit_kind(test, kind));

	if (test->open)
		assert_int_equal(test->open(c), 0);
	return c;
}

static const struct way {
	const char *name;
	const struct pt_test *test;
	size_t size;
	bool counts;	/* what was given twice, can be taken twice */
} ways[] = {
	{ "unnamed", &pt_sync2, 0, true }, { "named", &pt_sync2, 0, true },
	{ "eventfd", &pt_sync2, 8, false }, { "futex", &pt_sync2, 0, true },
	{ "cond", &pt_sync2, 0, true }, { "pi", &pt_sync2, 0, true },
	{ "sysv", &pt_sync2, 0, true }, { "8", &pt_message, 8, true },
	{ "1024", &pt_message, 1024, true }, { "64", &pt_stream, 64, true },
	{ "1", &pt_pipe, 1, true }, { "8192", &pt_pipe, 8192, true },
	{ "1", &pt_unix, 1, true }, { "8192", &pt_unix, 8192, true },
	{ "sigwaitinfo", &pt_signal, 4, true },
	{ "handler", &pt_signal, 4, false },
	{ "signalfd", &pt_signal, 4, true },
};

/* What one gives, the other one takes; nothing comes by the other's way. */
TEST_EACH(way, ways)
{
	struct pt_case *c = open_case(of->test, of->name);
	const struct pt_way *way = c->choice.kind->ops;
	struct pt_exchange *room = c->room;
	int i, n, side, times = 1 + of->counts;

	for (i = 0; i < 2 && of->test->enter; i++)
		assert_int_equal(of->test->enter(&c->task[i]), 0);
	for (i = 0; i < 4; i++) {
		unsigned char *given, *taken;

		side = i % 2;
		given = room->side[side].buffer;
		taken = room->side[!side].buffer;
		if (of->size)
			assert_int_equal(room->channel[side].size, of->size);
		pt_content_fill(given, of->size, 30 + i);
		memset(taken, 0, of->size);
		for (n = 0; n < times; n++)
			assert_int_equal(way->give(&c->task[side],
						   &room->channel[side]), 0);
		c->stamp[PT_ARRIVED(!side)].ns = 0;
		for (n = 0; n < times; n++)
			assert_int_equal(way->take(&c->task[!side],
						   &room->channel[side]), 0);
		assert_true(pt_content_is(taken, of->size, 30 + i));
		assert_true(pt_content_is(given, of->size, 30 + i));
		assert_int_equal(c->stamp[PT_ARRIVED(!side)].ns != 0,
				 way->stamps);
	}
	if (strcmp(of->name, "sysv"))
		return;
	pt_way_close(c);
	assert_int_equal(semctl(room->channel[0].fd[0], 0, GETVAL), -1);
}

static const int64_t no_result;

static const struct hundred {
	const char *name;
	const struct pt_test *test;
	const int64_t *each;	/* the result of each */
	int64_t more;		/* added to the sum of all */
} hundreds[] = {
	{ "unnamed", &pt_sync1, &no_result, 0 },
	{ "named", &pt_sync1, &no_result, 0 },
	{ "mutex", &pt_sync1, &no_result, 0 },
	{ "eventfd", &pt_sync1, &no_result, 0 },
	{ "futex", &pt_sync1, &no_result, 0 },
	{ "open", &pt_syscall, &number, 0 },
	{ "getppid", &pt_syscall, &parent, 0 },
	{ "read", &pt_syscall, &no_result, 0 },
	{ "write", &pt_syscall, &no_result, 100 },
	{ "fstat", &pt_syscall, &mode, 0 },
	/* Each block has its number in its first byte, and 1 in its last. */
	{ "single", &pt_alloc, &no_result, 99 * 100 / 2 + 100 },
	{ "batch", &pt_alloc, &no_result, 99 * 100 / 2 + 100 },
};

TEST_EACH(hundred, hundreds)
{
	struct pt_case *c = open_case(of->test, of->name);
	struct pt_task *task = &c->task[0];
	int i;

	for (i = 0; i < 2; i++)
		assert_int_equal(of->test->once(task), 0);
	assert_true(task->summed);
	assert_int_equal(task->checksum, 100 * *of->each + of->more);
	assert_true(0 < c->stamp[0].ns && c->stamp[0].ns < c->stamp[1].ns);
	task->checksum++;
	assert_int_equal(of->test->once(task), -EBADMSG);
}

static const struct trap {
	const char *name;
	int signal;
} traps[] = { { "fault", SIGSEGV }, { "signal", SIGUSR1 } };

/* The handler runs in each, in between, and else it is no trial. */
TEST_EACH(trap, traps)
{
	struct pt_case *c = open_case(&pt_trap, of->name);
	const struct pt_stamp *t = c->stamp;
	int i;

	assert_int_equal(pt_trap.enter(&c->task[0]), 0);
	for (i = 0; i < 3; i++) {
		c->stamp[1].ns = 0;
		assert_int_equal(pt_trap.once(&c->task[0]), 0);
		assert_true(t[0].ns <= t[1].ns && t[1].ns <= t[2].ns);
	}
	signal(of->signal, of->signal == SIGSEGV ? SIG_DFL : SIG_IGN);
	if (of->signal == SIGUSR1)
		assert_int_equal(pt_trap.once(&c->task[0]), -EPROTO);
}

/* What is said of two values of a metric; is it wrong? */
static const struct said {
	const char *name;
	const struct pt_test *test;
	const char *kind;
	int column;
	int64_t ns[2];
	const char *text;	/* begins so; NULL: nothing */
	bool wrong;
} said[] = {
	{ "a sleep ends in time", &pt_sleep, "usleep.1", 0, { 0, 5 },
	  "timer slack: up to 77 ns of the excess", false },
	{ "and early", &pt_sleep, "absolute.100", 0, { 5, -1 },
	  "a sleep ended 1 ns early", true },
	{ "jitter", &pt_timer, "1000", 1, { 900, 1100 },
	  "jitter 200 ns, the largest interval less the smallest", false },
	{ "doubled", &pt_alarm, NULL, 0, { 5, 5 },
	  "doubled: 77 intervals of at least 1.5 periods", false },
	{ "a clock stands", &pt_clock, "monotonic", 1, { 0, 5 }, NULL, false },
	{ "goes back", &pt_clock, "tsc", 1, { 5, -9 },
	  "the clock went back by 9 ns", true },
	{ "was set back", &pt_clock, "tai", 1, { 5, -9 }, NULL, false },
	{ "deltas", &pt_bintime, "syscall", 0, { 5, 0 },
	  "0.000 ms in deltas, 7.7 % of the time", false },
};

TEST_EACH(say, said)
{
	struct pt_case *c = pt_unit_case(of->test,
					       pt_unit_kind(of->test, of->kind));
	int i;

	c->number = 77;
	c->end_ns = c->begin_ns + 1000;
	for (i = 0; i < 2; i++)
		tw_stats_add(&c->column[of->column].stats,
			     of->ns[i] * PT_PS_PER_NS, 1. / (i + 1));
	of->test->verify(c);
	assert_string_equal(c->verdict[0].text, of->text ? of->text : "");
	assert_int_equal(c->verdict[0].failed, of->wrong);
}

/* What some systems do not have is left out there. */
TEST(optional)
{
	static const struct {
		const struct pt_test *test;
		const char *kinds[4];
	} rows[] = {
		{ &pt_clock, { "realtime_alarm", "boottime_alarm", "tsc" } },
		{ &pt_bintime, { "tsc" } },
	};
	const struct pt_kind *kind;
	size_t i;
	int n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (n = 0, kind = rows[i].test->kinds; kind->name; kind++)
			if (kind->optional)
				assert_string_equal(kind->name,
						    rows[i].kinds[n++]);
		assert_null(rows[i].kinds[n]);
	}
}

#define SELF	""
#define TRIAL	"trial"		/* the task that lives for it */

/* Who is to do what, and who is to wake it. */
static const struct span {
	const char *name;
	const struct pt_test *test;
	const char *kind;
	enum pt_to to;
	const char *task, *by;
} spans[] = {
	{ "out", &pt_sync2, "futex", PT_TO_WAIT, "answers", "asks" },
	{ "back", &pt_sync2, "futex", PT_TO_WAIT, "asks", "answers" },
	{ "out", &pt_sync2, "mutex", PT_TO_WAIT, "answers", "asks" },
	{ "message", &pt_stream, "8", PT_TO_WAIT_LONG, "answers", "asks" },
	{ "send", &pt_signal, "queue", PT_TO_RUN, "asks", NULL },
	{ "take", &pt_signal, "queue", PT_TO_RUN, "answers", NULL },
	{ "preempt", &pt_preempt, NULL, PT_TO_WAIT, "high", "low" },
	{ "resume", &pt_preempt, NULL, PT_TO_WAIT, "low", "high" },
	{ "high", &pt_monopoly, NULL, PT_TO_WAIT_LONG, "high", "releases" },
	{ "low", &pt_monopoly, NULL, PT_TO_WAIT_LONG, "low", "releases" },
	{ "inversion", &pt_sync3, "none", PT_TO_WAIT_LONG, "high", "low" },
	{ "inversion", &pt_sync3, "inherit", PT_TO_WAIT_LONG, "high", "low" },
	{ "switch", &pt_yield, "2x0", PT_TO_RUN, "yields", NULL },
	{ "touched", &pt_yield, "2x0", PT_TO_RUN, "yields", NULL },
	{ "block", &pt_shuffle, NULL, PT_TO_WAIT, "holds", "asks" },
	{ "grant", &pt_shuffle, NULL, PT_TO_WAIT, "asks", "holds" },
	{ "shuffle", &pt_shuffle, NULL, PT_TO_ADD, NULL, NULL },
	{ "first", &pt_order, "cond", PT_TO_WAIT, "waits", "wakes" },
	{ "last", &pt_order, "pi", PT_TO_WAIT, "waits7", "wakes" },
	{ "handover", &pt_switch, NULL, PT_TO_RUN, TRIAL, NULL },
	{ "create", &pt_thread, NULL, PT_TO_RUN, SELF, NULL },
	{ "first", &pt_thread, NULL, PT_TO_WAIT, TRIAL, SELF },
	{ "join", &pt_thread, NULL, PT_TO_WAIT, SELF, TRIAL },
	{ "wakeup", &pt_timer, "1000", PT_TO_EXPIRE, SELF, NULL },
	{ "interval", &pt_timer, "1000", PT_TO_ADD, SELF, NULL },
	{ "interval", &pt_alarm, NULL, PT_TO_REPEAT, SELF, NULL },
	{ "excess", &pt_sleep, "usleep.1", PT_TO_SLEEP, SELF, NULL },
	{ "enter", &pt_trap, "fault", PT_TO_RUN, SELF, NULL },
	{ "leave", &pt_trap, "fault", PT_TO_RUN, SELF, NULL },
	{ "delta", &pt_bintime, "vdso", PT_TO_RUN, SELF, NULL },
	{ "error", &pt_delay, NULL, PT_TO_RUN, SELF, NULL },
	{ "time", &pt_copy, "1", PT_TO_RUN, "copies", NULL },
	{ "time", &pt_work, "add", PT_TO_RUN, SELF, NULL },
	{ "pair", &pt_sync1, "mutex", PT_TO_RUN, SELF, NULL },
	{ "cost", &pt_clock, "tai", PT_TO_RUN, SELF, NULL },
	{ "loop10000", &pt_clock, "linear", PT_TO_RUN, "high", NULL },
	/* In the whole of these, others take part. */
	{ "roundtrip", &pt_sync2, "futex", PT_TO_NOTHING, NULL, NULL },
	{ "post", &pt_preempt, NULL, PT_TO_NOTHING, NULL, NULL },
	{ "life", &pt_thread, NULL, PT_TO_NOTHING, NULL, NULL },
	{ "handover", &pt_sync3, "protect", PT_TO_NOTHING, NULL, NULL },
};

static void assert_is(const struct pt_case *c, int number, const char *name)
{
	const struct pt_task *task;

	if (!name)
		return;
	assert_int_equal(number < 0, !strcmp(name, TRIAL));
	if (number < 0 || !*name)
		return;
	task = &c->task[number];
	assert_int_equal(strncmp(name, task->role->name,
				 strlen(task->role->name)), 0);
	assert_int_equal(task->copy, strcmp(name, "waits7") ? 0 : 7);
}

TEST_EACH(span, spans)
{
	const struct pt_case *c = pt_unit_case(of->test,
					       pt_unit_kind(of->test, of->kind));
	const struct pt_metric *metric = c->column[0].metric;

	while (metric->token && strcmp(metric->token, of->name))
		metric++;
	assert_non_null(metric->token);
	assert_int_equal(metric->who.to, of->to);
	assert_is(c, metric->who.task, of->task);
	assert_is(c, metric->who.by, of->by);
}
