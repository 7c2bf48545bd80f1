// SPDX-License-Identifier: GPL-2.0-or-later
/* The spans of a trial: of each test, and which of them is looked into. */
#include <string.h>

#include "pt_unit.h"
#include "cause/pt_spans.h"

#define US	TW_NS_PER_US
#define AHEAD	(1000 * US)

static const struct pt_config config = {
	.bin_ns = 1000, .break_ps = 1, .stall_ns = 1, .bypass = TW_BYPASS_FAIR,
};

static const struct pt_test *test_of(const char *name)
{
	int i;

	for (i = 0; pt_tests[i]; i++)
		if (!strcmp(pt_tests[i]->name, name))
			return pt_tests[i];
	fail_msg("there is no test %s", name);
	return NULL;
}

/* Those that have none consist of others, or compare other clocks. */
static bool may_lack(const struct pt_metric *metric)
{
	static const char *const tokens[] = {
		"roundtrip", "post", "shuffle", "life", "interval",
		"difference", "resolution",
	};
	size_t i;

	for (i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++)
		if (!strcmp(metric->token, tokens[i]))
			return true;
	return false;
}

static void check_span(const struct pt_case *c, const struct pt_metric *metric,
		       int tasks)
{
	const struct pt_span *span = &metric->span;

	assert_true(span->to != PT_TO_ADD || metric->value_ps);
	if (span->to <= PT_TO_ADD) {
		if (!may_lack(metric))
			fail_msg("%s: %s has no span", c->name, metric->token);
		return;
	}
	assert_in_range(span->task + 1, 0, tasks);
	assert_in_range(span->by + 1, 0, tasks);
	assert_int_equal(span->to == PT_TO_REPEAT, metric->value_ps != NULL);
	if (span->to == PT_TO_REPEAT)
		assert_non_null(metric->target_ps);
	if (span->to == PT_TO_WAIT || span->to == PT_TO_WAIT_LONG)
		assert_int_not_equal(span->task, span->by);
}

static void check_case(const struct pt_test *test, const struct pt_kind *kind)
{
	struct pt_case *c = pt_unit_case(&config, test, kind);
	const struct pt_role *role = pt_roles(c);
	int i, tasks = 0, spans = 0;

	for (; role->name; role++)
		tasks++;
	if (test->copies)
		tasks += test->copies(c) - 1;
	for (i = 0; i < c->metric_count; i++) {
		check_span(c, c->metric[i], tasks);
		spans += c->metric[i]->span.to > PT_TO_ADD;
	}
	assert_true(spans);
	pt_case_unmap(c);
}

static void test_every_test(void **state)
{
	const struct pt_kind *kind;
	int i;

	(void)state;
	for (i = 0; pt_tests[i]; i++) {
		kind = pt_tests[i]->kinds;
		if (!kind)
			check_case(pt_tests[i], NULL);
		for (; kind && kind->name; kind++)
			check_case(pt_tests[i], kind);
	}
}

static struct pt_case *c;
static struct tw_stretch stretch;

/* A case whose trial is above the limit in its metric @broken. */
static void broken(const char *name, int broken, const int64_t t_us[PT_STAMPS])
{
	const struct pt_test *test = test_of(name);
	struct pt_trial *trial;
	int i;

	c = pt_unit_case(&config, test, test->kinds);
	for (i = 0; i < PT_TASKS; i++) {
		c->task[i].pid = 100 + i;
		snprintf(c->task[i].name, sizeof(c->task[i].name), "prim-%d",
			 i);
	}
	c->broken = broken;
	c->broke.kept.number = 3;
	c->broke.throttled = true;
	trial = &c->broke.kept.trial;
	for (i = 0; i < PT_STAMPS; i++)
		trial->t_ns[i] = t_us[i] * US;
	for (i = 0; i < c->metric_count; i++) {
		c->broke.means_ps[i] = 10.0 * US * PT_PS_PER_NS;
		c->broke.kept.value_ps[i] = pt_value_ps(c, c->metric[i], trial,
							&c->broke.before);
	}
}

#define BROKEN(name, metric, ...) \
	broken(name, metric, (const int64_t[PT_STAMPS]) { __VA_ARGS__ })

static void assert_stretch(const char *phase, int side, int peer,
			   int64_t begin_us, int64_t end_us, int64_t mean_us)
{
	char name[16];

	assert_null(pt_spans_find(c, AHEAD, &stretch));
	assert_string_equal(stretch.names.phase, phase);
	snprintf(name, sizeof(name), "prim-%d", side);
	assert_string_equal(stretch.names.side, name);
	assert_string_equal(stretch.names.title, "task ");
	assert_string_equal(stretch.names.own, "prim-");
	assert_int_equal(stretch.side, side);
	assert_int_equal(stretch.side_pid, 100 + side);
	assert_int_equal(stretch.peer_pid, peer < 0 ? 0 : 100 + peer);
	if (peer < 0)
		assert_null(stretch.names.peer);
	assert_int_equal(stretch.begin_ns, begin_us * US - AHEAD);
	assert_int_equal(stretch.end_ns, end_us * US - AHEAD);
	assert_int_equal((int64_t)stretch.mean_ns, mean_us * US);
	assert_true(stretch.throttled);
	assert_true(stretch.may_throttle);
	assert_int_equal(stretch.bypass, TW_BYPASS_FAIR);
	pt_case_unmap(c);
}

static void test_two_tasks(void **state)
{
	(void)state;
	BROKEN("sync2", 0, 2000, 2100, 2500);
	assert_stretch("out", 1, 0, 2000, 2100, 10);
	assert_int_equal(stretch.waits, TW_UNKNOWN);
	assert_false(stretch.works);
	BROKEN("sync2", 1, 2000, 2100, 2500);
	assert_stretch("back", 0, 1, 2100, 2500, 10);
}

/* What consists of both: the one with the larger excess. */
static void test_of_several(void **state)
{
	(void)state;
	BROKEN("sync2", 2, 2000, 2100, 2500);
	assert_stretch("back", 0, 1, 2100, 2500, 10);
	BROKEN("sync2", 2, 2000, 2400, 2500);
	assert_stretch("out", 1, 0, 2000, 2400, 10);
	BROKEN("sync2", 2, 2000, 2250, 2500);
	c->broke.means_ps[0] = 90.0 * US * PT_PS_PER_NS;
	assert_stretch("back", 0, 1, 2250, 2500, 10);
	BROKEN("shuffle", 2, 2000, 2100, 3000, 3400);
	assert_stretch("grant", 0, 1, 3000, 3400, 10);
	/* It has a span of its own. */
	BROKEN("yield", 1, 2000, 2300, 2350);
	assert_stretch("touched", 0, -1, 2000, 2350, 10);
}

/* 100 operations: the mean of the span is that of all of them. */
static void test_run(void **state)
{
	(void)state;
	BROKEN("syscall", 0, 2000, 4000);
	c->broke.kept.value_ps[0] = 20 * US * PT_PS_PER_NS;
	assert_stretch("call", 0, -1, 2000, 4000, 1000);
	assert_int_equal(stretch.waits, TW_BLOCKED);
	assert_true(stretch.works);
}

static void test_timers(void **state)
{
	(void)state;
	BROKEN("timer", 0, 2000, 2600);
	assert_stretch("wakeup", 0, -1, 2000, 2600, 10);
	assert_int_equal(stretch.due_ns, 2000 * US - AHEAD);
	assert_int_equal(stretch.waits, TW_UNKNOWN);
	/* Of an interval, it is the wake-up that is late. */
	BROKEN("timer", 1, 2000, 2600);
	assert_stretch("wakeup", 0, -1, 2000, 2600, 10);
	BROKEN("sleep", 0, 2000, 3000, 3500);
	assert_stretch("excess", 0, -1, 2000, 3500, 1010);
	assert_int_equal(stretch.due_ns, 3000 * US - AHEAD);
	BROKEN("alarm", 0, 7000);
	c->broke.before.t_ns[0] = 4500 * US;
	c->broke.kept.value_ps[0] = 2500 * US * PT_PS_PER_NS;
	c->broke.means_ps[0] = 1000.0 * US * PT_PS_PER_NS;
	assert_stretch("interval", 0, -1, 4500, 7000, 1000);
	assert_int_equal(stretch.due_ns, 5500 * US - AHEAD);
}

static void test_work_of_another(void **state)
{
	(void)state;
	BROKEN("sync3", 0, 2000, 5000);
	assert_stretch("inversion", 2, 0, 2000, 5000, 10);
	assert_true(stretch.works);
	assert_int_equal(stretch.waits, TW_UNKNOWN);
}

static void test_copies(void **state)
{
	(void)state;
	BROKEN("copy", 0, 2000, 5000);
	c->broke.kept.trial.copy = 3;
	assert_stretch("time", 3, -1, 2000, 5000, 10);
	BROKEN("order", 1, 2000, 2100, 5000);
	assert_stretch("last", 8, 0, 2000, 5000, 10);
}

static void test_of_the_trial(void **state)
{
	(void)state;
	BROKEN("thread", 1, 2000, 2100, 5000, 5100);
	assert_string_equal(pt_spans_find(c, AHEAD, &stretch),
			    "its task is not known");
	c->broke.kept.trial.pid = 4321;
	assert_null(pt_spans_find(c, AHEAD, &stretch));
	assert_string_equal(stretch.names.side, "prim-new");
	assert_int_equal(stretch.side_pid, 4321);
	assert_int_equal(stretch.peer_pid, 100);
	pt_case_unmap(c);
}

static void test_no_span(void **state)
{
	(void)state;
	BROKEN("clock", 1, 2000, 2100, 5000, 5100);
	assert_string_equal(pt_spans_find(c, AHEAD, &stretch),
			    "its value is no time that a task took");
	pt_case_unmap(c);
	BROKEN("clock", 2, 2000, 2100, 5000, 5100, 6000);
	assert_non_null(pt_spans_find(c, AHEAD, &stretch));
	pt_case_unmap(c);
}

static void test_marks(void **state)
{
	struct tw_trace_mark marks[PT_MARKS];
	char texts[PT_MARKS][PT_MARK_TEXT];

	(void)state;
	BROKEN("sync2", 2, 2000, 2100, 2500);
	assert_int_equal(pt_spans_marks(c, AHEAD, marks, texts), 4);
	assert_int_equal(marks[0].at_ns, 2000 * US - AHEAD);
	assert_string_equal(marks[0].what, "out begins");
	assert_int_equal(marks[1].at_ns, 2100 * US - AHEAD);
	assert_int_equal(marks[2].at_ns, 2100 * US - AHEAD);
	assert_int_equal(marks[3].at_ns, 2500 * US - AHEAD);
	assert_string_equal(marks[3].what, "back ends");
	pt_case_unmap(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_test),
		cmocka_unit_test(test_two_tasks),
		cmocka_unit_test(test_of_several),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_work_of_another),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_of_the_trial),
		cmocka_unit_test(test_no_span),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
